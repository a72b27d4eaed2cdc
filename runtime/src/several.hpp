#pragma once

#include "any_integrator.hpp"

#include <kubature/expressions.hpp>
#include <kubature/integrator.hpp>
#include <kubature/runtime/detail/methods.hpp>
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

/// The same over more than 20 variables, of methods that support both.
template <class M>
SeveralResult integrate_several(kubature::Integrator<M>& integrator, BatchFunction const& integrand, int components,
                                Box<dynamic_many> const& box, Request const& request);

/// Whether a method does.
template <class P, class M>
inline constexpr bool serves_several_of_many =
    serves_several<P, M> && Described<M>::serves.many && serves_many_variables<P, M>;

} // namespace kubature::runtime::detail
