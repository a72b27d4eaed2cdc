#pragma once

#include <kubature/batched.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

namespace kubature {

/// So many bins of equal width from `lower` to below `upper`.
struct Bins {
  double lower = 0, upper = 1;
  int count = 10;

  double edge(int k) const { return lower + (upper - lower) * k / count; }
  /// All of them, count + 1.
  std::vector<double> edges() const {
    std::vector<double> all;
    for (int k = 0; k <= count; ++k)
      all.push_back(edge(k));
    return all;
  }
  /// The bin that a value of the observable falls in; -1 where it is outside.
  KOKKOS_FUNCTION int of(double value) const {
    double const place = (value - lower) / (upper - lower) * count;
    return value >= lower && value < upper ? (place < count ? static_cast<int>(place) : count - 1) : -1;
  }
};

/// What histogram() makes, as batched() takes it.
template <int D, class F, class Observable>
struct HistogramFunction {
  F f;
  Observable observable;
  Bins bins;

  template <class Space>
  struct Kernel {
    F f;
    Observable observable;
    Bins bins;
    BatchPoints<Space> points;
    BatchValues<Space> values;

    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      Point<double, D> x = {};
      x.set_size(static_cast<int>(points.extent(1)));
      for (int i = 0; i < x.size(); ++i)
        x[i] = points(k, i);
      double const value = f(x);
      int const bin = bins.of(observable(x));
      values(k, 0) = value;
      for (int b = 0; b < bins.count; ++b)
        values(k, b + 1) = b == bin ? value : 0;
    }
  };

  template <class Space>
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("kubature::histogram::fill",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(points.extent(0))),
                         Kernel<Space>{f, observable, bins, points, values});
  }
};

/// The integral of f, and of it the parts in which an observable falls in each of some bins: the integrand of
/// 1 + bins.count components that a histogram is. Component 0 is the integral, and trains map and strata unless
/// another driver is named; component 1 + b is bin b. What falls in no bin is missing in their sum. Sums are added in a
/// fixed order, so a histogram has the same bits each time; of Covariance::full its result has the covariance of each
/// two bins. See batched(f, components) for methods, memory and what a full covariance takes.
///
/// @tparam D variables; kubature::dynamic where they are known at run time
/// @param f          f(Point<double, D>), and
/// @param observable likewise, functions of one value on the device
template <int D, class F, class Observable>
auto histogram(F f, Observable observable, Bins bins, std::source_location where = std::source_location::current()) {
  require(bins.count >= 1, "Bins.count", bins.count, "one bin or more is needed", where);
  require(bins.lower < bins.upper && std::isfinite(bins.upper - bins.lower), "Bins.upper", bins.upper,
          "the bins need finite ends, the lower one below the upper one", where);
  return batched(HistogramFunction<D, F, Observable>{std::move(f), std::move(observable), bins}, 1 + bins.count, where);
}

} // namespace kubature
