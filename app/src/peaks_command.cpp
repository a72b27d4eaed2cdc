#include "commands.hpp"

#include "arguments.hpp"
#include "expression_and_domain.hpp"
#include "processes.hpp"
#include "report.hpp"

#include <kubature/runtime/peaks.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <utility>

namespace kubature::app {
namespace {

using Names = std::vector<std::string>;

/// The correlation of two variables.
struct Pair {
  double correlation = 0;
  std::size_t first = 0, second = 0; ///< equal if there is one variable
};

double sdev(Peak const& peak, std::size_t i) { return std::sqrt(peak.covariance[i * peak.at.size() + i]); }

/// That of the largest magnitude.
Pair most_correlated_pair(Peak const& peak) {
  auto const d = peak.at.size();
  Pair most;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j) {
      double const found = peak.covariance[i * d + j] / (sdev(peak, i) * sdev(peak, j));
      if (most.second == 0 || std::abs(found) > std::abs(most.correlation))
        most = {found, i, j};
    }
  return most;
}

std::string printed(char const* format, int digits, double number) {
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), format, digits, number);
  return text.data();
}

/// With a number of decimal places, and no -0.
std::string fixed(double number, int places) {
  auto const text = printed("%.*f", places, number);
  return text.find_first_not_of("-0.") == std::string::npos ? printed("%.*f", places, 0) : text;
}

/// The number with this logarithm, which may be beyond the range of double.
std::string of_exponential(double logarithm) {
  if (std::abs(logarithm) < 690)
    return printed("%.*g", 4, std::exp(logarithm));
  if (std::isinf(logarithm))
    return logarithm < 0 ? "0" : "inf";
  double const decimal = logarithm / std::numbers::ln10, exponent = std::floor(decimal);
  return printed("%.*g", 4, std::pow(10.0, decimal - exponent)) + printed("e%+.*f", 0, exponent);
}

/// A coordinate, with a digit more than its standard deviation needs.
std::string of_coordinate(double x, double deviation) {
  double const digits = std::log10(std::abs(x) / deviation) + 3;
  return printed("%.*g", digits > 6 ? static_cast<int>(std::min(digits, 17.0)) : 6, x) + " (" +
         printed("%.*g", 3, deviation) + ')';
}

std::string of_pair(Pair const& pair, Names const& variables) {
  return fixed(pair.correlation, 2) + ' ' + variables[pair.first] + ',' + variables[pair.second];
}

/// A heading and a line for each peak.
std::vector<std::vector<std::string>> table(std::vector<Peak> const& peaks, Names const& variables) {
  bool const several = variables.size() > 1;
  std::vector<std::vector<std::string>> lines{{"log height", "height", "log integral", "integral"}};
  if (several)
    lines[0].emplace_back("correlation");
  for (auto const& name : variables)
    lines[0].push_back(name + " (deviation)");
  for (auto const& peak : peaks) {
    double const integral = log_integral(peak);
    lines.push_back(
        {fixed(peak.log_height, 4), of_exponential(peak.log_height), fixed(integral, 4), of_exponential(integral)});
    if (several)
      lines.back().push_back(of_pair(most_correlated_pair(peak), variables));
    for (std::size_t i = 0; i < variables.size(); ++i)
      lines.back().push_back(of_coordinate(peak.at[i], sdev(peak, i)));
  }
  return lines;
}

void print_table(std::vector<std::vector<std::string>> const& lines) {
  std::vector<std::size_t> widths(lines[0].size());
  for (auto const& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  for (auto const& line : lines) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      std::cout << std::left << std::setw(static_cast<int>(widths[i]) + 2) << line[i];
    std::cout << line.back() << '\n';
  }
}

Json as_json(Peak const& peak, Names const& variables) {
  auto const d = variables.size();
  Json sdevs = Json::array(), covariance = Json::array(), largest;
  for (std::size_t i = 0; i < d; ++i) {
    sdevs.push_back(sdev(peak, i));
    auto const row = peak.covariance.begin() + static_cast<std::ptrdiff_t>(i * d);
    covariance.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(d)));
  }
  if (auto const pair = most_correlated_pair(peak); d > 1)
    largest = {{"value", pair.correlation}, {"variables", {variables[pair.first], variables[pair.second]}}};
  double const integral = log_integral(peak);
  return {{"at", peak.at},
          {"log_height", peak.log_height},
          {"height", std::exp(peak.log_height)},
          {"sdev", sdevs},
          {"covariance", covariance},
          {"largest_correlation", largest},
          {"log_integral", integral},
          {"integral", std::exp(integral)}};
}

} // namespace

int peaks_command(Options const& options) {
  auto const [expressions, domain] = expression_and_domain<Expressions>(options);
  PeakOptions search;
  for (auto const& [name, number] : {std::pair("evaluations", &search.evaluations), std::pair("seed", &search.seed)})
    if (auto const given = options.given.find(name); given != options.given.end())
      *number = whole(flag(name), given->second);
  auto const box = domain ? domain->sides() : box_for(options, expressions.dimension());
  auto const variables = domain ? domain->variables() : expressions.variables();

  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  auto peaks =
      domain ? runtime::find_peaks(expressions, *domain, search) : runtime::find_peaks(expressions, box, search);
  auto const found = peaks.size();
  std::uint64_t const limit = options.limit > 0 ? options.limit : options.json ? found : 10;
  peaks.resize(std::min<std::uint64_t>(found, limit));
  if (options.json) {
    Json list = Json::array();
    for (auto const& peak : peaks)
      list.push_back(as_json(peak, variables));
    print({{"variables", variables},
           {"evaluations", search.evaluations},
           {"seed", search.seed},
           {"found", found},
           {"peaks", list}});
    return success;
  }
  if (peaks.empty())
    std::cout << "no peak: the expression was zero, or not finite, wherever it was evaluated\n";
  else
    print_table(table(peaks, variables));
  if (peaks.size() < found)
    std::cout << found - peaks.size() << " lower " << (found - peaks.size() == 1 ? "one" : "ones") << ": --limit "
              << found << " prints all\n";
  std::cout.flush();
  return success;
}

} // namespace kubature::app
