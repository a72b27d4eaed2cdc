#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kubature::detail {

/// The points of a batch as kernels store them: see BatchPoints.
template <class Space>
using StoredPoints = Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;

/// The value of an integrand of C components at point k of a batch.
template <int C, class Space>
KOKKOS_FUNCTION auto stored_value(BatchValues<Space> const& values, std::uint64_t k) {
  if constexpr (C == 1) {
    return values(k, 0);
  } else {
    Kokkos::Array<double, C> result;
    for (int c = 0; c < C; ++c)
      result[c] = values(k, c);
    return result;
  }
}

/// An integrand whose values at the points of some items (regions, samples) are in memory: point by point, with those
/// of all items side by side.
template <class Space, int C>
struct ValuesInMemory {
  static constexpr auto evaluation = Evaluation::stored;
  BatchValues<Space> values;
  std::uint64_t items = 0;

  KOKKOS_FUNCTION auto value(std::uint64_t item, int number) const {
    return stored_value<C>(values, static_cast<unsigned>(number) * items + item);
  }

  /// Never called: its type gives the type of a point's value.
  template <int D>
  std::conditional_t<C == 1, double, Kokkos::Array<double, C>> operator()(Point<double, D> const& x) const;
};

template <class F, class Space>
struct FormInKernels {
  using type = F;
};
template <class F, int C, class Space>
struct FormInKernels<Batched<F, C>, Space> {
  using type = ValuesInMemory<Space, C>;
};

/// An integrand as kernels hold it. Functions of batches are called on the host: kernels must not know their types.
template <class F, class Space>
using InKernels = typename FormInKernels<F, Space>::type;

template <class Space, class F>
InKernels<F, Space> in_kernels([[maybe_unused]] F const& f) {
  if constexpr (is_batched<F>)
    return {};
  else
    return f;
}

/// A method's memory for integrands that evaluate batches; it is kept from call to call.
template <class Space>
class Batches {
public:
  explicit Batches(std::string const& label) : memory_(label) {}

  /// Sets the maximum number of bytes for batches.
  void limit(std::size_t bytes) { room_ = bytes; }
  std::size_t room() const { return room_; }
  /// Bytes in use so far.
  std::size_t held() const { return memory_.size(); }

  /// Bytes that batches can use.
  /// @param filling bytes of the points that fill the device
  static std::size_t useful(std::size_t filling) { return std::max(small, filling); }

  /// The same per thread of a host: caches hold them, and threads that sleep while the caller's function is evaluated
  /// are not woken too often (docs/design/host-speed.md, "Python").
  static constexpr std::size_t of_thread = std::size_t{1} << 22;

  /// Allocates this much memory, so that an item of that size always fits.
  /// @returns false if less is available
  bool reserve(Space const& exec, std::size_t bytes) {
    bool const room = bytes <= at_hand(exec, bytes);
    if (room)
      memory_.template as<std::byte>(exec, bytes);
    return room;
  }

  /// Memory for this many numbers; nullptr if less is available.
  double* numbers(Space const& exec, std::size_t count) {
    return reserve(exec, count * sizeof(double)) ? memory_.template as<double>(exec, count).data() : nullptr;
  }

  /// Has the caller's function evaluate the points of items (chunks of samples, regions), in batches of as many items
  /// as fit.
  /// @param slots   maximum number of points per item
  /// @param filling items that fill the device
  /// @param store   store(first, n, points) writes the points of items first ... first + n - 1 to memory, n slots in
  ///                all
  /// @param read    read(first, n, values) uses their values
  /// @returns false if there is no room for one item; nothing has been done then
  template <class F, class Store, class Read>
  bool evaluate(Space const& exec, F const& integrand, int dimension, std::uint64_t count, std::uint64_t slots,
                std::uint64_t filling, Store const& store, Read const& read) {
    std::size_t const item = slots * static_cast<std::size_t>(dimension + values_of_point(integrand)) * sizeof(double);
    return evaluate(
        exec, integrand, dimension, count, slots, useful(item * filling) / item, 0,
        [&](std::uint64_t first, std::uint64_t now, StoredPoints<Space> const& points, double*) {
          store(first, now, points);
        },
        [&](std::uint64_t first, std::uint64_t now, BatchValues<Space> const& values, double*) {
          read(first, now, values);
        });
  }

  /// The same, with memory for further data of the points.
  /// @param useful  maximum number of items per batch
  /// @param besides numbers stored per slot, whose location both functions receive as well
  template <class F, class Store, class Read>
  bool evaluate(Space const& exec, F const& integrand, int dimension, std::uint64_t count, std::uint64_t slots,
                std::uint64_t useful, std::size_t besides, Store const& store, Read const& read) {
    int const components = values_of_point(integrand);
    auto const width = static_cast<std::size_t>(dimension + components) + besides;
    std::size_t const item = slots * width * sizeof(double);
    auto const most = std::min(count, at_hand(exec, item * std::min(count, useful)) / item);
    if (most == 0)
      return count == 0;
    auto* const memory = memory_.template as<double>(exec, most * slots * width).data();
    for (std::uint64_t first = 0; first < count; first += most) {
      auto const now = std::min(most, count - first);
      StoredPoints<Space> const points(memory, now * slots, dimension);
      BatchValues<Space> const values(memory + points.size(), now * slots, components);
      double* const kept = values.data() + values.size();
      store(first, now, points, kept);
      integrand.f(exec, BatchPoints<Space>(points), values);
      read(first, now, values, kept);
    }
    return true;
  }

private:
  /// The part of these bytes that batches can have. Free memory is queried only for growth.
  std::size_t at_hand(Space const& exec, std::size_t wanted) const {
    auto const bytes = std::min(room_, wanted);
    return bytes <= memory_.size() ? bytes : std::min(bytes, memory_.size() + free_memory(exec) / 2);
  }

  static constexpr std::size_t small = std::size_t{1} << 28;
  Buffer<Space> memory_;
  std::size_t room_ = small;
};

} // namespace kubature::detail
