#pragma once

#include <kubature/detail/quasi_monte_carlo/fold.hpp>
#include <kubature/detail/quasi_monte_carlo/generating_vector.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The points of a shifted lattice that one iteration adds, as fractions of 2^64, whose sums wrap around as lattices
/// do: exact for every number of points.
template <int D>
class Lattice {
public:
  static constexpr int capacity = Point<double, D>::capacity;
  /// The largest binary logarithm of the points of a shift.
  static constexpr int longest = 40;

  /// All 2^m points or, if half of them were drawn before, the others, which have odd numbers.
  Lattice(int dimension, int m, bool all, Stream stream) : stream_(stream) {
    for (int i = 0; i < dimension; ++i) {
      std::uint64_t const unit = m > 0 ? GeneratingVector::components[static_cast<std::size_t>(i)] << (64 - m) : 0;
      begin_[i] = all ? 0 : unit;
      step_[i] = all ? unit : 2 * unit;
    }
  }

  /// The state of W lanes.
  template <int W>
  struct Lanes {
    std::uint64_t at[capacity][W];
  };

  /// Lane w begins with point begin[w] of a shift.
  template <int W>
  KOKKOS_FUNCTION void start(std::uint64_t shift, std::uint64_t const (&begin)[W], int d, Lanes<W>& lanes) const {
    std::uint64_t const which[1] = {shift};
    std::uint32_t words[4][1] = {};
    for (int i = 0; i < d; ++i) { // two words per coordinate
      if (i % 2 == 0)
        stream_.words(which, static_cast<std::uint32_t>(i / 2), words);
      int const first = 2 * (i % 2);
      std::uint64_t const random = std::uint64_t{words[first][0]} << 32 | words[first + 1][0];
      for (int w = 0; w < W; ++w)
        lanes.at[i][w] = random + begin_[i] + begin[w] * step_[i];
    }
  }

  /// From each lane's point to the next one.
  template <int W>
  KOKKOS_FUNCTION void advance(std::uint64_t /*k*/, int d, Lanes<W>& lanes) const {
    for (int i = 0; i < d; ++i)
      for (int w = 0; w < W; ++w)
        lanes.at[i][w] += step_[i];
  }

  /// A coordinate in fractions of 2^64.
  template <int W>
  KOKKOS_FUNCTION static std::uint64_t position(Lanes<W> const& lanes, int axis, int w) {
    return lanes.at[axis][w];
  }

private:
  Kokkos::Array<std::uint64_t, capacity> begin_{}, step_{};
  Stream stream_;
};

} // namespace kubature::detail
