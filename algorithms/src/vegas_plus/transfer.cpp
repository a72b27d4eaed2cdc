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

} // namespace kubature::detail
