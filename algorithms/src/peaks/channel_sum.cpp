#include <kubature/detail/peaks/channel_sum.hpp>

#include <kubature/covariance.hpp>
#include <kubature/detail/allowed_errors.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kubature::detail {
namespace {

constexpr auto unlimited = Limits{}.evaluations;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double largest_of(std::vector<double> const& numbers) { return *std::ranges::max_element(numbers); }

/// Whether a part ends the whole call.
bool ends(SeveralResult const& part) { return part.status == Status::stopped || part.status == Status::non_finite; }

/// Whether a part is nothing beside these errors, whatever its iterations say: the background of narrow peaks is a few
/// large values far out, or zero wherever points lie.
bool adds_nothing(SeveralResult const& part, std::vector<double> const& errors) {
  bool none = !ends(part);
  for (std::size_t c = 0; c < part.value.size(); ++c)
    none = none && std::abs(part.value[c]) + part.error[c] <= policy<PeaksPolicy>().negligible * errors[c];
  return none;
}

/// Whether a part that has not ended the call has an error that counts, though it may exceed what it was allowed.
bool has_error(SeveralResult const& part) {
  return part.status == Status::converged || part.status == Status::evaluation_limit;
}

/// The degrees of freedom of each component's chi2_per_dof.
double degrees(SeveralResult const& part) {
  return static_cast<double>(std::ranges::count_if(part.iterations, [](auto const& each) { return each.included; })) -
         1;
}

} // namespace

ChannelSum::ChannelSum(std::size_t parts, Integrate integrate, Request const& request, std::uint64_t before,
                       Kokkos::Timer const& timer)
    : integrate_(std::move(integrate)), request_(request), before_(before), timer_(timer), parts_(parts) {}

std::uint64_t ChannelSum::evaluations_left() const {
  auto const all = request_.limits.evaluations;
  return all == unlimited ? all : all - std::min(all, before_ + made_);
}

bool ChannelSum::ended() const { return std::ranges::any_of(parts_, ends); }

/// A share of the evaluations left, if they are limited.
std::uint64_t ChannelSum::part_of_left(double share) const {
  auto const left = evaluations_left();
  return left == unlimited ? left : static_cast<std::uint64_t>(share * static_cast<double>(left));
}

/// Calls the method for a part.
/// @param still number of parts that follow, this one included, among which the time is divided
void ChannelSum::integrate(PartOfCall const& part, Tolerance const& tolerance, std::uint64_t most, std::size_t still) {
  if (ended())
    return;
  Limits limits = request_.limits;
  limits.evaluations = std::max<std::uint64_t>(1, std::min(most, evaluations_left()));
  limits.seconds =
      std::max((limits.seconds - timer_.seconds()) / static_cast<double>(still), std::numeric_limits<double>::min());
  Callback const& asked = request_.callback;
  Callback const callback = [&](Progress progress) {
    progress.evaluations += before_ + made_;
    progress.seconds = timer_.seconds();
    return asked(progress);
  };
  auto result = integrate_(part, {tolerance, limits, asked ? callback : asked, request_.where});
  made_ += result.evaluations;
  if (tolerance.asked() && adds_nothing(result, std::vector<double>(result.value.size(), tolerance.absolute)))
    result.status = Status::converged;
  auto& kept = parts_[part.channel];
  if (result.status == Status::evaluation_limit && result.evaluations < kept.evaluations)
    kept.status = result.status; // the limit left less than the pilot had
  else
    kept = std::move(result);
}

/// The part of the variance that each part may have, if all have the same cost: in proportion to its scatter.
std::vector<double> ChannelSum::shares() const {
  auto const n = static_cast<double>(parts_.size());
  std::vector<double> scatter;
  double sum = 0;
  for (auto const& part : parts_) {
    bool const known = !part.error.empty() && part.evaluations > 0;
    scatter.push_back(known ? largest_of(part.error) * std::sqrt(static_cast<double>(part.evaluations)) : no_number);
    sum += scatter.back();
  }
  double const even = policy<PeaksPolicy>().even_shares;
  for (double& each : scatter)
    each = sum > 0 && std::isfinite(sum) ? (1 - even) * each / sum + even / n : 1 / n;
  return scatter;
}

void ChannelSum::pilot() {
  auto const& by = policy<PeaksPolicy>();
  auto const n = parts_.size();
  auto tolerance = request_.tolerance;
  double of_peaks = 0; // the integral about them, of the smallest component
  ++passes_;
  for (std::size_t still = n; still > 0; --still) { // the background last, as it may be negligible
    std::size_t const k = (n - still + 1) % n;
    if (k == 0)
      tolerance.absolute = std::max(tolerance.absolute, tolerance.relative * of_peaks);
    integrate({k, by.pilot_share / static_cast<double>(n), true, passes_}, tolerance,
              part_of_left(1 / static_cast<double>(n)), still);
    double least = std::numeric_limits<double>::infinity();
    for (double const value : parts_[k].value)
      least = std::min(least, std::abs(value));
    of_peaks += std::isfinite(least) ? least : 0;
  }
}

std::vector<double> ChannelSum::weights() const {
  std::vector<double> weights(parts_.size());
  auto const all = sum();
  double const least = policy<PeaksPolicy>().least_component / static_cast<double>(weights.size());
  double total = 0;
  // The integrand of a part has its weight as a factor.
  for (std::size_t k = 0; k < weights.size(); ++k) {
    auto const& part = parts_[k];
    double moment = 0;
    for (std::size_t c = 0; c < all.value.size(); ++c) {
      double const scatter = part.error[c] * std::sqrt(static_cast<double>(part.evaluations));
      if (all.value[c] != 0)
        moment += std::pow(std::hypot(scatter, part.value[c]) / all.value[c], 2);
    }
    total += weights[k] = std::sqrt(moment);
  }
  double raised = 0;
  for (double& weight : weights)
    raised += weight = total > 0 && std::isfinite(total) ? std::max(weight / total, least) : 1;
  for (double& weight : weights)
    weight /= raised;
  return weights;
}

SeveralResult ChannelSum::run() {
  pilot();
  if (request_.tolerance.asked())
    return result(to_tolerance(sum(), evaluations_left()));
  all_work();
  return sum();
}

SeveralResult ChannelSum::result(bool met) const {
  auto result = sum();
  if (met)
    result.status = Status::converged;
  else if (result.status == Status::converged)
    result.status = Status::iteration_limit;
  return result;
}

bool ChannelSum::to_tolerance(SeveralResult const& guess, std::uint64_t most) {
  auto value = guess.value, error = guess.error;
  for (int pass = 0; pass < 3; ++pass) {
    auto const bounds = allowed_errors(request_.tolerance, value, error);
    double const allowed = *std::ranges::min_element(bounds);
    if (!(allowed > 0 && std::isfinite(allowed)))
      return false;
    auto const share = shares();
    ++passes_;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      double const its_own = allowed * std::sqrt(share[k]);
      auto const& part = parts_[k];
      if (part.status != Status::converged || part.error.empty() || !(largest_of(part.error) <= its_own))
        integrate({k, share[k], false, passes_}, {.absolute = its_own}, most, parts_.size() - k);
    }
    auto const so_far = sum();
    bool met = std::ranges::all_of(parts_, has_error);
    auto const within = allowed_errors(request_.tolerance, so_far.value, so_far.error);
    for (std::size_t c = 0; c < within.size(); ++c)
      met = met && so_far.error[c] <= within[c];
    if (met || so_far.status != Status::converged)
      return met;
    value = so_far.value;
    error = so_far.error;
  }
  return false;
}

void ChannelSum::all_work() {
  auto const share = shares();
  std::vector<std::uint64_t> most;
  for (double const each : share)
    most.push_back(part_of_left(each));
  ++passes_;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    integrate({k, share[k], false, passes_}, {}, most[k], parts_.size() - k);
}

SeveralResult ChannelSum::sum() const {
  SeveralResult sum;
  std::size_t components = 0;
  for (auto const& part : parts_)
    components = std::max(components, part.value.size());
  std::vector<double> dof(components), chi2(components), covariances;
  bool full = components > 1;
  sum.value.resize(components);
  sum.error.resize(components);
  sum.chi2 = 0;
  sum.k_hat = no_number;
  for (auto const& part : parts_)
    full = full && part.correlations.size() == static_cast<std::size_t>(pairs(static_cast<int>(components)));
  if (full)
    covariances.resize(parts_[0].correlations.size());
  sum.status = request_.tolerance.asked() ? Status::converged : Status::completed;
  sum.non_finite_at = parts_[0].non_finite_at; // the other parts have coordinates of their own
  for (auto const& part : parts_) {
    if (part.value.empty()) { // the call ended before
      sum.error.assign(components, std::numeric_limits<double>::infinity());
      continue;
    }
    for (std::size_t j = 0; j < components; ++j) {
      sum.value[j] += part.value[j];
      sum.error[j] = std::hypot(sum.error[j], part.error[j]);
      for (std::size_t i = 0; full && i < j; ++i) {
        auto const place = static_cast<std::size_t>(pair_place(static_cast<int>(i), static_cast<int>(j)));
        covariances[place] += part.correlations[place] * part.error[i] * part.error[j];
      }
    }
    sum.method = part.method;
    sum.backend = part.backend;
    sum.precision = part.precision;
    sum.regions += part.regions;
    sum.non_finite += part.non_finite;
  }
  for (auto const& part : parts_) {
    if (part.value.empty() || adds_nothing(part, sum.error))
      continue;
    bool const early = part.status != Status::converged && part.status != Status::completed;
    if (early && (sum.status == Status::converged || sum.status == Status::completed ||
                  sum.status == Status::evaluation_limit || ends(part)))
      sum.status = part.status;
    for (std::size_t j = 0; j < components; ++j)
      if (degrees(part) > 0 && std::isfinite(part.chi2_per_dof[j])) {
        chi2[j] += part.chi2_per_dof[j] * degrees(part);
        dof[j] += degrees(part);
      }
    if (part.dof > 0 && std::isfinite(part.chi2)) {
      sum.chi2 += part.chi2;
      sum.dof += part.dof;
    }
    sum.k_hat = std::isnan(sum.k_hat) ? part.k_hat : std::max(sum.k_hat, part.k_hat); // not for NaN
  }
  if (sum.dof == 0)
    sum.chi2 = no_number;
  for (std::size_t j = 0; j < components; ++j) {
    bool const compared = dof[j] > 0;
    sum.chi2_per_dof.push_back(compared ? chi2[j] / dof[j] : no_number);
    sum.q_value.push_back(compared ? chi2_survival(chi2[j], static_cast<int>(dof[j])) : no_number);
    for (std::size_t i = 0; full && i < j; ++i) {
      double const product = sum.error[i] * sum.error[j];
      auto const place = static_cast<std::size_t>(pair_place(static_cast<int>(i), static_cast<int>(j)));
      covariances[place] = product > 0 ? covariances[place] / product : 0;
    }
  }
  sum.correlations = std::move(covariances);
  sum.iterations = {{.value = sum.value, .error = sum.error, .evaluations = made_}};
  sum.evaluations = before_ + made_;
  return sum;
}

} // namespace kubature::detail
