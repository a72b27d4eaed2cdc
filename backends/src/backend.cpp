#include <kubature/backend.hpp>
#include <kubature/detail/host_memory.hpp>
#include <kubature/detail/spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <numeric>
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

std::size_t memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

template <class Space>
BackendInfo info() {
  BackendInfo result{Space::name(), processor(), Space().concurrency(), memory()};
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    auto const card = Space().cuda_device_prop();
    result.device = card.name;
    result.memory = card.totalGlobalMem;
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Space, Kokkos::HIP>) {
    auto const card = Space().hip_device_prop();
    result.device = card.name;
    result.memory = card.totalGlobalMem;
  }
#endif
#ifdef KOKKOS_ENABLE_SYCL
  if constexpr (std::is_same_v<Space, Kokkos::SYCL>) {
    auto const card = Space().sycl_queue().get_device();
    result.device = card.template get_info<sycl::info::device::name>();
    result.memory = card.template get_info<sycl::info::device::global_mem_size>();
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
#ifdef KOKKOS_ENABLE_SYCL
  if constexpr (std::is_same_v<Space, Kokkos::SYCL>)
    return Kokkos::Tools::Experimental::DeviceTypeTraits<Space>::device_id(exec);
#endif
  return 0;
}

template <class Space>
Space detail::calling_thread(Space const& exec) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>)
    if (exec.concurrency() > 1)
      return Kokkos::OpenMP(1);
#endif
  return exec;
}

template <class Space>
std::size_t free_memory([[maybe_unused]] Space const& exec) {
  if constexpr (Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) {
    return detail::free_host_memory();
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
#ifdef KOKKOS_ENABLE_SYCL
  if constexpr (std::is_same_v<Space, Kokkos::SYCL>) { // if the driver does not report it, all memory counts as free
    auto const card = exec.sycl_queue().get_device();
    return card.has(sycl::aspect::ext_intel_free_memory)
               ? card.template get_info<sycl::ext::intel::info::device::free_memory>()
               : card.template get_info<sycl::info::device::global_mem_size>();
  }
#endif
  return 0;
}

namespace {

/// A number that identifies a GPU, from the machine's name and the GPU's bus address or serial number.
template <class Space>
std::uint64_t card([[maybe_unused]] Space const& exec) {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  std::string text(name);
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    auto const& uuid = exec.cuda_device_prop().uuid;
    text.append(uuid.bytes, sizeof uuid.bytes);
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Space, Kokkos::HIP>) {
    auto const& properties = exec.hip_device_prop();
    for (int const place : {properties.pciDomainID, properties.pciBusID, properties.pciDeviceID})
      text += ':' + std::to_string(place);
  }
#endif
#ifdef KOKKOS_ENABLE_SYCL
  if constexpr (std::is_same_v<Space, Kokkos::SYCL>) {
    auto const device = exec.sycl_queue().get_device();
    text += ':' + (device.has(sycl::aspect::ext_intel_pci_address)
                       ? device.template get_info<sycl::ext::intel::info::device::pci_address>()
                       : std::to_string(device_number(exec)));
  }
#endif
  return std::hash<std::string>{}(text);
}

} // namespace

template <class Space>
int sharers([[maybe_unused]] Space const& exec, Communicator const& ranks) {
  if constexpr (Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) {
    return ranks.local_size();
  } else {
    std::vector<std::uint64_t> cards(static_cast<std::size_t>(ranks.size()));
    std::vector<std::size_t> begins(cards.size() + 1);
    std::iota(begins.begin(), begins.end(), std::size_t{0});
    auto const mine = card(exec);
    cards[static_cast<std::size_t>(ranks.rank())] = mine;
    ranks.gather(cards, begins);
    return static_cast<int>(std::count(cards.begin(), cards.end(), mine));
  }
}

#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  template int device_number(Space const&);                                                                            \
  template Space detail::calling_thread(Space const&);                                                                 \
  template std::size_t free_memory(Space const&);                                                                      \
  template int sharers(Space const&, Communicator const&);
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

std::string detail::missing_device(std::string const& kind, int found, std::string const& problem) {
  if (found > 0 && problem.empty())
    return "";
  return "this build computes on " + kind + ", but the machine has none that it can use" +
         (problem.empty() ? "" : ": " + problem);
}

std::string missing_device() {
#if defined(KOKKOS_ENABLE_CUDA)
  int found = 0;
  auto const status = cudaGetDeviceCount(&found);
  return detail::missing_device("NVIDIA GPUs (CUDA)", found, status == cudaSuccess ? "" : cudaGetErrorString(status));
#elif defined(KOKKOS_ENABLE_HIP)
  int found = 0;
  auto const status = hipGetDeviceCount(&found);
  return detail::missing_device("AMD GPUs (HIP)", found, status == hipSuccess ? "" : hipGetErrorString(status));
#elif defined(KOKKOS_ENABLE_SYCL)
  return detail::missing_device("SYCL devices", Kokkos::num_devices(), ""); // of the kind that Kokkos uses
#else
  return "";
#endif
}

} // namespace kubature
