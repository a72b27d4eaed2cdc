#pragma once

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <type_traits>

namespace kubature {
namespace detail {

/// The upper and the lower half of the product of two 32-bit numbers.
struct Product {
  std::uint32_t high, low;
};
KOKKOS_INLINE_FUNCTION constexpr Product product(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if (!__builtin_is_constant_evaluated()) // nvcc 13 adds zero to the upper half of a 64-bit product
    return {__umulhi(a, b), a * b};
#endif
  std::uint64_t const product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

/// The keys of all rounds, computed in advance.
template <int Rounds>
class PhiloxKeys {
public:
  KOKKOS_INLINE_FUNCTION constexpr explicit PhiloxKeys(Kokkos::Array<std::uint32_t, 2> key) : keys_{} {
    for (int round = 0; round < Rounds; ++round) {
      keys_[round][0] = key[0] + static_cast<std::uint32_t>(round) * 0x9E3779B9u;
      keys_[round][1] = key[1] + static_cast<std::uint32_t>(round) * 0xBB67AE85u;
    }
  }
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t const* operator[](int round) const { return keys_[round]; }

private:
  std::uint32_t keys_[Rounds][2];
};

/// The rounds of Philox4x32 on W counters side by side, [word][counter], so that the compiler can vectorise over them.
template <int Rounds, int W>
KOKKOS_INLINE_FUNCTION constexpr void philox_rounds(std::uint32_t (&c)[4][W], PhiloxKeys<Rounds> const& keys) {
  for (int round = 0; round < Rounds; ++round) {
    std::uint32_t const k0 = keys[round][0], k1 = keys[round][1];
    for (int w = 0; w < W; ++w) {
      auto const [h0, l0] = product(0xD2511F53u, c[0][w]);
      auto const [h1, l1] = product(0xCD9E8D57u, c[2][w]);
      c[0][w] = h1 ^ c[1][w] ^ k0;
      c[1][w] = l1;
      c[2][w] = h0 ^ c[3][w] ^ k1;
      c[3][w] = l0;
    }
  }
}

} // namespace detail

/// Four random 32-bit words from a 128-bit counter and a 64-bit key: Philox4x32 of Salmon, Moraes, Dror and Shaw,
/// "Parallel random numbers: as easy as 1, 2, 3" (SC11). It keeps no state, so the same counter gives the same numbers
/// on every backend, thread and rank. Ten rounds are the authors' default; seven are the fewest that pass all of
/// TestU01's BigCrush (their table 2).
template <int Rounds = 10>
KOKKOS_INLINE_FUNCTION constexpr Kokkos::Array<std::uint32_t, 4> philox(Kokkos::Array<std::uint32_t, 4> counter,
                                                                        Kokkos::Array<std::uint32_t, 2> key) {
  std::uint32_t words[4][1] = {{counter[0]}, {counter[1]}, {counter[2]}, {counter[3]}};
  detail::philox_rounds(words, detail::PhiloxKeys<Rounds>(key));
  return {words[0][0], words[1][0], words[2][0], words[3][0]};
}

/// A uniform number in the open interval (0, 1): (k + 1/2) 2^-32 in double precision. In single precision the upper 23
/// bits give (k + 1/2) 2^-23, since with 24 bits the largest value would round to 1.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr Real uniform(std::uint32_t word) {
  static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>, "uniform numbers are double or float");
  if constexpr (std::is_same_v<Real, double>)
    return (word + 0.5) * 0x1p-32;
  else
    return (static_cast<float>(word >> 9) + 0.5f) * 0x1p-23f;
}

} // namespace kubature
