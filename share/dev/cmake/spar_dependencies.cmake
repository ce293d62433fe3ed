# Everything comes from Debian's packages; share/dev/run and share/dev/test install them.
find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers filesystem json program_options)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(cereal REQUIRED)

if(SPAR_BUILD_TESTS)
  find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS unit_test_framework)
endif()

# For the network backend `torch` and as the tests' oracle; the program itself never links it.
set(SPAR_HAVE_TORCH FALSE)
if(NOT SPAR_TORCH STREQUAL "OFF" AND NOT SPAR_SANITIZE)
  find_package(Torch QUIET)
  if(Torch_FOUND)
    set(SPAR_HAVE_TORCH TRUE)
  elseif(SPAR_TORCH STREQUAL "ON")
    message(FATAL_ERROR "LibTorch was asked for (SPAR_TORCH=ON) and is not there: install libtorch-dev")
  endif()
endif()
message(STATUS "spar: LibTorch, for the network backend `torch` and the tests' oracle: ${SPAR_HAVE_TORCH}")
