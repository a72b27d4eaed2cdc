#include <kubature/detail/peaks/channels.hpp>

#include "peaks/map_numbers.hpp"

#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/peaks.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kubature::detail {

std::vector<double> channel_numbers(std::vector<kubature::Peak> const& peaks, Box<dynamic_many> const& box,
                                    double relative) {
  auto const& by = policy<PeaksPolicy>();
  auto const d = static_cast<std::size_t>(box.dimension());
  double const meet = std::sqrt(box.dimension()) + by.background_begins;
  double const background =
      std::min(by.background * std::max(relative, 1e-6), std::pow(1 + meet * meet / 32, -16)); // see Channel
  constexpr auto infinite = std::numeric_limits<double>::infinity();
  double highest = -infinite, lowest = infinite;
  for (auto const& peak : peaks) {
    highest = std::max(highest, peak.log_height);
    lowest = std::min(lowest, peak.log_height);
  }
  std::vector<double> numbers{static_cast<double>(peaks.size()), background * std::exp(lowest - highest)};
  auto const format = CoordinateFormat::of<double>();
  auto const spacing = [&](double x) { return x == 0 ? format.least : format.epsilon * std::abs(x); };
  for (int i = 0; i < box.dimension(); ++i)
    numbers.push_back(std::isinf(box[i].lower) ? -infinite : box[i].lower + spacing(box[i].lower));
  for (int i = 0; i < box.dimension(); ++i)
    numbers.push_back(std::isinf(box[i].upper) ? infinite : box[i].upper - spacing(box[i].upper));
  for (auto const& peak : peaks) {
    Matrix covariance(d, d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        covariance(i, j) = peak.covariance[i * d + j];
    auto const of_map = map_numbers(peak.at, covariance);
    if (of_map.empty())
      return {};
    numbers.push_back(std::exp(peak.log_height - highest));
    numbers.insert(numbers.end(), of_map.begin(), of_map.end());
  }
  return numbers;
}

} // namespace kubature::detail
