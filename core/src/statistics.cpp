#include <kubature/statistics.hpp>

#include "weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kubature {

using detail::Weights;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Consistent estimates have a chi^2 with a lower probability than this in one case of a hundred.
constexpr double least_agreement = 0.01;

} // namespace

Combined combine(std::span<Estimate const> estimates) {
  if (estimates.empty())
    return {nan, nan, 0, 0};
  Weights const weight(estimates);
  double value = 0, scatter = 0, weights = 0;
  for (auto const& e : estimates) {
    value += weight(e) * e.value;
    scatter = std::hypot(scatter, weight(e) * e.error);
    weights += weight(e);
  }
  Combined result{value / weights, scatter / weights, 0, static_cast<int>(estimates.size()) - 1};
  for (auto const& e : estimates)
    if (e.value != result.value) {
      double const pull = (e.value - result.value) / e.error;
      result.chi2 += pull * pull;
    }
  return result;
}

double widening(Combined const& all) {
  return all.q_value() < least_agreement && std::isfinite(all.chi2) ? std::sqrt(all.chi2_per_dof()) : 1;
}

double widened_error(std::span<Estimate const> estimates, Combined const& all, double least_chance) {
  if (!(all.q_value() < least_chance))
    return all.error;
  Weights const weight(estimates);
  double scatter = 0, weights = 0, farthest = 0;
  for (auto const& e : estimates) {
    scatter = std::hypot(scatter, weight(e) * (e.value - all.value));
    weights += weight(e);
    farthest = std::max(farthest, std::abs(e.value - all.value));
  }
  auto const n = static_cast<double>(estimates.size());
  double const widened = std::isfinite(all.chi2) ? std::min(all.error * std::sqrt(all.chi2_per_dof()), farthest)
                                                 : scatter / weights * std::sqrt(n / (n - 1));
  return std::max(all.error, widened);
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
  for (int k = 0; k < dof / 2; ++k) {
    double const a = odd ? k + 0.5 : k;
    sum += half > 0 ? std::exp(a * std::log(half) - half - std::lgamma(a + 1)) : (a == 0 ? 1 : 0);
  }
  return std::min(sum, 1.0);
}

double student_factor(int dof) {
  if (dof < 3) {
    double const p = std::erf(std::sqrt(0.5));
    return dof < 2 ? std::tan(std::numbers::pi / 2 * p) : p * std::sqrt(2 / (1 - p * p));
  }
  double const over = 1.0 / dof;
  return 1 + over * (1 / 2.0 + over * (1 / 4.0 + over * (1 / 16.0 - over * (11 / 1920.0))));
}

} // namespace kubature
