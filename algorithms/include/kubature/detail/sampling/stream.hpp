#pragma once

#include <kubature/philox.hpp>

#include <Kokkos_Array.hpp>

#include <cstdint>

namespace kubature::detail {

/// Philox rounds in the sampling kernels: the fewest that pass BigCrush.
inline constexpr int sampling_rounds = 7;

/// The position of a call in the random numbers: every number is a function only of the seed, the iteration, the
/// sample's index and the coordinate.
class Stream {
public:
  Stream(std::uint64_t seed, std::uint32_t iteration)
      : keys_({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}), iteration_(iteration) {}

  /// The words of coordinates 4 block ... 4 block + 3 of W samples, [coordinate][sample].
  template <int W>
  KOKKOS_FUNCTION void words(std::uint64_t const (&sample)[W], std::uint32_t block, std::uint32_t (&out)[4][W]) const {
    for (int w = 0; w < W; ++w) {
      out[0][w] = static_cast<std::uint32_t>(sample[w]);
      out[1][w] = static_cast<std::uint32_t>(sample[w] >> 32);
      out[2][w] = iteration_;
      out[3][w] = block;
    }
    philox_rounds(out, keys_);
  }

  PhiloxKeys<sampling_rounds> const& keys() const { return keys_; }
  std::uint32_t iteration() const { return iteration_; }

  /// A word that no coordinate of any sample uses.
  KOKKOS_FUNCTION std::uint32_t word(std::uint64_t index) const {
    std::uint64_t const sample[1] = {index};
    std::uint32_t out[4][1];
    words(sample, ~0u, out);
    return out[0][0];
  }

private:
  PhiloxKeys<sampling_rounds> keys_;
  std::uint32_t iteration_;
};

} // namespace kubature::detail
