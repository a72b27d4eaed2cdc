#include <kubature/detail/audit/audits.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kubature::detail {
namespace {

/// Audits use one evaluation in `audit_one_in`, and `most_audited` at most.
constexpr std::uint64_t audit_one_in = 128, most_audited = 1 << 14;
/// The most that an audit may use, in units of that, where it closes in on many poles.
constexpr std::uint64_t most_taken = 5;
/// The least magnitude assumed of a sample on a pole, in units of the integral: where a map is dense, it weighs as much
/// as others.
constexpr double weight_on_pole = 16;
/// The fraction of the error from which the contribution of the ends is reported in a remark.
constexpr double worth_a_remark = 0.1;

/// The bias of a mean that the largest samples dominate, in units of the standard error: the part beyond the largest
/// sample is its contribution over 2 (1 - k).
double tail_factor(double k) { return 1 / (2 * (1 - std::min(k, 0.95))); }
/// The number of weights from which the shape of a tail is well determined, and the part of the largest one's
/// contribution that an error has to exceed.
constexpr std::uint64_t enough_weights = 2048;
constexpr double part_of_largest = 0.25;

} // namespace

double Audits::cost(double evaluations) {
  return most_taken * std::min(evaluations / audit_one_in, static_cast<double>(most_audited));
}

std::uint64_t Audits::audit(std::uint64_t made, std::uint64_t left) {
  if (!make_ || (made_ > 0 && made < 4 * made_))
    return 0;
  made_ = std::max<std::uint64_t>(made, 1);
  auto audited = make_(std::min({made / audit_one_in, most_audited, left / most_taken}));
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
         on_poles_ * std::max(found.largest, weight_on_pole * std::abs(value));
}

bool Audits::no_variance(int component, double error) const {
  if (found_.empty())
    return false;
  auto const& found = found_[static_cast<std::size_t>(component)];
  return found.k_hat > without_variance && found.weights >= enough_weights &&
         error > part_of_largest * found.largest / static_cast<double>(made_);
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
    result.push_back("near " + found.where +
                     " |f| has hardly any integral, or none: what lies beyond the last numbers there is unknown");
  else if (found.points.of(value) > worth_a_remark * error) {
    std::snprintf(text, sizeof text, "near %s up to %.1g of the integral lies closer than points come",
                  found.where.c_str(), found.points.of(value));
    result.emplace_back(text);
  }
  if (no_variance(component, error)) {
    std::snprintf(text, sizeof text,
                  "a few large values make up much of the integral (k-hat %.2f): their variance does not exist, so the "
                  "error is a guess",
                  found.k_hat);
    result.emplace_back(text);
  }
  return result;
}

} // namespace kubature::detail
