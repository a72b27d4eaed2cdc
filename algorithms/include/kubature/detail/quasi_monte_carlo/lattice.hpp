#pragma once

#include <kubature/detail/quasi_monte_carlo/fold.hpp>
#include <kubature/detail/quasi_monte_carlo/generating_vector.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The points of a shifted lattice that one iteration adds, as fractions of 2^64, of which sums wrap round as lattices
/// do: exact for every number of points.
template <int D>
class Lattice {
public:
  static constexpr int capacity = Point<double, D>::capacity;
  using Position = std::uint64_t;

  /// All 2^m points or, where the half of them was drawn before, the others, which are those of odd number.
  Lattice(int dimension, int m, bool all, Stream stream) : stream_(stream) {
    for (int i = 0; i < dimension; ++i) {
      Position const unit = m > 0 ? GeneratingVector::components[static_cast<std::size_t>(i)] << (64 - m) : 0;
      begin_[i] = all ? 0 : unit;
      step_[i] = all ? unit : 2 * unit;
    }
  }

  /// Point k of a shift, along axes 0 ... d - 1 of lane w.
  template <int W>
  KOKKOS_FUNCTION void start(std::uint64_t shift, std::uint64_t k, int d, int w, Position (&at)[capacity][W]) const {
    std::uint64_t const which[1] = {shift};
    for (int i = 0; i < d; i += 2) { // two words a coordinate
      std::uint32_t words[4][1];
      stream_.words(which, static_cast<std::uint32_t>(i / 2), words);
      at[i][w] = random(words[0][0], words[1][0]) + begin_[i] + k * step_[i];
      if (i + 1 < d)
        at[i + 1][w] = random(words[2][0], words[3][0]) + begin_[i + 1] + k * step_[i + 1];
    }
  }
  template <int W>
  KOKKOS_FUNCTION void advance(int d, Position (&at)[capacity][W]) const {
    for (int i = 0; i < d; ++i)
      for (int w = 0; w < W; ++w)
        at[i][w] += step_[i];
  }

private:
  KOKKOS_FUNCTION static Position random(std::uint32_t upper, std::uint32_t lower) {
    return Position{upper} << 32 | lower;
  }

  Kokkos::Array<Position, capacity> begin_{}, step_{};
  Stream stream_;
};

} // namespace kubature::detail
