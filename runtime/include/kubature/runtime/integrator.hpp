#pragma once

#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/expression.hpp>
#include <kubature/expressions.hpp>
#include <kubature/precision_choice.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/runtime/settings.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_map.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <vector>

namespace kubature {
class FormulaDomain;
}

namespace kubature::runtime {

namespace detail {
class AnyIntegrator;
}

/// The result for several expressions, or for several components of a function that evaluates batches.
using kubature::SeveralResult;

/// An integrand that evaluates batches of points with its own kernels, or by other means; see kubature::batched.
struct BatchFunction : std::function<void(Kokkos::DefaultExecutionSpace const& exec,
                                          BatchPoints<Kokkos::DefaultExecutionSpace> const& points,
                                          BatchValues<Kokkos::DefaultExecutionSpace> const& values)> {
  using function::function;

  /// If not empty, the function that the threads of a host call at the same time.
  std::function<void(BatchPoints<Kokkos::DefaultExecutionSpace> const& points,
                     BatchValues<Kokkos::DefaultExecutionSpace> const& values)>
      in_thread;
  bool thread_safe() const { return static_cast<bool>(in_thread); } ///< whether threads may call it at the same time

  bool with_weights = false;                     ///< whether it gets the weights of samples, see kubature::batched
  bool weighted() const { return with_weights; } ///< whether it does
};

/// kubature::Integrator with its method, precision and options given by name, for integrands known at run time: its
/// callers compile no kernels. The results are those of the template, to the bit; but "auto" integrates formulas
/// without the poles that without_poles() can remove.
///
///   kubature::runtime::Integrator integrator(kubature::runtime::Settings("vegas+").set("relative", 1e-4));
///   auto const result = integrator.integrate(kubature::Expression::parse("exp(-x*y)"), kubature::Box{{0, 1}, {0, 2}});
///
/// It keeps maps, strata and buffers from call to call. It can be moved but not copied, and must be destroyed before
/// Kokkos is finalised. Errors are InvalidArgument; those of options name them as Settings does.
class Integrator {
public:
  /// A method with its options, for this process alone.
  explicit Integrator(Settings const& settings, std::source_location where = std::source_location::current());
  /// @param exec  the instance on which every kernel, copy and allocation runs
  /// @param ranks the ranks that work together, all of which make the same calls
  Integrator(Kokkos::DefaultExecutionSpace const& exec, Communicator const& ranks, Settings const& settings,
             std::source_location where = std::source_location::current());
  Integrator(Integrator&&) noexcept;            ///< a moved-from object can only be destroyed or assigned to
  Integrator& operator=(Integrator&&) noexcept; ///< a moved-from object can only be destroyed or assigned to
  ~Integrator();

  Settings const& settings() const { return settings_; } ///< the settings that it was made with

  /// Integrates to the tolerance and within the limits of the settings; see kubature::integrate.
  Result<> integrate(Expression const& integrand, Box<dynamic_many> const& box, Callback const& callback = {},
                     std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  Result<> integrate(Expression const& integrand, Box<dynamic_many> const& box, Tolerance tolerance, Limits limits,
                     Callback const& callback = {}, std::source_location where = std::source_location::current());

  /// As above, for a function that evaluates batches. Throws InvalidArgument if the method does not support these
  /// (MethodInfo::batches), or if the precision is not fp64.
  Result<> integrate(BatchFunction const& integrand, Box<dynamic_many> const& box, Callback const& callback = {},
                     std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  Result<> integrate(BatchFunction const& integrand, Box<dynamic_many> const& box, Tolerance tolerance, Limits limits,
                     Callback const& callback = {}, std::source_location where = std::source_location::current());

  /// Integrates several expressions, the components of one integrand, with the same samples. Throws InvalidArgument if
  /// the method does not support these (MethodInfo::several), or if the precision is not fp64.
  SeveralResult integrate(Expressions const& integrand, Box<dynamic_many> const& box, Callback const& callback = {},
                          std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  SeveralResult integrate(Expressions const& integrand, Box<dynamic_many> const& box, Tolerance tolerance,
                          Limits limits, Callback const& callback = {},
                          std::source_location where = std::source_location::current());

  /// As above, for a function that gives `components` values at each point of a batch. Methods that support both
  /// several expressions and batches accept it; more than 32 components are treated as in batched(f, components).
  SeveralResult integrate(BatchFunction const& integrand, int components, Box<dynamic_many> const& box,
                          Callback const& callback = {}, std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  SeveralResult integrate(BatchFunction const& integrand, int components, Box<dynamic_many> const& box,
                          Tolerance tolerance, Limits limits, Callback const& callback = {},
                          std::source_location where = std::source_location::current());

  /// Integrates over a domain that formulas describe. Evaluations and points of the result are those of the integrand,
  /// in the domain's variables; map() and use() refer to its new variables. Throws as FormulaDomain::on() and the calls
  /// above do.
  Result<> integrate(Expression const& integrand, FormulaDomain const& domain, Callback const& callback = {},
                     std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  Result<> integrate(Expression const& integrand, FormulaDomain const& domain, Tolerance tolerance, Limits limits,
                     Callback const& callback = {}, std::source_location where = std::source_location::current());
  /// Several expressions.
  SeveralResult integrate(Expressions const& integrand, FormulaDomain const& domain, Callback const& callback = {},
                          std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  SeveralResult integrate(Expressions const& integrand, FormulaDomain const& domain, Tolerance tolerance, Limits limits,
                          Callback const& callback = {}, std::source_location where = std::source_location::current());
  /// A function that evaluates batches: it gets points of the domain, and is called by one thread at a time.
  Result<> integrate(BatchFunction const& integrand, FormulaDomain const& domain, Callback const& callback = {},
                     std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  Result<> integrate(BatchFunction const& integrand, FormulaDomain const& domain, Tolerance tolerance, Limits limits,
                     Callback const& callback = {}, std::source_location where = std::source_location::current());
  /// As above, with `components` values at each point.
  SeveralResult integrate(BatchFunction const& integrand, int components, FormulaDomain const& domain,
                          Callback const& callback = {}, std::source_location where = std::source_location::current());
  /// As above, with a tolerance and limits for this call.
  SeveralResult integrate(BatchFunction const& integrand, int components, FormulaDomain const& domain,
                          Tolerance tolerance, Limits limits, Callback const& callback = {},
                          std::source_location where = std::source_location::current());

  /// See kubature::Integrator. Both functions throw InvalidArgument if the method trains no map.
  VegasMap map(std::source_location where = std::source_location::current()) const;
  /// Starts the next call from this map.
  void use(VegasMap const& map, std::source_location where = std::source_location::current());

  /// The choices of the last call and the reasons, with precision `adaptive` or method `mixed`; otherwise empty.
  std::vector<PrecisionChoice> choices() const;

private:
  Settings settings_;
  std::unique_ptr<detail::AnyIntegrator> integrator_;
};

/// The box with these bounds, one lower and one upper bound per variable. Throws InvalidArgument if their numbers
/// differ or if Box refuses them.
Box<dynamic_many> box(std::span<double const> lower, std::span<double const> upper,
                      std::source_location where = std::source_location::current());

} // namespace kubature::runtime
