#pragma once

#include <kubature/detail/call.hpp>
#include <kubature/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kubature::detail {

/// The course of one call of a Monte Carlo method: collects the iterations, decides when to stop, and why.
template <class Value>
class Run : public Call<Value> {
public:
  using Base = Call<Value>;
  using Base::Base, Base::components, Base::end, Base::ended, Base::give_up;
  using typename Base::Traits;

  /// Whether to do another iteration of the given number of evaluations; if not, the status is settled.
  bool wants_more(int iterations, std::uint64_t evaluations) {
    if (ended())
      return false;
    if (done() >= std::min(iterations, limits_.iterations))
      return end(tolerance_.asked() || done() < iterations ? Status::iteration_limit : Status::completed);
    if (limits_.evaluations < result_.evaluations + evaluations)
      return end(Status::evaluation_limit);
    if (this->out_of_time())
      return end(Status::time_limit);
    return true;
  }

  /// Evaluations outside of the iterations.
  void count(std::uint64_t evaluations) { result_.evaluations += evaluations; }

  /// @param adaptive whether the sampling distribution still changes after this iteration
  void add(Iteration<Value> const& iteration, bool adaptive, std::uint64_t non_finite, NonFinite policy) {
    result_.iterations.push_back(iteration);
    result_.evaluations += iteration.evaluations;
    result_.non_finite += non_finite;
    if (non_finite > 0 && policy == NonFinite::error)
      return give_up(Status::non_finite);
    for (int c = 0; c < components; ++c)
      weigh(c, Traits::get(iteration.value, c), Traits::get(iteration.error, c), adaptive, iteration.included);
    this->report();
    if (met())
      end(Status::converged);
  }

  Result<Value> finish() {
    bool disagree = false, constant = false;
    for (int c = 0; c < components; ++c) {
      disagree = disagree || Traits::get(result_.q_value, c) < least_q;
      constant = constant || Traits::get(result_.error, c) == 0;
    }
    if (disagree)
      result_.remarks.push_back("the iterations disagree by more than their errors: do not trust the error");
    if (constant)
      result_.remarks.push_back("all values were the same: a peak may have been missed");
    return Base::finish();
  }

private:
  using Base::done, Base::limits_, Base::result_, Base::tolerance_;

  /// Adds an estimate with the weight that was known before it was drawn (see combine): the inverse variance of the
  /// iteration before, as long as the distribution changes, and the same for all once it is frozen. The first has
  /// only its own variance.
  void weigh(int c, double value, double error, bool adaptive, bool included) {
    double const own = 1 / (error * error);
    if (done() == 1 && !adaptive)
      weight_[c] = 1;
    else if (done() == 1 || !std::isfinite(weight_[c])) // nothing known before, or an iteration without variance
      weight_[c] = own;
    if (included) {
      estimates_[c].push_back({value, error, weight_[c]});
      Combined const all = combine(estimates_[c]);
      Traits::get(result_.value, c) = all.value;
      Traits::get(result_.error, c) = all.error;
      Traits::get(result_.chi2_per_dof, c) = all.chi2_per_dof();
      Traits::get(result_.q_value, c) = all.q_value();
    }
    if (adaptive)
      weight_[c] = own;
  }

  /// The tolerance is met in every component by at least two iterations that agree: a chance below 1 in 1000 of their
  /// spread says that the error estimate is too small to be believed, and more iterations are done.
  bool met() const {
    if (estimates_[0].size() < 2)
      return false;
    for (int c = 0; c < components; ++c)
      if (!tolerance_.met(Traits::get(result_.value, c), Traits::get(result_.error, c)) ||
          Traits::get(result_.q_value, c) < least_q)
        return false;
    return true;
  }

  static constexpr double least_q = 1e-3;

  std::vector<Estimate> estimates_[components];
  double weight_[components] = {};
};

} // namespace kubature::detail
