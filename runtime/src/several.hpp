#pragma once

#include "any_integrator.hpp"

#include <kubature/expressions.hpp>
#include <kubature/integrator.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/several_result.hpp>

namespace kubature::runtime::detail {

/// A function that evaluates all expressions in batches, for more components than kernels are compiled for.
BatchFunction in_batches(Expressions const& integrand);

/// Compiled in a separate file for each method that takes any number of components.
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, Expressions const& integrand,
                                Box<dynamic> const& box, Request const& request);
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, BatchFunction const& integrand, int components,
                                Box<dynamic> const& box, Request const& request);

} // namespace kubature::runtime::detail
