#include <kubature/detail/probing/plan.hpp>

#include <kubature/detail/policies/precision_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace kubature::detail {
namespace {

double variance(Probed const& seen) {
  double const squares = std::isfinite(seen.squares) ? seen.squares : 0; // infinite if too large to compute
  return seen.points > 1 ? squares / static_cast<double>(seen.points - 1) : 0;
}

double score(ProbedCell const& cell, int dimension) {
  double const volume = cell.box.volume(dimension);
  return volume * volume * (variance(cell.seen) + 1e-12) * (cell.seen.gradient + 1);
}

} // namespace

std::vector<ProbedCell> split(Probed const& whole, std::span<double const> sides, int most,
                              std::function<std::vector<Probed>(std::vector<SubBox> const&)> const& probe) {
  auto const& by = policy<PrecisionPolicy>();
  std::vector<ProbedCell> cells{{SubBox{}, whole}};
  int const d = static_cast<int>(sides.size());
  auto const worth = [&](ProbedCell const& cell) {
    return variance(cell.seen) > by.small_variance * variance(whole) ||
           cell.seen.gradient > by.small_gradient * whole.gradient;
  };
  while (cells.size() < static_cast<std::size_t>(most)) {
    double largest = 0;
    for (auto const& cell : cells)
      if (worth(cell))
        largest = std::max(largest, score(cell, d));
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (worth(cells[i]) && 2 * score(cells[i], d) >= largest)
        chosen.push_back(i);
    if (chosen.empty())
      break;
    std::ranges::stable_sort(chosen, std::greater{}, [&](std::size_t i) { return score(cells[i], d); });
    chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(most) - cells.size()));

    std::vector<SubBox> halves;
    for (std::size_t const i : chosen) {
      SubBox const& box = cells[i].box;
      int axis = 0;
      for (int j = 1; j < d; ++j)
        if (box.length[j] * sides[static_cast<std::size_t>(j)] >
            box.length[axis] * sides[static_cast<std::size_t>(axis)])
          axis = j;
      halves.push_back(box.half(axis, false));
      halves.push_back(box.half(axis, true));
    }
    auto const seen = probe(halves);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      cells[chosen[i]] = {halves[2 * i], seen[2 * i]};
      cells.push_back({halves[2 * i + 1], seen[2 * i + 1]});
    }
  }
  return cells;
}

std::string describe(SubBox const& cell, std::span<double const> origin, std::span<double const> sides) {
  std::string text;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    char side[80];
    double const lower = origin[i] + sides[i] * cell.origin[static_cast<int>(i)];
    std::snprintf(side, sizeof side, "%s[%.4g,%.4g]", i == 0 ? "" : "x", lower,
                  lower + sides[i] * cell.length[static_cast<int>(i)]);
    text += side;
  }
  return text;
}

double rounding_tolerance(std::span<ProbedCell const> cells, int dimension, double volume, Tolerance tolerance,
                          double part, double samples) {
  double mean = 0, square = 0, spread = 0;
  for (auto const& [cell, seen] : cells) {
    double const share = cell.volume(dimension);
    mean += share * seen.mean;
    spread += share * std::sqrt(variance(seen));
    if (seen.points > 0)
      square += share * share * variance(seen) / static_cast<double>(seen.points);
  }
  if (!tolerance.asked())
    return part * spread / std::sqrt(samples);
  double const proven = std::max(0.0, std::abs(mean) - std::sqrt(square));
  return part * std::max(tolerance.relative * proven, tolerance.absolute / volume);
}

double variance_left(std::span<ProbedCell const> cells, Probed const& whole, int dimension) {
  auto const spread = [&](ProbedCell const& cell) {
    return cell.box.volume(dimension) * std::sqrt(variance(cell.seen));
  };
  double all = 0, left = 0;
  for (auto const& cell : cells)
    all += spread(cell);
  if (!(all > 0) || !(variance(whole) > 0))
    return 1;
  double const even = policy<PrecisionPolicy>().even_part;
  for (auto const& cell : cells) // of a part with a share n of the samples: spread^2 / n
    left += spread(cell) * spread(cell) / (even * cell.box.volume(dimension) + (1 - even) * spread(cell) / all);
  return left / variance(whole);
}

std::vector<std::uint64_t> deal(std::span<ProbedCell const> cells, int dimension, std::span<double const> costs,
                                std::uint64_t samples) {
  std::vector<double> weights;
  for (std::size_t r = 0; r < cells.size(); ++r)
    weights.push_back(cells[r].box.volume(dimension) * std::sqrt(variance(cells[r].seen) / costs[r]));
  double const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double const even = sum > 0 ? policy<PrecisionPolicy>().even_part : 1,
               all = static_cast<double>(samples - 2 * cells.size());
  std::vector<std::uint64_t> counts;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    double const by_spread = sum > 0 ? (1 - even) * weights[r] / sum : 0;
    counts.push_back(2 + static_cast<std::uint64_t>(all * (even * cells[r].box.volume(dimension) + by_spread)));
  }
  return counts;
}

} // namespace kubature::detail
