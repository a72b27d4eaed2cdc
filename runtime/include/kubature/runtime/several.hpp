#pragma once

#include <kubature/several_result.hpp>

namespace kubature::runtime {

/// The result of integrating several components, whose number is known at run time: expressions, or the values of a
/// function that evaluates batches.
using kubature::SeveralResult;

} // namespace kubature::runtime
