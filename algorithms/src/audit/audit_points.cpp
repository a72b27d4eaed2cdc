#include "audit/pole_search.hpp"

#include <kubature/detail/audit/audit_points.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kubature::detail {
namespace {

/// Maximum number of components searched for poles.
constexpr int most_searched = 4;

} // namespace

std::vector<double> where_not_finite(ValuesAt const& values, int dimension, std::uint64_t count) {
  auto const drawn = draw_through([](int, double y, double&) { return y; }, dimension, count, 0);
  auto const of = values.of(drawn.t);
  auto const bad = std::find_if(of.begin(), of.end(), [](double value) { return !std::isfinite(value); });
  if (bad == of.end())
    return {};
  auto const first = drawn.t.begin() + (bad - of.begin()) / values.components * dimension;
  return {first, first + dimension};
}

Audited audit_points(ValuesAt const& values, Drawing const& drawing, std::uint64_t most, DrawnPoints drawn) {
  Audit const audit(drawing.reach, most, std::move(drawn));
  Audited result;
  if (audit.count() > 2 * most)
    return result;
  auto const of = values.of(audit.points());
  result.evaluations = audit.count();
  for (int c = 0; c < values.components; ++c)
    result.of.push_back(audit.findings(of, values.components, c));
  for (int c = 0; c < std::min(values.components, most_searched); ++c) {
    PoleSearch search(drawing.map, drawing.reach, drawing.samples, most / 4, drawing.seed);
    for (auto points = search.points(); !points.empty(); points = search.points()) {
      search.take(values.of(points), values.components, c);
      result.evaluations += points.size() / drawing.reach.size();
    }
    result.of[static_cast<std::size_t>(c)].add_pole(search.share(), search.axis());
  }
  return result;
}

} // namespace kubature::detail
