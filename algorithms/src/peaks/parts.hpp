#pragma once

#include <kubature/detail/memory/buffer.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>

namespace kubature::detail {

/// Parts of a list of numbers, one after the other.
template <class Space>
class Parts {
public:
  using Numbers = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;

  explicit Parts(double* begin) : next_(begin) {}
  /// @param all the numbers of all parts
  Parts(Space const& exec, Buffer<Space>& buffer, std::size_t all)
      : Parts(buffer.template as<double>(exec, all).data()) {}
  Numbers operator()(std::size_t count) { return Numbers(std::exchange(next_, next_ + count), count); }

private:
  double* next_;
};

} // namespace kubature::detail
