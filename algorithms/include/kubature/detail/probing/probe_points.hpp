#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/probing/sub_box.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The points at which an integrand is probed: uniform points in cells, and beside each one more point along every
/// axis.
template <class Space, int D>
struct ProbePoints {
  Transform<double, D> transform;
  Inside<double, D> inside;
  Kokkos::View<SubBox const*, Space, Kokkos::MemoryUnmanaged> cells;
  Stream stream;
  std::uint64_t first_cell; ///< its number among all cells of the call
  int points;               ///< per cell
  int dimension;

  /// Point i of a cell, before infinite sides are mapped into the box.
  KOKKOS_FUNCTION Point<double, D> draw(int cell, int i) const {
    int const d = D == dynamic ? dimension : D;
    SubBox const& place = cells(cell);
    Point<double, D> t;
    t.set_size(d);
    std::uint64_t const sample[1] = {(first_cell + static_cast<std::uint64_t>(cell)) *
                                         static_cast<std::uint64_t>(points) +
                                     static_cast<std::uint64_t>(i)};
    for (int block = 0; 4 * block < d; ++block) {
      std::uint32_t words[4][1];
      stream.words(sample, static_cast<std::uint32_t>(block), words);
      for (int j = 0; j < 4 && 4 * block + j < d; ++j) {
        int const axis = 4 * block + j;
        t[axis] = place.origin[axis] + place.length[axis] * uniform<double>(words[j][0]);
      }
    }
    return t;
  }

  /// The offset that is added to t along an axis.
  KOKKOS_FUNCTION double shift(int cell, Point<double, D> const& t, int axis) const {
    SubBox const& place = cells(cell);
    double const inwards = t[axis] > place.origin[axis] + 0.5 * place.length[axis] ? -step : step;
    return inwards * place.length[axis];
  }

  /// Maps t into the box. @param jacobian becomes that of infinite sides
  KOKKOS_FUNCTION Point<double, D> at(Point<double, D> const& t, double& jacobian) const {
    Point<double, D> x = t;
    for (int axis = 0; axis < t.size(); ++axis)
      x[axis] = transform.place(axis, t[axis]);
    if (transform.maps())
      jacobian = transform.template map<double>(x);
    return inside.nearest(x);
  }

private:
  static constexpr double step = 1e-6; ///< of the side, for the gradient
};

/// Stores these points in memory, in the order of ValuesInMemory: each point of a cell is followed by its neighbours,
/// one for each axis.
template <class Space, int D>
struct StoreProbes {
  ProbePoints<Space, D> where;
  std::uint64_t count; ///< of points, without their neighbours
  StoredPoints<Space> points;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    auto const each = static_cast<unsigned>(where.points);
    auto const cell = static_cast<int>(k / each);
    auto const t = where.draw(cell, static_cast<int>(k % each));
    for (int number = 0; number <= where.dimension; ++number) {
      auto beside = t;
      if (number > 0)
        beside[number - 1] += where.shift(cell, t, number - 1);
      double jacobian = 1;
      auto const x = where.at(beside, jacobian);
      for (int i = 0; i < where.dimension; ++i)
        points(static_cast<unsigned>(number) * count + k, i) = x[i];
    }
  }
};

} // namespace kubature::detail
