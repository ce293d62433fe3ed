# spar_add_test(NAME [LABEL unit] [TIMEOUT 60] SOURCES.. [LIBRARIES..]): one Boost.Test program and one ctest entry.
# SPAR_TEST_DATA is tests/data; SPAR_BUILD_DIR the build tree, for tests that start the programs.
function(spar_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "SOURCES;LIBRARIES")
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE spar_test_main ${arg_LIBRARIES})
  target_compile_definitions(test_${name} PRIVATE SPAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
                                                  SPAR_BUILD_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
endfunction()
