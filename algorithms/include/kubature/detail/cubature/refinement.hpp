#pragma once

#include <kubature/detail/call.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace kubature::detail {

/// One call of a cubature method: the estimate after each round of refinement, and why it ends.
template <class Value>
class Refinement : public Call<Value> {
public:
  using Base = Call<Value>;
  using Base::components, Base::end, Base::ended, Base::give_up;
  using typename Base::Traits;

  /// Unlike Monte Carlo methods, these have no work of their own: a tolerance or a limit says how much they do.
  Refinement(std::string_view method, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where, Communicator const& ranks = {})
      : Base(method, tolerance, limits, callback, where, ranks) {
    constexpr Limits none;
    require(tolerance.asked() || limits.evaluations < none.evaluations || limits.iterations < none.iterations ||
                limits.seconds < none.seconds,
            "Tolerance.relative", tolerance.relative,
            "cubature needs a tolerance, or a limit of evaluations, iterations or seconds", where);
  }

  /// How many regions of so many points may still be evaluated.
  std::uint64_t affordable(std::uint64_t points) const {
    return (limits_.evaluations - result_.evaluations - counted_) / points;
  }

  /// Whether the list's estimates meet the tolerance.
  template <class List>
  bool met(List const& list) const {
    bool met = true;
    for (int c = 0; c < components; ++c) {
      auto all = list.listed(c);
      all.join(list.committed(c));
      met = met && tolerance_.met(all.value.value(), all.error.value());
    }
    return met;
  }

  /// Evaluations of the round that is added next.
  void count(std::uint64_t evaluations) { counted_ += evaluations; }

  /// The estimate from the list after `regions` more regions were evaluated, for which count() was called.
  /// @param non_finite values so far that were not finite
  /// @param confirmed  whether there were evaluations enough for a second opinion, without which nothing converges
  template <class List>
  void add(List const& list, std::uint64_t regions, std::uint64_t non_finite, NonFinite policy, bool confirmed = true) {
    if (!result_.iterations.empty())
      result_.iterations.back().included = false; // the last one tells all
    Iteration<Value> iteration{{}, {}, std::exchange(counted_, 0), true};
    bool finite = true;
    for (int c = 0; c < components; ++c) {
      auto all = list.listed(c);
      all.join(list.committed(c));
      double const value = all.value.value(), error = all.error.value();
      Traits::get(iteration.value, c) = value;
      Traits::get(iteration.error, c) = error;
      finite = finite && std::isfinite(value) && std::isfinite(error);
    }
    result_.iterations.push_back(iteration);
    result_.value = iteration.value;
    result_.error = iteration.error;
    result_.evaluations += iteration.evaluations;
    result_.regions += regions;
    result_.non_finite = non_finite;
    if (non_finite > 0 && policy == NonFinite::error)
      return give_up(Status::non_finite);
    this->report();
    if (!finite)
      end(Status::non_finite);
    else if (met(list) && !(zero() && tolerance_.absolute == 0)) { // no relative error is known of zero
      if (!confirmed)
        this->remark("too few evaluations were left to confirm that the tolerance is met");
      end(confirmed ? Status::converged : Status::evaluation_limit);
    }
  }

  Result<Value> finish() {
    if (zero())
      this->remark("all values were zero: a peak may have been missed");
    return Base::finish();
  }

  /// Whether there was nothing but zeros so far.
  bool zero() const {
    for (int c = 0; c < components; ++c)
      if (!(Traits::get(result_.value, c) == 0 && Traits::get(result_.error, c) == 0))
        return false;
    return true;
  }

  /// Whether another round may be done; if not, the status is settled.
  bool wants_more(int iterations) {
    if (ended())
      return false;
    if (this->done() >= std::min(iterations, limits_.iterations))
      return end(Status::iteration_limit);
    this->keep_time();
    return !ended();
  }

private:
  using Base::limits_, Base::result_, Base::tolerance_;
  std::uint64_t counted_ = 0;
};

} // namespace kubature::detail
