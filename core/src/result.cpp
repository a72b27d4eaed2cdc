#include <kubature/result.hpp>

#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

namespace kubature {
namespace {

template <class... Args>
std::string formatted(char const* pattern, Args... args) {
  char text[400];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

int decimal_exponent(double x) { return static_cast<int>(std::floor(std::log10(std::abs(x)))); }

/// The digits of a double after the first, at most: further ones are not written.
constexpr int max_digits = 17;

/// x / 10^n, also where 10^n is not a normal number.
double scaled(double x, int n) { return n < -300 ? x * 1e300 / std::pow(10.0, n + 300) : x / std::pow(10.0, n); }

constexpr int max_in_table = 10;

/// The correlations as the lower triangle of a matrix, one line per component; empty if there are too many to read.
std::string correlation_table(int components, std::span<double const> correlations) {
  if (correlations.empty() || components > max_in_table)
    return {};
  std::string text = "\n  correlations";
  for (int j = 0; j < components; ++j) {
    text += "\n ";
    for (int i = 0; i <= j; ++i)
      text += formatted(" %6.3f", i == j ? 1.0 : correlations[static_cast<std::size_t>(detail::pair_place(i, j))]);
  }
  return text;
}

} // namespace

std::string_view to_string(Status status) {
  constexpr std::string_view names[] = {"converged",   "completed",       "evaluation_limit", "iteration_limit",
                                        "time_limit",  "precision_limit", "memory_exhausted", "non_finite",
                                        "no_variance", "stopped"};
  auto const place = static_cast<std::size_t>(status);
  return place < std::size(names) ? names[place] : "unknown";
}

std::string format(double value, double error) {
  if (!std::isfinite(value) || !std::isfinite(error))
    return formatted("%g(%g)", value, error);
  if (error <= 0)
    return formatted("%.15g(0)", value);

  // The last digit shown is worth 10^last: it is the first digit of the error, or the second if the first is a 1.
  int last = decimal_exponent(error);
  if (scaled(error, last) < 1.95)
    --last;
  int const lead = std::max(value == 0 ? last : decimal_exponent(value), last);
  if (lead - last > max_digits)
    return formatted("%.15g(%.1g)", value, error);
  double const digits = std::round(scaled(error, last));
  if (last <= 0 && lead >= -4 && lead < 7)
    return formatted("%.*f(%.0f)", -last, value, digits);
  return formatted("%.*f(%.0f)e%+03d", lead - last, scaled(value, lead), digits, lead);
}

std::string detail::text_of_count(std::uint64_t n) {
  if (n >= 10'000'000'000)
    return formatted("%.2g", static_cast<double>(n));
  auto text = std::to_string(n);
  for (auto place = text.size(); place > 3;)
    text.insert(place -= 3, ",");
  return text;
}

std::string detail::text_of_seconds(double seconds) {
  double const ms = 1e3 * seconds;
  if (ms < 500)
    return formatted(ms < 99.5 ? "%.2g ms" : "%.0f ms", ms);
  if (seconds < 999.5)
    return formatted(seconds < 1 ? "%.2f s" : "%.3g s", seconds);
  return text_of_count(static_cast<std::uint64_t>(std::llround(seconds))) + " s";
}

std::string detail::describe(CallRecord const& record, std::size_t iterations, double chi2_per_dof) {
  auto text = std::string(to_string(record.status)) + " after " + text_of_count(iterations) +
              (iterations == 1 ? " iteration" : " iterations");
  if (!std::isnan(chi2_per_dof))
    text += formatted(chi2_per_dof < 1e4 ? ", chi2/dof %.2f" : ", chi2/dof %.2g", chi2_per_dof);
  auto const add = [&](std::uint64_t n, char const* one, char const* several) {
    text += ", " + text_of_count(n) + (n == 1 ? one : several);
  };
  add(record.evaluations, " evaluation", " evaluations");
  if (record.regions > 0)
    add(record.regions, " region", " regions");
  if (record.non_finite > 0)
    add(record.non_finite, " value not finite", " values not finite");
  return text + ", " + text_of_seconds(record.seconds) + (record.method.empty() ? "" : " by " + record.method);
}

void detail::print(std::ostream& out, CallRecord const& record, std::size_t iterations, std::span<double const> value,
                   std::span<double const> error, std::span<double const> chi2_per_dof) {
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t c = 0; c < value.size(); ++c) {
    out << format(value[c], error[c]) << "  ";
    chi2 = std::fmax(chi2, chi2_per_dof[c]);
  }
  bool const jointly = value.size() > 1 && record.dof > 0;
  out << describe(record, iterations, jointly ? record.chi2 / record.dof : chi2)
      << correlation_table(static_cast<int>(value.size()), record.correlations);
  for (auto const& remark : record.remarks)
    out << "\n  " << remark;
}

} // namespace kubature
