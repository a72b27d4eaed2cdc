#include <kubature/detail/peaks/peak_search.hpp>

#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/philox.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

namespace kubature::detail {

std::vector<double> PeakSearch::uniform_points(std::uint64_t count) const {
  std::vector<double> points(count * dimension_);
  for (std::uint64_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < dimension_; i += 4) {
      auto const words = philox(
          {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32), rounds_, static_cast<std::uint32_t>(i)},
          {static_cast<std::uint32_t>(seed_), ~static_cast<std::uint32_t>(seed_ >> 32)});
      for (std::size_t j = i; j < std::min(dimension_, i + 4); ++j)
        points[k * dimension_ + j] = uniform<double>(words[static_cast<int>(j - i)]);
    }
  return points;
}

/// The uniform points where |f| exceeds the modes, or those of them that do so most and as many others.
std::vector<double> PeakSearch::unexplained_points(std::uint64_t candidates, std::uint64_t most) {
  auto const points = uniform_points(candidates);
  auto const heights = climber_.heights(points);
  evaluations_ += candidates;
  std::vector<double> excess(candidates);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < candidates; ++k) {
    excess[k] = heights[k] - modes_.explained(&points[k * dimension_]);
    if (excess[k] > -std::log(policy<PeaksPolicy>().dip))
      order.push_back(k);
  }
  auto const half = order.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(order.size(), most / 2));
  std::ranges::partial_sort(order, half, std::ranges::greater(), [&](std::size_t k) { return excess[k]; });
  std::sort(half, order.end()); // at random again
  order.resize(std::min<std::uint64_t>(order.size(), most));
  std::vector<double> result;
  for (auto const k : order) {
    auto const first = points.begin() + static_cast<std::ptrdiff_t>(k * dimension_);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(dimension_));
  }
  return result;
}

void PeakSearch::round(std::uint64_t evaluations) {
  auto const& by = policy<PeaksPolicy>();
  auto const candidates =
      modes().empty() ? 0 : static_cast<std::uint64_t>(by.candidates * static_cast<double>(evaluations));
  auto const chains = (evaluations - candidates) / by.steps + 1;
  auto const starts = candidates == 0 ? uniform_points(chains) : unexplained_points(candidates, chains);
  auto const ends = climber_.ascend(starts, by.steps, seed_ + rounds_);
  evaluations_ += ends.height.size() * by.steps;
  modes_.add(
      ends,
      [&](std::vector<double> const& points) {
        evaluations_ += points.size() / dimension_;
        return climber_.heights(points);
      },
      evaluations);
  ++rounds_;
}

} // namespace kubature::detail
