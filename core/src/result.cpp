#include <kubature/result.hpp>

#include <cstdio>

namespace kubature {
namespace {

template <class... Args>
std::string print(char const* pattern, Args... args) {
  char text[400];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

int decimal_exponent(double x) { return static_cast<int>(std::floor(std::log10(std::abs(x)))); }

/// The digits of a double after the first, at most: further ones are not written.
constexpr int most_digits = 17;

/// x / 10^n, also where 10^n is not a normal number.
double scaled(double x, int n) { return n < -300 ? x * 1e300 / std::pow(10.0, n + 300) : x / std::pow(10.0, n); }

} // namespace

std::string_view to_string(Status status) {
  switch (status) {
  case Status::converged:
    return "converged";
  case Status::completed:
    return "completed";
  case Status::evaluation_limit:
    return "evaluation_limit";
  case Status::iteration_limit:
    return "iteration_limit";
  case Status::time_limit:
    return "time_limit";
  case Status::precision_limit:
    return "precision_limit";
  case Status::memory_exhausted:
    return "memory_exhausted";
  case Status::non_finite:
    return "non_finite";
  case Status::no_variance:
    return "no_variance";
  case Status::stopped:
    return "stopped";
  }
  return "unknown";
}

std::string format(double value, double error) {
  if (!std::isfinite(value) || !std::isfinite(error))
    return print("%g(%g)", value, error);
  if (error <= 0)
    return print("%.15g(0)", value);

  // The last digit shown is worth 10^last: it is the first digit of the error, or the second if the first is a 1.
  int last = decimal_exponent(error);
  if (scaled(error, last) < 1.95)
    --last;
  int const lead = std::max(value == 0 ? last : decimal_exponent(value), last);
  if (lead - last > most_digits)
    return print("%.15g(%.1g)", value, error);
  double const digits = std::round(scaled(error, last));
  if (last <= 0 && lead >= -4 && lead < 7)
    return print("%.*f(%.0f)", -last, value, digits);
  return print("%.*f(%.0f)e%+03d", lead - last, scaled(value, lead), digits, lead);
}

std::string detail::describe(Status status, std::size_t iterations, double chi2_per_dof, std::uint64_t evaluations,
                             std::uint64_t regions, std::uint64_t non_finite, double seconds) {
  auto text = std::string(to_string(status)) + print(" after %zu iteration%s", iterations, iterations == 1 ? "" : "s");
  if (!std::isnan(chi2_per_dof))
    text += print(chi2_per_dof < 1e4 ? ", chi2/dof %.2f" : ", chi2/dof %.2g", chi2_per_dof);
  text += print(", %.2g evaluations", static_cast<double>(evaluations));
  if (regions > 0)
    text += print(", %llu regions", static_cast<unsigned long long>(regions));
  if (non_finite > 0)
    text += print(", %llu values not finite", static_cast<unsigned long long>(non_finite));
  return text + (seconds < 1 ? print(", %.2g ms", 1e3 * seconds) : print(", %.3g s", seconds));
}

} // namespace kubature
