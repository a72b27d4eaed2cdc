#include <kubature/detail/allowed_errors.hpp>

#include <kubature/detail/error_norms.hpp>

#include <cmath>

namespace kubature::detail {

std::vector<double> allowed_errors(Tolerance const& tolerance, std::span<double const> values,
                                   std::span<double const> errors) {
  auto const components = static_cast<int>(values.size());
  std::vector<double> allowed;
  while (static_cast<int>(allowed.size()) < components) {
    auto const [first, last] = ComponentGroup::of(tolerance.norm, static_cast<int>(allowed.size()), components);
    Norm value{tolerance.norm}, error{tolerance.norm};
    for (int c = first; c < last; ++c) {
      value.add(std::abs(values[static_cast<std::size_t>(c)]));
      error.add(errors[static_cast<std::size_t>(c)]);
    }
    double const bound = tolerance.allowed(value.value);
    bool const shared = tolerance.norm != ErrorNorm::individual && tolerance.norm != ErrorNorm::max;
    for (int c = first; c < last; ++c) {
      double const own = errors[static_cast<std::size_t>(c)];
      allowed.push_back(shared && own > 0 && std::isfinite(error.value) ? bound * (own / error.value) : bound);
    }
  }
  return allowed;
}

} // namespace kubature::detail
