#pragma once

#include <cstdint>

namespace kubature::perf {

struct LoopEstimate {
  double value, error;
  std::uint64_t evaluations;
};

/// One iteration of m-Cubes with an equidistant map on exp(-625 sum (x_i - 1/2)^2) in five variables, as a plain loop
/// over the same samples that the library draws: hand-written code on one thread, without Kokkos.
LoopEstimate scalar_loop(std::uint64_t evaluations, std::uint64_t seed, std::uint32_t iteration);

} // namespace kubature::perf
