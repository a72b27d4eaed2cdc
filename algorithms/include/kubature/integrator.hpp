#pragma once

#include <kubature/box.hpp>
#include <kubature/channel_maps.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/call/integrable.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/peaks/by_channels.hpp>
#include <kubature/detail/probing/adapted.hpp>
#include <kubature/domain.hpp>
#include <kubature/integrand.hpp>
#include <kubature/options.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_choice.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <source_location>
#include <type_traits>
#include <vector>

namespace kubature {

class VegasMap;

/// A method with all that it keeps from call to call, adapted maps and buffers, on one execution-space instance. A
/// second call starts from the training of the first, draws new random numbers, and allocates nothing.
///
///   kubature::Integrator integrator(exec, kubature::MCubes{.evaluations = 1'000'000});
///   auto first = integrator.integrate(f, box, {.relative = 1e-4});
///   auto second = integrator.integrate(g, box, {.relative = 1e-4});
///
/// Several ranks work together if each makes one with the same Communicator: Integrator(exec, ranks, method). It can be
/// moved but not copied; a moved-from one can only be destroyed or assigned to. It has to be destroyed before Kokkos is
/// finalised: Kokkos ends a program that destroys it later. Host threads that integrate concurrently need integrators
/// of their own, which on a host may share an execution-space instance and take turns at its kernels; on a GPU each
/// needs its own instance.
template <class Method, class Space = Kokkos::DefaultExecutionSpace>
class Integrator {
  using Solver = typename detail::SolverFor<Method, Space>::type;
  static_assert(std::is_constructible_v<Solver, Space const&, Communicator const&, Method const&>,
                "a method specialises Solver<Method, Space>, which is made as Solver(exec, ranks, method)");

public:
  /// A method on an execution-space instance, on this rank alone.
  explicit Integrator(Space const& exec, Method const& method,
                      std::source_location where = std::source_location::current())
      : solver_(solver(exec, ranks_, method, where)), by_channels_(exec, ranks_, method) {}

  /// The same on all ranks, each with its own instance.
  Integrator(Space const& exec, Communicator const& ranks, Method const& method,
             std::source_location where = std::source_location::current())
    requires(Described<Method>::serves.distributed)
      : ranks_(ranks), solver_(solver(exec, ranks_, method, where)), by_channels_(exec, ranks_, method) {}

  Integrator(Integrator&&) = default;            ///< a moved-from object can only be destroyed or assigned to
  Integrator& operator=(Integrator&&) = default; ///< a moved-from object can only be destroyed or assigned to

  /// See kubature::integrate.
  template <class F, int D>
  auto integrate(F const& integrand, Box<D> const& box, Tolerance tolerance = {}, Limits limits = {},
                 Callback const& callback = {}, std::source_location where = std::source_location::current()) {
    return answer(integrand, box, detail::Request{tolerance, limits, callback, where});
  }
  /// The same over a domain that is no box (see kubature/domains.hpp). Places are reported in its coordinates.
  template <class F, Domain M>
  auto integrate(F const& integrand, M const& domain, Tolerance tolerance = {}, Limits limits = {},
                 Callback const& callback = {}, std::source_location where = std::source_location::current()) {
    if constexpr (detail::integrable<Method, Space, F, M::coordinates>()) {
      auto result = integrate(in(domain, integrand), Box<M::variables>{}, tolerance, limits, callback, where);
      result.non_finite_at = detail::in_coordinates(domain, result.non_finite_at);
      return result;
    } else {
      return Result<>{};
    }
  }
  /// The same by channels of the caller's own, whose weights are adapted first. Each is integrated by the method over
  /// the unit cube, with a map of its own where the method trains one.
  template <class F, ChannelMaps C>
  auto integrate(F const& integrand, C const& channels, Tolerance tolerance = {}, Limits limits = {},
                 Callback const& callback = {}, std::source_location where = std::source_location::current()) {
    return ranks_.agree([&] {
      limits.bytes = ranks_.least(limits.bytes);
      return by_channels_.integrate(solver_, integrand, channels, detail::Request{tolerance, limits, callback, where});
    });
  }
  /// The same, for callers within the library.
  template <class F, int D>
  auto answer(F const& integrand, Box<D> const& box, detail::Request const& request) {
    if constexpr (detail::integrable<Method, Space, F, D>())
      return ranks_.agree([&] {
        auto limits = request.limits;
        limits.bytes = ranks_.least(limits.bytes); // otherwise some would end while the others wait
        return by_channels_.integrate(solver_, integrand, box, request.within(limits));
      });
    else
      return Result<>{};
  }

  /// The map of a VEGAS method, as trained by the calls so far: a VegasMap.
  auto map() const
    requires requires(Solver const& s) { s.map(); }
  {
    return solver_.map();
  }
  /// From now on, calls start from this map and keep its number of intervals. It must have an axis for each variable,
  /// or a single one with the option `one_map`. Strata are reset.
  void use(VegasMap const& map)
    requires requires(Solver& s) { s.use(map); }
  {
    solver_.use(map);
  }

  /// The choices of the last call and their reasons: with the policy `adaptive`, for the integrand or for each
  /// component; with MixedPrecision, for each term, region, or term in a region.
  std::vector<PrecisionChoice> const& choices() const
    requires requires(Solver const& s) { s.choices(); }
  {
    return solver_.choices();
  }

private:
  static Solver solver(Space const& exec, Communicator const& ranks, Method const& method, std::source_location where) {
    return ranks.agree([&] {
      detail::check_options(method, where);
      return Solver(exec, ranks, method);
    });
  }

  Communicator ranks_;
  Solver solver_;
  detail::ByChannels<Method, Space> by_channels_;
};

/// Deduces from an instance and a method.
template <class Space, class Method>
Integrator(Space, Method) -> Integrator<Method, Space>;

/// Deduces from an instance, ranks and a method.
template <class Space, class Method>
Integrator(Space, Communicator, Method) -> Integrator<Method, Space>;

/// Integrates f over the box until the tolerance is met or a limit is reached; the result gives the reason.
///
/// @param exec      the execution-space instance on which every kernel, copy and allocation runs; on a host, kernels
///                  over short lists of regions may run on the calling thread alone
/// @param method    PlainMonteCarlo, MCubes, ...: an aggregate of the method's options
/// @param integrand see kubature::Integrand; or an Expression
/// @param box       the domain, with as many sides as the integrand has variables
/// @param tolerance stop at error <= max(relative |value|, absolute); without one, the method does all its work
/// @param limits    upper bounds on the work of the call
/// @param callback  called after each iteration; may stop the call
///
/// Bad input throws InvalidArgument. A missed tolerance, exhausted memory and an integrand that is not finite are
/// statuses of the result.
template <class Space, class Method, class F, int D>
  requires Kokkos::is_execution_space_v<Space>
auto integrate(Space const& exec, Method const& method, F const& integrand, Box<D> const& box, Tolerance tolerance = {},
               Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  return Integrator<Method, Space>(exec, method, where).integrate(integrand, box, tolerance, limits, callback, where);
}

/// As above, by several ranks, which all make this call and get the same result: on the same kind of device, the same
/// bits as on a single rank.
///
/// @param ranks see communicator() in kubature/mpi.hpp
template <class Space, class Method, class F, int D>
  requires Kokkos::is_execution_space_v<Space>
auto integrate(Space const& exec, Communicator const& ranks, Method const& method, F const& integrand,
               Box<D> const& box, Tolerance tolerance = {}, Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  return Integrator<Method, Space>(exec, ranks, method, where)
      .integrate(integrand, box, tolerance, limits, callback, where);
}

/// As above, on the default execution space.
template <class Method, class F, int D>
auto integrate(Method const& method, F const& integrand, Box<D> const& box, Tolerance tolerance = {},
               Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  detail::check_kokkos(where);
  return Integrator<Method>(Kokkos::DefaultExecutionSpace(), method, where)
      .integrate(integrand, box, tolerance, limits, callback, where);
}

/// What is integrated over in place of a box: a domain, or the channels of the caller.
template <class M>
concept DomainOrChannels = Domain<M> || ChannelMaps<M>;

/// As above, over a domain that is no box (see kubature/domains.hpp), or by channels of the caller's own (see
/// ChannelMaps). Places are reported in their coordinates.
template <class Space, class Method, class F, DomainOrChannels M>
  requires Kokkos::is_execution_space_v<Space>
auto integrate(Space const& exec, Method const& method, F const& integrand, M const& domain, Tolerance tolerance = {},
               Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  return Integrator<Method, Space>(exec, method, where)
      .integrate(integrand, domain, tolerance, limits, callback, where);
}

/// The same, by several processes.
template <class Space, class Method, class F, DomainOrChannels M>
  requires Kokkos::is_execution_space_v<Space>
auto integrate(Space const& exec, Communicator const& ranks, Method const& method, F const& integrand, M const& domain,
               Tolerance tolerance = {}, Limits limits = {}, Callback const& callback = {},
               std::source_location where = std::source_location::current()) {
  return Integrator<Method, Space>(exec, ranks, method, where)
      .integrate(integrand, domain, tolerance, limits, callback, where);
}

/// The same, on the default execution space.
template <class Method, class F, DomainOrChannels M>
auto integrate(Method const& method, F const& integrand, M const& domain, Tolerance tolerance = {}, Limits limits = {},
               Callback const& callback = {}, std::source_location where = std::source_location::current()) {
  detail::check_kokkos(where);
  return Integrator<Method>(Kokkos::DefaultExecutionSpace(), method, where)
      .integrate(integrand, domain, tolerance, limits, callback, where);
}

} // namespace kubature
