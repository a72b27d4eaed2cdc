#include "audit/pole_search.hpp"

#include <kubature/detail/policies/call_policy.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace kubature::detail {

PoleSearch::PoleSearch(AxisMap const& map, std::vector<Reach> const& reach, double samples, std::uint64_t most,
                       std::uint64_t seed)
    : map_(map), samples_(samples), dimension_(static_cast<int>(reach.size())) {
  auto const& by = policy<CallPolicy>();
  auto const axes = examined_axes(dimension_);
  auto const affordable = most / static_cast<std::uint64_t>(by.pole_lines * static_cast<int>(axes.size()));
  first_round_ = static_cast<int>(std::min(affordable, static_cast<std::uint64_t>(by.most_scan)));
  later_rounds_ = by.later_scan;
  if (first_round_ < by.least_scan)
    return;
  std::mt19937_64 random(seed);
  for (int const axis : axes)
    for (int number = 0; number < by.pole_lines; ++number) {
      Line line{axis, {}, 0, 1};
      double unused = 1;
      for (int i = 0; i < dimension_; ++i)
        line.t.push_back(map(i, (static_cast<double>(random() >> 12) + 0.5) * 0x1p-52, unused));
      auto const& [lower, upper] = reach[static_cast<std::size_t>(axis)];
      line.least = std::max(lower.rounded, upper.rounded);
      lines_.push_back(std::move(line));
    }
}

std::vector<double> PoleSearch::points() const {
  std::vector<double> result;
  for (Line const& line : lines_)
    for (int k = 0; line.open && k < count(line); ++k) {
      auto t = line.t;
      double const at = line.at(k, count(line));
      double unused = 1;
      t[static_cast<std::size_t>(line.axis)] = line.round == 0 ? map_(line.axis, at, unused) : at;
      result.insert(result.end(), t.begin(), t.end());
    }
  return result;
}

void PoleSearch::take(std::vector<double> const& values, int components, int component) {
  std::size_t next = static_cast<std::size_t>(component);
  for (Line& line : lines_) {
    if (!line.open)
      continue;
    int const n = count(line);
    int best = 0;
    double largest = 0, sum = 0;
    for (int k = 0; k < n; ++k, next += static_cast<std::size_t>(components)) {
      double jacobian = 1;
      if (line.round == 0)
        map_(line.axis, line.at(k, n), jacobian);
      double const size = std::abs(values[next]);
      if (!std::isfinite(size))
        continue;
      sum += size * jacobian / n;
      if (size > largest) {
        largest = size;
        best = k;
      }
    }
    double const before = line.largest, step = 1.0 / n;
    line.largest = largest;
    double unused = 1;
    if (line.round == 0) {
      // From the map's coordinate to the side's, with the distance from a pole there that samples reach.
      double const y = line.at(best, n);
      double density = 1;
      map_(line.axis, y, density);
      line.least = std::max(line.least, density / samples_);
      line.total = sum;
      line.begin = map_(line.axis, std::max(0.0, y - step), unused);
      line.end = map_(line.axis, std::min(1.0, y + step), unused);
      line.open = largest > 0 && best > 0 && best + 1 < n; // the ends are examined elsewhere
    } else {
      double const width = line.end - line.begin, middle = line.at(best, n);
      double const growth = before > 0 ? largest / before : 0;
      // Each round closes in by a factor of later_rounds_ / 2: f ~ distance^-a with a > 1/4 is a pole.
      line.open = growth > policy<CallPolicy>().least_pole_growth && best > 0 && best + 1 < n;
      if (line.open && width / n < line.least) { // as close as the samples
        double const power = 1 - std::log(growth) / std::log(n / 2.0);
        line.unseen = 2 * line.least * largest / std::max(power, 0.02);
        line.open = false;
      }
      line.begin = middle - width * step;
      line.end = middle + width * step;
    }
    ++line.round;
  }
}

double PoleSearch::share() const {
  double unseen = 0, total = 0;
  std::vector<double> shares(static_cast<std::size_t>(dimension_));
  double all = 0;
  for (int axis = 0; axis < dimension_; ++axis) {
    unseen = total = 0;
    for (Line const& line : lines_)
      if (line.axis == axis) {
        unseen += line.unseen;
        total += line.total;
      }
    all += unseen > 0 ? unseen / (unseen + total) : 0;
  }
  return all;
}

int PoleSearch::axis() const {
  auto const worst =
      std::max_element(lines_.begin(), lines_.end(), [](Line const& a, Line const& b) { return a.unseen < b.unseen; });
  return worst == lines_.end() ? 0 : worst->axis;
}

} // namespace kubature::detail
