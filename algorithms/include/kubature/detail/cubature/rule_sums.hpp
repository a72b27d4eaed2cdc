#pragma once

#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/cubature/rule_table.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// A sum of values of the integrand.
template <class Acc, int components>
struct ValueSum {
  Acc value[components] = {};
  std::uint64_t bad = 0; ///< values that are not finite
};

/// Partial sums of the rule and its null rules, and the axis of the largest fourth difference. Of axes whose
/// differences are equal up to rounding, it is the one of the longest side, and of these the first.
template <class Acc, int components>
struct RuleSums {
  static constexpr int rules = CubatureRule::rules;

  Acc rule[rules][components] = {};
  std::uint64_t bad = 0;
  std::uint64_t best = 0;

  KOKKOS_FUNCTION void join(RuleSums const& other) {
    for (int r = 0; r < rules; ++r)
      for (int c = 0; c < components; ++c)
        rule[r][c] += other.rule[r][c];
    bad += other.bad;
    best = other.best > best ? other.best : best;
  }
  KOKKOS_FUNCTION void add(Acc const (&weight)[rules], ValueSum<Acc, components> const& values) {
    for (int r = 0; r < rules; ++r)
      for (int c = 0; c < components; ++c)
        rule[r][c] += weight[r] * values.value[c];
    bad += values.bad;
  }
  KOKKOS_FUNCTION void offer(int axis, int level, double difference) {
    auto const size = Kokkos::bit_cast<std::uint64_t>(difference) >> 32; // 20 bits of the mantissa
    auto const key = size << 32 | static_cast<unsigned>(255 - level) << 8 | static_cast<unsigned>(255 - axis);
    best = key > best ? key : best;
  }
  KOKKOS_FUNCTION int best_axis() const { return best == 0 ? Regions::no_axis : 255 - static_cast<int>(best & 255); }
};

} // namespace kubature::detail
