#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/error.hpp>
#include <kubature/integrand.hpp>
#include <kubature/precision.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <optional>
#include <source_location>
#include <string>
#include <type_traits>

namespace kubature {

/// A method with what it keeps from call to call: adapted maps and all buffers, on one execution-space instance.
/// A second call starts from what the first learned, draws new random numbers, and allocates nothing.
///
///   kubature::Integrator integrator(exec, kubature::MCubes{.evaluations = 1'000'000});
///   auto first = integrator.integrate(f, box, {.relative = 1e-4});
///   auto second = integrator.integrate(g, box, {.relative = 1e-4});
///
/// Several processes work together where each makes one with the same Communicator: Integrator(exec, ranks, method),
/// within ranks.together() where one of them may fail at that, so that nobody waits for it.
/// It can be moved and not be copied; one that was moved from can only be destroyed or assigned to. It ends before
/// Kokkos is finalised: Kokkos ends a program that destroys it later. Host threads that integrate at once have
/// integrators of their own, which on a host may share an execution space instance and take turns at its kernels; on a
/// card each has an instance. Each method specialises this class.
template <class Method, class Space = Kokkos::DefaultExecutionSpace>
class Integrator;

template <class Space, class Method>
Integrator(Space, Method) -> Integrator<Method, Space>;

template <class Space, class Method>
Integrator(Space, Communicator, Method) -> Integrator<Method, Space>;

namespace detail {

/// Throws InvalidArgument unless Kokkos is between its initialisation and its end.
inline void check_kokkos(std::source_location where) {
  require(!Kokkos::is_finalized(), "Kokkos", "finalised", "integrate before Kokkos::finalize", where);
  require(Kokkos::is_initialized(), "Kokkos", "not initialised", "call Kokkos::initialize before", where);
}

} // namespace detail

/// Integrates f over the box until the tolerance is met or a limit is reached; the result says which.
///
/// @param exec      the execution-space instance on which every kernel, copy and allocation runs
/// @param method    PlainMonteCarlo, MCubes, ...: an aggregate of the method's options
/// @param integrand see kubature::Integrand; or an Expression
/// @param box       the domain, of as many sides as the integrand has variables
/// @param tolerance stop at error <= max(relative |value|, absolute); with none, all the method's work is done
/// @param limits    what the call may use at most
/// @param callback  told of each iteration; may stop the call
///
/// Bad input throws InvalidArgument. Not reaching the tolerance, running out of memory and an integrand that is
/// not finite are statuses of the result.
template <class Space, class Method, class F, int D>
  requires Kokkos::is_execution_space_v<Space>
auto integrate(Space const& exec, Method const& method, F const& integrand, Box<D> const& box, Tolerance tolerance = {},
               Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  return Integrator<Method, Space>(exec, method, where).integrate(integrand, box, tolerance, limits, callback, where);
}

/// As above by several processes, which all make this call and get the same result: on the same kind of device the one
/// that a single process gets, to the bit.
///
/// @param ranks the processes; see communicator() in kubature/mpi.hpp
template <class Space, class Method, class F, int D>
  requires Kokkos::is_execution_space_v<Space>
auto integrate(Space const& exec, Communicator const& ranks, Method const& method, F const& integrand,
               Box<D> const& box, Tolerance tolerance = {}, Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  return ranks.together([&] {
    return Integrator<Method, Space>(exec, ranks, method, where)
        .integrate(integrand, box, tolerance, limits, callback, where);
  });
}

/// As above on the default execution space.
template <class Method, class F, int D>
auto integrate(Method const& method, F const& integrand, Box<D> const& box, Tolerance tolerance = {},
               Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  detail::check_kokkos(where);
  return integrate(Kokkos::DefaultExecutionSpace(), method, integrand, box, tolerance, limits, callback, where);
}

namespace detail {

/// The integrand as kernels on `exec` call it. An integrand that has a device form (an Expression) makes it with
/// its member on(exec) and says how many variables it has.
template <class P, int D, class Space, class F>
auto on_device(Space const& exec, F const& integrand, int dimension, std::source_location where) {
  check_kokkos(where);
  if constexpr (requires { integrand.on(exec); }) {
    require(integrand.dimension() == dimension, "dimension of the box", dimension,
            "the integrand has " + std::to_string(integrand.dimension()) + " variables", where);
    return integrand.on(exec);
  } else {
    static_assert(Integrand<F, typename P::eval_type, D>,
                  "the integrand has to be callable with a Point<Real, D> of the box's dimension D, where Real is the "
                  "type of evaluation of the precision: double for fp64, float for fp32. Make it a template in Real, "
                  "and const, or unpack() a function of separate arguments");
    return integrand;
  }
}

template <class Space>
inline constexpr bool on_device_of_its_own =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// The result with the names of where and how it was computed.
template <class Space, class Value, class P>
Result<Value> signed_by(Result<Value> result, P precision, std::optional<std::uint64_t> seed = {},
                        Communicator const& ranks = {}) {
  result.backend = Space::name();
  result.precision = precision_name(precision);
  result.seed = seed;
  if (int const devices = Kokkos::num_devices(); on_device_of_its_own<Space> && ranks.local_size() > devices)
    result.remarks.push_back(std::to_string(ranks.local_size()) + " processes of a machine shared " +
                             std::to_string(devices) + (devices == 1 ? " device" : " devices"));
  return result;
}

} // namespace detail
} // namespace kubature
