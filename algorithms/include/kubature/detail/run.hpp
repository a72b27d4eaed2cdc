#pragma once

#include <kubature/covariance.hpp>
#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/call.hpp>
#include <kubature/detail/component_estimates.hpp>
#include <kubature/detail/correlated.hpp>
#include <kubature/detail/epsilon.hpp>
#include <kubature/statistics.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
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
  /// @param used    components that the integrand has; those behind them are zero and are ignored
  Run(double epsilon, std::string_view method, Tolerance tolerance, Limits limits, Callback const& callback,
      std::source_location where, Communicator const& ranks = {}, int used = components)
      : Base(method, tolerance, limits, callback, where, ranks), epsilon_(epsilon), used_(used) {}

  virtual ~Run() = default;

  /// Whether to make another iteration of this many evaluations; if not, the status has been set.
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

  /// Has samples audited before they count as converged, and at the end of the call.
  /// @param audit audit(most) takes about so many evaluations at most; nothing where that is too few
  void audit_by(std::function<Audited(std::uint64_t most)> audit) { audits_.by(std::move(audit)); }

  /// Says what trains map and strata: the option `driver`, for remarks on it.
  void driven_by(int driver) { driver_ = driver; }

  /// Counts evaluations outside the iterations.
  void count(std::uint64_t evaluations) {
    counted_ += evaluations;
    result_.evaluations += evaluations;
  }
  std::uint64_t counted() const { return counted_; }

  /// What an iteration contributes.
  struct Step {
    Iteration<Value> iteration;
    /// Whether the sampling distribution still changes after this iteration.
    bool adaptive;
    /// The number of values that were not finite.
    std::uint64_t non_finite;
    /// The largest |f|, times its weight, of the first component; 0 if it was not recorded, as when another component
    /// drives the map.
    double largest = 0;
    /// The power of two by which component sums of the last draw are to be multiplied (see Scaling).
    int exponent = 0;
    /// Whether any of the values that were not finite matter, and how many lie on poles (NonFiniteSamples).
    std::uint64_t serious = 0, on_poles = 0;
  };

  void add(Step step, NonFinite policy) {
    for (int c = 0; c < components; ++c) {
      double const size = std::abs(Traits::get(step.iteration.value, c));
      double& error = Traits::get(step.iteration.error, c);
      if (error < epsilon_ * size) {
        error = epsilon_ * size;
        forget_correlations(step.iteration.correlations, static_cast<std::size_t>(c)); // they are rounding
      }
    }
    step.iteration.included = counts(step.iteration.included, within(step.iteration));
    take(step);
    if (tolerance_.asked() || this->watched())
      combine_jointly();
    if (step.serious > 0 && policy == NonFinite::error)
      return give_up(Status::non_finite);
    this->report();
    conclude_if_met();
  }

  /// Keeps an estimate that was made before the first iteration, for a call that is cut short before any iteration
  /// counts. Its evaluations are counted in any case.
  void reserve(Step step, NonFinite policy) {
    count(step.iteration.evaluations);
    if (step.serious == 0 || policy != NonFinite::error)
      reserve_ = std::move(step);
  }

  /// Requires at least so many iterations for convergence, and the tolerance to be met after two in a row: stopping
  /// when an error happens to be small favours errors that are too small. For iterations that are shorter than those
  /// before.
  void confirm(std::size_t least) {
    least_ = least;
    in_a_row_ = 2;
  }

  /// Lets iterations count in training already if they are well within the tolerance. Not for a single variable: if the
  /// integrand jumps, all of the variance lies in one stratum, in which two samples may well be equal.
  void count_early(int dimension) { early_ = dimension > 1; }

  /// The steps so far, from which another run resumes as this one would have gone on.
  std::vector<Step> const& steps() const { return steps_; }
  void resume(std::vector<Step> const& steps) {
    for (Step const& step : steps)
      take(step);
    combine_jointly();
    conclude_if_met();
  }

  /// About how many evaluations the tolerance still needs, as the error falls with the square root of their number; 0
  /// if nothing is known yet.
  double missing() const {
    if (!tolerance_.asked() || of_[0].count() < 2 || without_variance())
      return 0;
    double const worst = this->worst();
    return std::max(0.0, included() * (worst * worst - 1));
  }
  /// Evaluations of the iterations that count.
  double included() const {
    double included = 0;
    for (auto const& iteration : result_.iterations)
      included += iteration.included ? static_cast<double>(iteration.evaluations) : 0;
    return included;
  }
  std::uint64_t evaluations_left() const { return limits_.evaluations - result_.evaluations; }
  /// The same, less what an audit at the end takes.
  double left_for_samples() const {
    return static_cast<double>(evaluations_left()) - Audits::cost(static_cast<double>(limits_.evaluations));
  }

  Result<Value> finish() {
    if (auto const step = take_reserve())
      take(*step);
    if (this->status() != Status::non_finite && this->status() != Status::memory_exhausted) {
      combine_jointly();
      audit();
    }
    std::vector<double> excesses;
    std::vector<bool> disagree;
    for (int c = 0; c < used_; ++c) {
      bool const disagrees = Traits::get(result_.q_value, c) < least_chance();
      disagree.push_back(disagrees || lost(c) > 0);
      excesses.push_back(excess(tolerance_, Traits::get(result_.value, c), Traits::get(result_.error, c)));
      if (disagrees || chi2_survival(result_.chi2, result_.dof) < least_q)
        this->remark(disagreement);
    }
    advise(std::move(excesses), disagree);
    for (int c = 0; c < used_; ++c)
      if (auto const doubt = of_[c].doubt(used_ > 1 ? " of component " + std::to_string(c + 1) : std::string());
          !doubt.empty())
        this->remark(doubt);
    for (int c = 0; c < used_; ++c)
      for (auto const& remark : audits_.remarks(c, Traits::get(result_.value, c), Traits::get(result_.error, c)))
        this->remark(remark);
    return Base::finish();
  }

protected:
  /// Whether a component may have no part in training the map.
  bool bystander(int c) const { return driver_ && *driver_ != static_cast<int>(Driver::balanced) && c != *driver_; }
  /// Remarks on the option `driver` where another value of it is likely to help.
  void advise(std::vector<double> excesses, std::vector<bool> const& disagree) {
    if (!driver_ || disagree.size() < 2)
      return;
    if (!tolerance_.asked() || this->status() == Status::converged)
      excesses.clear();
    if (auto const advice = driver_advice(excesses, disagree, *driver_); !advice.empty())
      this->remark(advice);
  }

  using Base::done, Base::limits_, Base::result_, Base::tolerance_;

  /// Whether an iteration counts: it does already in training if by itself it is well within the tolerance, or one
  /// before it was.
  bool counts(bool trained, bool within) const {
    return trained || counting_ || (early_ && tolerance_.asked() && within);
  }
  /// Whether an estimate is well within the tolerance, and its error more than what rounding of maps makes of a
  /// constant.
  bool well_within(double value, double error) const {
    return error > std::max(64 * epsilon_, 1e-10) * std::abs(value) && error <= early_part * tolerance_.allowed(value);
  }

  // Runs of components known at run time override these.

  virtual bool within(Iteration<Value> const& iteration) const {
    for (int c = 0; c < used_; ++c)
      if (!well_within(Traits::get(iteration.value, c), Traits::get(iteration.error, c)))
        return false;
    return true;
  }

  /// Whether at least two iterations that agree meet the tolerance in every component.
  virtual bool met() const {
    for (int c = 0; c < used_; ++c)
      if (!of_[c].met(tolerance_, Traits::get(result_.value, c), Traits::get(result_.error, c), least_chance()) &&
          (used_ == 1 || !of_[c].zeros())) // zero beside others that vary is exact
        return false;
    return true;
  }
  virtual bool without_variance() const {
    for (int c = 0; c < used_; ++c)
      if (!of_[c].without_variance())
        return false;
    return true;
  }
  /// The largest error, in units of what the tolerance allows.
  virtual double worst() const {
    double worst = 0;
    for (int c = 0; c < used_; ++c)
      worst = std::max(worst, excess(tolerance_, Traits::get(result_.value, c), Traits::get(result_.error, c)));
    return worst;
  }

  /// What stands in for the iterations of a call that was cut short before any of them counted: the last one, which
  /// trained the map, or what was kept in reserve.
  std::optional<Step> take_reserve() {
    if (!this->cut_short() || counting_)
      return {};
    if (!steps_.empty()) {
      reserve_ = steps_.back();
      steps_.pop_back();
      result_.iterations.pop_back();
      this->count_non_finite(0 - reserve_->non_finite, 0 - reserve_->serious); // unsigned, so this takes them back
      this->remark("the call ended before the map was trained: this is the estimate of the last iteration alone");
    } else if (reserve_) {
      this->remark("the call ended within its first iteration: this is the estimate of " +
                   std::to_string(reserve_->iteration.evaluations) + " samples that were drawn before");
    } else {
      return {};
    }
    result_.evaluations -= reserve_->iteration.evaluations;
    reserve_->iteration.included = true;
    return reserve_;
  }

  /// Makes a step one of the result's.
  void take(Step const& step) {
    steps_.push_back(step);
    counting_ = counting_ || step.iteration.included;
    result_.iterations.push_back(step.iteration);
    result_.evaluations += step.iteration.evaluations;
    this->count_non_finite(step.non_finite, step.serious);
    on_poles_ += step.iteration.included ? static_cast<double>(step.on_poles) : 0;
    for (int c = 0; c < components; ++c)
      weigh(c, step);
    if constexpr (components == 1) {
      result_.chi2 = of_[0].mean().chi2;
      result_.dof = of_[0].mean().dof;
    } else if (!step.iteration.correlations.empty()) {
      add_jointly(step);
    }
  }

private:
  /// The least chance of the spread of any one of the components.
  double least_chance() const { return least_q / used_; }
  /// What a component that does not train the map may have lost.
  double lost(int c) const { return bystander(c) ? of_[c].lost() : 0; }

  /// Ends the call, converged if its estimate meets the tolerance. Always false.
  bool conclude(Status status) {
    if (of_[0].count() >= 2 && !without_variance() && met()) // with no iteration left to confirm it
      end_if_sound();
    return ended() ? false : end(of_[0].count() == 0 || !without_variance() ? status : Status::no_variance);
  }

  void conclude_if_met() {
    if (ended())
      return;
    if (tolerance_.asked() && of_[0].count() >= 2 && without_variance())
      end(Status::no_variance);
    met_in_a_row_ = of_[0].count() >= 2 && !ended() && met() ? met_in_a_row_ + 1 : 0;
    if (of_[0].count() >= least_ && met_in_a_row_ >= in_a_row_ && !ended())
      end_if_sound();
  }

  /// Ends the call as converged, unless an audit finds that more samples are needed, or would be in vain.
  void end_if_sound() {
    audit();
    if (met())
      end(heavy() ? Status::no_variance : Status::converged);
    else if (out_of_reach())
      end(Status::precision_limit);
    else
      met_in_a_row_ = 0;
  }

  /// See Audits. Errors include what it finds from then on.
  void audit() {
    if (of_[0].count() < 2)
      return;
    count(audits_.audit(result_.evaluations, evaluations_left()));
    audits_.note_poles(on_poles_ / std::max(1.0, included()));
    for (int c = 0; c < used_; ++c)
      Traits::get(result_.error, c) = audits_.error(c, Traits::get(result_.value, c), alone_[c]);
    result_.k_hat = audits_.k_hat();
  }
  bool heavy() const {
    for (int c = 0; c < used_; ++c)
      if (audits_.no_variance(c, alone_[c]))
        return true;
    return false;
  }
  bool out_of_reach() const {
    for (int c = 0; c < used_; ++c)
      if (double const value = Traits::get(result_.value, c); audits_.out_of_reach(c, value, tolerance_.allowed(value)))
        return true;
    return false;
  }
  /// Sets the error of a component, from what its iterations tell.
  void set_error(int c, double error) {
    alone_[c] = error;
    Traits::get(result_.error, c) = audits_.error(c, Traits::get(result_.value, c), error);
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

  /// Computes the mean of all components together, if their correlations are known. It replaces the mean of each by
  /// itself, whose chi^2 is kept; errors are widened if either says so (see widened_error). This takes time for many
  /// components.
  void combine_jointly() {
    if (!std::exchange(uncombined_, false))
      return;
    std::vector<std::vector<Estimate>> single;
    std::vector<Combined> means;
    for (auto const& one : of_) {
      single.push_back(one.estimates());
      means.push_back(one.mean());
    }
    auto const all = joint_.combine(single, means);
    double const factor = widening({0, 0, all.chi2, all.dof});
    for (int c = 0; c < components; ++c) {
      double const error = alone_[c];
      bool const widened = error > of_[c].mean().error;
      double const jointly = factor * all.errors.error[static_cast<std::size_t>(c)];
      Traits::get(result_.value, c) = all.value[static_cast<std::size_t>(c)];
      set_error(c, std::max({widened ? std::max(error, jointly) : jointly,
                             epsilon_ * std::abs(Traits::get(result_.value, c)), lost(c)}));
    }
    result_.correlations = all.errors.correlations;
    result_.chi2 = all.chi2;
    result_.dof = all.dof;
  }

  void weigh(int c, Step const& step) {
    of_[c].add(Traits::get(step.iteration.value, c), Traits::get(step.iteration.error, c),
               static_cast<double>(step.iteration.evaluations), step.adaptive, step.iteration.included, epsilon_,
               c > 0 ? 0 : step.largest);
    if (!step.iteration.included)
      return;
    Combined const& all = of_[c].mean();
    Traits::get(result_.value, c) = all.value;
    set_error(c, std::max(of_[c].error(epsilon_), lost(c)));
    Traits::get(result_.chi2_per_dof, c) = all.chi2_per_dof();
    Traits::get(result_.q_value, c) = all.q_value();
  }

  /// The part of the tolerance that an iteration has to meet by itself to count before the map is trained. Its error
  /// may be too small by that factor, then.
  static constexpr double early_part = 0.25;

  std::size_t least_ = 2; ///< iterations that convergence requires
  bool early_ = false;    ///< whether iterations may count in training
  bool counting_ = false; ///< whether one has counted
  int in_a_row_ = 1, met_in_a_row_ = 0;
  std::optional<int> driver_; ///< none if the method has no such option
  double epsilon_;
  int used_;
  std::uint64_t counted_ = 0;
  std::vector<Step> steps_;
  std::optional<Step> reserve_;
  ComponentEstimates of_[components];
  double alone_[components] = {}; ///< the errors, without what audits find
  Audits audits_;
  double on_poles_ = 0; ///< samples that count and lie on poles
  CorrelatedEstimates joint_;
  bool uncombined_ = false; ///< whether estimates were added since their mean was computed
};

} // namespace kubature::detail
