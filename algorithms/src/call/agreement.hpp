#pragma once

#include <kubature/several_result.hpp>

namespace kubature::detail {

/// Whether two results differ by at most this many of their errors in every component.
bool agree(SeveralResult const& a, SeveralResult const& b, double errors);

} // namespace kubature::detail
