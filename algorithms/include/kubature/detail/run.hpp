#pragma once

#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/statistics.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Timer.hpp>

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The course of one call of a Monte Carlo method: collects the iterations, decides when to stop, and why.
template <class Value>
class Run {
public:
  using Traits = ValueTraits<Value>;
  static constexpr int components = Traits::components;

  Run(std::string_view method, Tolerance tolerance, Limits limits, Callback const& callback, std::source_location where)
      : method_(method), tolerance_(tolerance), limits_(limits), callback_(callback) {
    check(tolerance, where);
    check(limits, where);
    set_nan(result_.value);
    set_nan(result_.error);
    set_nan(result_.chi2_per_dof);
    set_nan(result_.q_value);
  }

  /// Whether to do another iteration of the given number of evaluations; if not, the status is settled.
  bool wants_more(int iterations, std::uint64_t evaluations) {
    if (ended_)
      return false;
    if (done() >= std::min(iterations, limits_.iterations))
      return end(tolerance_.asked() || done() < iterations ? Status::iteration_limit : Status::completed);
    if (limits_.evaluations < result_.evaluations + evaluations)
      return end(Status::evaluation_limit);
    if (timer_.seconds() >= limits_.seconds)
      return end(Status::time_limit);
    return true;
  }

  /// Evaluations outside of the iterations.
  void count(std::uint64_t evaluations) { result_.evaluations += evaluations; }

  /// Ends the call: no memory, or an integrand that is not finite.
  void give_up(Status status) {
    set_nan(result_.value);
    set_nan(result_.error);
    end(status);
  }

  /// @param adaptive whether the sampling distribution still changes after this iteration
  void add(Iteration<Value> const& iteration, bool adaptive, std::uint64_t non_finite, NonFinite policy) {
    result_.iterations.push_back(iteration);
    result_.evaluations += iteration.evaluations;
    result_.non_finite += non_finite;
    if (non_finite > 0 && policy == NonFinite::error)
      return give_up(Status::non_finite);
    for (int c = 0; c < components; ++c)
      weigh(c, Traits::get(iteration.value, c), Traits::get(iteration.error, c), adaptive, iteration.included);
    if (callback_ &&
        !callback_(Progress{method_, done(), result_.evaluations, Traits::get(std::as_const(result_.value), 0),
                            Traits::get(std::as_const(result_.error), 0), timer_.seconds()}))
      end(Status::stopped);
    if (met())
      end(Status::converged);
  }

  Result<Value> finish() {
    result_.seconds = timer_.seconds();
    result_.method = method_;
    bool disagree = false, constant = false;
    for (int c = 0; c < components; ++c) {
      disagree = disagree || Traits::get(result_.q_value, c) < least_q;
      constant = constant || Traits::get(result_.error, c) == 0;
    }
    if (disagree)
      result_.remarks.push_back("the iterations disagree by more than their errors: do not trust the error");
    if (constant)
      result_.remarks.push_back("all values were the same: a peak may have been missed");
    return std::move(result_);
  }

private:
  int done() const { return static_cast<int>(result_.iterations.size()); }

  bool end(Status status) {
    result_.status = status;
    ended_ = true;
    return false;
  }

  static void set_nan(Value& value) {
    for (int c = 0; c < components; ++c)
      Traits::get(value, c) = std::numeric_limits<double>::quiet_NaN();
  }

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

  std::string_view method_;
  Tolerance tolerance_;
  Limits limits_;
  Callback const& callback_;
  Kokkos::Timer timer_;
  Result<Value> result_;
  std::vector<Estimate> estimates_[components];
  double weight_[components] = {};
  bool ended_ = false;
};

} // namespace kubature::detail
