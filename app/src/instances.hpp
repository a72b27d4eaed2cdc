#pragma once

#include "precisions.hpp"

namespace kubature::app {

/// Compiled for each precision.
template <class P>
Result<> integrate_expression(std::string_view method, MethodOptions const& options, Expression const& expression,
                              Box<dynamic> const& box, Callback const& callback, Kept& kept);

/// Compiled for each precision and family of the suite.
template <class P, class Family>
std::vector<Job> suite_jobs();

} // namespace kubature::app
