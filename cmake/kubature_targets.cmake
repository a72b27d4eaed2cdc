# kubature_component(NAME SOURCES ... LINK ... [TARGETS FILE]): one of the library's parts, kubature::NAME, with its
# headers in NAME/include. A part with requirements of its own has its own file of targets in the package.
function(kubature_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGETS" "SOURCES;LINK")
  if(NOT arg_TARGETS)
    set(arg_TARGETS kubature_targets)
  endif()
  add_library(kubature_${name} ${arg_SOURCES})
  add_library(kubature::${name} ALIAS kubature_${name})
  set_target_properties(
    kubature_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION}
                                SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(kubature_${name} PUBLIC cxx_std_20)
  kubature_headers(kubature_${name})
  target_link_libraries(kubature_${name} PUBLIC ${arg_LINK})
  kubature_warnings(kubature_${name})
  kubature_precompile(kubature_${name} LIKE kubature_core)
  kubature_in_groups(kubature_${name} 10)
  kubature_find_installed(kubature_${name} .)
  set_property(GLOBAL APPEND PROPERTY KUBATURE_COMPONENTS kubature_${name})
  install(
    TARGETS kubature_${name}
    EXPORT ${arg_TARGETS}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# kubature_headers TARGET: makes the headers in include/ the target's interface. Adding or removing a header changes the
# time of its folder, whereupon CMake looks again. (With GLOB's CONFIGURE_DEPENDS, ninja -n would not get beyond looking:
# scripts ask it whether there is anything to build.)
function(kubature_headers target)
  file(GLOB_RECURSE headers ${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${headers})
  set(folders ${headers})
  list(TRANSFORM folders REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES folders)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folders})
endfunction()

# kubature_find_installed TARGET PATH: once installed, the target finds kubature's shared libraries in PATH, relative to
# itself, and others where they were when it was linked. Users override this with CMAKE_INSTALL_RPATH.
function(kubature_find_installed target path)
  if(NOT DEFINED CMAKE_INSTALL_RPATH)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/${path} INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
endfunction()

# kubature_can_be_shared RESULT: a static Kokkos that was compiled without -fPIC cannot be part of a shared library. The
# linker would report that only after everything has been compiled; linking a small library here reports it at once.
function(kubature_can_be_shared result)
  set(${result} ON PARENT_SCOPE)
  get_target_property(type Kokkos::kokkoscore TYPE)
  get_target_property(configurations Kokkos::kokkoscore IMPORTED_CONFIGURATIONS)
  if(NOT type STREQUAL "STATIC_LIBRARY" OR NOT configurations)
    return()
  endif()
  list(GET configurations 0 configuration)
  get_target_property(file Kokkos::kokkoscore IMPORTED_LOCATION_${configuration})
  if(NOT file OR "${KUBATURE_KOKKOS_CAN_BE_SHARED}" STREQUAL file)
    return()
  endif()
  try_compile(
    linked
    SOURCE_FROM_CONTENT
      call.cpp "namespace Kokkos { bool is_initialized(); } bool call(); bool call() { return Kokkos::is_initialized(); }"
    NO_CACHE
    COMPILE_DEFINITIONS -fPIC
    LINK_OPTIONS -shared
    LINK_LIBRARIES ${file}
    OUTPUT_VARIABLE said)
  if(NOT linked AND said MATCHES "-fPIC")
    set(${result} OFF PARENT_SCOPE)
  else()
    set(KUBATURE_KOKKOS_CAN_BE_SHARED ${file} CACHE INTERNAL "the Kokkos that was tried")
  endif()
endfunction()

# kubature_host_optimization TARGET LEVEL: kernels of many integrands take long to compile. -O2 takes 0.6 and -O1 0.4 of
# the time of -O3, and m-Cubes (study vegas-throughput) computes as fast at -O2. -Og takes 0.3 (and with it GCC does not
# see what a loop has initialised). For devices nvcc has a level of its own.
function(kubature_host_optimization target level)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  if(CUDA IN_LIST Kokkos_DEVICES AND level MATCHES "^[1g]$") # of the host alone; nvcc does not know g
    set(level 0)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  if(level STREQUAL "g" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
endfunction()

# kubature_precompile TARGET [LIKE OTHER] [HEADERS ...]: the target's files are compiled after Kokkos's headers, which
# are precompiled once: for OTHER, if its files are compiled with the same flags. A missing #include in a file shows
# where kubature is part of another project (test source_subfolder) and for CUDA, as nothing is precompiled there.
function(kubature_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIKE" "HEADERS")
  if(NOT PROJECT_IS_TOP_LEVEL OR Kokkos_DEVICES MATCHES "CUDA|HIP|SYCL")
    return()
  endif()
  if(arg_LIKE AND NOT arg_LIKE STREQUAL target)
    target_precompile_headers(${target} REUSE_FROM ${arg_LIKE})
  else()
    target_precompile_headers(${target} PRIVATE <Kokkos_Core.hpp> ${arg_HEADERS})
  endif()
endfunction()

# kubature_only_check TARGET: the target's files are to compile, and nothing else.
function(kubature_only_check target)
  kubature_host_optimization(${target} 0)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT CUDA IN_LIST Kokkos_DEVICES AND NOT CMAKE_HOST_WIN32)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/only_check)
  endif()
endfunction()

# kubature_in_groups TARGET [SIZE] [CUDA SIZE]: if wanted, compiles SIZE of its files at a time as one, or the groups that
# UNITY_GROUP names. What they have in common is then compiled once, which helps if there are few cores and everything
# is compiled. nvcc passes over Kokkos's headers for 15 s per file and over kernels for longer than g++: it compiles
# files with kernels one by one, unless CUDA says how many.
function(kubature_in_groups target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CUDA" "")
  set(size ${arg_UNPARSED_ARGUMENTS})
  if(CUDA IN_LIST Kokkos_DEVICES AND NOT size)
    set(size ${arg_CUDA})
    if(NOT size)
      set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
      return()
    endif()
  endif()
  if(KUBATURE_IN_GROUPS AND PROJECT_IS_TOP_LEVEL)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    if(size)
      set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
    else()
      set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    endif()
  endif()
endfunction()

# kubature_quick_device_code TARGET: nvcc 13 leaves out some optimisation of device code and is faster, ptxas five times.
# The level is `min`: at `max` calls are not inlined, so that kernels with launch bounds get more registers than they may
# have, and stacks are larger than what is reserved (on an H200 tests ended with launch failures).
function(kubature_quick_device_code target)
  if(NOT CUDA IN_LIST Kokkos_DEVICES)
    return()
  endif()
  kubature_find_nvcc()
  if(NOT DEFINED KUBATURE_NVCC_IS_FAST)
    execute_process(COMMAND ${KUBATURE_NVCC} --help OUTPUT_VARIABLE said ERROR_QUIET)
    string(FIND "${said}" "--Ofast-compile" found)
    set(KUBATURE_NVCC_IS_FAST ${found} CACHE INTERNAL "Where nvcc's help has --Ofast-compile, or -1")
  endif()
  if(KUBATURE_NVCC_IS_FAST GREATER -1)
    set(launcher ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_COMMAND} -E env NVCC_APPEND_FLAGS=-Ofc=min) # nvcc_wrapper would give g++ the option
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  endif()
endfunction()

# The warnings under which the project's own files compile cleanly.
function(kubature_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # In code that nvcc has rewritten, GCC 13 finds array bounds exceeded where a list of one element is copied.
  # A kernel that calls a function of the host would not do what it says: nvcc only warns of that. It compiles what
  # depends on Kokkos.
  if(CUDA IN_LIST Kokkos_DEVICES)
    target_compile_options(${target} PRIVATE -Wno-array-bounds)
    set(kernels $<IN_LIST:KOKKOS_DEPENDENCE,$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>>)
    set(calls 20011 20013 20014 20015)
    list(TRANSFORM calls PREPEND "-Xcudafe --diag_error=")
    list(JOIN calls " " calls)
    target_compile_options(${target} PRIVATE "$<${kernels}:SHELL:${calls}>")
  endif()
  # GCC 12 finds that strings which are joined may overlap (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(KUBATURE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
