#include <kubature/detail/determinant.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace kubature::detail {

double determinant(std::vector<std::vector<double>> rows) {
  double value = 1, lengths = 1;
  for (auto const& row : rows) {
    double length = 0;
    for (double const x : row)
      length = std::hypot(length, x);
    lengths *= length;
  }
  auto const d = rows.size();
  for (std::size_t k = 0; k < d; ++k) {
    auto const pivot = std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(k), rows.end(),
                                        [k](auto& a, auto& b) { return std::abs(a[k]) < std::abs(b[k]); });
    if (pivot != rows.begin() + static_cast<std::ptrdiff_t>(k)) {
      std::swap(*pivot, rows[k]);
      value = -value;
    }
    value *= rows[k][k];
    for (std::size_t i = k + 1; i < d && rows[k][k] != 0; ++i) {
      double const factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j < d; ++j)
        rows[i][j] -= factor * rows[k][j];
    }
  }
  return std::abs(value) <= 1e-14 * lengths ? 0 : value;
}

} // namespace kubature::detail
