#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/audit/audit.hpp>
#include <kubature/detail/audit/audits.hpp>
#include <kubature/detail/audit/point_values.hpp>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The data of a method on the points it draws.
struct Drawing {
  std::vector<Reach> reach;
  AxisMap map;
  double samples; ///< of the call so far
  std::uint64_t seed;
};

/// f times the volume, of some components, [point][component], at points in the unit cube, [point][axis].
struct ValuesAt {
  std::function<std::vector<double>(std::vector<double> const& t)> of;
  int components;

  template <class P, class Space, class F, int D>
  static ValuesAt points(HostThreads<Space> const& threads, PointValues<Space>& values, F const& f, Box<D> const& box) {
    return {[&, group = TimedWork()](std::vector<double> const& t) mutable {
              return values.template operator()<P>(threads, group, f, box, t);
            },
            EvaluatePoints<Space, P, F, D>::components};
  }
};

/// The first of some random points of the unit cube at which an integrand is not finite; empty if there is none.
std::vector<double> where_not_finite(ValuesAt const& values, int dimension, std::uint64_t count);

/// The same, as a point of the box.
template <class P, class Space, class F, int D>
std::vector<double> where_not_finite(HostThreads<Space> const& threads, PointValues<Space>& values, F const& f,
                                     Box<D> const& box, std::uint64_t count) {
  auto const t = where_not_finite(ValuesAt::points<P>(threads, values, f, box), box.dimension(), count);
  if (t.empty())
    return {};
  Transform<double, D> const transform(box, CoordinateFormat::of<typename P::sample_type>());
  Point<double, D> x;
  x.set_size(box.dimension());
  for (int i = 0; i < x.size(); ++i)
    x[i] = transform.place(i, t[static_cast<std::size_t>(i)]);
  if (transform.maps())
    transform.template map<double>(x);
  return std::vector<double>(&x[0], &x[0] + x.size());
}

/// Audits an integrand at points of a method.
/// @param most  maximum number of evaluations, give or take a few
/// @param drawn some of the method's points
Audited audit_points(ValuesAt const& values, Drawing const& drawing, std::uint64_t most, DrawnPoints drawn);
template <class P, class Space, class F, int D>
Audited audit_points(HostThreads<Space> const& threads, PointValues<Space>& values, F const& f, Box<D> const& box,
                     Drawing const& drawing, std::uint64_t most, DrawnPoints drawn) {
  return audit_points(ValuesAt::points<P>(threads, values, f, box), drawing, most, std::move(drawn));
}

} // namespace kubature::detail
