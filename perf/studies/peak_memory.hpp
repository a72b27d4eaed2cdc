#pragma once

#include "record.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace kubature::perf {

/// While it exists: what Kokkos allocates in the memory of the execution space.
class PeakMemory {
public:
  PeakMemory() {
    sizes_.clear();
    now_ = most_ = 0;
    watch(allocated, freed);
  }
  PeakMemory(PeakMemory const&) = delete;
  ~PeakMemory() { watch(nullptr, nullptr); }

  /// The most bytes that have been held at once.
  std::uint64_t most() const { return most_; }

private:
  using Handle = Kokkos_Profiling_SpaceHandle;

  static void allocated(Handle where, char const*, void const* at, std::uint64_t bytes) {
    if (std::string_view(where.name) != Space::memory_space::name())
      return;
    sizes_[at] = bytes;
    now_ += bytes;
    most_ = std::max(most_, now_);
  }
  static void freed(Handle where, char const*, void const* at, std::uint64_t) {
    auto const found = sizes_.find(at);
    if (std::string_view(where.name) != Space::memory_space::name() || found == sizes_.end())
      return;
    now_ -= found->second;
    sizes_.erase(found);
  }
  static void watch(Kokkos::Tools::allocateDataFunction first, Kokkos::Tools::deallocateDataFunction last) {
    Kokkos::Tools::Experimental::set_allocate_data_callback(first);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(last);
  }

  inline static std::map<void const*, std::uint64_t> sizes_;
  inline static std::uint64_t now_ = 0, most_ = 0;
};

} // namespace kubature::perf
