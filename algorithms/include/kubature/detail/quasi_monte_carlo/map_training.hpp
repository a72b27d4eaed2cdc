#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/quasi_monte_carlo/shift_estimates.hpp>
#include <kubature/vegas_plus.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Trains a map for quasi-Monte Carlo by some iterations of VEGAS+, each a call of its own, and averages the last ones:
/// lattices are most sensitive to the noise of a single iteration's samples.
template <class P, class Space>
class MapTraining {
public:
  MapTraining(Space const& exec, Communicator const& ranks, std::uint64_t seed, NonFinite non_finite)
      : trainer_(exec, ranks,
                 VegasPlus<P>{.evaluations = policy<QmcPolicy>().most_training,
                              .iterations = 1,
                              .skip = 0,
                              .bins = policy<QmcPolicy>().training_bins,
                              .alpha = policy<QmcPolicy>().training_alpha,
                              .seed = seed,
                              .non_finite = non_finite}) {}

  /// @param evaluations of the whole call, of which training uses at most two fifths
  /// @param run  counts the evaluations, and ends with the training
  /// @returns the edges of all axes, in units of the box's sides; nothing if the call has ended
  template <class F, int D>
  std::vector<double> train(F const& f, Box<D> const& box, std::uint64_t evaluations, ShiftEstimates& run,
                            Callback const& callback, std::source_location where) {
    auto const& by = policy<QmcPolicy>();
    int const averaged = std::min(by.averaged_iterations, by.training_iterations);
    std::vector<double> mean;
    auto const each = std::clamp<std::uint64_t>(evaluations / by.training_part, 4, by.most_training);
    Callback const none;
    Callback const forward = [&](Progress progress) {
      return !callback || callback(run.before_iterations(progress.evaluations));
    };
    for (int i = 0; i < by.training_iterations; ++i) {
      auto limits = run.limits_left();
      limits.evaluations = each;
      auto const result = trainer_.solve(f, box, Request{{}, limits, callback ? forward : none, where});
      if (!run.learn(result.evaluations, result.non_finite, result.status))
        return {};
      if (i < by.training_iterations - averaged)
        continue;
      auto const map = trainer_.map();
      mean.resize(map.edges().size());
      for (std::size_t k = 0; k < mean.size(); ++k)
        mean[k] += map.edges()[k] / averaged;
    }
    return mean;
  }

private:
  Solver<VegasPlus<P>, Space> trainer_;
};

} // namespace kubature::detail
