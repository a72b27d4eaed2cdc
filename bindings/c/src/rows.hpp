#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace kubature::c {

/// Copies points first, first + 1, ... of a batch, in which the same coordinate of all points is contiguous, to rows.
template <class Space>
struct PointsToRows {
  BatchPoints<Space> points;
  Kokkos::View<double*, Space> rows;
  std::int64_t first;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const d = static_cast<int>(points.extent(1));
    for (int i = 0; i < d; ++i)
      rows(k * d + i) = points(first + k, i);
  }
};

template <class Space>
struct RowsToValues {
  Kokkos::View<double const*, Space> rows;
  BatchValues<Space> values;
  std::int64_t first;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const components = static_cast<int>(values.extent(1));
    for (int c = 0; c < components; ++c)
      values(first + k, c) = rows(k * components + c);
  }
};

/// Copies n points, from number `first` on, to rows.
class RowsOfPoints {
public:
  RowsOfPoints(double const* points, std::int64_t stride, int dimension)
      : points_(points), stride_(stride), d_(dimension) {}

  void copy(std::int64_t first, std::int64_t n, double* x) const {
    double const* const begin = points_ + first;
    bool const known = [&]<int... D>(std::integer_sequence<int, D...>) {
      return ((d_ == D + 2 && (copy_known<D + 2>(begin, n, x), true)) || ...);
    }(std::make_integer_sequence<int, 7>());
    if (!known)
      copy_any(begin, n, x);
  }

private:
  /// Points of 2 to 8 coordinates: the compiler writes a row at a time.
  template <int D>
  void copy_known(double const* column, std::int64_t n, double* x) const {
    for (std::int64_t k = 0; k < n; ++k)
      [&]<std::int64_t... I>(std::integer_sequence<std::int64_t, I...>) {
        ((x[k * D + I] = column[I * stride_ + k]), ...);
      }(std::make_integer_sequence<std::int64_t, D>());
  }

  /// A few points at a time, so that rows that are written axis by axis stay in the nearest cache.
  void copy_any(double const* column, std::int64_t n, double* x) const {
    constexpr std::int64_t few = 64;
    for (std::int64_t first = 0; first < n; first += few)
      for (int i = 0; i < d_; ++i)
        for (auto k = first; k < std::min(n, first + few); ++k)
          x[k * d_ + i] = column[i * stride_ + k];
  }

  double const* points_;
  std::int64_t stride_; ///< from a coordinate to the next
  int d_;
};

/// Calls f(n, d, x, components, values) on a host for points begin ... begin + n - 1 of a batch.
/// @param memory n (d + components) numbers
/// @returns the value that f returns
template <class Space, class F>
int call_on_rows(BatchPoints<Space> const& points, BatchValues<Space> const& values, std::int64_t begin, std::int64_t n,
                 double* memory, F const& f) {
  auto const d = static_cast<int>(points.extent(1)), components = static_cast<int>(values.extent(1));
  RowsOfPoints(points.data(), static_cast<std::int64_t>(points.stride(1)), d).copy(begin, n, memory);
  double* const to = components == 1 ? &values(begin, 0) : memory + n * d;
  int const code = f(n, d, memory, components, to);
  for (int c = 0; components > 1 && code == 0 && c < components; ++c)
    for (std::int64_t k = 0; k < n; ++k)
      values(begin + k, c) = to[k * components + c];
  return code;
}

/// Blocks of points with which the threads of a host call a function at the same time. Each thread has its own memory
/// for rows.
template <class Space, class F>
struct CallOnBlocks {
  static constexpr std::int64_t block = 1024; ///< the number of points whose rows stay in the cache

  BatchPoints<Space> points;
  BatchValues<Space> values;
  double* rows;
  Kokkos::Experimental::UniqueToken<Space> thread;
  F const* f;
  std::atomic<int>* returned; ///< a return value of the function other than 0

  /// The amount of memory per thread, in numbers.
  static std::int64_t room(BatchPoints<Space> const& points, BatchValues<Space> const& values) {
    return block * static_cast<std::int64_t>(points.extent(1) + values.extent(1));
  }
  static std::int64_t blocks(std::int64_t points) { return (points + block - 1) / block; }

  void operator()(std::int64_t number) const {
    if (returned->load(std::memory_order_relaxed) != 0)
      return;
    auto const begin = number * block, n = std::min(static_cast<std::int64_t>(points.extent(0)) - begin, block);
    auto const mine = thread.acquire();
    double* const memory = rows + static_cast<std::int64_t>(mine) * room(points, values);
    if (int const code = call_on_rows(points, values, begin, n, memory, *f))
      returned->store(code, std::memory_order_relaxed);
    thread.release(mine);
  }
};

/// Passes batches to a function on the host, block by block, in the layout usual in C: x[k * d + i].
class Rows {
public:
  using Space = Kokkos::DefaultExecutionSpace;
  static constexpr std::int64_t block = 65536;

  /// Calls f(n, d, x, components, values) for each block.
  /// @returns the value that f returns: 0, or the number that ended the work
  template <class F>
  int evaluate(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values, F const& f) {
    auto const n = static_cast<std::int64_t>(points.extent(0));
    auto const d = static_cast<int>(points.extent(1)), components = static_cast<int>(values.extent(1));
    auto const most = std::min(n, block);
    x_.reserve(exec, most * d);
    values_.reserve(exec, most * components);
    for (std::int64_t first = 0; first < n; first += block) {
      auto const count = std::min(block, n - first);
      using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
      Kokkos::parallel_for("kubature::c::points_to_rows", Range(exec, 0, count),
                           PointsToRows<Space>{points, x_.here, first});
      auto const numbers = std::pair<std::int64_t, std::int64_t>(0, count * d);
      Kokkos::deep_copy(exec, Kokkos::subview(x_.host, numbers), Kokkos::subview(x_.here, numbers));
      exec.fence("kubature::c::points");
      if (int const code = f(count, d, x_.host.data(), components, values_.host.data()))
        return code;
      auto const results = std::pair<std::int64_t, std::int64_t>(0, count * components);
      Kokkos::deep_copy(exec, Kokkos::subview(values_.here, results), Kokkos::subview(values_.host, results));
      Kokkos::parallel_for("kubature::c::rows_to_values", Range(exec, 0, count),
                           RowsToValues<Space>{values_.here, values, first});
    }
    exec.fence("kubature::c::values"); // before the function writes the next values
    return 0;
  }

  /// As above, by all threads at once; for a library that computes on the host.
  template <class F>
  int evaluate_at_once(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values,
                       F const& f) {
    if constexpr (detail::on_device_of_its_own<Space>) {
      return evaluate(exec, points, values, f);
    } else {
      using Blocks = CallOnBlocks<Space, F>;
      Kokkos::Experimental::UniqueToken<Space> const thread(exec);
      x_.reserve(exec, thread.size() * Blocks::room(points, values));
      std::atomic<int> returned = 0;
      auto const blocks = Blocks::blocks(static_cast<std::int64_t>(points.extent(0)));
      Kokkos::parallel_for("kubature::c::call_at_once",
                           Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks),
                           Blocks{points, values, x_.here.data(), thread, &f, &returned});
      exec.fence("kubature::c::called");
      return returned;
    }
  }

  /// As above, in the calling thread.
  template <class F>
  static int evaluate_in_thread(BatchPoints<Space> const& points, BatchValues<Space> const& values, F const& f) {
    double memory[4096];
    auto const n = static_cast<std::int64_t>(points.extent(0)),
               most = static_cast<std::int64_t>(std::size(memory) / (points.extent(1) + values.extent(1)));
    for (std::int64_t begin = 0; begin < n; begin += most)
      if (int const code = call_on_rows(points, values, begin, std::min(n - begin, most), memory, f))
        return code;
    return 0;
  }

private:
  /// An array where the library computes and one on the host, which may be the same.
  struct Pair {
    Kokkos::View<double*, Space> here;
    Kokkos::View<double*, ReadbackSpace<Space>> host;

    void reserve(Space const& exec, std::int64_t numbers) {
      using Kokkos::view_alloc, Kokkos::WithoutInitializing;
      auto const size = static_cast<std::size_t>(numbers);
      if (here.size() >= size)
        return;
      here = {};
      host = {};
      here = decltype(here)(view_alloc(exec, WithoutInitializing, "kubature::c::rows"), size);
      exec.fence("kubature::c::rows");
      if constexpr (std::is_same_v<ReadbackSpace<Space>, typename Space::memory_space>)
        host = here;
      else
        host = decltype(host)(view_alloc(WithoutInitializing, "kubature::c::rows_of_host"), size);
    }
  };
  Pair x_, values_;
};

} // namespace kubature::c
