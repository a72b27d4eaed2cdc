#include <kubature/detail/call/component_estimates.hpp>

#include <kubature/driver.hpp>

#include <algorithm>
#include <cmath>

namespace kubature::detail {

std::string driver_advice(std::vector<double> const& excess, std::vector<bool> const& disagree, int driver) {
  for (std::size_t c = 0; c < disagree.size(); ++c)
    if (disagree[c] && driver != static_cast<int>(Driver::balanced) && static_cast<int>(c) != driver)
      return "component " + std::to_string(c + 1) +
             " has few samples where it matters: the option driver = balanced trains for all components";
  if (excess.size() < 2)
    return {};
  auto const worst = std::max_element(excess.begin(), excess.end());
  auto const number = static_cast<int>(worst - excess.begin());
  auto const close = std::count_if(excess.begin(), excess.end(),
                                   [&](double one) { return policy<CallPolicy>().dominant * one > *worst; });
  if (!(*worst > 1) || number == driver || close > 1)
    return {};
  return "the error of component " + std::to_string(number + 1) +
         " is the farthest from the tolerance: the option driver = " + std::to_string(number + 1) +
         " trains map and strata for it";
}

void ComponentEstimates::add(double value, double error, double evaluations, bool adaptive, bool included,
                             double epsilon, double largest) {
  bool const first = !any_;
  any_ = true;
  if (unit_ == 0 && error > 0 && std::isfinite(error))
    unit_ = std::ldexp(1.0, std::ilogb(error)); // squares of such errors stay in range
  double const relative = unit_ > 0 ? error / unit_ : error;
  double const own = 1 / (relative * relative * evaluations);
  if (first && !adaptive)
    weight_ = 1;
  else if (first || !std::isfinite(weight_)) // nothing known before, or an iteration without variance
    weight_ = own;
  if (included) {
    see(std::abs(value), error, epsilon, largest);
    estimates_.push_back({value, error, weight_ * evaluations});
    mean_ = combine(estimates_);
  } else if (error > 0) {
    left_out_.push_back({value, error});
  }
  if (adaptive)
    weight_ = own;
}

double ComponentEstimates::error(double epsilon, double least_chance) const {
  return std::max(widened_error(estimates_, mean_, least_chance), epsilon * std::abs(mean_.value));
}

double ComponentEstimates::lost() const {
  double lost = 0;
  for (auto const& one : left_out_)
    lost = std::max(lost, std::abs(one.value) - std::abs(mean_.value) - 3 * one.error);
  return lost;
}

bool ComponentEstimates::met(Allowed allowed, double error, double least) const {
  return allowed.value_or(0) > 0 && error <= *allowed && !disagree(allowed, least) && seen_ != Seen::steps;
}

bool ComponentEstimates::far_apart(Allowed allowed) const {
  double const least = allowed ? policy<CallPolicy>().immaterial * *allowed : -1;
  return std::ranges::any_of(estimates_,
                             [&](Estimate const& one) { return !(std::abs(one.value - mean_.value) <= least); });
}

std::string ComponentEstimates::flaw() const {
  if (seen_ == Seen::zeros || seen_ == Seen::constant)
    return "were the same: a peak may have been missed";
  if (seen_ == Seen::steps)
    return "were alike within each stratum: there is no variance from which to estimate an error";
  return {};
}

void ComponentEstimates::see(double value, double error, double epsilon, double largest) {
  Seen now = Seen::variance;
  if (value == 0 && error == 0)
    now = Seen::zeros;
  else if (error <= epsilon * value)
    now =
        largest == 0 || std::abs(largest - value) <= policy<CallPolicy>().alike * value ? Seen::constant : Seen::steps;
  if (seen_ == Seen::nothing)
    seen_ = now;
  else if (seen_ != now)
    seen_ = seen_ == Seen::variance || now == Seen::variance ? Seen::variance : Seen::steps;
}

} // namespace kubature::detail
