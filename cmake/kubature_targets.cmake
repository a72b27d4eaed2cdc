# kubature_component(NAME SOURCES ... LINK ...): one of the library's parts, kubature::NAME, with its headers in
# NAME/include.
function(kubature_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(kubature_${name} ${arg_SOURCES})
  add_library(kubature::${name} ALIAS kubature_${name})
  set_target_properties(kubature_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(kubature_${name} PUBLIC cxx_std_20)
  target_include_directories(
    kubature_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(kubature_${name} PUBLIC ${arg_LINK})
  kubature_warnings(kubature_${name})
  install(TARGETS kubature_${name} EXPORT kubature_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# kubature_host_optimization TARGET LEVEL: kernels of many integrands compile for long. -O2 takes 0.6 and -O1 0.4 of the
# time of -O3, and m-Cubes (study vegas-throughput) computes as fast at -O2. (nvcc has a level of its own for devices.)
function(kubature_host_optimization target level)
  if(NOT CUDA IN_LIST Kokkos_DEVICES AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  endif()
endfunction()

# The warnings under which the project's own files compile clean.
function(kubature_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  if(KUBATURE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
