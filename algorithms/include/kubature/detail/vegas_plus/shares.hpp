#pragma once

#include <kubature/detail/vegas_plus/allocation.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// The remaining pairs of `samples` samples once each cube has the least number.
template <class Space>
std::uint64_t pairs_to_share(Allocation<Space> const& allocation, std::uint64_t samples) {
  std::uint64_t const some = allocation.least * allocation.cubes;
  return samples / 2 > some ? samples / 2 - some : 0;
}

/// An allocation to this many cubes: `least` samples in each, and the rest of `samples` spread evenly.
template <class Space>
Allocation<Space> spread_evenly(std::uint64_t cubes, std::uint64_t least, std::uint64_t samples) {
  Allocation<Space> result;
  result.cubes = cubes;
  result.least = std::max<std::uint64_t>(1, least / 2);
  // If the rest is too large for units of 2^-16, whole pairs suffice.
  std::uint64_t const rest = pairs_to_share(result, samples);
  std::uint64_t const whole = rest / cubes, part = ((rest % cubes) << result.fraction_bits) / cubes;
  result.even = (whole << result.fraction_bits) + part;
  return result;
}

/// The share of a cube of weight 1 if the rest is spread by weights of this sum; 0 if it is spread evenly, because no
/// weights are known or nothing remains.
template <class Space>
double share_of_weights(Allocation<Space> const& allocation, std::uint64_t samples, double sum) {
  if (!(sum > 0))
    return 0;
  // The sum of the weights is rounded, so slightly less is allocated.
  return static_cast<double>(pairs_to_share(allocation, samples)) * (1 << Allocation<Space>::fraction_bits) / sum *
         (1 - 0x1p-40);
}

/// Turns sums of blocks into running sums, in place: of the blocks before each, and of all at the end.
struct RunningSums {
  std::uint64_t* sums; ///< one more than blocks
  std::int64_t blocks;

  /// The body of a parallel_scan.
  KOKKOS_FUNCTION void operator()(std::int64_t n, std::uint64_t& sum, bool last) const {
    std::uint64_t const block = n < blocks ? sums[n] : 0;
    if (last)
      sums[n] = sum;
    sum += block;
  }

  /// By the threads of a team.
  template <class Member>
  KOKKOS_FUNCTION void scan(Member const& team) const {
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, static_cast<int>(blocks) + 1), *this);
  }
};

} // namespace kubature::detail
