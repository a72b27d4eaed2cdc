#pragma once

#include <kubature/philox.hpp>

#include <Kokkos_Array.hpp>

#include <cstdint>

namespace kubature::detail {

/// Philox rounds in the sampling kernels: the fewest that pass BigCrush.
inline constexpr int sampling_rounds = 7;

/// Where in the random numbers a call is: every number is a function of the seed, the iteration, the sample's
/// index and the coordinate alone.
struct Stream {
  std::uint64_t seed = 0;
  std::uint32_t iteration = 0;

  /// The words of coordinates 4 block ... 4 block + 3 of a sample.
  KOKKOS_FUNCTION Kokkos::Array<std::uint32_t, 4> words(std::uint64_t sample, std::uint32_t block) const {
    return philox<sampling_rounds>(
        {static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(sample >> 32), iteration, block},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  }
};

} // namespace kubature::detail
