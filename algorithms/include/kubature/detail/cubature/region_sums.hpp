#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/regions.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace kubature::detail {

/// A sum of values of the integrand at points of a region.
template <class Acc, int components>
struct SumOfValues {
  Acc value[components] = {};
  std::uint64_t bad = 0; ///< values that were not finite, see NonFiniteCount
};

/// Partial sums of a rule and its null rules over a region, and the axis of the largest fourth difference. Among axes
/// whose differences are equal up to rounding, it is the one of the longest side, and among these the first.
template <class Acc, int components>
struct RegionSums {
  static constexpr int rules = CubatureRule::rules;

  Acc rule[rules][components] = {};
  std::uint64_t bad = 0;
  std::uint64_t best = 0;

  KOKKOS_FUNCTION void join(RegionSums const& other) {
    for (int r = 0; r < rules; ++r)
      for (int c = 0; c < components; ++c)
        rule[r][c] += other.rule[r][c];
    bad += other.bad;
    best = other.best > best ? other.best : best;
  }
  /// Adds the values at the points of an orbit, with its weights.
  KOKKOS_FUNCTION void add(Acc const (&weight)[rules], SumOfValues<Acc, components> const& values) {
    for (int r = 0; r < rules; ++r)
      for (int c = 0; c < components; ++c)
        rule[r][c] += weight[r] * values.value[c];
    bad += values.bad;
  }
  /// Offers an axis of a region whose interval along it is of this level.
  KOKKOS_FUNCTION void offer(int axis, int level, double difference) {
    auto const size = Kokkos::bit_cast<std::uint64_t>(difference) >> 32; // 20 bits of the mantissa
    auto const key = size << 32 | static_cast<unsigned>(255 - level) << 8 | static_cast<unsigned>(255 - axis);
    best = key > best ? key : best;
  }
  /// The largest difference that was offered.
  KOKKOS_FUNCTION double best_difference() const { return Kokkos::bit_cast<double>(best >> 32 << 32); }
  KOKKOS_FUNCTION int best_axis() const { return best == 0 ? Regions::no_axis : 255 - static_cast<int>(best & 255); }
};

} // namespace kubature::detail
