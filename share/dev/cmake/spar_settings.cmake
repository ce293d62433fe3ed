# What every target of the project shares: standard, layout of the build tree, warnings, hardening, sanitizers.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The build tree and the install tree have the same layout: the program finds its plugins beside itself in both.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(SPAR_PLUGIN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/spar/plugins)

find_program(SPAR_CCACHE ccache)
if(SPAR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines,time_macros: without them ccache misses every user of a precompiled header. CCACHE_DEPEND: what was
  # included is read from the compiler's own list, so that a miss costs no second preprocessing.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
               CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${SPAR_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# The same numbers from every compiler and with every width of vectors: unlike GCC in ISO mode, clang makes one instruction
# of a * b + c unless told not to. For the whole tree, so that the options of a target come later and may differ.
add_compile_options(-ffp-contract=off)

# For code whose speed nobody feels: compiled in two thirds of the time.
set(SPAR_COLD $<$<CONFIG:Release>:-O1>)
# For code that tests run millions of times: under a sanitizer everything else is compiled for quick builds. Not -O1, where
# clang inlines nothing.
set(SPAR_HOT "")
if(SPAR_SANITIZE)
  set(SPAR_HOT -O2)
endif()

add_library(spar_options INTERFACE)
target_compile_options(
  spar_options
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -fstack-protector-strong
            $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
            $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
            # GCC 12 reports overlapping copies that cannot happen (PR 105651).
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
            # The layout of precompiled headers must survive the preprocessor, or ccache never hits.
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SPAR_SANITIZE)
  target_compile_definitions(spar_options INTERFACE _FORTIFY_SOURCE=2)
endif()
add_link_options(-Wl,-z,relro,-z,now)

if(SPAR_SANITIZE)
  add_compile_options(-fsanitize=${SPAR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SPAR_SANITIZE})
  if(SPAR_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan) # that it does not follow a fence is no error
  endif()
endif()
