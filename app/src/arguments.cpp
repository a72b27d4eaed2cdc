#include "arguments.hpp"

#include "options.hpp"

#include <kubature/expression.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace kubature::app {

std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> parts(1);
  for (char const c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

namespace {

/// A bound is a constant expression that may contain inf for infinity.
double bound(std::string const& side, std::string const& text, std::string const& argument = "--box") {
  try {
    return Expression::parse(text, {"inf", "nan"})({{infinity, std::numeric_limits<double>::quiet_NaN()}});
  } catch (ExpressionError const&) {
    throw BadInput(argument, side,
                   "'" + text + "' is not a " + (argument == "--parameter" ? "value" : "bound") +
                       "; write numbers, inf, pi or constant expressions");
  }
}

} // namespace

std::vector<Side> box(std::string const& text) {
  std::vector<Side> sides;
  for (auto const& part : split(text, ',')) {
    auto const bounds = split(part, ':');
    if (bounds.size() != 2)
      throw BadInput("--box", part.empty() ? text : part,
                     "a side is written lower:upper, and sides are separated by commas");
    sides.push_back({bound(part, bounds[0]), bound(part, bounds[1])});
    try {
      Box<dynamic>{sides.back()};
    } catch (InvalidArgument const& refused) {
      throw BadInput("--box", part, refused.problem());
    }
  }
  return sides;
}

bool names_sides(std::string const& text) {
  auto const in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ' '; };
  auto const end = std::find_if_not(text.begin(), text.end(), in_name);
  return end != text.begin() && end != text.end() &&
         (*end == '~' || (*end == '=' && end + 1 != text.end() && end[1] != '='));
}

std::string shape(std::string const& text) {
  if (text.empty() || !std::isalpha(static_cast<unsigned char>(text[0])) || text.find_first_of("=~") != text.npos)
    throw BadInput("--domain", text, "a shape is needed, such as \"ball 0,0,0 1\"; sides are given by --box");
  return text;
}

std::vector<FormulaParameter> parameters(std::string const& argument, std::string const& text) {
  std::vector<FormulaParameter> all;
  for (auto const& part : split(text, ',')) {
    auto const sides = split(part, '=');
    if (sides.size() != 2 || sides[0].find_first_not_of(' ') == std::string::npos)
      throw BadInput(argument, text, "parameters are written name=number and separated by commas, such as a=3,b=pi/2");
    auto const begin = sides[0].find_first_not_of(' '), end = sides[0].find_last_not_of(' ');
    double const value = bound(text, sides[1], argument);
    if (!std::isfinite(value))
      throw BadInput(argument, part, "the value of a parameter is a finite number");
    all.push_back({sides[0].substr(begin, end + 1 - begin), value});
  }
  return all;
}

std::vector<std::pair<int, int>> ratios(std::string const& argument, std::string const& text) {
  std::vector<std::pair<int, int>> pairs;
  for (auto const& part : split(text, ',')) {
    auto const numbers = split(part, '/');
    int of[2] = {};
    bool good = numbers.size() == 2;
    for (std::size_t k = 0; good && k < 2; ++k) {
      auto const end = numbers[k].data() + numbers[k].size();
      auto const [stop, error] = std::from_chars(numbers[k].data(), end, of[k]);
      good = error == std::errc{} && stop == end && of[k] >= 1;
    }
    if (!good)
      throw BadInput(argument, text,
                     "a ratio is written 1/2, expression 1 over expression 2, and ratios are separated by commas");
    pairs.emplace_back(of[0] - 1, of[1] - 1);
  }
  return pairs;
}

std::uint64_t whole(std::string const& argument, std::string const& text, std::uint64_t least) {
  auto const read = [&](auto& number) {
    auto const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end;
  };
  std::uint64_t number = 0;
  bool good = read(number);
  if (double real = 0; !good && read(real) && real >= 0 && real < 0x1p64) {
    number = static_cast<std::uint64_t>(real);
    good = static_cast<double>(number) == real;
  }
  if (!good || number < least)
    throw BadInput(argument, text, "a whole number, at least " + std::to_string(least) + ", is needed");
  return number;
}

std::string file(std::string const& argument, std::string const& text) {
  if (text.empty())
    throw BadInput(argument, text, "the name of a file is needed");
  return text;
}

std::pair<std::string, Bins> histogram(std::string const& argument, std::string const& text) {
  auto const parts = split(text, ':');
  Bins bins;
  bool good = parts.size() == 4;
  if (good) {
    auto const end = parts[3].data() + parts[3].size();
    auto const [stop, error] = std::from_chars(parts[3].data(), end, bins.count);
    good = error == std::errc{} && stop == end && bins.count >= 1;
  }
  if (!good)
    throw BadInput(argument, text, "a histogram is written observable:lower:upper:bins, such as x+y:0:2:20");
  bins.lower = bound(text, parts[1], argument);
  bins.upper = bound(text, parts[2], argument);
  if (!(bins.lower < bins.upper) || !std::isfinite(bins.upper - bins.lower))
    throw BadInput(argument, text, "the range of the bins must be finite, with its lower end below the upper");
  return {parts[0], bins};
}

} // namespace kubature::app
