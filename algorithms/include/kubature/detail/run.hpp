#pragma once

#include <kubature/covariance.hpp>
#include <kubature/detail/call.hpp>
#include <kubature/detail/correlated.hpp>
#include <kubature/detail/epsilon.hpp>
#include <kubature/statistics.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The course of one call of a Monte Carlo method: collects the iterations, decides when to stop, and why.
template <class Value>
class Run : public Call<Value> {
public:
  using Base = Call<Value>;
  using Base::components, Base::end, Base::ended, Base::give_up;
  using typename Base::Traits;

  /// @param epsilon of the numbers in which the integrand is evaluated: no error is smaller than the value's rounding
  /// @param used    components that the integrand has; those behind them are zero and count for nothing
  Run(double epsilon, std::string_view method, Tolerance tolerance, Limits limits, Callback const& callback,
      std::source_location where, Communicator const& ranks = {}, int used = components)
      : Base(method, tolerance, limits, callback, where, ranks), epsilon_(epsilon), used_(used) {}

  /// Whether to do another iteration of the given number of evaluations; if not, the status is settled.
  bool wants_more(int iterations, std::uint64_t evaluations) {
    if (ended())
      return false;
    if (done() >= std::min(iterations, limits_.iterations))
      return conclude(tolerance_.asked() || done() < iterations ? Status::iteration_limit : Status::completed);
    if (limits_.evaluations < result_.evaluations + evaluations)
      return conclude(Status::evaluation_limit);
    this->keep_time();
    return !ended();
  }

  /// Evaluations outside of the iterations.
  void count(std::uint64_t evaluations) {
    counted_ += evaluations;
    result_.evaluations += evaluations;
  }
  std::uint64_t counted() const { return counted_; }

  /// What an iteration adds.
  struct Step {
    Iteration<Value> iteration;
    /// Whether the sampling distribution still changes after this iteration.
    bool adaptive;
    /// Values that were not finite.
    std::uint64_t non_finite;
    /// The largest |f|, times its weight, of the first component; 0 where that was not looked at, as where another one
    /// drives the map.
    double largest = 0;
  };

  void add(Step step, NonFinite policy) {
    for (int c = 0; c < components; ++c) {
      double const size = std::abs(Traits::get(step.iteration.value, c));
      double& error = Traits::get(step.iteration.error, c);
      if (error < epsilon_ * size) {
        error = epsilon_ * size;
        forget_correlations(step.iteration, c); // of what is rounding
      }
    }
    take(step);
    if (tolerance_.asked() || this->watched())
      combine_jointly();
    if (step.non_finite > 0 && policy == NonFinite::error)
      return give_up(Status::non_finite);
    this->report();
    conclude_if_met();
  }

  /// Convergence needs so many iterations, and the tolerance to be met after two in a row: stopping where an error
  /// happens to be small favours errors that are too small. For iterations that are short beside those before.
  void confirm(std::size_t least) {
    least_ = least;
    in_a_row_ = 2;
  }

  /// The steps so far, from which another run goes on as this one would have.
  std::vector<Step> const& steps() const { return steps_; }
  void resume(std::vector<Step> const& steps) {
    for (Step const& step : steps)
      take(step);
    combine_jointly();
    conclude_if_met();
  }

  /// About how many evaluations are still needed for the tolerance, as the error falls with the square root of their
  /// number; 0 where nothing is known yet.
  double missing() const {
    if (!tolerance_.asked() || estimates_[0].size() < 2 || without_variance())
      return 0;
    double worst = 0;
    for (int c = 0; c < used_; ++c) {
      double const allowed =
          std::max(tolerance_.relative * std::abs(Traits::get(result_.value, c)), tolerance_.absolute);
      if (allowed > 0)
        worst = std::max(worst, Traits::get(result_.error, c) / allowed);
    }
    std::uint64_t included = 0;
    for (auto const& iteration : result_.iterations)
      included += iteration.included ? iteration.evaluations : 0;
    return std::max(0.0, static_cast<double>(included) * (worst * worst - 1));
  }
  std::uint64_t evaluations_left() const { return limits_.evaluations - result_.evaluations; }

  Result<Value> finish() {
    if (this->status() != Status::non_finite && this->status() != Status::memory_exhausted)
      combine_jointly();
    for (int c = 0; c < used_; ++c)
      if (Traits::get(result_.q_value, c) < least_q || chi2_survival(result_.chi2, result_.dof) < least_q)
        this->remark("the iterations disagree by more than their errors: do not trust the error");
    for (int c = 0; c < used_; ++c)
      if (seen_[c] == Seen::zeros || seen_[c] == Seen::constant)
        this->remark("all values" + (used_ > 1 ? " of component " + std::to_string(c + 1) : std::string()) +
                     " were the same: a peak may have been missed");
      else if (seen_[c] == Seen::steps)
        this->remark("all values were alike within each stratum: there is no variance to estimate an error from");
    return Base::finish();
  }

private:
  using Base::done, Base::limits_, Base::result_, Base::tolerance_;

  /// What the values of a component were in the iterations that count.
  enum class Seen {
    nothing,
    zeros,    ///< all of them zero
    constant, ///< all of them alike
    steps,    ///< alike within each stratum, but not all
    variance
  };

  /// Adds an iteration to what was seen. A sum of squares of a constant is rounding, no variance.
  void see(int c, Step const& step) {
    double const value = std::abs(Traits::get(step.iteration.value, c)), error = Traits::get(step.iteration.error, c);
    Seen now = Seen::variance;
    if (value == 0 && error == 0)
      now = Seen::zeros;
    else if (error <= epsilon_ * value)
      now =
          c > 0 || step.largest == 0 || std::abs(step.largest - value) <= alike * value ? Seen::constant : Seen::steps;
    if (seen_[c] == Seen::nothing)
      seen_[c] = now;
    else if (seen_[c] != now)
      seen_[c] = seen_[c] == Seen::variance || now == Seen::variance ? Seen::variance : Seen::steps;
  }

  bool without_variance(int c) const { return seen_[c] == Seen::zeros || seen_[c] == Seen::steps; }
  bool without_variance() const {
    for (int c = 0; c < used_; ++c)
      if (!without_variance(c))
        return false;
    return true;
  }

  /// Ends the call, where it has an estimate. Always false.
  bool conclude(Status status) {
    if (estimates_[0].size() >= 2 && met())
      return end(Status::converged); // with no iteration left to confirm it
    return end(estimates_[0].empty() || !without_variance() ? status : Status::no_variance);
  }

  void conclude_if_met() {
    if (ended())
      return;
    if (tolerance_.asked() && estimates_[0].size() >= 2 && without_variance())
      end(Status::no_variance);
    met_in_a_row_ = met() ? met_in_a_row_ + 1 : 0;
    if (estimates_[0].size() >= least_ && met_in_a_row_ >= in_a_row_ && !ended())
      end(Status::converged);
  }

  void take(Step const& step) {
    steps_.push_back(step);
    result_.iterations.push_back(step.iteration);
    result_.evaluations += step.iteration.evaluations;
    result_.non_finite += step.non_finite;
    for (int c = 0; c < components; ++c)
      weigh(c, step);
    if constexpr (components == 1) {
      result_.chi2 = means_[0].chi2;
      result_.dof = means_[0].dof;
    } else if (!step.iteration.correlations.empty()) {
      add_jointly(step);
    }
  }

  static void forget_correlations([[maybe_unused]] Iteration<Value>& of, [[maybe_unused]] int c) {
    if constexpr (components > 1)
      if (!of.correlations.empty())
        for (int i = 0; i < components; ++i)
          if (i != c)
            of.correlations[static_cast<std::size_t>(pair_place(std::min(i, c), std::max(i, c)))] = 0;
  }

  void add_jointly(Step const& step) {
    std::vector<double> value;
    JointErrors errors{{}, step.iteration.correlations};
    for (int c = 0; c < components; ++c) {
      value.push_back(Traits::get(step.iteration.value, c));
      errors.error.push_back(Traits::get(step.iteration.error, c));
    }
    joint_.add(std::move(value), std::move(errors), static_cast<double>(step.iteration.evaluations), step.adaptive,
               step.iteration.included);
    uncombined_ = uncombined_ || step.iteration.included;
  }

  /// The mean of all components together, where their correlations are known. It replaces that of each by itself, whose
  /// chi^2 stays; errors are widened where either says so (see widened_error). It takes its time for many components.
  void combine_jointly() {
    if (!std::exchange(uncombined_, false))
      return;
    auto const all = joint_.combine(estimates_, means_);
    double const factor = widening({0, 0, all.chi2, all.dof});
    for (int c = 0; c < components; ++c) {
      double& error = Traits::get(result_.error, c);
      bool const widened = error > means_[c].error;
      double const jointly = factor * all.errors.error[static_cast<std::size_t>(c)];
      Traits::get(result_.value, c) = all.value[static_cast<std::size_t>(c)];
      error = widened ? std::max(error, jointly) : jointly;
      error = std::max(error, epsilon_ * std::abs(Traits::get(result_.value, c)));
    }
    result_.correlations = all.errors.correlations;
    result_.chi2 = all.chi2;
    result_.dof = all.dof;
  }

  /// Adds an estimate with the weight that was known before it was drawn (see combine): its evaluations times the
  /// inverse variance of one evaluation in the iteration before, as long as the distribution changes, and the same for
  /// all once it is frozen. The first has only its own variance.
  void weigh(int c, Step const& step) {
    double const value = Traits::get(step.iteration.value, c), error = Traits::get(step.iteration.error, c);
    auto const evaluations = static_cast<double>(step.iteration.evaluations);
    if (unit_[c] == 0 && error > 0 && std::isfinite(error))
      unit_[c] = std::ldexp(1.0, std::ilogb(error)); // squares of such errors stay in range
    double const relative = unit_[c] > 0 ? error / unit_[c] : error;
    double const own = 1 / (relative * relative * evaluations);
    if (done() == 1 && !step.adaptive)
      weight_[c] = 1;
    else if (done() == 1 || !std::isfinite(weight_[c])) // nothing known before, or an iteration without variance
      weight_[c] = own;
    if (step.iteration.included) {
      see(c, step);
      estimates_[c].push_back({value, error, weight_[c] * evaluations});
      Combined const all = means_[c] = combine(estimates_[c]);
      Traits::get(result_.value, c) = all.value;
      Traits::get(result_.error, c) = std::max(widened_error(estimates_[c], all), epsilon_ * std::abs(all.value));
      Traits::get(result_.chi2_per_dof, c) = all.chi2_per_dof();
      Traits::get(result_.q_value, c) = all.q_value();
    }
    if (step.adaptive)
      weight_[c] = own;
  }

  /// The tolerance is met in every component by at least two iterations that agree: a chance below 1 in 1000 of their
  /// spread says that the error estimate is too small to be believed, and more iterations are done.
  bool met() const {
    if (estimates_[0].size() < 2)
      return false;
    for (int c = 0; c < used_; ++c)
      if (!tolerance_.met(Traits::get(result_.value, c), Traits::get(result_.error, c)) ||
          Traits::get(result_.q_value, c) < least_q || seen_[c] == Seen::steps ||
          (seen_[c] == Seen::zeros && tolerance_.absolute == 0))
        return false;
    return true;
  }

  static constexpr double least_q = 1e-3;
  std::size_t least_ = 2; ///< iterations that convergence needs
  int in_a_row_ = 1, met_in_a_row_ = 0;
  /// Two values that differ by less are the same, weights' rounding in single precision included.
  static constexpr double alike = 1e-4;
  double epsilon_;
  int used_;
  Seen seen_[components] = {};
  double unit_[components] = {};

  std::uint64_t counted_ = 0;
  std::vector<Step> steps_;
  std::vector<Estimate> estimates_[components];
  Combined means_[components];
  CorrelatedEstimates joint_;
  bool uncombined_ = false; ///< whether estimates were added since their mean was made
  double weight_[components] = {};
};

} // namespace kubature::detail
