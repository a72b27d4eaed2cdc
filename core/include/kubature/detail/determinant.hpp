#pragma once

#include <vector>

namespace kubature::detail {

/// The determinant of a square matrix, by elimination with partial pivoting; 0 where it is below 1e-14 times the
/// product of the rows' lengths, and so a rounding error.
double determinant(std::vector<std::vector<double>> rows);

} // namespace kubature::detail
