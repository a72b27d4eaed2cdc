#pragma once

#include <kubature/several_result.hpp>

namespace kubature::runtime {

/// What integrating several components returns, as many as are known at run time: expressions, or values that a
/// function of batches gives at a point.
using kubature::SeveralResult;

} // namespace kubature::runtime
