#pragma once

#include <kubature/expressions.hpp>
#include <kubature/integrator.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/runtime/several.hpp>

namespace kubature::runtime::detail {

/// Compiled for each method that serves several components, in a file of its own.
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, Expressions const& integrand,
                                Box<dynamic> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
                                std::source_location where);
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, BatchFunction const& integrand, int components,
                                Box<dynamic> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
                                std::source_location where);

} // namespace kubature::runtime::detail
