#pragma once

#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace kubature {

/// The points of a batch, in the coordinates of the box: coordinate i of point k is points(k, i).
template <class Space>
using BatchPoints = Kokkos::View<double const**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;

/// The values at the points of a batch: component c at point k is values(k, c).
template <class Space>
using BatchValues = Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;

/// An integrand that evaluates batches of points by itself; see batched().
template <class F, int C>
struct Batched {
  static constexpr int components = C; ///< how many values f writes for each point
  F f;                                 ///< the caller's function: f(exec, points, values)

  /// Never called: it says what a point's value is.
  template <int D>
  std::conditional_t<C == 1, double, Kokkos::Array<double, C>> operator()(Point<double, D> const& x) const;
};

/// Makes an integrand of a function that evaluates many points at once, by kernels of its own or elsewhere: f(exec,
/// points, values) is called on the host, gets BatchPoints of n points in d variables and fills BatchValues of n x C
/// components, with work that is enqueued on the instance exec, or done when it returns. Some points of a
/// batch may repeat earlier ones; what they give is not used.
///
/// Served by PlainMonteCarlo, MCubes, VegasPlus, QuasiMonteCarlo, Pagani and MixedPrecision<Fp64> in fp64; results are
/// those of a function object with the same values, to the bit, whatever the size of batches. A point takes 8 (d + C)
/// bytes, and of m-Cubes and VEGAS+ on a host some 4 d + 12 more; a batch takes 256 MiB, or more where that does not
/// fill the device, and no more than Limits.bytes allow beside the method's own. Samples that a host draws take 1 MiB
/// for each thread, which stays in its cache, or a chunk where that is larger. Pagani, whose list of regions may take
/// all memory, leaves batches a quarter of Limits.bytes; where memory is short its list ends sooner than that of a
/// function object. MixedPrecision with regions asks for as many points in each chunk as the longest has: more than it
/// samples where regions get few samples.
///
/// @tparam C components, of which the first one trains maps and strata; several give a Result of Kokkos::Array<double,
/// C>
template <int C = 1, class F>
Batched<F, C> batched(F f) {
  static_assert(C >= 1, "an integrand has one component or more");
  return {std::move(f)};
}

/// Components at most whose number is known at run time.
inline constexpr int most_components = 1 << 16;

/// An integrand of components known at run time that evaluates batches of points; see batched().
template <class F>
struct BatchedComponents {
  F f;       ///< the caller's function: f(exec, points, values)
  int count; ///< how many values it writes for each point
};

/// The same where the number of components is known at run time: up to thousands, whose values are in memory once and
/// not once in each thread. PlainMonteCarlo, MCubes, VegasPlus and MixedPrecision<Fp64> integrate it and return a
/// SeveralResult. Maps and strata are trained by the component that the option `driver` names, or by the sum of all
/// magnitudes. Covariance::full takes a library that was built with Kokkos Kernels (CMake option KUBATURE_KERNELS): the
/// covariance of a batch is a matrix product.
///
/// What a call takes on the device, within Limits.bytes: a batch of up to 256 MiB, and 8 C^2 bytes for a full
/// covariance, of which the host holds some three more. The same bits come from the same Limits.bytes.
template <class F>
BatchedComponents<F> batched(F f, int components, std::source_location where = std::source_location::current()) {
  require(components >= 1 && components <= most_components, "components", components,
          "1 to " + std::to_string(most_components) + " are possible", where);
  return {std::move(f), components};
}

namespace detail {

template <class F>
inline constexpr bool has_run_time_components = false;
template <class F>
inline constexpr bool has_run_time_components<BatchedComponents<F>> = true;

template <class F>
inline constexpr bool is_batched = false;
template <class F, int C>
inline constexpr bool is_batched<Batched<F, C>> = true;

} // namespace detail
} // namespace kubature
