#include <kubature/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kubature {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Estimate average(std::span<Estimate const> estimates) {
  double value = 0, variance = 0;
  for (auto const& e : estimates) {
    value += e.value;
    variance += e.error * e.error;
  }
  auto const n = static_cast<double>(estimates.size());
  return {value / n, std::sqrt(variance) / n};
}

/// The inverse-variance mean of the adaptive estimates and `rest`, the frozen ones as a whole.
Estimate weighted(std::span<Estimate const> adaptive, Estimate const* rest) {
  double sum = 0, weights = 0;
  // Variances relative to the first keep 1 / s^2 in range.
  double const unit = adaptive.front().error;
  auto const add = [&](Estimate const& e) {
    double const weight = (unit / e.error) * (unit / e.error);
    sum += weight * e.value;
    weights += weight;
  };
  for (auto const& e : adaptive)
    add(e);
  if (rest)
    add(*rest);
  return {sum / weights, unit / std::sqrt(weights)};
}

} // namespace

Combined combine(std::span<Estimate const> estimates, std::size_t adaptive) {
  if (estimates.empty())
    return {nan, nan, 0, 0};
  auto const exact = [](Estimate const& e) { return e.error == 0; };
  adaptive = std::min(adaptive, estimates.size());

  Estimate mean;
  if (adaptive == 0 || std::any_of(estimates.begin(), estimates.end(), exact)) {
    mean = average(estimates);
  } else if (adaptive == estimates.size()) {
    mean = weighted(estimates, nullptr);
  } else {
    Estimate const frozen = average(estimates.subspan(adaptive));
    mean = weighted(estimates.first(adaptive), &frozen);
  }

  Combined result{mean.value, mean.error, 0, static_cast<int>(estimates.size()) - 1};
  for (auto const& e : estimates)
    if (e.value != mean.value)
      result.chi2 += (e.value - mean.value) / e.error * ((e.value - mean.value) / e.error);
  return result;
}

double Combined::chi2_per_dof() const { return dof > 0 ? chi2 / dof : nan; }
double Combined::q_value() const { return chi2_survival(chi2, dof); }

double chi2_survival(double chi2, int dof) {
  if (dof < 1 || !(chi2 >= 0))
    return nan;
  if (std::isinf(chi2))
    return 0;
  double const half = chi2 / 2;
  // exp(-half) half^a / Gamma(a + 1) for a = 0, 1, ... or 1/2, 3/2, ...; added up to a = dof/2 - 1.
  bool const odd = dof % 2 == 1;
  double sum = odd ? std::erfc(std::sqrt(half)) : 0;
  for (double a = odd ? 0.5 : 0; a < dof / 2.0 - 0.25; a += 1)
    sum += half > 0 ? std::exp(a * std::log(half) - half - std::lgamma(a + 1)) : (a == 0 ? 1 : 0);
  return std::min(sum, 1.0);
}

} // namespace kubature
