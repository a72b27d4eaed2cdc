#pragma once

#include "any_integrator.hpp"

#include <kubature/expressions.hpp>
#include <kubature/integrator.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/several_result.hpp>

namespace kubature::runtime::detail {

/// A function that evaluates all expressions in batches, for more of them than kernels are compiled for.
BatchFunction in_batches(Expressions const& integrand);

/// Compiled for each method that serves several components, in a file of its own.
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, Expressions const& integrand,
                                Box<dynamic> const& box, Request const& request);
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, BatchFunction const& integrand, int components,
                                Box<dynamic> const& box, Request const& request);

} // namespace kubature::runtime::detail
