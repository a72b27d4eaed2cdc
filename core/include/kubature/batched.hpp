#pragma once

#include <kubature/detail/evaluation.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace kubature {

namespace detail {

/// False, but only once a template is instantiated.
template <class>
inline constexpr bool always_false = false;

} // namespace detail

/// The points of a batch, in the coordinates of the box: coordinate i of point k is points(k, i).
template <class Space>
using BatchPoints = Kokkos::View<double const**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;

/// The values at the points of a batch, a View of rank 2: component c at point k is values(k, c), and values(k, 0)
/// where there is one component.
template <class Space>
class BatchValues : public Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged> {
  using Values = Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;

public:
  using Values::Values;
  using Values::operator();
  BatchValues() = default;                                      ///< none
  KOKKOS_FUNCTION BatchValues(Values const& of) : Values(of) {} ///< the same values

  /// Not compiled: there may be several components.
  template <class Index>
  KOKKOS_FUNCTION double& operator()(Index) const {
    static_assert(detail::always_false<Index>,
                  "the values of a batch have rank 2: write values(k, 0), or values(k, c) for component c at point k");
    return *this->data();
  }
};

/// An integrand that evaluates whole batches of points; see batched().
template <class F, int C>
struct Batched {
  static constexpr int components = C; ///< how many values f writes for each point
  F f;                                 ///< the caller's function: f(exec, points, values)

  /// Never called; it declares the type of the value at a point.
  template <int D>
  std::conditional_t<C == 1, double, Kokkos::Array<double, C>> operator()(Point<double, D> const& x) const;
};

/// Makes an integrand from a function that evaluates many points at once, with its own kernels or by other means.
/// f(exec, points, values) is called on the host. It receives n points in d variables as BatchPoints and fills
/// BatchValues with n x C components; the work is either enqueued on the instance exec or complete when f returns. Some
/// points of a batch may duplicate earlier ones; their values are not used.
///
/// Methods whose Described<Method>::serves.batches is true accept it, in fp64, MixedPrecision as MixedPrecision<Fp64>.
/// The results are those of a function object with the same values, to the bit, whatever the size of the batches. A
/// point needs 8 (d + C) bytes, and for m-Cubes and VEGAS+ on a host about 4 d + 12 more. A batch uses 256 MiB, or more
/// where that does not fill the device, but no more than Limits.bytes allows in addition to the method's own memory.
/// Samples that are drawn on a host use 4 MiB per thread, which stay in the caches, or one chunk where that is larger.
/// Pagani, whose list of regions may fill all memory, reserves a quarter of Limits.bytes for batches; where memory is
/// short, its list fills up sooner than with a function object. MixedPrecision with regions evaluates as many points in
/// every chunk as the longest chunk has, which is more than it samples where regions receive few samples.
///
/// If f has a const member weighted(), which returns true, VEGAS+ gives f the weights of the samples that it draws for
/// estimates, as one more coordinate behind those of each point: points(k, d). The sum of weight times value over the
/// points of an iteration is the iteration's estimate, and over those with an observable in a bin the estimate of a
/// histogram's. Repeated points have the weight 0. Elsewhere, as in searches for peaks, points have d coordinates.
///
/// f may have two more const members. If f.thread_safe() returns true, and weighted() does not, samples that are drawn
/// on a host are evaluated by f.in_thread(points, values) instead, which several threads call at the same time, each
/// for a block of points of up to 256 KiB that stays in its cache. The first exception that in_thread throws reaches
/// the caller when all threads have stopped.
///
/// @tparam C the number of components, the first of which trains maps and strata; if there are several, the result is a
///           Result of Kokkos::Array<double, C>
template <int C = 1, class F>
Batched<F, C> batched(F f) {
  static_assert(C >= 1, "an integrand has at least one component");
  return {std::move(f)};
}

/// The largest number of components that may be set at run time.
inline constexpr int most_components = 1 << 16;

/// An integrand that evaluates whole batches of points, with a number of components set at run time; see batched().
template <class F>
struct BatchedComponents {
  F f;       ///< the caller's function: f(exec, points, values)
  int count; ///< how many values it writes for each point
};

/// As above, where the number of components is known only at run time. There may be thousands, as their values are
/// stored once and not once per thread. Methods whose Described<Method>::serves.several is true accept it, in fp64, and
/// return a SeveralResult. All components train maps and strata in equal shares, unless the option `driver` says
/// otherwise. Covariance::full needs a library built with Kokkos Kernels (CMake option KUBATURE_KERNELS), as the
/// covariance of a batch is a matrix product.
///
/// Within Limits.bytes, a call allocates on the device a batch of up to 256 MiB and, for a full covariance, 8 C^2
/// bytes; the host holds about three times as much. Equal Limits.bytes give equal bits.
template <class F>
BatchedComponents<F> batched(F f, int components, std::source_location where = std::source_location::current()) {
  require(components >= 1 && components <= most_components, "components", components,
          "must be between 1 and " + std::to_string(most_components), where);
  return {std::move(f), components};
}

namespace detail {

template <class F>
inline constexpr bool has_run_time_components = false;
template <class F>
inline constexpr bool has_run_time_components<BatchedComponents<F>> = true;

template <class F, int C>
inline constexpr Evaluation evaluation_of<Batched<F, C>> = Evaluation::batch;

} // namespace detail
} // namespace kubature

#ifndef DOXYGEN // which does not find Kokkos's template
/// Values of a batch are a View for functions that ask.
template <class Space>
struct Kokkos::is_view<kubature::BatchValues<Space>> : std::true_type {};
#endif
