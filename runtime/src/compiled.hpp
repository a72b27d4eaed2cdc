#pragma once

#include "any_integrator.hpp"
#include "several.hpp"

#include <kubature/batched.hpp>
#include <kubature/detail/call/pausable_call.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/components/padded.hpp>
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/runtime/detail/methods.hpp>
#include <kubature/runtime/detail/region_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <source_location>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature::runtime::detail {

template <class M, int D>
Result<> integrate_batches(kubature::Integrator<M>& integrator, BatchFunction const& integrand, Box<D> const& box,
                           Request const& request) {
  return integrator.answer(batched(integrand), box, request);
}

/// Of methods that pad components (kubature::detail::padded).
template <class M>
SeveralResult integrate_components(kubature::Integrator<M>& integrator, BatchFunction const& integrand, int components,
                                   Box<dynamic> const& box, Request const& request) {
  return integrator.answer(batched(integrand, components, request.where), box, request);
}

/// The methods whose kernels for several expressions are compiled, from CMake.
constexpr std::string_view with_several = KUBATURE_SEVERAL_METHODS;

template <class P, class M>
class Compiled final : public AnyIntegrator {
  static_assert(!std::is_same_v<P, Fp64> ||
                    Described<M>::serves.several == (with_several.find(Described<M>::type) != std::string_view::npos),
                "the list `several` in runtime/CMakeLists.txt disagrees with Described<Method>::serves");
  static_assert(
      Described<M>::serves.maps == requires(kubature::Integrator<M> const& made) { made.map(); },
      "Described<Method>::serves.maps disagrees with the method's Solver");

public:
  explicit Compiled(kubature::Integrator<M> integrator) : integrator_(std::move(integrator)) {}

  Result<> integrate(Expression const& integrand, Box<dynamic_many> const& box, Request const& request) override {
    if (box.dimension() <= max_dimension)
      return integrator_.answer(integrand, Box<dynamic>(box), request);
    if constexpr (serves_many_variables<P, M>)
      return integrator_.answer(integrand, box, request);
    else
      throw std::logic_error("many variables were given to a method that does not support them");
  }
  Result<> integrate([[maybe_unused]] BatchFunction const& integrand, [[maybe_unused]] Box<dynamic_many> const& box,
                     [[maybe_unused]] Request const& request) override {
    if constexpr (serves_batches<P, M>)
      if (box.dimension() <= max_dimension)
        return integrate_batches(integrator_, integrand, Box<dynamic>(box), request);
    if constexpr (serves_batches<P, M> && serves_many_variables<P, M>)
      return integrate_batches(integrator_, integrand, box, request);
    else
      throw std::logic_error("batches were given to a method that does not support them");
  }
  SeveralResult integrate([[maybe_unused]] Expressions const& integrand, [[maybe_unused]] Box<dynamic_many> const& box,
                          [[maybe_unused]] Request const& request) override {
    if constexpr (serves_several_of_many<P, M>)
      if (box.dimension() > max_dimension)
        return integrate_several(integrator_, in_batches(integrand), integrand.size(), box, request);
    if constexpr (serves_several<P, M> && Described<M>::serves.many)
      return integrate_several(integrator_, integrand, Box<dynamic>(box), request);
    else if constexpr (serves_several<P, M>)
      return integrate_components(integrator_, in_batches(integrand), integrand.size(), Box<dynamic>(box), request);
    else
      throw std::logic_error("several expressions were given to a method that does not support them");
  }
  SeveralResult integrate([[maybe_unused]] BatchFunction const& integrand, [[maybe_unused]] int components,
                          [[maybe_unused]] Box<dynamic_many> const& box,
                          [[maybe_unused]] Request const& request) override {
    if constexpr (serves_several_of_many<P, M>)
      if (box.dimension() > max_dimension)
        return integrate_several(integrator_, integrand, components, box, request);
    if constexpr (serves_several<P, M> && Described<M>::serves.many)
      return integrate_several(integrator_, integrand, components, Box<dynamic>(box), request);
    else if constexpr (serves_several<P, M>)
      return integrate_components(integrator_, integrand, components, Box<dynamic>(box), request);
    else
      throw std::logic_error("batches of several components were given to a method that does not support them");
  }
  VegasMap map() const override {
    if constexpr (requires { integrator_.map(); })
      return integrator_.map();
    else
      throw std::logic_error("a map was requested from a method without one");
  }
  void use(VegasMap const& map) override {
    if constexpr (requires { integrator_.use(map); })
      integrator_.use(map);
  }
  std::vector<PrecisionChoice> choices() const override {
    if constexpr (requires { integrator_.choices(); })
      return integrator_.choices();
    else
      return {};
  }

private:
  kubature::Integrator<M> integrator_;
};

template <class P, class M>
std::unique_ptr<AnyIntegrator> compiled(Kokkos::DefaultExecutionSpace const& exec, Communicator const& ranks,
                                        M const& method, std::source_location where) {
  return std::make_unique<Compiled<P, M>>(integrator(exec, ranks, method, where));
}

} // namespace kubature::runtime::detail

namespace kubature::detail {

using CompiledSpace = Kokkos::DefaultExecutionSpace;
// What is integrated, as the caller gives it and on the device.
using CompiledFormula = Expression;
template <class P>
using CompiledDeviceFormula = decltype(on_device<P, dynamic>(
    std::declval<CompiledSpace const&>(), std::declval<Expression const&>(), std::declval<Box<dynamic> const&>(), {}));
using CompiledBatches = Batched<runtime::BatchFunction, 1>;
template <int C>
using CompiledComponents = Batched<Padded<runtime::BatchFunction>, C>;

} // namespace kubature::detail

// Explicit instantiations, in namespace kubature. extern_ is `extern` where they are only declared.

// A method in a precision.
#define KUBATURE_METHOD(P, Method)                                                                                     \
  template std::unique_ptr<runtime::detail::AnyIntegrator> runtime::detail::compiled<P>(                               \
      Kokkos::DefaultExecutionSpace const&, Communicator const&, decltype(in_precision<P>(Method<>())) const&,         \
      std::source_location);
// Its integrals of functions that evaluate batches.
#define KUBATURE_BATCHES(extern_, P, Method)                                                                           \
  extern_ template Result<> runtime::detail::integrate_batches(                                                        \
      kubature::Integrator<Method<P>>&, runtime::BatchFunction const&, Box<dynamic> const&, detail::Request const&);
// Its integrals of components known at run time, where these are padded.
#define KUBATURE_COMPONENTS(extern_, Method)                                                                           \
  extern_ template SeveralResult runtime::detail::integrate_components(kubature::Integrator<Method<Fp64>>&,            \
                                                                       runtime::BatchFunction const&, int,             \
                                                                       Box<dynamic> const&, detail::Request const&);
// The parts of it that `auto` and the policy `adaptive` call.
#define KUBATURE_SOLVE(extern_, P, Method, F)                                                                          \
  extern_ template Result<> detail::solve<double>(detail::Solver<Method<P>, detail::CompiledSpace>&, detail::F const&, \
                                                  Box<dynamic> const&, detail::Request const&);
#define KUBATURE_COURSE(extern_, P, Method, F, ...)                                                                    \
  extern_ template std::unique_ptr<detail::PausableCall> detail::make_course(                                          \
      detail::Solver<Method<P>, detail::CompiledSpace>&, detail::F const&, Box<dynamic> const&,                        \
      detail::Request const& __VA_OPT__(, ) __VA_ARGS__);
