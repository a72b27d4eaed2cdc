#include <kubature/detail/audit/audits.hpp>

#include <kubature/detail/policies/call_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kubature::detail {
namespace {

/// The bias of a mean that the largest samples dominate, in units of the standard error: the part beyond the largest
/// sample is its contribution over 2 (1 - k).
double tail_factor(double k) { return 1 / (2 * (1 - std::min(k, 0.95))); }

} // namespace

double Audits::cost(double evaluations) {
  auto const& by = policy<CallPolicy>();
  return static_cast<double>(by.most_for_poles) *
         std::min(evaluations / static_cast<double>(by.audit_part), static_cast<double>(by.most_audited));
}

std::uint64_t Audits::audit(std::uint64_t made, std::uint64_t left) {
  auto const& by = policy<CallPolicy>();
  if (!make_ || (made_ > 0 && made < by.audit_again * made_))
    return 0;
  made_ = std::max<std::uint64_t>(made, 1);
  auto audited = make_(std::min({made / by.audit_part, by.most_audited, left / by.most_for_poles}));
  if (!audited.of.empty())
    found_ = std::move(audited.of);
  return audited.evaluations;
}

double Audits::error(int component, double value, double error) const {
  if (found_.empty())
    return error;
  auto const& found = found_[static_cast<std::size_t>(component)];
  double const unseen = found.points.of(value);
  return error * (no_variance(component, error) ? tail_factor(found.k_hat) : 1) + (unseen > 0 ? unseen : 0) +
         on_poles_ * std::max(found.largest, policy<CallPolicy>().weight_on_pole * std::abs(value));
}

bool Audits::no_variance(int component, double error) const {
  if (found_.empty())
    return false;
  auto const& found = found_[static_cast<std::size_t>(component)];
  auto const& by = policy<CallPolicy>();
  return found.k_hat > by.without_variance && found.weights >= by.enough_weights &&
         error > by.part_of_largest * found.largest / static_cast<double>(made_);
}

double Audits::k_hat() const {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (auto const& found : found_)
    largest = std::fmax(largest, found.k_hat);
  return largest;
}

bool Audits::out_of_reach(int component, double value, double allowed) const {
  return !found_.empty() && found_[static_cast<std::size_t>(component)].rounding.of(value) > allowed;
}

std::vector<std::string> Audits::remarks(int component, double value, double error) const {
  std::vector<std::string> result;
  if (found_.empty())
    return result;
  auto const& found = found_[static_cast<std::size_t>(component)];
  char text[240];
  if (found.diverges)
    result.push_back(
        "near " + found.where +
        " |f| grows so fast that its integral hardly exists, if at all: the part beyond the last numbers is unknown");
  else if (found.points.of(value) > policy<CallPolicy>().worth_a_remark * error) {
    std::snprintf(text, sizeof text, "near %s up to %.1g of the integral lies closer than the sample points",
                  found.where.c_str(), found.points.of(value));
    result.emplace_back(text);
  }
  if (no_variance(component, error)) {
    std::snprintf(text, sizeof text,
                  "a few large values make up much of the integral (k-hat %.2f): their variance does not exist, so the "
                  "error is unreliable",
                  found.k_hat);
    result.emplace_back(text);
  }
  return result;
}

} // namespace kubature::detail
