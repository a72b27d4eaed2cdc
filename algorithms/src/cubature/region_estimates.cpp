#include <kubature/detail/cubature/region_estimates.hpp>

#include <kubature/detail/policies/cubature_policy.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

namespace kubature::detail {
namespace {

/// Two digits, rounded up.
std::string in_words(double x) {
  std::ostringstream text;
  text.precision(2);
  text << 1.05 * x;
  return text.str();
}

} // namespace

RegionEstimates::RegionEstimates(std::string_view method, int components, Request const& request,
                                 Communicator const& ranks)
    : CallState(method, components, request, ranks) {
  constexpr Limits none;
  require(tolerance_.asked() || limits_.evaluations < none.evaluations || limits_.iterations < none.iterations ||
              limits_.seconds < none.seconds,
          "Tolerance.relative", tolerance_.relative,
          "cubature needs a tolerance, or a limit of evaluations, iterations or seconds", request.where);
}

void RegionEstimates::add(Found const& found, std::uint64_t regions, NonFiniteCount non_finite, NonFinite policy,
                          bool confirmed) {
  if (!result_.iterations.empty())
    result_.iterations.back().included = false; // the last one supersedes all others
  Iteration<std::vector<double>> iteration{{}, {}, std::exchange(counted_, 0), true};
  bool finite = true;
  for (auto const& all : found.totals) {
    double const value = all.value.value(), error = all.error.value();
    iteration.value.push_back(value);
    iteration.error.push_back(error);
    finite = finite && std::isfinite(value) && std::isfinite(error);
  }
  magnitude_ = found.totals[0].magnitude;
  result_.value = iteration.value;
  result_.error = iteration.error;
  result_.evaluations += iteration.evaluations;
  result_.iterations.push_back(std::move(iteration));
  result_.regions += regions;
  result_.non_finite = 0;
  count_non_finite(non_finite.all(), non_finite.serious());
  if (non_finite.serious() > 0 && policy == NonFinite::error)
    return give_up(Status::non_finite);
  report();
  // Zero has no relative error, and a few regions of zeros may have missed a peak.
  bool const allows_zero = tolerance_.absolute > 0 && found.regions >= few_regions;
  if (!finite) {
    end(Status::non_finite);
  } else if (found.met && (!zero() || allows_zero)) {
    if (!confirmed)
      remark("too few evaluations were left to confirm that the tolerance is met");
    end(confirmed ? Status::converged : Status::evaluation_limit);
  }
}

SeveralResult RegionEstimates::finish() {
  if (zero())
    remark("all values were zero: a peak may have been missed");
  else if (status() == Status::precision_limit && first_is_zero())
    remark(result_.error[0] < policy<CubaturePolicy>().cancelled * magnitude_
               ? "the value is zero within rounding: no relative tolerance can be met; an absolute one of " +
                     in_words(result_.error[0]) + " is met"
               : "the error is as large as the value: there may be no such integral");
  return CallState::finish();
}

bool RegionEstimates::first_is_zero() const { return std::abs(result_.value[0]) <= result_.error[0]; }

bool RegionEstimates::zero() const {
  auto const is_zero = [](double x) { return x == 0; };
  return std::ranges::all_of(result_.value, is_zero) && std::ranges::all_of(result_.error, is_zero);
}

bool RegionEstimates::wants_more(int iterations) {
  if (ended())
    return false;
  if (done() >= std::min(iterations, limits_.iterations))
    return end(Status::iteration_limit);
  keep_time();
  return !ended();
}

} // namespace kubature::detail
