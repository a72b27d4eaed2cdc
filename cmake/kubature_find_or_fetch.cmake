# kubature_find_or_fetch(PACKAGE URL SHA256): a library that consists of headers. Where CMake does not find it, the
# named release is fetched, as Kokkos is (KUBATURE_KOKKOS); FETCHCONTENT_SOURCE_DIR_... names a folder instead.
macro(kubature_find_or_fetch package url hash)
  if(KUBATURE_KOKKOS STREQUAL "INSTALLED")
    find_package(${package} REQUIRED)
  else()
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
      include(FetchContent)
      FetchContent_Declare(${package} URL ${url} URL_HASH SHA256=${hash})
      FetchContent_MakeAvailable(${package})
    endif()
  endif()
endmacro()
