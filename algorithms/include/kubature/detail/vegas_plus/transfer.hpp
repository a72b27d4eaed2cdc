#pragma once

#include <kubature/detail/call/estimates.hpp>
#include <kubature/detail/checkpoint/archive.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/vegas_plus/vegas_engine.hpp>

#include <cstdint>
#include <vector>

namespace kubature::detail {

// The contents of a VEGAS+ checkpoint, in the same order for saving and loading (docs/files.md). Each part checks what
// it reads.

/// The layout of the iterations' estimates.
struct StepLayout {
  int components;
  bool correlations; ///< of each pair of components
  bool separate;     ///< the estimates of components known at run time follow those of the first
};

/// The estimates of the iterations.
/// @param counted evaluations besides these
void transfer(Archive& archive, std::vector<Step>& steps, std::uint64_t counted, StepLayout const& layout);

/// The shares in which components drive, if determined from samples.
void transfer(Archive& archive, ComponentWeights& weights);

/// The map.
void transfer_map(Archive& archive, VegasEngine& engine, int axes);

/// The distribution of strata among the axes; empty as long as it is unknown.
void transfer(Archive& archive, std::vector<double>& shape, int dimension);

/// The cubes along each axis and their weights; while no weights are known, only a dimension of 0.
void transfer_strata(Archive& archive, VegasEngine& engine, int dimension);

} // namespace kubature::detail
