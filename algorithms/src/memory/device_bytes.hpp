#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

/// Small helpers shared by all sources that handle lists of regions.
namespace kubature::detail {

template <class Space>
auto bytes_at(void* data, std::size_t size) {
  return Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>(static_cast<std::byte*>(data), size);
}

/// This many bytes of device memory; empty if fewer are free, whatever the device reported before.
template <class Space>
auto allocate_if_possible(Space const& exec, std::string const& label, std::size_t bytes) {
  using Memory = Kokkos::View<std::byte*, typename Space::memory_space>;
  try {
    return Memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), bytes);
  } catch (std::exception const&) {
    return Memory();
  }
}

template <class Space>
auto range(Space const& exec, std::uint64_t end) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, end);
}

template <class Word>
struct SetToZero {
  Word* words;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { words[i] = 0; }
};

} // namespace kubature::detail
