#pragma once

#include <kubature/covariance.hpp>
#include <kubature/detail/archive.hpp>
#include <kubature/detail/component_estimates.hpp>
#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/correlated.hpp>
#include <kubature/detail/joint_mean.hpp>
#include <kubature/detail/run.hpp>
#include <kubature/detail/sampling/evaluate.hpp>
#include <kubature/several_result.hpp>
#include <kubature/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The course of one call for components known at run time. It is a Run that follows the first component, but ends only
/// when all components meet the tolerance.
///
/// Full covariances of up to 32 components are combined as for components known at compile time (see
/// CorrelatedEstimates); more components share one weight per iteration (see JointMean).
template <class Space>
class ComponentsRun : public Run<double> {
  using Base = Run<double>;

public:
  ComponentsRun(double epsilon, std::string_view method, Tolerance tolerance, Limits limits, Callback const& callback,
                std::source_location where, Communicator const& ranks, ComponentSums<Space>& sums)
      : Base(epsilon, method, tolerance, limits, callback, where, ranks), epsilon_(epsilon), sums_(sums),
        each_(sums.size()) {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    several_.value.assign(each_.size(), nan);
    several_.error = several_.chi2_per_dof = several_.q_value = several_.value;
  }

  void add(Step step, NonFinite policy) {
    auto estimate = sums_.estimate(step.iteration.evaluations, step.exponent);
    within_ = true;
    for (std::size_t c = 0; c < each_.size(); ++c)
      within_ = within_ && this->well_within(estimate.value[c], estimate.errors.error[c]);
    step.iteration.included = this->counts(step.iteration.included, within_);
    step.iteration.value = estimate.value[0];
    step.iteration.error = estimate.errors.error[0];
    if (sums_.checkpoint())
      estimates_.push_back(estimate);
    reserved_ = estimate;
    take(step, std::move(estimate));
    if (tolerance_.asked() || this->watched())
      combine_jointly();
    Base::add(step, policy);
  }

  /// See Run: the sums are still those of this step.
  void reserve(Step const& step, NonFinite policy) {
    reserved_ = sums_.estimate(step.iteration.evaluations, step.exponent);
    Base::reserve(step, policy);
  }

  /// Saves or restores the estimates of this many iterations, for a checkpoint (docs/files.md).
  void transfer(Archive& archive, std::size_t iterations) {
    std::size_t const c = each_.size(), pairs = sums_.full() ? c * (c - 1) / 2 : 0;
    auto estimates = archive.loading() ? std::vector<ComponentEstimate>(iterations) : estimates_;
    for (auto& estimate : estimates) {
      archive.transfer(estimate.value, c);
      archive.transfer(estimate.errors.error, c);
      archive.transfer(estimate.errors.correlations, pairs);
      archive.transfer(estimate.degrees);
      archive.expect(std::ranges::none_of(estimate.errors.error, [](double error) { return error < 0; }),
                     "an error is negative");
      archive.expect(std::ranges::none_of(estimate.errors.correlations, [](double r) { return std::abs(r) > 1; }),
                     "a correlation is above 1");
      archive.expect(estimate.degrees >= 1, "an error has no degrees of freedom");
    }
    estimates_ = std::move(estimates);
  }
  /// Resumes from the same steps, with the estimates that the checkpoint has given.
  void resume(std::vector<Step> const& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k)
      take(steps[k], estimates_[k]);
    combine_jointly();
    Base::resume(steps);
  }

  SeveralResult finish() {
    bool const trained = this->done() > 0;
    if (auto const step = this->take_reserve()) {
      if (trained)
        several_.iterations.pop_back();
      take(*step, reserved_);
      Base::take(*step);
    }
    bool const estimated = this->status() != Status::non_finite && this->status() != Status::memory_exhausted;
    if (estimated)
      combine_jointly();
    else
      several_.value.assign(each_.size(), std::numeric_limits<double>::quiet_NaN()), several_.error = several_.value;
    remark_doubts();
    auto all = Call<double>::finish();
    several_.status = all.status;
    several_.evaluations = all.evaluations;
    several_.non_finite = all.non_finite;
    several_.seconds = all.seconds;
    several_.method = std::move(all.method);
    several_.remarks = std::move(all.remarks);
    return std::move(several_);
  }

protected:
  bool within(Iteration<double> const&) const override { return within_; }
  bool met() const override {
    for (std::size_t c = 0; c < each_.size(); ++c)
      if (!each_[c].met(tolerance_, several_.value[c], several_.error[c], least_chance()) &&
          (each_.size() == 1 || !each_[c].zeros()))
        return false;
    return true;
  }
  bool without_variance() const override {
    return std::all_of(each_.begin(), each_.end(), [](auto const& one) { return one.without_variance(); });
  }
  double worst() const override {
    double worst = 0;
    for (std::size_t c = 0; c < each_.size(); ++c)
      worst = std::max(worst, excess(tolerance_, several_.value[c], several_.error[c]));
    return worst;
  }

private:
  /// The least chance of the spread of any one of the components.
  double least_chance() const { return least_q / static_cast<double>(each_.size()); }
  /// The error of a component by itself. Of many components, one in a hundred disagrees by chance.
  double alone(std::size_t c) const {
    return std::max(each_[c].error(epsilon_, by_matrices() ? 0.01 : 0.01 / static_cast<double>(each_.size())), lost(c));
  }
  /// What a component that does not train the map may have lost.
  double lost(std::size_t c) const { return this->bystander(static_cast<int>(c)) ? each_[c].lost() : 0; }
  bool by_matrices() const { return each_.size() <= static_cast<std::size_t>(most_correlated); }

  void take(Step const& step, ComponentEstimate estimate) {
    auto const evaluations = static_cast<double>(step.iteration.evaluations);
    auto& error = estimate.errors.error;
    for (std::size_t c = 0; c < each_.size(); ++c) {
      if (double const least = epsilon_ * std::abs(estimate.value[c]); error[c] < least) {
        error[c] = least;
        forget_correlations(estimate.errors.correlations, c); // they are rounding
      }
      each_[c].add(estimate.value[c], error[c], evaluations, step.adaptive, step.iteration.included, epsilon_,
                   static_cast<int>(c) == sums_.driver() ? step.largest : 0);
      if (!step.iteration.included)
        continue;
      auto const& mean = each_[c].mean();
      several_.value[c] = mean.value;
      several_.error[c] = alone(c);
      several_.chi2_per_dof[c] = mean.chi2_per_dof();
      several_.q_value[c] = mean.q_value();
    }
    several_.iterations.push_back({estimate.value, error, step.iteration.evaluations, step.iteration.included,
                                   by_matrices() ? estimate.errors.correlations : std::vector<double>()});
    if (!sums_.full())
      return;
    if (by_matrices())
      joint_.add(std::move(estimate.value), std::move(estimate.errors), evaluations, step.adaptive,
                 step.iteration.included);
    else
      mean_.add(estimate.value, estimate.errors, evaluations, estimate.degrees, step.adaptive, step.iteration.included);
    uncombined_ = uncombined_ || step.iteration.included;
  }

  /// Computes the mean of all components together, which takes time for many components.
  void combine_jointly() {
    if (!std::exchange(uncombined_, false))
      return;
    JointCombined all;
    if (by_matrices()) {
      std::vector<std::vector<Estimate>> single;
      std::vector<Combined> means;
      for (auto const& one : each_) {
        single.push_back(one.estimates());
        means.push_back(one.mean());
      }
      all = joint_.combine(single, means);
    } else {
      all = mean_.combined();
    }
    double const factor = by_matrices() ? widening({0, 0, all.chi2, all.dof}) : 1;
    for (std::size_t c = 0; c < each_.size(); ++c) {
      auto const& mean = each_[c].mean();
      double const single = alone(c), jointly = factor * all.errors.error[c];
      several_.value[c] = all.value[c];
      several_.error[c] =
          std::max(single > mean.error ? std::max(single, jointly) : jointly, epsilon_ * std::abs(all.value[c]));
    }
    several_.correlations = std::move(all.errors.correlations);
    several_.chi2 = all.chi2;
    several_.dof = all.dof;
  }

  /// Remarks on doubtful estimates: with many components, on the first of them, and on how many others there are; and
  /// on what may help.
  void remark_doubts() {
    std::string first;
    int others = -1;
    std::vector<double> excesses;
    std::vector<bool> disagree;
    for (std::size_t c = 0; c < each_.size(); ++c) {
      bool const disagrees = each_[c].mean().q_value() < least_chance();
      disagree.push_back(disagrees || lost(c) > 0);
      excesses.push_back(excess(tolerance_, several_.value[c], several_.error[c]));
      if (disagrees)
        this->remark(disagreement);
      auto const doubt = each_[c].doubt(each_.size() > 1 ? " of component " + std::to_string(c + 1) : std::string());
      if (doubt.empty())
        continue;
      if (++others == 0)
        first = doubt;
    }
    this->advise(std::move(excesses), disagree);
    if (others >= 0)
      this->remark(first + (others > 0 ? "; the same holds for " + std::to_string(others) + " more" : std::string()));
  }

  double epsilon_;
  ComponentSums<Space>& sums_;
  std::vector<ComponentEstimates> each_;
  CorrelatedEstimates joint_;
  JointMean mean_;
  bool uncombined_ = false, within_ = false;
  SeveralResult several_;
  std::vector<ComponentEstimate> estimates_; ///< of all iterations, for a checkpoint
  ComponentEstimate reserved_;               ///< of the last iteration, or of what was kept in reserve
};

/// The course of a call for an integrand G, and what it needs to know of it: the number of components, or their sums.
template <class G, class Value>
struct RunOf {
  using type = Run<Value>;
};
template <class Space, class F, class Value>
struct RunOf<SummedComponents<Space, F>, Value> {
  using type = ComponentsRun<Space>;
};

template <int C, class G>
decltype(auto) components_for_run(G const& f) {
  if constexpr (requires { f.sums; })
    return (*f.sums);
  else
    return used_components<C>(f);
}

/// The number of components as a checkpoint states it: components known at run time are stored differently.
template <class Run, class G>
std::string components_in_words(Run const&, G const& f) {
  if constexpr (requires { f.sums; })
    return std::to_string(f.sums->components()) + " at run time" + (f.sums->full() ? " covariance full" : "");
  else
    return std::to_string(Run::components);
}

} // namespace kubature::detail
