#pragma once

#include <kubature/detail/cholesky.hpp>
#include <kubature/detail/symmetric.hpp>

#include <cstddef>
#include <vector>

namespace kubature::detail {

/// The numbers of a StudentMap; none if the covariance has no Cholesky factor.
/// @param covariance symmetric to within rounding
inline std::vector<double> map_numbers(std::vector<double> centre, Matrix const& covariance) {
  auto const d = covariance.rows();
  std::vector<std::vector<double>> rows(d, std::vector<double>(d));
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      rows[i][j] = (covariance(i, j) + covariance(j, i)) / 2;
  auto const [factor, problem] = cholesky(rows);
  if (!problem.empty())
    return {};
  for (std::size_t i = 0; i < d; ++i)
    centre.insert(centre.end(), factor[i].begin(), factor[i].begin() + static_cast<std::ptrdiff_t>(i + 1));
  return centre;
}

} // namespace kubature::detail
