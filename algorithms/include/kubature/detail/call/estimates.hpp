#pragma once

#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/call/call_state.hpp>
#include <kubature/detail/call/component_estimates.hpp>
#include <kubature/detail/correlated.hpp>
#include <kubature/detail/joint_mean.hpp>
#include <kubature/driver.hpp>
#include <kubature/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace kubature::detail {

/// The contribution of an iteration of a Monte Carlo method to all components.
struct Step {
  Iteration<std::vector<double>> iteration;
  /// Whether the sampling distribution still changes after this iteration.
  bool adaptive = false;
  std::uint64_t non_finite = 0; ///< values that were not finite
  /// The largest |f|, times its weight, of the first component; 0 if it was not recorded, as when another component
  /// drives the map.
  double largest = 0;
  /// Whether any of the values that were not finite matter, and the number on poles (NonFiniteSamples).
  std::uint64_t serious = 0, on_poles = 0;
  double degrees = 1; ///< of freedom of the variances, where there are many components
};

/// The estimates of one call of a Monte Carlo method: collects the iterations, decides when to stop, and why.
///
/// Full covariances of up to 32 components are combined by matrices (see CorrelatedEstimates); more components share
/// one weight per iteration (see JointMean).
class Estimates : public CallState {
public:
  /// @param epsilon    of the numbers in which the integrand is evaluated: errors are at least the value's rounding
  /// @param components of the estimates
  /// @param used       components of the integrand; those behind them are zero and are ignored
  Estimates(double epsilon, std::string_view method, int components, int used, Request const& request,
            Communicator const& ranks = {});

  /// Whether to make another iteration of this many evaluations; if not, the status has been set.
  bool wants_more(int iterations, std::uint64_t evaluations);

  /// Has samples audited before they count as converged, and at the end of the call.
  /// @param audit audit(most) uses about `most` evaluations at most; none if that is too few
  void audit_by(std::function<Audited(std::uint64_t most)> audit) { audits_.by(std::move(audit)); }

  /// Sets what trains map and strata, the option `driver`, for remarks on it.
  void driven_by(int driver) { driver_ = driver; }

  /// Counts evaluations outside the iterations.
  void count(std::uint64_t evaluations) {
    counted_ += evaluations;
    result_.evaluations += evaluations;
  }
  /// Subtracts evaluations that were counted.
  void uncount(std::uint64_t evaluations) {
    counted_ -= evaluations;
    result_.evaluations -= evaluations;
  }
  std::uint64_t counted() const { return counted_; }

  void add(Step step, NonFinite policy);

  /// Keeps an estimate that was made before the first iteration, for a call that is cut short before any iteration
  /// counts. Its evaluations are counted in any case.
  void keep_pilot(Step step, NonFinite policy);

  /// Requires at least `least` iterations for convergence, and the tolerance to be met after two in a row: stopping
  /// when an error happens to be small favours underestimated errors. For iterations that are shorter than earlier
  /// ones.
  void confirm(std::size_t least) {
    least_ = least;
    in_a_row_ = 2;
  }

  /// Lets training iterations count if they are well within the tolerance. Not for a single variable: if the integrand
  /// jumps, all of the variance lies in one stratum, in which two samples may well be equal.
  void count_early(int dimension) { early_ = dimension > 1; }

  /// The steps so far, from which another call resumes as this one would have continued. Correlations of many
  /// components are kept only on request.
  std::vector<Step> const& steps() const { return steps_; }
  void keep_correlations() { keep_ = true; }
  void resume(std::vector<Step> const& steps);

  /// About how many evaluations the tolerance still needs, as the error falls with the square root of their number; 0
  /// if nothing is known yet.
  double missing() const;
  /// Evaluations of the iterations that count.
  double included() const;
  std::uint64_t evaluations_left() const { return limits_.evaluations - result_.evaluations; }
  /// The same, less the cost of an audit at the end.
  double left_for_samples() const;

  SeveralResult finish();

private:
  double value(std::size_t c) const { return result_.value[c]; }
  double error(std::size_t c) const { return result_.error[c]; }
  std::size_t used() const { return static_cast<std::size_t>(used_); }
  bool by_matrices() const;

  /// Whether a component may have no part in training the map.
  bool bystander(std::size_t c) const;
  /// The possible loss of a component that does not train the map.
  double lost(std::size_t c) const { return bystander(c) ? of_[c].lost() : 0; }
  /// The threshold on the probability of the spread of each component.
  double least_chance() const { return policy<CallPolicy>().least_q / used_; }

  std::vector<Allowed> allowed(std::vector<double> const& values, std::vector<double> const& errors) const;
  bool within(Step const& step) const;
  bool met() const;
  bool without_variance() const;
  double worst() const;

  void floor(Step& step) const;
  void take(Step const& step);
  void take_component(std::size_t c, Step const& step);
  void combine_jointly();
  std::optional<Step> take_reserve();
  void set_error(std::size_t c, double error);

  bool conclude(Status status);
  void conclude_if_met();
  void end_if_sound();
  void audit();
  bool heavy() const;
  bool out_of_reach() const;
  void remark_flaws();

  double epsilon_;
  int used_;
  std::size_t least_ = 2; ///< iterations that convergence requires
  bool early_ = false;    ///< whether iterations may count in training
  bool counting_ = false; ///< whether one has counted
  bool keep_ = false;     ///< whether steps keep the correlations of many components
  int in_a_row_ = 1, met_in_a_row_ = 0;
  std::optional<int> driver_; ///< none if the method has no such option
  std::uint64_t counted_ = 0;
  std::vector<Step> steps_;
  std::optional<Step> reserve_;
  std::vector<ComponentEstimates> of_;
  std::vector<double> alone_; ///< the errors without the findings of audits
  Audits audits_;
  double on_poles_ = 0; ///< samples that count and lie on poles
  CorrelatedEstimates joint_;
  JointMean mean_;          ///< of many components
  bool uncombined_ = false; ///< whether estimates were added since their mean was computed
};

} // namespace kubature::detail
