#include <kubature/precision_choice.hpp>

#include <kubature/detail/policies/precision_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace kubature {
namespace {

constexpr double epsilon[format_count] = {0x1p-10, 0x1p-23, 0x1p-52};
constexpr Format all_formats[format_count] = {Format::binary16, Format::binary32, Format::binary64};

int index(Format format) { return static_cast<int>(format); }

} // namespace

double predicted_error(Format format, PrecisionChoice const& seen) {
  double const sigma = std::sqrt(seen.variance);
  double const largest = std::max({seen.average, sigma, 1e-10}), gradient = std::max(seen.gradient, 1.0);
  return epsilon[index(format)] * (largest * gradient * std::sqrt(static_cast<double>(seen.operations)) + sigma);
}

Format predicted_format(PrecisionChoice const& seen, double tolerance) {
  for (Format const format : all_formats)
    if (predicted_error(format, seen) <= tolerance)
      return format;
  return Format::binary64;
}

std::ostream& operator<<(std::ostream& out, std::span<PrecisionChoice const> choices) {
  std::size_t width = 4;
  for (auto const& choice : choices)
    width = std::max(width, std::min<std::size_t>(choice.name.size(), 44));
  char line[400];
  auto const print = [&](auto... args) {
    std::snprintf(line, sizeof line, args...);
    out << line;
  };
  print("%-*s  %-6s %9s %9s %9s %5s %9s %9s %9s %9s\n", static_cast<int>(width), "part", "format", "average",
        "variance", "gradient", "ops", "pred.fp16", "pred.fp32", "obs.fp16", "obs.fp32");
  for (auto const& choice : choices) {
    auto const name = choice.name.size() <= width ? choice.name : choice.name.substr(0, width - 3) + "...";
    print("%-*s  %-6s %9.2e %9.2e %9.2e %5d %9.1e %9.1e %9.1e %9.1e", static_cast<int>(width), name.c_str(),
          std::string(to_string(choice.format)).c_str(), choice.average, choice.variance, choice.gradient,
          choice.operations, choice.predicted[0], choice.predicted[1], choice.observed[0], choice.observed[1]);
    if (choice.non_finite > 0)
      print("  %llu of %llu values not finite", static_cast<unsigned long long>(choice.non_finite),
            static_cast<unsigned long long>(choice.points + choice.non_finite));
    out << '\n';
  }
  return out;
}

std::string summary(std::span<PrecisionChoice const> choices, std::string_view parts) {
  std::string text;
  for (Format const format : all_formats) {
    auto const count = std::ranges::count(choices, format, &PrecisionChoice::format);
    if (count == static_cast<std::ptrdiff_t>(choices.size()))
      return std::string(to_string(format));
    if (count == 0)
      continue;
    text += text.empty() ? std::to_string(count) + " of " + std::to_string(choices.size()) + ' ' + std::string(parts)
                         : ", " + std::to_string(count);
    text += ' ' + std::string(to_string(format));
  }
  return text;
}

void detail::choose_formats(std::vector<PrecisionChoice>& choices, double tolerance, FormatCosts costs) {
  auto const work = [](PrecisionChoice const& choice) { return choice.share * std::max(choice.operations, 1); };
  auto const rounding = [](PrecisionChoice const& choice, Format format) {
    return format == Format::binary64 ? 0.0 : choice.share * choice.bound[index(format)];
  };
  auto const cost = [&](Format format) { return costs.of[index(format)]; };

  double spent = 0;
  for (auto& choice : choices) {
    choice.format = Format::binary64;
    choice.tolerance = tolerance;
  }
  std::vector<std::size_t> order(choices.size());
  for (Format const format : {Format::binary32, Format::binary16}) {
    if (format < costs.lowest)
      continue;
    auto const saving = [&](PrecisionChoice const& choice) {
      return work(choice) * (cost(choice.format) - cost(format));
    };
    auto const price = [&](std::size_t i) {
      auto const& choice = choices[i];
      return (rounding(choice, format) - rounding(choice, choice.format)) / saving(choice);
    };
    std::vector<double> prices(choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) {
      bool const suitable = choices[i].bound[index(format)] <= tolerance && saving(choices[i]) > 0; // false for NaN
      prices[i] = suitable ? price(i) : std::numeric_limits<double>::infinity();
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return prices[i]; });
    for (std::size_t const i : order) {
      auto& choice = choices[i];
      double const more = rounding(choice, format) - rounding(choice, choice.format);
      if (std::isinf(prices[i]) || spent + more > tolerance)
        break;
      choice.format = format;
      spent += more;
    }
  }
}

void detail::predict_formats(std::vector<PrecisionChoice>& choices, double tolerance, FormatCosts costs) {
  for (auto& choice : choices) {
    choice.tolerance = tolerance;
    choice.format = std::max(predicted_format(choice, tolerance), costs.lowest);
    while (choice.format != Format::binary64 && std::isnan(choice.observed[index(choice.format)]))
      choice.format = all_formats[index(choice.format) + 1];
  }
}

bool detail::spare(std::vector<PrecisionChoice>& choices, std::size_t parts, FormatCosts costs, double overhead,
                   bool by_sums) {
  double const least_gain = policy<PrecisionPolicy>().least_gain;
  auto const is_low = [](PrecisionChoice const& choice) { return choice.format != Format::binary64; };
  bool const any_before = std::ranges::any_of(choices, is_low);
  for (std::size_t first = 0; first < choices.size(); first += parts) {
    std::span<PrecisionChoice> const region(choices.data() + first, parts);
    auto const formats = std::ranges::count_if(all_formats, [&](Format format) {
      return std::ranges::any_of(region, [&](auto const& choice) { return choice.format == format; });
    });
    auto const pieces = static_cast<double>(by_sums ? static_cast<std::size_t>(formats) : parts);
    double cost = formats > 1 ? pieces * overhead * costs.of[index(Format::binary64)] : 0, all = 0;
    for (auto const& choice : region) {
      cost += std::max(choice.operations, 1) * costs.of[index(choice.format)];
      all += std::max(choice.operations, 1) * costs.of[index(Format::binary64)];
    }
    if (cost > (1 - least_gain) * all)
      for (auto& choice : region)
        choice.format = Format::binary64;
  }
  return any_before && std::ranges::none_of(choices, is_low);
}

} // namespace kubature
