# The SDK in the install tree: headers, spar_add_plugin() and a package file for find_package(spar).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spar)

install(TARGETS spar_sdk EXPORT spar-targets)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT spar-targets NAMESPACE spar:: DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/spar_add_plugin.cmake ${CMAKE_CURRENT_LIST_DIR}/spar.map
        DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spar-config.cmake.in spar-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(spar-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spar-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/spar-config-version.cmake
        DESTINATION ${package_dir})
