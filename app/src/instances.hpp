#pragma once

#include "precisions.hpp"

namespace kubature::app {

/// Compiled for each precision.
template <class P>
Result<> integrate_expression(std::string_view method, MethodOptions const& options, Expression const& expression,
                              Box<dynamic> const& box, Callback const& callback, Kept& kept);

/// Those integrals of the suite that have First to Last dimensions, compiled for fp64 and fp32.
template <class P, int First, int Last>
std::vector<Job> suite_jobs();

} // namespace kubature::app
