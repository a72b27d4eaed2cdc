#pragma once

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <type_traits>

namespace kubature {
namespace detail {

/// The rounds of Philox4x32 on W counters side by side, [word][counter], so that a compiler can vectorise over them.
template <int Rounds, int W>
KOKKOS_INLINE_FUNCTION constexpr void philox_rounds(std::uint32_t (&c)[4][W], std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < Rounds; ++round) {
    for (int w = 0; w < W; ++w) {
      std::uint64_t const p0 = std::uint64_t{0xD2511F53u} * c[0][w];
      std::uint64_t const p1 = std::uint64_t{0xCD9E8D57u} * c[2][w];
      c[0][w] = static_cast<std::uint32_t>(p1 >> 32) ^ c[1][w] ^ k0;
      c[1][w] = static_cast<std::uint32_t>(p1);
      c[2][w] = static_cast<std::uint32_t>(p0 >> 32) ^ c[3][w] ^ k1;
      c[3][w] = static_cast<std::uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

} // namespace detail

/// Four random 32-bit words from a 128-bit counter and a 64-bit key: Philox4x32 of Salmon, Moraes, Dror and Shaw,
/// "Parallel random numbers: as easy as 1, 2, 3" (SC11). It keeps no state, so the same counter gives the same
/// numbers on every backend, thread and rank. Ten rounds are the authors' default; seven are the fewest with which
/// it passes all of TestU01's BigCrush (their table 2).
template <int Rounds = 10>
KOKKOS_INLINE_FUNCTION constexpr Kokkos::Array<std::uint32_t, 4> philox(Kokkos::Array<std::uint32_t, 4> counter,
                                                                        Kokkos::Array<std::uint32_t, 2> key) {
  std::uint32_t words[4][1] = {{counter[0]}, {counter[1]}, {counter[2]}, {counter[3]}};
  detail::philox_rounds<Rounds>(words, key[0], key[1]);
  return {words[0][0], words[1][0], words[2][0], words[3][0]};
}

/// A uniform number in the open interval (0, 1): (k + 1/2) 2^-32 in double precision. In single precision the
/// upper 23 bits give (k + 1/2) 2^-23: with 24 bits the largest value would round to 1.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr Real uniform(std::uint32_t word) {
  static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>, "uniform numbers are double or float");
  if constexpr (std::is_same_v<Real, double>)
    return (word + 0.5) * 0x1p-32;
  else
    return (static_cast<float>(word >> 9) + 0.5f) * 0x1p-23f;
}

} // namespace kubature
