#pragma once

#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Points that measure an integrand along each axis, in the tails of a peak as well as in its middle. For each axis and
/// each piece of GeometricKnots of some octaves there is a slab, in which the coordinate of that axis lies in that
/// piece, folded by the tent, while the others are those of a shifted lattice, the same in all slabs. So for a product
/// of functions of one variable each, the factor from the other axes is the same in all slabs of an axis, to the bit,
/// however few the points.
template <int D>
class Slabs {
public:
  static constexpr int capacity = Lattice<D>::capacity;
  /// Maximum number of points side by side: a slab may have fewer.
  static constexpr int most_lanes = 8;
  static constexpr bool few = true;           ///< points are few
  static constexpr bool never_in_peak = true; ///< no kernel for that

  /// Slabs of 2^m points; those of an axis follow each other.
  /// @param octaves of the knots
  /// @param round   which of the shifts
  Slabs(int dimension, int octaves, int m, std::uint64_t round, Stream stream)
      : lattice_(dimension, m, true, stream), round_(round), octaves_(octaves) {}

  static int count(int dimension, int octaves) { return dimension * GeometricKnots::count(octaves); }

  /// The state of W lanes, all in one slab.
  template <int W>
  struct Lanes {
    typename Lattice<D>::template Lanes<W> at;
    std::uint64_t begin;
    int axis, width;
  };

  /// Lane w begins with point begin[w] of a slab.
  template <int W>
  KOKKOS_FUNCTION void start(std::uint64_t slab, std::uint64_t const (&begin)[W], int d, Lanes<W>& lanes) const {
    lattice_.start(round_, begin, d, lanes.at);
    auto const pieces = static_cast<std::uint64_t>(GeometricKnots::count(octaves_));
    lanes.axis = static_cast<int>(slab / pieces);
    lanes.begin = GeometricKnots::begin(static_cast<int>(slab % pieces), lanes.width, octaves_);
  }
  template <int W>
  KOKKOS_FUNCTION void advance(std::uint64_t k, int d, Lanes<W>& lanes) const {
    lattice_.advance(k, d, lanes.at);
  }
  /// A coordinate in fractions of 2^64, to be folded by the tent.
  template <int W>
  KOKKOS_FUNCTION static std::uint64_t position(Lanes<W> const& lanes, int axis, int w) {
    std::uint64_t const at = Lattice<D>::position(lanes.at, axis, w);
    return axis == lanes.axis ? lanes.begin + (at >> (64 - lanes.width)) : at;
  }

private:
  Lattice<D> lattice_;
  std::uint64_t round_;
  int octaves_;
};

} // namespace kubature::detail
