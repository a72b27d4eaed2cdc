# The Kokkos that kubature is built with: a parent project's target Kokkos::kokkos, an installed one, or a release that is
# fetched and built for what this machine has. Sets Kokkos_VERSION, Kokkos_DEVICES and kubature_kokkos_place.
set(KUBATURE_KOKKOS AUTO CACHE STRING "The Kokkos to use: INSTALLED, FETCH (a release, built here), or AUTO: installed, otherwise fetched")
set_property(CACHE KUBATURE_KOKKOS PROPERTY STRINGS AUTO INSTALLED FETCH)
if(NOT KUBATURE_KOKKOS MATCHES "^(AUTO|INSTALLED|FETCH)$")
  message(FATAL_ERROR "KUBATURE_KOKKOS is ${KUBATURE_KOKKOS}: it is AUTO, INSTALLED or FETCH")
endif()

# The release that is fetched. FETCHCONTENT_SOURCE_DIR_KOKKOS names a source folder instead, for machines without a network.
set(fetched_release 5.1.1)
set(fetched_hash 8bdbee0f0ac383436743ad8a9e3e928705b34b31a25a92dc5179c52a3aa98519)

# kubature_find_nvcc: sets KUBATURE_NVCC
macro(kubature_find_nvcc)
  find_program(KUBATURE_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(KUBATURE_NVCC)
endmacro()

# kubature_kokkos_serves RESULT: whether the Kokkos that was found has a version that kubature supports
function(kubature_kokkos_serves result)
  set(${result} ON PARENT_SCOPE)
  if(Kokkos_VERSION VERSION_LESS KUBATURE_KOKKOS_FROM OR Kokkos_VERSION VERSION_GREATER_EQUAL KUBATURE_KOKKOS_BELOW)
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# kubature_choose_devices: unless the caller names devices by Kokkos_ENABLE_..., those of this machine: CUDA if it has a
# compiler and a GPU, whose architecture Kokkos asks it for, and OpenMP if the compiler has it; otherwise Serial.
function(kubature_choose_devices)
  foreach(device CUDA HIP SYCL OPENMP THREADS SERIAL)
    if(DEFINED Kokkos_ENABLE_${device})
      return()
    endif()
  endforeach()
  kubature_find_nvcc()
  find_program(KUBATURE_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(KUBATURE_NVIDIA_SMI)
  set(gpus)
  if(KUBATURE_NVCC AND KUBATURE_NVIDIA_SMI)
    execute_process(COMMAND ${KUBATURE_NVIDIA_SMI} -L OUTPUT_VARIABLE gpus ERROR_QUIET)
  endif()
  if(gpus MATCHES "GPU 0" OR KUBATURE_REQUIRE_BACKEND STREQUAL "CUDA")
    set(Kokkos_ENABLE_CUDA ON CACHE BOOL "Chosen by kubature: nvcc and a GPU were found")
  endif()
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(OpenMP_CXX_FOUND)
    set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "Chosen by kubature: the compiler has OpenMP")
  endif()
  set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "Chosen by kubature")
endfunction()

# Builds Kokkos as a part of this project, so that it is installed with kubature.
macro(kubature_fetch_kokkos)
  include(FetchContent)
  kubature_choose_devices()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the C library is a shared one
  FetchContent_Declare(kokkos SYSTEM URL https://github.com/kokkos/kokkos/releases/download/${fetched_release}/kokkos-${fetched_release}.tar.gz
                       URL_HASH SHA256=${fetched_hash}) # SYSTEM: without warnings from its headers
  FetchContent_MakeAvailable(kokkos)
  unset(CMAKE_POSITION_INDEPENDENT_CODE)
  get_directory_property(Kokkos_VERSION DIRECTORY ${kokkos_SOURCE_DIR} DEFINITION Kokkos_VERSION)
  get_directory_property(Kokkos_DEVICES DIRECTORY ${kokkos_SOURCE_DIR} DEFINITION KOKKOS_ENABLED_DEVICES)
  set(kubature_kokkos_place ${kokkos_SOURCE_DIR})
endmacro()

# A parent project's target is used unchanged.
if(TARGET Kokkos::kokkos)
  set(kubature_kokkos_place "the parent project")
else()
  if(NOT KUBATURE_KOKKOS STREQUAL "FETCH")
    find_package(Kokkos QUIET)
    kubature_kokkos_serves(serves)
    set(kubature_kokkos_place ${Kokkos_DIR})
  endif()
  if(KUBATURE_KOKKOS STREQUAL "INSTALLED" AND NOT Kokkos_FOUND)
    message(FATAL_ERROR "KUBATURE_KOKKOS is INSTALLED, and CMake finds no Kokkos: name one by Kokkos_ROOT, or let "
                        "KUBATURE_KOKKOS=FETCH build one")
  elseif(Kokkos_FOUND AND NOT serves)
    message(FATAL_ERROR "kubature needs Kokkos ${KUBATURE_KOKKOS_FROM} or newer, below ${KUBATURE_KOKKOS_BELOW}; found "
                        "${Kokkos_VERSION} in ${Kokkos_DIR}. KUBATURE_KOKKOS=FETCH builds another one")
  elseif(NOT Kokkos_FOUND)
    kubature_fetch_kokkos()
  endif()
endif()

# nvcc 13 has changed what Kokkos calls.
if(CUDA IN_LIST Kokkos_DEVICES AND Kokkos_VERSION VERSION_LESS 4.7.1)
  kubature_find_nvcc()
  execute_process(COMMAND ${KUBATURE_NVCC} --version OUTPUT_VARIABLE said ERROR_QUIET)
  if(said MATCHES "release 1[3-9]")
    message(WARNING "Kokkos ${Kokkos_VERSION} does not compile with nvcc 13 as it is released: use 4.7.1 or newer")
  endif()
endif()
