#pragma once

#include <Kokkos_Macros.hpp>

namespace kubature::detail {

/// With strata, the sums of their means, of the variances of these, and of their magnitudes; without, the sums of
/// values less a shift, and of their squares.
struct ComponentSum {
  double mean = 0, spread = 0, magnitude = 0;

  KOKKOS_FUNCTION void join(ComponentSum const& other) {
    mean += other.mean;
    spread += other.spread;
    magnitude += other.magnitude;
  }
};

} // namespace kubature::detail
