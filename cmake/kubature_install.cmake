# The package that find_package(kubature) finds. Parts with requirements of their own install their targets beside it.
include(CMakePackageConfigHelpers)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/package)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kubatureConfig.cmake.in ${folder}/kubatureConfig.cmake
                              INSTALL_DESTINATION ${kubature_package_folder})
write_basic_package_version_file(${folder}/kubatureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${folder}/kubatureConfig.cmake ${folder}/kubatureConfigVersion.cmake ${CMAKE_CURRENT_LIST_DIR}/Findsleef.cmake
        DESTINATION ${kubature_package_folder})
install(EXPORT kubature_targets NAMESPACE kubature:: DESTINATION ${kubature_package_folder})
