#pragma once

#include <kubature/box.hpp>

#include <array>

namespace kubature::perf {

/// The integrals of a function of the paper on mixed precision (table A1) over a rectangle, from the same points, drawn
/// in double precision: everything else in single, double and extended precision, sums included, which are made of
/// partial sums of 4096 values as threads of a GPU make them. Values that are not finite count as zero.
/// @param function from 0, in the order of `functions` in mixed_precision.cpp
std::array<long double, 3> integrals_by_format(int function, Side x, Side y, int points);

} // namespace kubature::perf
