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
#include <kubature/runtime/several.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_map.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <vector>

namespace kubature::runtime {

namespace detail {
class AnyIntegrator;
}

/// An integrand that evaluates batches of points by kernels of its own, or elsewhere; see kubature::batched.
using BatchFunction = std::function<void(Kokkos::DefaultExecutionSpace const& exec,
                                         BatchPoints<Kokkos::DefaultExecutionSpace> const& points,
                                         BatchValues<Kokkos::DefaultExecutionSpace> const& values)>;

/// kubature::Integrator with the method, the precision and the options by their names, for integrands known at run
/// time: nothing is compiled where it is used. The results are those of the template, to the bit.
///
///   kubature::runtime::Integrator integrator(kubature::runtime::Settings("vegas+").set("relative", 1e-4));
///   auto const result = integrator.integrate(kubature::Expression::parse("exp(-x*y)"), kubature::Box{{0, 1}, {0, 2}});
///
/// It keeps maps, strata and buffers from call to call, can be moved and not be copied, and ends before Kokkos does.
/// Errors are InvalidArgument; those of options name them as Settings does.
class Integrator {
public:
  /// A method with its options, in this process alone.
  explicit Integrator(Settings const& settings, std::source_location where = std::source_location::current());
  /// @param exec  the instance on which every kernel, copy and allocation runs
  /// @param ranks the processes that work together; they all make the same calls
  Integrator(Kokkos::DefaultExecutionSpace const& exec, Communicator const& ranks, Settings const& settings,
             std::source_location where = std::source_location::current());
  Integrator(Integrator&&) noexcept;            ///< what is moved from can only be destroyed or assigned to
  Integrator& operator=(Integrator&&) noexcept; ///< what is moved from can only be destroyed or assigned to
  ~Integrator();

  Settings const& settings() const { return settings_; } ///< what it was made with

  /// To the tolerance and within the limits of the settings; see kubature::integrate.
  Result<> integrate(Expression const& integrand, Box<dynamic> const& box, Callback const& callback = {},
                     std::source_location where = std::source_location::current());
  /// The same to a tolerance and limits of this call.
  Result<> integrate(Expression const& integrand, Box<dynamic> const& box, Tolerance tolerance, Limits limits,
                     Callback const& callback = {}, std::source_location where = std::source_location::current());

  /// The same for a function that evaluates batches. Throws InvalidArgument where MethodInfo::batches says that the
  /// method serves none, and in other precisions than fp64.
  Result<> integrate(BatchFunction const& integrand, Box<dynamic> const& box, Callback const& callback = {},
                     std::source_location where = std::source_location::current());
  /// The same to a tolerance and limits of this call.
  Result<> integrate(BatchFunction const& integrand, Box<dynamic> const& box, Tolerance tolerance, Limits limits,
                     Callback const& callback = {}, std::source_location where = std::source_location::current());

  /// Several expressions, the components of one integrand, from the same samples. Throws InvalidArgument where
  /// MethodInfo::several says that the method does not serve them, and in other precisions than fp64.
  SeveralResult integrate(Expressions const& integrand, Box<dynamic> const& box, Callback const& callback = {},
                          std::source_location where = std::source_location::current());
  /// The same to a tolerance and limits of this call.
  SeveralResult integrate(Expressions const& integrand, Box<dynamic> const& box, Tolerance tolerance, Limits limits,
                          Callback const& callback = {}, std::source_location where = std::source_location::current());

  /// The same for a function that gives so many components at each point of a batch. Methods that serve both several
  /// expressions and batches serve it; more than 32 as batched(f, components) is.
  SeveralResult integrate(BatchFunction const& integrand, int components, Box<dynamic> const& box,
                          Callback const& callback = {}, std::source_location where = std::source_location::current());
  /// The same to a tolerance and limits of this call.
  SeveralResult integrate(BatchFunction const& integrand, int components, Box<dynamic> const& box, Tolerance tolerance,
                          Limits limits, Callback const& callback = {},
                          std::source_location where = std::source_location::current());

  /// See kubature::Integrator; both throw InvalidArgument where the method trains no map.
  VegasMap map(std::source_location where = std::source_location::current()) const;
  /// Begins the next call with this map.
  void use(VegasMap const& map, std::source_location where = std::source_location::current());

  /// What the last call chose, and why: in precision adaptive, and of the method mixed; else nothing.
  std::vector<PrecisionChoice> choices() const;

private:
  Settings settings_;
  std::unique_ptr<detail::AnyIntegrator> integrator_;
};

/// The box of these bounds, one of each for each variable. Throws InvalidArgument where they are not as many, or Box
/// refuses them.
Box<dynamic> box(std::span<double const> lower, std::span<double const> upper,
                 std::source_location where = std::source_location::current());

} // namespace kubature::runtime
