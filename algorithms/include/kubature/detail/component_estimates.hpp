#pragma once

#include <kubature/driver.hpp>
#include <kubature/statistics.hpp>
#include <kubature/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kubature::detail {

/// If the chance of the estimates' spread is below this, their errors are too small to be believed.
inline constexpr double least_q = 1e-3;
inline constexpr char const* disagreement = "the iterations disagree by more than their errors: do not trust the error";

/// An error in units of what the tolerance allows.
inline double excess(Tolerance const& tolerance, double value, double error) {
  double const allowed = tolerance.allowed(value);
  return allowed > 0 ? error / allowed : 0;
}

/// What to try where samples serve the components of an integrand unequally; empty if there is nothing to say.
/// @param excess   the error of each component, in units of what the tolerance allows; empty if the tolerance is met
/// @param disagree whether the iterations of each disagree by more than their errors
/// @param driver   what trains map and strata: a component, from 0, or a value of Driver
inline std::string driver_advice(std::vector<double> const& excess, std::vector<bool> const& disagree, int driver) {
  constexpr double dominant = 4; // its samples would have to grow 16-fold
  for (std::size_t c = 0; c < disagree.size(); ++c)
    if (disagree[c] && driver != static_cast<int>(Driver::balanced) && static_cast<int>(c) != driver)
      return "component " + std::to_string(c + 1) +
             " has few samples where it matters: the option driver = balanced serves all components";
  if (excess.size() < 2)
    return {};
  auto const worst = std::max_element(excess.begin(), excess.end());
  auto const number = static_cast<int>(worst - excess.begin());
  auto const close = std::count_if(excess.begin(), excess.end(), [&](double one) { return dominant * one > *worst; });
  if (!(*worst > 1) || number == driver || close > 1)
    return {};
  return "the error of component " + std::to_string(number + 1) +
         " is the farthest from the tolerance: the option driver = " + std::to_string(number + 1) +
         " lets it train map and strata";
}

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
           double largest = 0) {
    bool const first = !any_;
    any_ = true;
    if (unit_ == 0 && error > 0 && std::isfinite(error))
      unit_ = std::ldexp(1.0, std::ilogb(error)); // squares of such errors stay in range
    double const relative = unit_ > 0 ? error / unit_ : error;
    double const own = 1 / (relative * relative * evaluations);
    if (first && !adaptive)
      weight_ = 1;
    else if (first || !std::isfinite(weight_)) // nothing known before, or an iteration without variance
      weight_ = own;
    if (included) {
      see(std::abs(value), error, epsilon, largest);
      estimates_.push_back({value, error, weight_ * evaluations});
      mean_ = combine(estimates_);
    } else if (error > 0) {
      left_out_.push_back({value, error});
    }
    if (adaptive)
      weight_ = own;
  }

  std::size_t count() const { return estimates_.size(); }
  std::vector<Estimate> const& estimates() const { return estimates_; }
  Combined const& mean() const { return mean_; }
  /// The error of the mean: no smaller than rounding, and widened if the chance of the estimates' spread is below this.
  double error(double epsilon, double least_chance = 0.01) const {
    return std::max(widened_error(estimates_, mean_, least_chance), epsilon * std::abs(mean_.value));
  }

  /// By how much iterations that were left out saw more of the component, in magnitude, than the mean, less three of
  /// their errors; 0 if none did. For components that do not train the map: once it follows another one, samples that
  /// no longer reach where this one is large tell neither of its value nor of their error.
  double lost() const {
    double lost = 0;
    for (auto const& one : left_out_)
      lost = std::max(lost, std::abs(one.value) - std::abs(mean_.value) - 3 * one.error);
    return lost;
  }
  /// Whether all values were zero.
  bool zeros() const { return seen_ == Seen::zeros; }
  bool without_variance() const { return seen_ == Seen::zeros || seen_ == Seen::steps; }

  /// Whether estimates that agree meet the tolerance; if not, more are drawn.
  /// @param least chance of their spread
  bool met(Tolerance const& tolerance, double value, double error, double least = least_q) const {
    return tolerance.met(value, error) && !(mean_.q_value() < least) && seen_ != Seen::steps;
  }

  /// A sentence saying what makes the estimate doubtful; empty if nothing does.
  /// @param whose " of component 2"
  std::string doubt(std::string const& whose) const {
    if (seen_ == Seen::zeros || seen_ == Seen::constant)
      return "all values" + whose + " were the same: a peak may have been missed";
    if (seen_ == Seen::steps)
      return "all values were alike within each stratum: there is no variance from which to estimate an error";
    return {};
  }

private:
  /// What the values were in the iterations that count.
  enum class Seen {
    nothing,
    zeros,    ///< all of them zero
    constant, ///< all of them equal
    steps,    ///< equal within each stratum, but not overall
    variance
  };

  /// Adds an iteration to what was seen. The sum of squares of a constant is rounding, not variance.
  void see(double value, double error, double epsilon, double largest) {
    Seen now = Seen::variance;
    if (value == 0 && error == 0)
      now = Seen::zeros;
    else if (error <= epsilon * value)
      now = largest == 0 || std::abs(largest - value) <= alike * value ? Seen::constant : Seen::steps;
    if (seen_ == Seen::nothing)
      seen_ = now;
    else if (seen_ != now)
      seen_ = seen_ == Seen::variance || now == Seen::variance ? Seen::variance : Seen::steps;
  }

  /// Two values that differ by less are equal, including the rounding of weights in single precision.
  static constexpr double alike = 1e-4;

  std::vector<Estimate> estimates_, left_out_;
  Combined mean_;
  Seen seen_ = Seen::nothing;
  bool any_ = false;
  double unit_ = 0, weight_ = 0;
};

} // namespace kubature::detail
