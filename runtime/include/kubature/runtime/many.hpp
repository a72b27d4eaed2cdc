#pragma once

#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/expression.hpp>
#include <kubature/many_results.hpp>
#include <kubature/progress.hpp>
#include <kubature/runtime/settings.hpp>

#include <source_location>
#include <vector>

namespace kubature::runtime {

/// Many integrals of one expression: over its first variables, at many values of the others, by method pagani or vegas+
/// in precision fp64; others throw InvalidArgument. See kubature::integrate_many.
///
/// @param variables  how many of the expression's variables are integrated over, one or more
/// @param boxes      one for each integral, or one for all
/// @param parameters values of the other variables, a list for each integral; where there are none, an empty one
ManyResults<> integrate_many(Settings const& settings, Expression const& integrand, int variables,
                             std::vector<Box<dynamic>> const& boxes, std::vector<std::vector<double>> const& parameters,
                             Callback const& callback = {},
                             std::source_location where = std::source_location::current());

/// As above by several processes, each of which computes a part of the integrals. All get all results.
ManyResults<> integrate_many(Communicator const& ranks, Settings const& settings, Expression const& integrand,
                             int variables, std::vector<Box<dynamic>> const& boxes,
                             std::vector<std::vector<double>> const& parameters, Callback const& callback = {},
                             std::source_location where = std::source_location::current());

} // namespace kubature::runtime
