#pragma once

#include <kubature/expressions.hpp>
#include <kubature/integrator.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/several_result.hpp>

namespace kubature::runtime::detail {

/// A function that evaluates all expressions in batches, for more components than kernels are compiled for.
BatchFunction in_batches(Expressions const& integrand);

/// Compiled in a separate file for each method that supports several components.
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, Expressions const& integrand,
                                Box<dynamic> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
                                std::source_location where);
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, BatchFunction const& integrand, int components,
                                Box<dynamic> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
                                std::source_location where);

} // namespace kubature::runtime::detail
