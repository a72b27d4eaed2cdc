#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/audit/audit.hpp>
#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/audit/point_values.hpp>
#include <kubature/detail/audit/pole_search.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Components for which poles are looked for.
inline constexpr int most_searched = 4;

/// What a method knows of the points that it draws.
struct Drawing {
  std::vector<Reach> reach;
  AxisMap map;
  double samples; ///< of the call so far
  std::uint64_t seed;
};

/// A point of the box at which an integrand is not finite, the first of some random ones; empty if it is finite at all
/// of them.
template <class P, class Space, class F, int D>
std::vector<double> where_not_finite(Space const& exec, PointValues<Space>& values, F const& f, Box<D> const& box,
                                     std::uint64_t count) {
  constexpr int components = EvaluatePoints<Space, P, F, D>::components;
  int const d = box.dimension();
  auto const drawn = draw_through([](int, double y, double&) { return y; }, d, count, 0);
  auto const of = values.template operator()<P>(exec, f, box, drawn.t);
  auto const bad = std::find_if(of.begin(), of.end(), [](double value) { return !std::isfinite(value); });
  if (bad == of.end())
    return {};
  auto const number = static_cast<std::size_t>(bad - of.begin()) / components;
  Transform<double, D> const transform(box, CoordinateFormat::of_arguments<P>());
  Point<double, D> x;
  x.set_size(d);
  for (int i = 0; i < d; ++i)
    x[i] = transform.place(i, drawn.t[number * static_cast<std::size_t>(d) + static_cast<std::size_t>(i)]);
  if (transform.infinite())
    transform.template map_infinite<double>(x);
  return std::vector<double>(&x[0], &x[0] + d);
}

/// Audits an integrand at points of a method.
/// @param most  evaluations that it may take, or a few more
/// @param drawn some of the method's points
template <class P, class Space, class F, int D>
Audited audit_points(Space const& exec, PointValues<Space>& values, F const& f, Box<D> const& box,
                     Drawing const& drawing, std::uint64_t most, DrawnPoints drawn) {
  constexpr int components = EvaluatePoints<Space, P, F, D>::components;
  Audit const audit(drawing.reach, most, std::move(drawn));
  Audited result;
  if (audit.count() > 2 * most)
    return result;
  auto const of = values.template operator()<P>(exec, f, box, audit.points());
  result.evaluations = audit.count();
  for (int c = 0; c < components; ++c)
    result.of.push_back(audit.findings(of, components, c));
  for (int c = 0; c < std::min(components, most_searched); ++c) {
    PoleSearch search(drawing.map, drawing.reach, drawing.samples, most / 4, drawing.seed);
    for (auto points = search.points(); !points.empty(); points = search.points()) {
      search.take(values.template operator()<P>(exec, f, box, points), components, c);
      result.evaluations += points.size() / static_cast<std::size_t>(box.dimension());
    }
    result.of[static_cast<std::size_t>(c)].add_pole(search.share(), search.axis());
  }
  return result;
}

} // namespace kubature::detail
