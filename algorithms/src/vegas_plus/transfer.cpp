#include <kubature/detail/vegas_plus/transfer.hpp>

#include <kubature/covariance.hpp>

#include <algorithm>
#include <cmath>

namespace kubature::detail {
namespace {

void transfer_errors(Archive& archive, std::vector<double>& errors, std::size_t count) {
  archive.transfer(errors, count);
  archive.expect(std::ranges::none_of(errors, [](double error) { return error < 0; }), "an error is negative");
}

void transfer_correlations(Archive& archive, std::vector<double>& correlations, std::size_t count) {
  archive.transfer(correlations, count);
  archive.expect(std::ranges::none_of(correlations, [](double r) { return std::abs(r) > 1; }),
                 "a correlation is above 1");
}

} // namespace

void transfer(Archive& archive, std::vector<Step>& steps, std::uint64_t counted, StepLayout const& layout) {
  auto const components = static_cast<std::size_t>(layout.components),
             of_pairs = layout.correlations ? components * (components - 1) / 2 : 0;
  std::size_t const first = layout.separate ? 1 : components, first_pairs = layout.separate ? 0 : of_pairs;
  std::size_t const bytes = (2 * first + 1 + first_pairs) * sizeof(double) + 2 * sizeof(std::uint64_t) + 2;
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  std::uint64_t all = counted;
  archive.expect(all <= most, "there are too many evaluations");
  auto const count = archive.count(steps.size(), bytes);
  steps.resize(count);
  for (Step& step : steps) {
    auto& iteration = step.iteration;
    if (archive.loading()) {
      iteration.value.resize(components);
      iteration.error.resize(components);
    }
    for (std::size_t c = 0; c < first; ++c) {
      archive.transfer(iteration.value[c]);
      archive.transfer(iteration.error[c]);
      archive.expect(!(iteration.error[c] < 0), "an error is negative"); // it may be NaN where that was allowed
    }
    if (!layout.separate)
      transfer_correlations(archive, iteration.correlations, of_pairs);
    archive.transfer(iteration.evaluations);
    archive.transfer(iteration.included);
    archive.transfer(step.adaptive);
    archive.transfer(step.non_finite);
    archive.transfer(step.largest);
    archive.expect(!(step.largest < 0), "a size is negative");
    archive.expect(iteration.evaluations <= most - all && step.non_finite <= iteration.evaluations,
                   "there are too many evaluations");
    all += iteration.evaluations;
  }
  if (!layout.separate)
    return;
  for (Step& step : steps) {
    archive.transfer(step.iteration.value, components);
    transfer_errors(archive, step.iteration.error, components);
    transfer_correlations(archive, step.iteration.correlations, of_pairs);
    archive.transfer(step.degrees);
    archive.expect(step.degrees >= 1, "an error has no degrees of freedom");
  }
}

void transfer(Archive& archive, ComponentWeights& weights) {
  if (!weights.balanced())
    return;
  archive.transfer(weights.values(), weights.values().size());
  for (double const weight : weights.values())
    archive.expect(weight > 0 && std::isfinite(weight), "a component's weight is not positive");
}

void transfer_map(Archive& archive, VegasEngine& engine, int wanted_axes) {
  constexpr int least_exponent = -4096;
  auto map = archive.loading() ? MapContents{} : engine.read_map();
  auto axes = static_cast<std::uint32_t>(map.axes), bins = static_cast<std::uint32_t>(map.bins),
       exponent = static_cast<std::uint32_t>(map.exponent - least_exponent);
  archive.transfer(axes);
  archive.transfer(bins);
  archive.transfer(map.scale);
  archive.transfer(exponent);
  archive.expect(exponent <= -2 * least_exponent, "the magnitude of the values is out of range");
  archive.expect(axes == static_cast<std::uint32_t>(wanted_axes),
                 "the number of the map's axes is not that of the call");
  archive.expect(bins >= 1 && bins <= 1u << 20, "the map has too many bins, or none");
  archive.expect(map.scale > 0, "a scale is not positive"); // infinite as long as all values are zero
  auto& edges = map.edges;
  archive.transfer(edges, std::uint64_t{axes} * (bins + 1));
  if (!archive.loading())
    return;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    auto const place = k % (bins + 1);
    archive.expect(place == 0 ? edges[k] == 0 : edges[k] >= edges[k - 1], "the edges of the map do not ascend from 0");
    archive.expect(place < bins || edges[k] == bins, "the last edge of the map is not the number of its bins");
  }
  map.axes = static_cast<int>(axes);
  map.bins = static_cast<int>(bins);
  map.exponent = static_cast<int>(exponent) + least_exponent;
  engine.restore(map);
}

void transfer(Archive& archive, std::vector<double>& shape, int dimension) {
  auto axes = static_cast<std::uint32_t>(shape.size());
  archive.transfer(axes);
  archive.expect(axes == 0 || axes == static_cast<std::uint32_t>(dimension),
                 "the shape of the strata has another dimension than the box");
  archive.transfer(shape, axes);
  for (double const along : shape)
    archive.expect(along >= 0 && std::isfinite(along), "the shape of the strata is negative or not finite");
}

void transfer_strata(Archive& archive, VegasEngine& engine, int wanted_dimension) {
  auto strata = archive.loading() ? StrataContents{} : engine.read_strata();
  auto dimension = static_cast<std::uint32_t>(strata.sum > 0 ? strata.dimension : 0);
  archive.transfer(dimension);
  archive.expect(dimension == 0 || dimension == static_cast<std::uint32_t>(wanted_dimension),
                 "the strata have another dimension than the box");
  if (dimension == 0) {
    if (archive.loading())
      engine.forget_weights();
    return;
  }
  std::uint64_t cubes = 1;
  for (int i = 0; i < cut_axes(wanted_dimension); ++i) {
    auto count = static_cast<std::uint32_t>(strata.counts[i]);
    archive.transfer(count);
    archive.expect(count >= 1 && count <= 1u << 30 && cubes <= (std::uint64_t{1} << 62) / count,
                   "there are too many strata, or none");
    strata.counts[i] = static_cast<int>(count);
    cubes *= count;
  }
  archive.transfer(strata.sum);
  archive.transfer(strata.weights, cubes);
  if (!archive.loading())
    return;
  long double added = 0;
  for (float const weight : strata.weights) {
    archive.expect(weight >= 0 && std::isfinite(weight), "a weight of the strata is negative or not finite");
    added += static_cast<long double>(weight);
  }
  // To the accuracy needed by the allocation of samples.
  archive.expect(strata.sum > 0 && std::abs(static_cast<double>(added - strata.sum)) <= 0x1p-40 * strata.sum,
                 "the weights of the strata do not add up to their sum");
  strata.dimension = wanted_dimension;
  engine.restore(strata);
}

} // namespace kubature::detail
