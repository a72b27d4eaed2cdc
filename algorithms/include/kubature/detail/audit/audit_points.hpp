#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/audit/audit.hpp>
#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/audit/point_values.hpp>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Audits an integrand at points of a method.
/// @param reach of the method's points; see reach_of_rounding()
/// @param most  evaluations that it may take
template <class P, class Space, class F, int D>
Audited audit_points(Space const& exec, PointValues<Space>& values, F const& f, Box<D> const& box,
                     std::vector<Reach> const& reach, std::uint64_t most, Draws drawn) {
  Audit const audit(reach, most, std::move(drawn));
  Audited result;
  if (audit.count() > 2 * most)
    return result;
  auto const of = values.template operator()<P>(exec, f, box, audit.points());
  int const components = EvaluatePoints<Space, P, F, D>::components;
  for (int c = 0; c < components; ++c)
    result.of.push_back(audit.findings(of, components, c));
  result.evaluations = audit.count();
  return result;
}

} // namespace kubature::detail
