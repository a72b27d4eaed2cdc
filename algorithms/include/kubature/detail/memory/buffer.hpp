#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace kubature::detail {

/// Device memory that only grows, so that a second call through the same Integrator allocates nothing. It has one
/// owner, and so has every object that contains it: a copy would share the memory, and each would overwrite the other.
template <class Space>
class Buffer {
public:
  explicit Buffer(std::string label) : label_(std::move(label)) {}
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = default;

  /// `count` elements of T, uninitialised. Earlier contents are lost when the buffer has to grow.
  template <class T>
  Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> as(Space const& exec, std::size_t count) {
    std::size_t const bytes = count * sizeof(T);
    if (bytes > data_.size()) {
      data_ = Data(); // frees before it allocates
      data_ = Data(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label_), bytes);
    }
    return Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>(reinterpret_cast<T*>(data_.data()), count);
  }

  /// The size in bytes.
  std::size_t size() const { return data_.size(); }

private:
  using Data = Kokkos::View<std::byte*, typename Space::memory_space>;
  std::string label_;
  Data data_;
};

} // namespace kubature::detail
