#pragma once

#include <kubature/detail/call.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace kubature::detail {

/// One call of a cubature method: the estimate after each iteration, and why the call ends.
template <class Value>
class Refinement : public Call<Value> {
public:
  using Base = Call<Value>;
  using Base::components, Base::end, Base::ended, Base::give_up;
  using typename Base::Traits;

  /// Unlike Monte Carlo methods, these have no default amount of work: a tolerance or a limit has to be given.
  Refinement(std::string_view method, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where, Communicator const& ranks = {})
      : Base(method, tolerance, limits, callback, where, ranks) {
    constexpr Limits none;
    require(tolerance.asked() || limits.evaluations < none.evaluations || limits.iterations < none.iterations ||
                limits.seconds < none.seconds,
            "Tolerance.relative", tolerance.relative,
            "cubature needs a tolerance, or a limit of evaluations, iterations or seconds", where);
  }

  /// How many regions of so many points the limit of evaluations still allows.
  std::uint64_t affordable(std::uint64_t points) const {
    return (limits_.evaluations - result_.evaluations - counted_) / points;
  }

  /// Whether the list's estimates meet the tolerance.
  template <class List>
  bool met(List const& list) const {
    return tolerance_.asked() && list.met(tolerance_);
  }

  /// Counts evaluations of the iteration that is added next.
  void count(std::uint64_t evaluations) { counted_ += evaluations; }
  /// Counts regions of `points` points each whose estimates are discarded.
  void count_in_vain(std::uint64_t regions, std::uint64_t points) {
    count(regions * points);
    result_.regions += regions;
  }

  /// Adds an iteration: the estimate from the list after `regions` more regions were evaluated.
  /// @param non_finite values so far that were not finite
  /// @param confirmed  whether enough evaluations were left for a second opinion, without which nothing converges
  template <class List>
  void add(List const& list, std::uint64_t regions, NonFiniteCount non_finite, NonFinite policy,
           bool confirmed = true) {
    if (!result_.iterations.empty())
      result_.iterations.back().included = false; // the last one supersedes all others
    Iteration<Value> iteration{{}, {}, std::exchange(counted_, 0), true};
    bool finite = true;
    for (int c = 0; c < components; ++c) {
      auto all = list.listed(c);
      all.join(list.committed(c));
      double const value = all.value.value(), error = all.error.value();
      Traits::get(iteration.value, c) = value;
      Traits::get(iteration.error, c) = error;
      finite = finite && std::isfinite(value) && std::isfinite(error);
      magnitude_ = c == 0 ? all.magnitude : magnitude_;
    }
    result_.iterations.push_back(iteration);
    result_.value = iteration.value;
    result_.error = iteration.error;
    result_.evaluations += iteration.evaluations;
    result_.regions += regions;
    result_.non_finite = 0;
    this->count_non_finite(non_finite.all(), non_finite.serious());
    if (non_finite.serious() > 0 && policy == NonFinite::error)
      return give_up(Status::non_finite);
    this->report();
    if (!finite)
      end(Status::non_finite);
    else if (met(list) && !(zero() && !allows_zero(list))) {
      if (!confirmed)
        this->remark("too few evaluations were left to confirm that the tolerance is met");
      end(confirmed ? Status::converged : Status::evaluation_limit);
    }
  }

  Result<Value> finish() {
    if (zero())
      this->remark("all values were zero: a peak may have been missed");
    else if (this->status() == Status::precision_limit && first_is_zero())
      this->remark(
          Traits::get(result_.error, 0) < cancelled * magnitude_
              ? "the value is zero as far as rounding tells: no relative tolerance can be met, but an absolute "
                "one of " +
                    in_words(Traits::get(result_.error, 0)) + " is"
              : "the error is as large as the value: there may be no such integral");
    return Base::finish();
  }

  /// Whether the value of the first component is zero within its error.
  bool first_is_zero() const { return std::abs(Traits::get(result_.value, 0)) <= Traits::get(result_.error, 0); }

  /// Whether all values were zero so far.
  bool zero() const {
    for (int c = 0; c < components; ++c)
      if (!(Traits::get(result_.value, c) == 0 && Traits::get(result_.error, c) == 0))
        return false;
    return true;
  }

  /// Whether another iteration may follow; if not, the run has ended.
  bool wants_more(int iterations) {
    if (ended())
      return false;
    if (this->done() >= std::min(iterations, limits_.iterations))
      return end(Status::iteration_limit);
    this->keep_time();
    return !ended();
  }

private:
  /// Two digits, rounded up.
  static std::string in_words(double x) {
    std::ostringstream text;
    text.precision(2);
    text << 1.05 * x;
    return text.str();
  }

  /// Zero has no relative error, and a few regions of zeros may have missed a peak.
  template <class List>
  bool allows_zero(List const& list) const {
    return tolerance_.absolute > 0 && list.total() >= few_regions;
  }

  using Base::limits_, Base::result_, Base::tolerance_;
  std::uint64_t counted_ = 0;
  double magnitude_ = 0; ///< sum of the |values| of the first component
  /// The error of a sum whose parts cancel, in units of their magnitude, at most.
  static constexpr double cancelled = 1e-8;
};

} // namespace kubature::detail
