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

/// Computes many integrals of one expression, over its first variables and at many values of the others, by method
/// pagani, vegas+ or auto in precision fp64; throws InvalidArgument for others. See kubature::integrate_many.
///
/// By `auto`, those that PAGANI does not finish, as they need more parts or have values that are not finite, are
/// integrated by `auto` one after the other: for at most auto_seconds each, where there is no limit of seconds or
/// evaluations.
///
/// @param variables  the number of the expression's variables that are integrated over, at least one
/// @param boxes      one per integral, or one for all
/// @param parameters the values of the other variables, one list per integral; an empty one if there are none
ManyResults<> integrate_many(Settings const& settings, Expression const& integrand, int variables,
                             std::vector<Box<dynamic>> const& boxes, std::vector<std::vector<double>> const& parameters,
                             Callback const& callback = {},
                             std::source_location where = std::source_location::current());

/// As above, on several ranks, each of which computes part of the integrals. All ranks receive all results.
ManyResults<> integrate_many(Communicator const& ranks, Settings const& settings, Expression const& integrand,
                             int variables, std::vector<Box<dynamic>> const& boxes,
                             std::vector<std::vector<double>> const& parameters, Callback const& callback = {},
                             std::source_location where = std::source_location::current());

} // namespace kubature::runtime
