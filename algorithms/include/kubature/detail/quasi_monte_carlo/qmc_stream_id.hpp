#pragma once

#include <cstdint>

namespace kubature::detail {

/// Selects the random numbers of some points of quasi-Monte Carlo, as the number of a Stream: different ones for each
/// call of an integrator, each map that the call trains, and each purpose.
struct QmcStreamId {
  enum Purpose : std::uint32_t { points, slabs, trials, differences, purposes };

  static constexpr int bits_of_call = 28, bits_of_map = 2, bits_of_purpose = 2;
  static_assert(bits_of_call + bits_of_map + bits_of_purpose == 32, "they fill the number of a stream");
  static_assert(purposes <= 1u << bits_of_purpose);
  /// Maximum number of distinct maps after the first; the number of calls is unlimited, but their random numbers
  /// repeat.
  static constexpr std::uint32_t most_map = (1u << bits_of_map) - 1, most_call = (1u << bits_of_call) - 1;

  std::uint32_t call; ///< of the integrator, from 0; past most_call numbers repeat
  std::uint32_t map;  ///< 0: the first one
  Purpose purpose;

  constexpr std::uint32_t number() const {
    return (call & most_call) | (map & most_map) << bits_of_call |
           std::uint32_t{purpose} << (bits_of_call + bits_of_map);
  }
};

} // namespace kubature::detail
