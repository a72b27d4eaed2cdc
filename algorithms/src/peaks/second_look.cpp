#include <kubature/detail/peaks/second_look.hpp>

#include <kubature/detail/allowed_errors.hpp>
#include <kubature/detail/peaks/channels.hpp>
#include <kubature/detail/peaks/peak_search.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/peaks.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kubature::detail {
namespace {

double volume(kubature::Peak const& peak) { return std::exp(log_integral(peak) - peak.log_height); }

double least_of(std::vector<double> const& numbers) { return *std::ranges::min_element(numbers); }

} // namespace

std::uint64_t SecondLook::left(SeveralResult const& found) const {
  auto const all = call_.request.limits.evaluations, used = found.evaluations + spent_;
  return all - std::min(all, used);
}

/// The narrow peaks, if the call may have missed some of them.
std::vector<kubature::Peak> SecondLook::missed(SeveralResult const& found) {
  auto const& by = policy<PeaksPolicy>();
  auto const made = static_cast<double>(found.evaluations);
  Box<dynamic_many> const cube(std::vector<Side>(1), call_.box.dimension());
  auto const times = call_.on_gpu ? by.times_on_gpu : 1;
  double const weight = found.regions > 0 ? made / by.side_by_side : made;
  auto const first = std::clamp(static_cast<std::uint64_t>(by.share * weight), times * by.least_searched,
                                std::max(times * by.least_searched, by.most_searched));
  double value = 0;
  for (double const component : found.value)
    value += std::abs(component);
  PeakSearch search(call_.climber, call_.box.dimension(), call_.seed);
  std::vector<kubature::Peak> narrow;
  std::size_t before = 0;
  for (auto evaluations = first; 2 * evaluations <= left(found);) {
    search.round(evaluations);
    spent_ = search.evaluations();
    auto const& modes = search.modes();
    auto const peaks = peaks_in_box(modes, call_.box), in_cube = peaks_in_box(modes, cube);
    narrow.clear();
    double all = 0, least_part = 1;
    least_missed_ = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < modes.size(); ++k) {
      double const part = volume(in_cube[k]), mass = std::exp(log_integral(peaks[k]));
      all += mass;
      least_part = std::min(least_part, part);
      if (part >= by.narrow)
        continue;
      narrow.push_back(peaks[k]);
      if (made / 2 * part < by.seen && mass > by.least_part * least_of(found.error))
        least_missed_ = std::min(least_missed_, mass);
    }
    bool const several = modes.size() > 1;
    auto const if_narrow =
        std::max(static_cast<std::uint64_t>((several ? by.share_if_several : by.share_if_narrow) * weight),
                 times * (several ? by.least_if_several : by.least_if_narrow));
    auto const wanted = narrow.empty() ? std::min(2 * first, times * by.most_if_rather_narrow) : if_narrow;
    bool const enough = least_part >= by.rather_narrow || spent_ > wanted;
    if (modes.size() >= by.most_modes)
      return {}; // an oscillation
    if (enough && narrow.size() == before) {
      // A single peak is in the value if that is as large, whatever its tail contributes.
      double const lacking = modes.size() == 1 ? all - value : std::abs(all - value);
      if (std::isinf(least_missed_) || lacking <= by.resolved * least_missed_)
        return {};
      break;
    }
    before = narrow.size();
    evaluations = std::max(first, wanted / by.rounds);
  }
  return std::isinf(least_missed_) ? std::vector<kubature::Peak>() : narrow;
}

SecondLook::Part SecondLook::part(int which, double allowed, std::uint64_t most, SeveralResult const& found) {
  Limits limits = call_.request.limits;
  limits.evaluations = std::max<std::uint64_t>(1, std::min(most, left(found)));
  limits.seconds = std::max(limits.seconds - found.seconds - timer_.seconds(), std::numeric_limits<double>::min());
  Callback const callback = [&](Progress progress) {
    progress.evaluations += found.evaluations + spent_;
    progress.seconds = found.seconds + timer_.seconds();
    return call_.request.callback(progress);
  };
  Callback const& asked = call_.request.callback;
  auto result = call_.integrate(which, {{.absolute = allowed}, limits, asked ? callback : asked, call_.request.where});
  spent_ += result.evaluations;
  // The background may be zero wherever points lie.
  bool const nothing = which == 0 && result.status == Status::no_variance &&
                       std::ranges::all_of(result.value, [](double value) { return value == 0; });
  if (nothing)
    result.error.assign(result.value.size(), 0);
  return {std::move(result.value), std::move(result.error), nothing ? Status::converged : result.status};
}

SecondLook::Sum SecondLook::by_channels(SeveralResult const& found, std::uint64_t most_of_part) {
  auto const components = found.value.size();
  auto const& tolerance = call_.request.tolerance;
  Sum sum{found.value, found.error};
  for (int pass = 0; pass < 3 && !sum.finished; ++pass) {
    // As if the errors were independent.
    double const allowed =
        least_of(allowed_errors(tolerance, sum.value, sum.error)) / std::sqrt(static_cast<double>(parts_.size()));
    if (!(allowed > 0))
      break;
    auto all = Status::converged;
    sum = {std::vector<double>(components), std::vector<double>(components)};
    for (std::size_t which = 0; which < parts_.size(); ++which) {
      auto& result = parts_[which];
      if (result.status != Status::converged ||
          std::ranges::any_of(result.error, [&](double error) { return !(error <= allowed); }))
        result = part(static_cast<int>(which), allowed, most_of_part, found);
      if (all == Status::converged || all == Status::evaluation_limit)
        all = result.status == Status::converged ? all : result.status;
      for (std::size_t c = 0; c < components; ++c) {
        sum.value[c] += result.value[c];
        sum.error[c] = std::hypot(sum.error[c], result.error[c]);
      }
    }
    sum.status = all;
    if (all != Status::converged)
      break;
    auto const bounds = allowed_errors(tolerance, sum.value, sum.error);
    sum.finished = true;
    for (std::size_t c = 0; c < components; ++c)
      sum.finished = sum.finished && sum.error[c] <= bounds[c];
  }
  return sum;
}

SeveralResult SecondLook::check(SeveralResult found) {
  auto const& by = policy<PeaksPolicy>();
  if (found.status != Status::converged)
    return found;
  auto const peaks = missed(found);
  auto const finish = [&] {
    found.evaluations += spent_;
    found.seconds += timer_.seconds();
    return std::move(found);
  };
  if (peaks.empty())
    return finish();
  auto numbers = channel_numbers(peaks, call_.box, by.background * std::max(call_.request.tolerance.relative, 1e-6));
  if (numbers.empty())
    return finish();
  call_.set(std::move(numbers));
  parts_.assign(peaks.size() + 1, {});
  bool differs = false;
  Sum sum;
  auto most =
      std::max(static_cast<std::uint64_t>(by.part_share * static_cast<double>(found.evaluations)), by.least_of_part);
  for (bool conclusive = false; !conclusive; most = std::min(most, left(found) / 4) * 4) {
    sum = by_channels(found, most);
    differs = false;
    bool resolved = true;
    for (std::size_t c = 0; c < sum.value.size(); ++c) {
      double const beyond = std::abs(sum.value[c] - found.value[c]);
      differs = differs || beyond > by.contradiction * std::hypot(sum.error[c], found.error[c]);
      resolved = resolved && sum.error[c] <= by.resolved * least_missed_;
    }
    conclusive = sum.status != Status::evaluation_limit || left(found) / 4 * 4 <= most ||
                 (!differs && (resolved || most >= by.enough_of_part));
  }
  if (!differs)
    return finish();
  found.remarks.push_back("narrow peaks (" + std::to_string(peaks.size()) +
                          ") were searched for and integrated one by one, since " + found.method +
                          " had missed some: " + format(found.value[0], found.error[0]));
  found.value = sum.value;
  found.error = sum.error;
  found.chi2_per_dof.assign(sum.value.size(), std::numeric_limits<double>::quiet_NaN());
  found.q_value = found.chi2_per_dof;
  found.chi2 = std::numeric_limits<double>::quiet_NaN();
  found.dof = 0;
  found.iterations = {{.value = sum.value, .error = sum.error, .evaluations = spent_}};
  if (!sum.finished)
    found.status = sum.status == Status::converged ? Status::iteration_limit : sum.status;
  return finish();
}

} // namespace kubature::detail
