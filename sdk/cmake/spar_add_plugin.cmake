# spar_add_plugin(NAME SOURCES..): builds NAME.spar.so, a plugin that the host discovers by its .note.spar section.
#
# The version script is not decoration: with -fvisibility=hidden alone, weak symbols of other libraries in the process
# bind into the plugin, and two plugins with the same inline static share it.
function(spar_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE spar::sdk)
  if(TARGET spar_options)
    target_link_libraries(${name} PRIVATE spar_options)
  endif()
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/spar.map)
  set_target_properties(
    ${name}
    PROPERTIES PREFIX ""
               SUFFIX ".spar.so"
               CXX_VISIBILITY_PRESET hidden
               C_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               SKIP_BUILD_RPATH ON
               LINK_DEPENDS ${map})
  # -ffp-contract=off: the same numbers from every compiler and processor; environments promise bit-exact transitions.
  target_compile_options(
    ${name} PRIVATE -ffp-contract=off $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,--build-id=sha1)
  if(NOT SPAR_SANITIZE) # the sanitizers' run-time symbols come from the program
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  if(DEFINED SPAR_PLUGIN_OUTPUT_DIRECTORY)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${SPAR_PLUGIN_OUTPUT_DIRECTORY})
    install(TARGETS ${name} LIBRARY DESTINATION lib/spar/plugins)
  endif()
endfunction()
