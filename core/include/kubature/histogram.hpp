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

/// Bins of equal width from `lower` up to, but not including, `upper`.
struct Bins {
  double lower = 0; ///< where the first bin begins
  double upper = 1; ///< where the last one ends
  int count = 10;   ///< the number of bins

  /// The lower edge of bin k, counted from 0.
  double edge(int k) const { return lower + (upper - lower) * k / count; }
  /// All count + 1 edges.
  std::vector<double> edges() const {
    std::vector<double> all;
    for (int k = 0; k <= count; ++k)
      all.push_back(edge(k));
    return all;
  }
  /// The bin that contains a value of the observable; -1 if it is outside.
  KOKKOS_FUNCTION int of(double value) const {
    double const place = (value - lower) / (upper - lower) * count;
    return value >= lower && value < upper ? (place < count ? static_cast<int>(place) : count - 1) : -1;
  }
};

/// The function that histogram() passes to batched().
template <int D, class F, class Observable>
struct HistogramFunction {
  F f;                   ///< the integrand
  Observable observable; ///< what is binned, a function of the point
  Bins bins;             ///< of the observable

  /// Writes the values at one point: f, and f once more in the bin of the observable.
  template <class Space>
  struct Kernel {
    F f;                       ///< the integrand
    Observable observable;     ///< what is binned
    Bins bins;                 ///< of the observable
    BatchPoints<Space> points; ///< n x d
    BatchValues<Space> values; ///< n x (bins + 1)

    /// Point k.
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

  /// Fills the values of all points.
  template <class Space>
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("kubature::histogram::fill",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(points.extent(0))),
                         Kernel<Space>{f, observable, bins, points, values});
  }
};

/// Makes the integrand of a histogram, which has 1 + bins.count components: the integral of f, and its parts in which
/// an observable falls into each bin. Component 0 is the integral, component 1 + b is bin b. The integral and all bins
/// train map and strata in equal shares; with `driver = Driver::first` the integral alone, whose error is then the
/// smallest, while bins of little weight have few samples. Points outside all bins do not contribute to the sum of the
/// bins. Sums are formed in a fixed order, so a histogram has the same bits each time; with Covariance::full, the
/// result has the covariance of each pair of bins. See batched(f, components) for the methods, the memory and the
/// requirements of a full covariance.
///
/// @tparam D the number of variables; kubature::dynamic if it is known only at run time
/// @param f          the integrand, a function of Point<double, D> on the device that returns one number
/// @param observable what is binned, likewise
template <int D, class F, class Observable>
auto histogram(F f, Observable observable, Bins bins, std::source_location where = std::source_location::current()) {
  require(bins.count >= 1, "Bins.count", bins.count, "at least one bin is needed", where);
  require(bins.lower < bins.upper && std::isfinite(bins.upper - bins.lower), "Bins.upper", bins.upper,
          "the range of the bins must be finite, with its lower end below the upper", where);
  return batched(HistogramFunction<D, F, Observable>{std::move(f), std::move(observable), bins}, 1 + bins.count, where);
}

} // namespace kubature
