#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// KUBATURE_FOR_EACH_SPACE(MACRO) expands to MACRO(Space) for each execution space that this Kokkos enables, devices
/// first. Sources use it to instantiate what they define for all spaces.

#ifdef KOKKOS_ENABLE_CUDA
#define KUBATURE_FOR_CUDA(MACRO) MACRO(Kokkos::Cuda)
#else
#define KUBATURE_FOR_CUDA(MACRO)
#endif
#ifdef KOKKOS_ENABLE_HIP
#define KUBATURE_FOR_HIP(MACRO) MACRO(Kokkos::HIP)
#else
#define KUBATURE_FOR_HIP(MACRO)
#endif
#ifdef KOKKOS_ENABLE_SYCL
#define KUBATURE_FOR_SYCL(MACRO) MACRO(Kokkos::SYCL)
#else
#define KUBATURE_FOR_SYCL(MACRO)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define KUBATURE_FOR_OPENMP(MACRO) MACRO(Kokkos::OpenMP)
#else
#define KUBATURE_FOR_OPENMP(MACRO)
#endif
#ifdef KOKKOS_ENABLE_THREADS
#define KUBATURE_FOR_THREADS(MACRO) MACRO(Kokkos::Threads)
#else
#define KUBATURE_FOR_THREADS(MACRO)
#endif
#ifdef KOKKOS_ENABLE_HPX
#define KUBATURE_FOR_HPX(MACRO) MACRO(Kokkos::Experimental::HPX)
#else
#define KUBATURE_FOR_HPX(MACRO)
#endif
#ifdef KOKKOS_ENABLE_SERIAL
#define KUBATURE_FOR_SERIAL(MACRO) MACRO(Kokkos::Serial)
#else
#define KUBATURE_FOR_SERIAL(MACRO)
#endif

#define KUBATURE_FOR_EACH_SPACE(MACRO)                                                                                 \
  KUBATURE_FOR_CUDA(MACRO)                                                                                             \
  KUBATURE_FOR_HIP(MACRO)                                                                                              \
  KUBATURE_FOR_SYCL(MACRO)                                                                                             \
  KUBATURE_FOR_OPENMP(MACRO)                                                                                           \
  KUBATURE_FOR_THREADS(MACRO)                                                                                          \
  KUBATURE_FOR_HPX(MACRO)                                                                                              \
  KUBATURE_FOR_SERIAL(MACRO)
