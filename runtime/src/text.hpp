#pragma once

#include <kubature/channel_use.hpp>
#include <kubature/covariance.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/driver.hpp>
#include <kubature/error_norm.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/qmc_choices.hpp>
#include <kubature/result.hpp>
#include <kubature/runtime/options.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Conversion of option values to text and back.

namespace kubature::runtime {

template <class Enum>
struct Choices;

template <>
struct Choices<Rule> {
  static constexpr std::array<std::pair<std::string_view, Rule>, 6> all{{{"automatic", Rule::automatic},
                                                                         {"7", Rule::degree_7},
                                                                         {"9", Rule::degree_9},
                                                                         {"11", Rule::degree_11},
                                                                         {"13", Rule::degree_13},
                                                                         {"gauss-kronrod", Rule::gauss_kronrod}}};
};
template <>
struct Choices<NonFinite> {
  static constexpr std::array<std::pair<std::string_view, NonFinite>, 3> all{
      {{"error", NonFinite::error}, {"discard", NonFinite::discard}, {"propagate", NonFinite::propagate}}};
};
template <>
struct Choices<Strategy> {
  static constexpr std::array<std::pair<std::string_view, Strategy>, 4> all{{{"automatic", Strategy::automatic},
                                                                             {"term", Strategy::term},
                                                                             {"region", Strategy::region},
                                                                             {"hybrid", Strategy::hybrid}}};
};

template <>
struct Choices<Channels> {
  static constexpr std::array<std::pair<std::string_view, Channels>, 3> all{
      {{"never", Channels::never}, {"automatic", Channels::automatic}, {"always", Channels::always}}};
};
template <>
struct Choices<Covariance> {
  static constexpr std::array<std::pair<std::string_view, Covariance>, 3> all{
      {{"none", Covariance::none}, {"diagonal", Covariance::diagonal}, {"full", Covariance::full}}};
};
template <>
struct Choices<Driver> {
  static constexpr std::array<std::pair<std::string_view, Driver>, 3> all{
      {{"balanced", Driver::balanced}, {"first", Driver::first}, {"sum", Driver::sum_of_magnitudes}}};
};
template <>
struct Choices<ErrorNorm> {
  static constexpr std::array<std::pair<std::string_view, ErrorNorm>, 5> all{{{"individual", ErrorNorm::individual},
                                                                              {"paired", ErrorNorm::paired},
                                                                              {"l1", ErrorNorm::l1},
                                                                              {"l2", ErrorNorm::l2},
                                                                              {"max", ErrorNorm::max}}};
};
template <>
struct Choices<QmcRule> {
  static constexpr std::array<std::pair<std::string_view, QmcRule>, 2> all{
      {{"lattice", QmcRule::lattice}, {"sobol", QmcRule::sobol}}};
};
template <>
struct Choices<QmcTransform> {
  static constexpr std::array<std::pair<std::string_view, QmcTransform>, 6> all{{{"automatic", QmcTransform::automatic},
                                                                                 {"none", QmcTransform::none},
                                                                                 {"tent", QmcTransform::tent},
                                                                                 {"korobov1", QmcTransform::korobov1},
                                                                                 {"korobov2", QmcTransform::korobov2},
                                                                                 {"korobov3", QmcTransform::korobov3}}};
};
template <>
struct Choices<QmcMap> {
  static constexpr std::array<std::pair<std::string_view, QmcMap>, 5> all{{{"automatic", QmcMap::automatic},
                                                                           {"none", QmcMap::none},
                                                                           {"linear", QmcMap::linear},
                                                                           {"smooth", QmcMap::smooth},
                                                                           {"rotated", QmcMap::rotated}}};
};

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::optional<bool>>)
    return Kind::flag;
  else if constexpr (std::is_integral_v<T>)
    return Kind::whole;
  else if constexpr (std::is_floating_point_v<T>)
    return Kind::real;
  else if constexpr (std::is_enum_v<T>)
    return Kind::choice;
  else if constexpr (std::is_same_v<T, std::string>)
    return Kind::file;
  else
    return Kind::reals;
}

inline std::string write(bool value) { return value ? "true" : "false"; }
inline std::string write(std::optional<bool> value) { return value ? write(*value) : "automatic"; }
inline std::string write(std::string const& value) { return value; }
template <class Number>
  requires std::is_arithmetic_v<Number>
std::string write(Number value) {
  if (std::is_integral_v<Number> && value == std::numeric_limits<Number>::max())
    return "inf";
  if constexpr (std::is_floating_point_v<Number>)
    if (value == own_choice)
      return "automatic";
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}
template <class Enum>
  requires std::is_enum_v<Enum>
std::string write(Enum value) {
  for (auto const& [name, each] : Choices<Enum>::all)
    if (each == value)
      return std::string(name);
  return {};
}
inline std::string write(Driver value) {
  return static_cast<int>(value) > 0 ? write(static_cast<int>(value) + 1) : write<Driver>(value);
}
inline std::string write(std::span<double const> values) {
  std::string text;
  for (double const value : values)
    text += (text.empty() ? "" : ",") + write(value);
  return text;
}

/// Reads the whole text as a number.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// read() either sets the value and returns an empty text, or leaves it unchanged and returns an error message.
using Problem = std::string;

inline Problem read(std::string_view text, bool& value) {
  bool const yes = text == "true" || text == "1";
  if (!yes && text != "false" && text != "0")
    return "must be true or false";
  value = yes;
  return {};
}

/// An empty value stands for automatic.
inline Problem read(std::string_view text, std::optional<bool>& value) {
  if (text == "automatic") {
    value.reset();
    return {};
  }
  bool said = false;
  if (!read(text, said).empty())
    return "must be true, false or automatic";
  value = said;
  return {};
}

/// A number, or "automatic" if that is the default.
inline Problem read(std::string_view text, double& value) {
  if (text == "automatic" && value == own_choice)
    return {};
  auto const said = number<double>(text);
  if (!said)
    return "must be a number";
  value = *said;
  return {};
}

inline Problem read(std::string_view text, std::string& value) {
  value = text;
  return {};
}

/// A whole number, which may be written as 1e6, or "inf" if it is unlimited by default.
template <class Whole>
  requires std::is_integral_v<Whole>
Problem read(std::string_view text, Whole& value) {
  using Limits = std::numeric_limits<Whole>;
  if (text == "inf" && value == Limits::max())
    return {};
  if (auto const digits = number<Whole>(text)) {
    value = *digits;
    return {};
  }
  auto const real = number<double>(text);
  if (!real || !std::isfinite(*real) || *real != std::floor(*real))
    return "must be a whole number";
  double const end = std::ldexp(1, Limits::digits); // the first number that is too large
  if (*real >= end)
    return "must be a whole number, at most " + std::to_string(Limits::max());
  if (*real < static_cast<double>(Limits::min()))
    return "must be a whole number, at least " + std::to_string(Limits::min());
  value = static_cast<Whole>(*real);
  return {};
}

template <class Enum>
  requires std::is_enum_v<Enum>
Problem read(std::string_view text, Enum& value) {
  Problem known;
  for (auto const& [name, each] : Choices<Enum>::all) {
    if (text == name) {
      value = each;
      return {};
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return "must be one of " + known;
}

/// A component may also be given by its number.
inline Problem read(std::string_view text, Driver& value) {
  auto const number_of = number<int>(text);
  if (!number_of)
    return read<Driver>(text, value);
  if (*number_of < 1)
    return "components are counted from 1";
  value = component(*number_of - 1);
  return {};
}

inline Problem read(std::string_view text, std::vector<double>& value) {
  std::vector<double> all;
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    auto const said = number<double>(text.substr(begin, end - begin));
    if (!said || !std::isfinite(*said) || end + 1 == text.size())
      return "must be numbers separated by commas";
    all.push_back(*said);
    begin = end + 1;
  }
  value = std::move(all);
  return {};
}

template <std::size_t N>
Problem read(std::string_view text, std::array<double, N>& value) {
  std::vector<double> all;
  if (!read(text, all).empty() || all.size() != N)
    return "must be " + std::to_string(N) + " numbers separated by commas";
  std::ranges::copy(all, value.begin());
  return {};
}

} // namespace kubature::runtime
