#include "handles.hpp"

#include <kubature/detail/normal.hpp>
#include <kubature/detail/path_matrix.hpp>

#include <array>
#include <cstddef>
#include <string_view>

using namespace kubature;
using namespace kubature::c;

namespace {

PathBy path_by(std::string_view name) {
  constexpr std::array names{"steps", "bridge", "principal"};
  for (std::size_t k = 0; k < names.size(); ++k)
    if (name == names[k])
      return static_cast<PathBy>(k);
  throw InvalidArgument("by", std::string(name), "must be steps, bridge or principal");
}

} // namespace

int kubature_normal_quantiles(int64_t count, double const* p, double* z) {
  return guarded([&] {
    given(p, "p");
    given(z, "z");
    require(count >= 0, "count", count, "must not be negative");
    for (int64_t k = 0; k < count; ++k)
      z[k] = detail::normal_number(p[k]);
  });
}

int kubature_path_matrix(int dates, double const* covariance, char const* by, double* matrix) {
  return guarded([&] {
    given(covariance, "covariance");
    given(matrix, "matrix");
    require(dates >= 1, "dates", dates, "at least one is needed");
    auto const n = static_cast<std::size_t>(dates);
    detail::Matrix of(n, n);
    for (std::size_t k = 0; k < n * n; ++k)
      of(k / n, k % n) = covariance[k];
    auto const made = detail::path_matrix(std::move(of), path_by(given_text(by, "by")));
    for (std::size_t k = 0; k < n * n; ++k)
      matrix[k] = made(k / n, k % n);
  });
}
