#pragma once

#include <kubature/detail/policies/call_policy.hpp>
#include <kubature/statistics.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kubature::detail {

/// The error that a tolerance allows to a component; none if no tolerance is requested.
using Allowed = std::optional<double>;

/// An error in units of the allowed error; 0 if that is 0 or not given.
inline double excess(Allowed allowed, double error) { return allowed.value_or(0) > 0 ? error / *allowed : 0; }

/// What to try where samples suit some components of an integrand better than others; empty if there is no advice.
/// @param excess   the error of each component, in units of the allowed error; empty if the tolerance is met
/// @param disagree whether the iterations of each disagree by more than their errors
/// @param driver   what trains map and strata: a component, from 0, or a value of Driver
std::string driver_advice(std::vector<double> const& excess, std::vector<bool> const& disagree, int driver);

/// The estimates of one component, iteration by iteration, with their mean (see combine()).
class ComponentEstimates {
public:
  /// Adds an estimate with a weight that was known before it was drawn: its evaluations times the inverse variance of
  /// one evaluation in the previous iteration, as long as the distribution changes, and times a constant once it is
  /// frozen. The first estimate has only its own variance.
  /// @param adaptive whether the distribution still changes after it
  /// @param epsilon  of the numbers in which the integrand is evaluated
  /// @param largest  the largest |f| times its weight over all samples; 0 if that was not recorded
  void add(double value, double error, double evaluations, bool adaptive, bool included, double epsilon,
           double largest = 0);

  std::size_t count() const { return estimates_.size(); }
  std::vector<Estimate> const& estimates() const { return estimates_; }
  Combined const& mean() const { return mean_; }
  /// The error of the mean: at least the rounding error, and widened if the probability of the estimates' spread is
  /// below this.
  double error(double epsilon, double least_chance = 0.01) const;

  /// By how much iterations that were excluded found more of the component, in magnitude, than the mean, less three of
  /// their errors; 0 if none did. For components that do not train the map: once it follows another one, samples that
  /// no longer reach where this one is large reveal neither its value nor their error.
  double lost() const;
  /// Whether all values were zero.
  bool zeros() const { return seen_ == Seen::zeros; }
  bool without_variance() const { return seen_ == Seen::zeros || seen_ == Seen::steps; }

  /// Whether estimates are so far from the mean that underestimated errors matter: not where all are far closer to it
  /// than the tolerance requires.
  bool far_apart(Allowed allowed) const;
  /// Whether they are, and disagree by more than their errors.
  /// @param least probability of their spread
  bool disagree(Allowed allowed, double least = policy<CallPolicy>().least_q) const {
    return mean_.q_value() < least && far_apart(allowed);
  }
  /// Whether estimates that agree meet the tolerance; if not, more are drawn.
  bool met(Allowed allowed, double error, double least = policy<CallPolicy>().least_q) const;

  /// Why the estimate is unreliable, as a predicate of "all values"; empty if it is not.
  std::string flaw() const;

private:
  /// The values seen in the included iterations.
  enum class Seen {
    nothing,
    zeros,    ///< all of them zero
    constant, ///< all of them equal
    steps,    ///< equal within each stratum, but not overall
    variance
  };

  /// Adds an iteration to what was seen. The sum of squares of a constant is rounding, not variance.
  void see(double value, double error, double epsilon, double largest);

  std::vector<Estimate> estimates_, left_out_;
  Combined mean_;
  Seen seen_ = Seen::nothing;
  bool any_ = false;
  double unit_ = 0, weight_ = 0;
};

} // namespace kubature::detail
