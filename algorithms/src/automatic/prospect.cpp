#include <kubature/detail/automatic/prospect.hpp>

#include <kubature/detail/allowed_errors.hpp>
#include <kubature/detail/policies/auto_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace kubature::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// The constants that are the same on a host and on a GPU.
AutoPolicy const& common() { return auto_policy(false); }

} // namespace

double worst_excess(std::vector<double> const& value, std::vector<double> const& error, Tolerance tolerance) {
  auto const allowed = allowed_errors(tolerance, value, error);
  double worst = 0;
  for (std::size_t c = 0; c < value.size(); ++c) {
    bool const none = error[c] == 0 && value[c] == 0 && std::ranges::any_of(value, [](double v) { return v != 0; });
    double const here = none ? 0 : error[c] / allowed[c]; // zero is exact if other components vary
    worst = std::isnan(here) ? infinite : std::max(worst, here);
  }
  return worst;
}

double needed(std::vector<Advance> const& so_far, Powers powers) {
  if (so_far.empty() || !std::isfinite(so_far.back().excess))
    return infinite;
  Advance const last = so_far.back();
  if (last.excess <= 1)
    return last.evaluations;
  auto const earlier = std::find_if(so_far.rbegin(), so_far.rend(), [&](Advance const& one) {
    return common().compared_part * one.evaluations <= last.evaluations;
  });
  Advance const from = earlier == so_far.rend() ? so_far.front() : *earlier;
  double const power = from.evaluations < last.evaluations && std::isfinite(from.excess)
                           ? std::log(from.excess / last.excess) / std::log(last.evaluations / from.evaluations)
                           : powers.least;
  return last.evaluations * std::pow(last.excess, 1 / std::clamp(power, powers.least, powers.most));
}

double needed(SeveralResult const& result, Tolerance tolerance, Powers powers, double launches) {
  std::vector<Advance> so_far, before;
  double evaluations = 0;
  for (auto const& iteration : result.iterations) {
    evaluations += static_cast<double>(iteration.evaluations) + launches;
    double excess = worst_excess(iteration.value, iteration.error, tolerance);
    if (!so_far.empty() && excess > common().begun_anew * so_far.back().excess)
      before = std::exchange(so_far, {});
    else if (!so_far.empty())
      excess = std::min(excess, so_far.back().excess);
    so_far.push_back({evaluations, excess});
  }
  return std::max(evaluations, needed(so_far.size() < 2 && !before.empty() ? before : so_far, powers));
}

double needed_by_sampling(SeveralResult const& result, Tolerance tolerance) {
  double const above = worst_excess(result.value, result.error, tolerance);
  double samples = 0;
  for (auto const& iteration : result.iterations)
    samples += iteration.included ? static_cast<double>(iteration.evaluations) : 0;
  return samples > 0 ? samples * std::max(1.0, above * above) : infinite;
}

double needed_by_sampling(std::vector<double> const& value, double scatter, Tolerance tolerance) {
  std::vector<double> deviation;
  for (double const x : value)
    deviation.push_back(scatter * std::abs(x));
  double const above = worst_excess(value, deviation, tolerance);
  return above * above;
}

bool consistent_with_zero(SeveralResult const& result) {
  for (std::size_t c = 0; c < result.value.size(); ++c)
    if (std::abs(result.value[c]) > common().errors_from_zero * result.error[c])
      return false;
  return true;
}

bool negligible(SeveralResult const& result, std::vector<double> const& beside) {
  for (std::size_t c = 0; c < result.value.size(); ++c)
    if (!(std::abs(result.value[c]) + result.error[c] <= std::numeric_limits<double>::epsilon() * std::abs(beside[c])))
      return false;
  return true;
}

bool vague(SeveralResult const& less, SeveralResult const& more, double part) {
  for (std::size_t c = 0; c < less.value.size(); ++c) {
    double const value = std::abs(less.value[c]);
    if (!(less.error[c] > part * value && value < std::abs(more.value[c])))
      return false;
  }
  return true;
}

bool saw_zeros_alone(SeveralResult const& result) {
  auto const is_zero = [](double x) { return x == 0; };
  return std::ranges::all_of(result.value, is_zero) && std::ranges::all_of(result.error, is_zero);
}

} // namespace kubature::detail
