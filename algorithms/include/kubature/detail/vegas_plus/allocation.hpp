#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// Cubes between those before which the sum of shares is known.
inline constexpr std::uint64_t cubes_per_block = 32;

/// The number of pairs of samples of an iteration in each cube of VEGAS+: the least number, and a share of the rest by
/// its weight (Lepage 2021, sec. III). The pairs are numbered by cubes, those of a cube side by side, and neither the
/// numbers nor the pairs' cubes are stored: shares are integers in units of 2^-16 pairs, whose running sum is known
/// before every 32nd cube, so that any thread finds the pairs of a cube exactly.
///
/// Samples are allocated in pairs so that any part of a cube has a variance, and threads in lockstep close their cubes
/// in lockstep (docs/design/vegas-adaptation.md).
///
/// With MPI, each rank knows the shares of the cubes that contain its own pairs, and the sum of those before.
template <class Space>
struct Allocation {
  static constexpr std::uint64_t block = cubes_per_block;
  static constexpr int fraction_bits = 16;

  /// Shares are known of the cubes `start` ... `cubes` - 1; by default of all.
  std::uint64_t start = 0;
  std::uint64_t cubes = 1;
  std::uint64_t least = 1; ///< pairs per cube
  std::uint64_t even = 0;  ///< share of every cube if there are no weights
  double scale = 0;        ///< share for a weight of 1
  /// Indexed by cube number: the data of these begin `start` numbers later.
  Kokkos::View<float const*, Space, Kokkos::MemoryUnmanaged> weights;
  /// Sum of the shares of the cubes before `start`.
  std::uint64_t before = 0;
  /// Sums of the shares from there to before each block; at the end, the sum of all.
  Kokkos::View<std::uint64_t const*, Space, Kokkos::MemoryUnmanaged> sums;

  KOKKOS_FUNCTION std::uint64_t blocks() const { return (cubes - start + block - 1) / block; }
  KOKKOS_FUNCTION std::uint64_t share(std::uint64_t cube) const { return share_of(weight(cube)); }
  /// The number of the cube's first pair, from the sum of the shares before it.
  KOKKOS_FUNCTION std::uint64_t first(std::uint64_t cube, std::uint64_t sum) const {
    return least * cube + (sum >> fraction_bits);
  }
  /// The first pair of the known cubes, and the one after their last.
  KOKKOS_FUNCTION std::uint64_t first_pair() const { return first(start, sum_before(0)); }
  KOKKOS_FUNCTION std::uint64_t pairs() const { return first(cubes, sum_before(blocks())); }

  /// A cube, with the state needed to advance to the next one.
  struct Cube {
    std::uint64_t index;
    std::uint64_t pairs;
    std::uint32_t fraction; ///< of a pair, left over by the shares of all cubes up to this one
    float next;             ///< weight of the next cube, prefetched; 0 after the last one
  };

  KOKKOS_FUNCTION Cube next(Cube const& cube) const {
    std::uint64_t const sum = cube.fraction + share_of(cube.next);
    return {cube.index + 1, least + (sum >> fraction_bits), fraction(sum), weight(cube.index + 2)};
  }

  /// The cube that a pair lies in, and the number of the cube's first pair.
  struct Place {
    Cube cube;
    std::uint64_t first;
  };

  KOKKOS_FUNCTION Place find(std::uint64_t pair) const {
    std::uint64_t low = 0, high = blocks() - 1; // the last block that begins at the pair or before it
    while (low < high) {
      std::uint64_t const middle = low + (high - low + 1) / 2;
      if (first(start + middle * block, sum_before(middle)) <= pair)
        low = middle;
      else
        high = middle - 1;
    }
    std::uint64_t index = start + low * block, sum = sum_before(low), begin = first(index, sum);
    for (;;) {
      float ahead[read_ahead];
      for (int k = 0; k < read_ahead; ++k)
        ahead[k] = weight(index + static_cast<std::uint64_t>(k));
      for (int k = 0; k < read_ahead; ++k) {
        sum += share_of(ahead[k]);
        std::uint64_t const end = first(index + 1, sum);
        if (pair < end)
          return {{index, end - begin, fraction(sum), weight(index + 1)}, begin};
        begin = end;
        ++index;
      }
    }
  }

  /// The sum of the shares of all cubes before this one.
  KOKKOS_FUNCTION std::uint64_t sum_before_cube(std::uint64_t cube) const {
    std::uint64_t const number = (cube - start) / block;
    std::uint64_t sum = sum_before(number);
    for (std::uint64_t k = start + number * block; k < cube; ++k)
      sum += share(k);
    return sum;
  }

  /// Whether a part of a cube of `pairs` pairs, of which `ahead` precede it, contains the middle pair: this part
  /// determines the cube's weight.
  KOKKOS_FUNCTION static bool holds_middle(std::uint64_t pairs, std::uint64_t ahead, std::uint64_t part) {
    return ahead <= pairs / 2 && pairs / 2 < ahead + part;
  }

private:
  /// Weights that a search reads at once, to hide the latency of memory.
  static constexpr int read_ahead = 8;

  KOKKOS_FUNCTION float weight(std::uint64_t cube) const {
    return weights.data() && cube < cubes ? weights.data()[cube] : 0;
  }
  KOKKOS_FUNCTION std::uint64_t share_of(float weight) const {
    return weights.data() ? static_cast<std::uint64_t>(static_cast<double>(weight) * scale) : even;
  }
  KOKKOS_FUNCTION static std::uint32_t fraction(std::uint64_t sum) {
    return static_cast<std::uint32_t>(sum & ((1u << fraction_bits) - 1));
  }
  KOKKOS_FUNCTION std::uint64_t sum_before(std::uint64_t number) const {
    if (weights.data())
      return before + sums(number);
    std::uint64_t const index = number * block;
    return (index < cubes ? index : cubes) * even;
  }
};

} // namespace kubature::detail
