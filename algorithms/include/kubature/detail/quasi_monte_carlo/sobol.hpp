#pragma once

#include <kubature/detail/quasi_monte_carlo/direction_numbers.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/point.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The points of Sobol's sequence that one iteration adds, in the order of Gray's code, scrambled for each shift by a
/// nested uniform scramble (Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995), whose permutations are
/// computed by a hash function (Laine and Karras, "Stratified sampling for stochastic transparency", 2011; constants of
/// Burley, "Practical hash-based Owen scrambling", JCGT 9 (2020) no. 4).
template <class Space, int D>
class Sobol {
public:
  static constexpr int capacity = Point<double, D>::capacity;
  /// The binary logarithm of the number of points in the sequence.
  static constexpr int longest = sobol_bits;

  /// The state of W lanes, all in one shift.
  template <int W>
  struct Lanes {
    std::uint32_t number[capacity][W]; ///< before the scramble, bits in reverse order
    std::uint32_t seed[capacity];      ///< of the scramble
  };

  /// All 2^m points or, if the first half of them was drawn before, the others.
  Sobol(typename DirectionNumbers<Space>::Numbers directions, int m, bool all, Stream stream)
      : directions_(directions), first_(all ? 0 : std::uint64_t{1} << (m - 1)), stream_(stream) {}

  /// Lane w begins with point begin[w] of a shift.
  template <int W>
  KOKKOS_FUNCTION void start(std::uint64_t shift, std::uint64_t const (&begin)[W], int d, Lanes<W>& at) const {
    std::uint64_t const which[1] = {shift};
    std::uint32_t words[4][1] = {};
    for (int i = 0; i < d; ++i) {
      if (i % 4 == 0)
        stream_.words(which, static_cast<std::uint32_t>(i / 4), words);
      at.seed[i] = words[i % 4][0];
      for (int w = 0; w < W; ++w) {
        std::uint64_t const k = first_ + begin[w];
        auto const gray = static_cast<std::uint32_t>(k ^ k >> 1);
        std::uint32_t number = 0;
        for (int bit = 0; bit < sobol_bits; ++bit)
          number ^= gray >> bit & 1 ? directions_(i * sobol_bits + bit) : 0;
        at.number[i][w] = number;
      }
    }
  }

  /// From each lane's point to the next one, which is number k from where the lane began: that was a multiple of a
  /// power of two that k stays below, so that Gray's code changes in the same bit for all lanes.
  template <int W>
  KOKKOS_FUNCTION void advance(std::uint64_t k, int d, Lanes<W>& at) const {
    int const bit = Kokkos::Experimental::countr_zero_builtin(k);
    for (int i = 0; i < d; ++i) {
      std::uint32_t const direction = directions_(i * sobol_bits + (bit < sobol_bits ? bit : 0));
      for (int w = 0; w < W; ++w)
        at.number[i][w] ^= direction;
    }
  }

  /// A coordinate in fractions of 2^64.
  template <int W>
  KOKKOS_FUNCTION static std::uint64_t position(Lanes<W> const& at, int axis, int w) {
    return std::uint64_t{reversed(permuted(at.number[axis][w], at.seed[axis]))} << 32 | std::uint64_t{1} << 31;
  }

private:
  /// A permutation in which each bit of the result depends only on that bit and the lower ones of x.
  KOKKOS_FUNCTION static std::uint32_t permuted(std::uint32_t x, std::uint32_t seed) {
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
  }
  KOKKOS_FUNCTION static std::uint32_t reversed(std::uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
  }

  typename DirectionNumbers<Space>::Numbers directions_;
  std::uint64_t first_;
  Stream stream_;
};

} // namespace kubature::detail
