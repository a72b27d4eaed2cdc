#pragma once

#include "any_integrator.hpp"

#include <kubature/expressions.hpp>
#include <kubature/integrator.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/several_result.hpp>

namespace kubature::runtime::detail {

/// Calls the template's integrator.
template <class M, class F>
auto integrate_by(kubature::Integrator<M>& integrator, F const& integrand, CallArguments const& call) {
  return integrator.integrate(integrand, call.box, call.tolerance, call.limits, call.callback, call.where);
}

/// A function that evaluates all expressions in batches, for more components than kernels are compiled for.
BatchFunction in_batches(Expressions const& integrand);

/// Compiled in a separate file for each method that supports several components.
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, Expressions const& integrand,
                                CallArguments const& call);
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, BatchFunction const& integrand, int components,
                                CallArguments const& call);

} // namespace kubature::runtime::detail
