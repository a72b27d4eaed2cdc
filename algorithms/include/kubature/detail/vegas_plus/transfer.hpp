#pragma once

#include <kubature/detail/call/estimates.hpp>
#include <kubature/detail/checkpoint/archive.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// What a checkpoint of VEGAS+ holds, in the same order for saving and loading (docs/files.md). Each part checks what
/// it reads.

/// How the estimates of iterations are stored.
struct StepLayout {
  int components;
  bool correlations; ///< of each pair of components
  bool separate;     ///< the estimates of components known at run time follow those of the first
};

/// The estimates of the iterations.
/// @param counted evaluations besides these
void transfer(Archive& archive, std::vector<Step>& steps, std::uint64_t counted, StepLayout const& layout);

/// In which shares components drive, where that follows from samples.
inline void transfer(Archive& archive, ComponentWeights& weights) {
  if (!weights.balanced())
    return;
  archive.transfer(weights.values(), weights.values().size());
  for (double const weight : weights.values())
    archive.expect(weight > 0 && std::isfinite(weight), "a component's weight is not positive");
}

/// The map, whose edges run from 0 to the number of intervals.
template <class Space>
void transfer(Archive& archive, Space const& exec, DeviceMap<Space>& map, int wanted_axes) {
  auto axes = static_cast<std::uint32_t>(map.axes()), bins = static_cast<std::uint32_t>(map.bins());
  double scale = map.scale();
  constexpr int least_exponent = -4096;
  auto exponent = static_cast<std::uint32_t>(map.exponent() - least_exponent);
  auto edges = archive.loading() ? std::vector<double>{} : map.read(exec);
  archive.transfer(axes);
  archive.transfer(bins);
  archive.transfer(scale);
  archive.transfer(exponent);
  archive.expect(exponent <= -2 * least_exponent, "the magnitude of the values is out of range");
  archive.expect(axes == static_cast<std::uint32_t>(wanted_axes),
                 "the number of the map's axes is not that of the call");
  archive.expect(bins >= 1 && bins <= 1u << 20, "the map has too many bins, or none");
  archive.expect(scale > 0, "a scale is not positive"); // infinite as long as all values are zero
  archive.transfer(edges, std::uint64_t{axes} * (bins + 1));
  if (!archive.loading())
    return;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    auto const place = k % (bins + 1);
    archive.expect(place == 0 ? edges[k] == 0 : edges[k] >= edges[k - 1], "the edges of the map do not ascend from 0");
    archive.expect(place < bins || edges[k] == bins, "the last edge of the map is not the number of its bins");
  }
  map.write(exec, static_cast<int>(axes), static_cast<int>(bins), edges);
  map.restore_scale(scale, static_cast<int>(exponent) + least_exponent);
}

/// How strata are distributed among the axes; empty as long as that is not known.
inline void transfer(Archive& archive, std::vector<double>& shape, int d) {
  auto axes = static_cast<std::uint32_t>(shape.size());
  archive.transfer(axes);
  archive.expect(axes == 0 || axes == static_cast<std::uint32_t>(d),
                 "the shape of the strata has another dimension than the box");
  archive.transfer(shape, axes);
  for (double const along : shape)
    archive.expect(along >= 0 && std::isfinite(along), "the shape of the strata is negative or not finite");
}

/// The cubes along each axis and their weights; while no weights are known, only a dimension of 0.
template <class Space>
void transfer(Archive& archive, Space const& exec, Stratification<Space>& stratification, int d) {
  double sum = stratification.sum();
  auto dimension = static_cast<std::uint32_t>(sum > 0 ? stratification.dimension() : 0);
  archive.transfer(dimension);
  archive.expect(dimension == 0 || dimension == static_cast<std::uint32_t>(d),
                 "the strata have another dimension than the box");
  if (dimension == 0) {
    if (archive.loading())
      stratification.reset();
    return;
  }
  auto counts = stratification.counts();
  std::uint64_t cubes = 1;
  for (std::uint32_t i = 0; i < dimension; ++i) {
    auto count = static_cast<std::uint32_t>(counts[i]);
    archive.transfer(count);
    archive.expect(count >= 1 && count <= 1u << 30 && cubes <= (std::uint64_t{1} << 62) / count,
                   "there are too many strata, or none");
    counts[i] = static_cast<int>(count);
    cubes *= count;
  }
  archive.transfer(sum);
  auto weights = archive.loading() ? std::vector<float>{} : stratification.weights(exec);
  archive.transfer(weights, cubes);
  if (!archive.loading())
    return;
  long double added = 0;
  for (float const weight : weights) {
    archive.expect(weight >= 0 && std::isfinite(weight), "a weight of the strata is negative or not finite");
    added += static_cast<long double>(weight);
  }
  // As accurate as the allocation of samples needs it.
  archive.expect(sum > 0 && std::abs(static_cast<double>(added - sum)) <= 0x1p-40 * sum,
                 "the weights of the strata do not add up to their sum");
  stratification.restore(exec, d, counts, sum, weights);
}

} // namespace kubature::detail
