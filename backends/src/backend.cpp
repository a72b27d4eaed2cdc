#include <kubature/backend.hpp>
#include <kubature/detail/spaces.hpp>

#include <fstream>
#include <string>
#include <type_traits>
#include <unistd.h>

namespace kubature {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string version(int major, int minor, int patch) {
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

std::size_t memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

template <class Space>
BackendInfo info() {
  BackendInfo result{Space::name(), processor(), Space().concurrency(), memory()};
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    auto const& card = Space().cuda_device_prop();
    result.device = card.name;
    result.memory = card.totalGlobalMem;
  }
#endif
  return result;
}

} // namespace

std::vector<BackendInfo> backends() {
  std::vector<BackendInfo> result{info<Kokkos::DefaultExecutionSpace>()};
  auto const add = [&]<class Space>(Space const&) {
    if constexpr (!std::is_same_v<Space, Kokkos::DefaultExecutionSpace>)
      result.push_back(info<Space>());
  };
#define KUBATURE_ADD(Space) add(Space());
  KUBATURE_FOR_EACH_SPACE(KUBATURE_ADD)
#undef KUBATURE_ADD
  return result;
}

template <class Space>
int device_number([[maybe_unused]] Space const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>)
    return exec.cuda_device();
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Space, Kokkos::HIP>)
    return exec.hip_device();
#endif
  return 0;
}

template <class Space>
std::size_t free_memory([[maybe_unused]] Space const& exec) {
  if constexpr (Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) {
    std::ifstream file("/proc/meminfo");
    std::size_t kilobytes = 0;
    for (std::string name, unit; file >> name >> kilobytes; std::getline(file, unit))
      if (name == "MemAvailable:")
        return kilobytes * 1024;
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    std::size_t free = 0, all = 0;
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(device_number(exec));
    if (cudaMemGetInfo(&free, &all) != cudaSuccess)
      free = 0;
    cudaSetDevice(before);
    return free;
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Space, Kokkos::HIP>) {
    std::size_t free = 0, all = 0;
    int before = 0;
    if (hipGetDevice(&before) != hipSuccess || hipSetDevice(device_number(exec)) != hipSuccess ||
        hipMemGetInfo(&free, &all) != hipSuccess)
      free = 0;
    return hipSetDevice(before) == hipSuccess ? free : 0;
  }
#endif
  return 0;
}

#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  template int device_number(Space const&);                                                                            \
  template std::size_t free_memory(Space const&);
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

std::string kokkos_version() {
  return version(KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100);
}

std::string compiler_version() {
#ifdef __clang__
  std::string name = "Clang " + version(__clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  std::string name = "GCC " + version(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#ifdef __CUDACC_VER_MAJOR__
  name += ", nvcc " + version(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
#endif
  return name;
}

} // namespace kubature
