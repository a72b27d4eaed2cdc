#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/call/integrable.hpp>
#include <kubature/detail/call/kept_inside.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/error.hpp>
#include <kubature/integrand.hpp>
#include <kubature/precision.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>

namespace kubature::detail {

/// A method: how it iterates or refines, and what it keeps from call to call. Each method specialises this class, with
///
///   Solver(Space const& exec, Communicator const& ranks, Method const& options);
///   auto solve(integrand, box, request); // a Result
///
/// and, where calls can pause, a Course, which solve() runs to its end. Options have been checked, and everything is
/// called within Communicator::agree().
template <class Method, class Space>
class Solver;

/// solver.solve(...). A function of its own, so that a program can compile it once, in another file.
template <class Value, class Solver, class F, int D>
Result<Value> solve(Solver& solver, F const& integrand, Box<D> const& box, Request const& request) {
  return solver.solve(integrand, box, request);
}

/// Throws InvalidArgument unless Kokkos is between its initialisation and its end.
inline void check_kokkos(std::source_location where) {
  require(!Kokkos::is_finalized(), "Kokkos", "finalised", "integrate before Kokkos::finalize", where);
  require(Kokkos::is_initialized(), "Kokkos", "not initialised", "call Kokkos::initialize first", where);
}

/// The largest number of variables of kernels of a GPU, where it is known at compile time.
inline constexpr int most_variables_on_device = 32;

/// The integrand in the form that kernels on `exec` call. An integrand that has a device form (an Expression) makes it
/// with its member on(exec) and gives its number of variables.
/// @tparam batches whether the method supports integrands that evaluate batches: Described<Method>::serves.batches
template <class P, int D, bool batches = false, class Space, class F>
auto on_device(Space const& exec, F const& integrand, Box<D> const& box, std::source_location where) {
  check_kokkos(where);
  static_assert(!(on_device_of_its_own<Space> && Point<double, D>::capacity > most_variables_on_device),
                "more than 32 variables, or more than 20 whose number is known at run time, are integrated on hosts: "
                "Kokkos does not launch kernels of a GPU with launch bounds and arguments as large as theirs");
  static_assert(!has_run_time_components<F>,
                "this method does not support components known at run time (see Described<Method>::serves.several): "
                "give their number by batched<C>");
  if constexpr (HasDeviceForm<F, Space>) {
    require(integrand.dimension() == box.dimension(), "dimension of the box", box.dimension(),
            "the integrand has " + std::to_string(integrand.dimension()) +
                (integrand.dimension() == 1 ? " variable" : " variables"),
            where);
    return kept_inside<P>(integrand.on(exec), box, where);
  } else if constexpr (is_batched<F>) {
    static_assert(batches, "this method does not support integrands made by batched(): see "
                           "Described<Method>::serves.batches");
    static_assert(std::is_same_v<P, Fp64>, "an integrand made by batched() is integrated in fp64");
    return integrand;
  } else {
    static_assert(check_function<F, typename P::eval_type, D>());
    return kept_inside<P>(integrand, box, where);
  }
}

/// The result, with the names of where and how it was computed.
template <class Space, class AnyResult, class P>
AnyResult signed_by(AnyResult result, P precision, std::optional<std::uint64_t> seed = {},
                    Communicator const& ranks = {}) {
  result.backend = Space::name();
  result.precision = precision_name(precision);
  result.seed = seed;
  if constexpr (!Tuning<Space>::measured)
    result.remarks.push_back("nobody has measured what suits this device: its constants are those of any (Tuning)");
  if (int const devices = Kokkos::num_devices(); on_device_of_its_own<Space> && ranks.local_size() > devices)
    result.remarks.push_back(std::to_string(ranks.local_size()) + " processes of a machine shared " +
                             std::to_string(devices) + (devices == 1 ? " device" : " devices"));
  return result;
}

} // namespace kubature::detail
