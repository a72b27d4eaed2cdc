#pragma once

#include <kubature/precision_choice.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Observations of a part of an integrand at some points of a cell.
struct Probed {
  /// Deviations of a format from fp64, and the number of values that are finite in fp64 only.
  struct Deviations {
    double sum = 0, squares = 0, bias = 0;
    std::uint64_t failed = 0;

    KOKKOS_FUNCTION void add(double value, double exact) {
      double const difference = Kokkos::abs(value - exact);
      if (!Kokkos::isfinite(difference)) {
        ++failed;
        return;
      }
      sum += difference;
      bias += value - exact;
      squares += difference * difference;
    }
    KOKKOS_FUNCTION void join(Deviations const& other) {
      sum += other.sum;
      bias += other.bias;
      squares += other.squares;
      failed += other.failed;
    }
  };

  std::uint64_t points = 0, non_finite = 0;
  double mean = 0, squares = 0, magnitude = 0, gradient = 0;
  Deviations half, single;
  bool has_half = false, only_double = false;

  KOKKOS_FUNCTION void join(Probed const& other) {
    non_finite += other.non_finite;
    if (other.points == 0)
      return;
    auto const n = static_cast<double>(points), m = static_cast<double>(other.points);
    double const step = other.mean - mean, share = m / (n + m);
    squares += other.squares + step * step * n * share;
    mean += step * share;
    points += other.points;
    magnitude += other.magnitude;
    gradient = other.gradient > gradient ? other.gradient : gradient;
    half.join(other.half);
    single.join(other.single);
    has_half = other.has_half;
    only_double = other.only_double;
  }

  /// Sets it to the observations of `factor` times the component, in fp64.
  void scale(double factor);
  /// Adds the observations of another component at the same points: variances add up.
  void add(Probed const& other);

  /// The observations as a choice still to be made.
  PrecisionChoice describe(int operations) const;
};

/// Combines the observations of consecutive parts, which are those of a cell, one for each weight.
std::vector<Probed> joined(std::vector<Probed> parts, std::vector<double> const& weights);

} // namespace kubature::detail
