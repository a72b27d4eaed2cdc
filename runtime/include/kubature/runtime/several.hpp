#pragma once

#include <kubature/several_result.hpp>

namespace kubature::runtime {

/// What integrating several expressions returns.
using kubature::SeveralResult;

} // namespace kubature::runtime
