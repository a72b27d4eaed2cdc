#include "options.hpp"

#include <kubature/covariance.hpp>
#include <kubature/expressions.hpp>
#include <kubature/runtime/options.hpp>

#include <algorithm>

namespace kubature::app {
namespace {

constexpr std::string_view automatic = "auto";

} // namespace

std::string_view Options::method_or_default() const {
  if (!method.empty())
    return method;
  runtime::Settings const chosen(automatic);
  // The number of evaluations per iteration belongs to methods that have iterations.
  auto const served = [&](auto const& option) {
    return chosen.has(option.first) && option.first != "evaluations" && option.first != "iterations";
  };
  bool const few = Expressions::count(expression) <= most_correlated && ratios.empty();
  bool const suits = few && observable.empty() && map.empty() && !explain && std::ranges::all_of(given, served) &&
                     settings(automatic).tolerance().asked();
  return suits ? automatic : runtime::methods().front().name;
}

runtime::Settings Options::settings(std::string_view name) const {
  runtime::Settings settings(name, precision);
  for (auto const& [option, value] : given)
    try {
      if (settings.has(option))
        settings.set(option, value);
    } catch (InvalidArgument const&) {
      // Another method may have an option with this name and other choices.
      if (!method.empty() || runtime::find_option(option).kind != runtime::Kind::choice)
        throw;
    }
  return settings;
}

std::string flag(std::string_view option) {
  std::string text = "--" + std::string(option);
  std::ranges::replace(text, '_', '-');
  return text;
}

} // namespace kubature::app
