#include <kubature/detail/cholesky.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>

namespace kubature::detail {

Cholesky cholesky(std::vector<std::vector<double>> const& covariance) {
  auto const d = covariance.size();
  Cholesky result{std::vector<std::vector<double>>(d, std::vector<double>(d)), {}};
  auto const refuse = [&](auto const&... parts) {
    std::ostringstream sentence;
    sentence << "the covariance ";
    (sentence << ... << parts);
    result.problem = sentence.str();
    return result;
  };
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double const a = covariance[i][j], b = covariance[j][i];
      double const scale = std::sqrt(std::abs(covariance[i][i]) * std::abs(covariance[j][j]));
      if (!std::isfinite(a) || !std::isfinite(b))
        return refuse("has the entry ", std::isfinite(a) ? b : a, ", which is not finite");
      if (std::abs(a - b) > 1e-12 * scale)
        return refuse("is not symmetric: row ", i + 1, " has ", a, " in column ", j + 1, ", and row ", j + 1, " has ",
                      b, " in column ", i + 1);
    }
  auto& l = result.factor;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = covariance[i][j];
      for (std::size_t k = 0; k < j; ++k)
        sum -= l[i][k] * l[j][k];
      if (i != j) {
        l[i][j] = sum / l[j][j];
        continue;
      }
      double const rounding = 4 * static_cast<double>(d) * std::numeric_limits<double>::epsilon() * covariance[i][i];
      if (!(sum > rounding))
        return refuse("is not positive definite: the variance of variable ", i + 1,
                      i == 0 ? "" : ", given those before,", " is ", std::abs(sum) <= rounding ? 0 : sum);
      l[i][i] = std::sqrt(sum);
    }
  return result;
}

} // namespace kubature::detail
