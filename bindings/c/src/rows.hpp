#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
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

/// Blocks of points that the threads of a host hand to a function at the same time, with the rows between them.
template <class Space, class F>
struct CallOnBlocks {
  static constexpr std::int64_t block = 2048; ///< the number of points whose rows stay in the cache

  PointsToRows<Space> points;
  RowsToValues<Space> values;
  Kokkos::View<double*, Space> to;
  F const* f;
  std::atomic<int>* returned; ///< what the function returned other than 0
  std::int64_t count;         ///< the number of points

  void operator()(std::int64_t number) const {
    auto const begin = number * block, end = std::min(count, begin + block);
    if (returned->load(std::memory_order_relaxed) != 0)
      return;
    for (auto k = begin; k < end; ++k)
      points(k);
    auto const d = static_cast<int>(points.points.extent(1)), components = static_cast<int>(values.values.extent(1));
    if (int const code =
            (*f)(end - begin, d, points.rows.data() + begin * d, components, to.data() + begin * components)) {
      returned->store(code, std::memory_order_relaxed);
      return;
    }
    for (auto k = begin; k < end; ++k)
      values(k);
  }
};

/// Hands batches to a function on the host, a block at a time, in the layout usual in C: x[k * d + i].
class Rows {
public:
  using Space = Kokkos::DefaultExecutionSpace;
  static constexpr std::int64_t block = 65536;

  /// Calls f(n, d, x, components, values) for each block.
  /// @returns what f returns: 0, or the number that ends the work
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
      auto const n = static_cast<std::int64_t>(points.extent(0));
      auto const d = static_cast<std::int64_t>(points.extent(1)),
                 components = static_cast<std::int64_t>(values.extent(1));
      auto const most = std::min(n, std::max(block, Blocks::block * exec.concurrency()));
      x_.reserve(exec, most * d);
      values_.reserve(exec, most * components);
      std::atomic<int> returned = 0;
      for (std::int64_t first = 0; first < n && returned == 0; first += most) {
        auto const count = std::min(most, n - first);
        Kokkos::parallel_for(
            "kubature::c::call_at_once",
            Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                        (count + Blocks::block - 1) / Blocks::block),
            Blocks{{points, x_.here, first}, {values_.here, values, first}, values_.here, &f, &returned, count});
        exec.fence("kubature::c::called");
      }
      return returned;
    }
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
