# The package that find_package(kubature) finds.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kubature)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kubatureConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/kubatureConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kubatureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kubatureConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/kubatureConfigVersion.cmake
        DESTINATION ${package_folder})
install(EXPORT kubature_targets NAMESPACE kubature:: DESTINATION ${package_folder})
