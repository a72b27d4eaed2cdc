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
  bool const few = components() <= most_correlated && ratios.empty() && observable.empty() && map.empty();
  bool const explains_precisions = explain && precision == runtime::adaptive_name;
  auto const chosen_for = settings(automatic);
  // The tolerance of a call without one is beyond reduced precisions.
  bool const tolerable = chosen_for.own_tolerance()
                             ? precision.empty() || precision == "fp64" || precision == "adaptive"
                             : chosen_for.tolerance().asked();
  bool const suits = few && !explains_precisions && tolerable && std::ranges::all_of(given, served);
  return suits ? automatic : runtime::methods().front().name;
}

int Options::components() const {
  auto const each = complex ? 2 : derivatives ? 1 + parameters.size() : 1;
  return Expressions::count(expression) * static_cast<int>(each);
}

std::vector<std::string> Options::component_names() const {
  std::vector<std::string> parts, names;
  if (complex)
    parts = {"re", "im"};
  else if (derivatives) {
    parts = {"integral"};
    for (auto const& parameter : parameters)
      parts.push_back("d/d" + parameter.name);
  }
  int const formulas = Expressions::count(expression);
  for (int k = 1; k <= formulas; ++k)
    for (auto const& part : parts)
      names.push_back(formulas == 1 ? part : std::to_string(k) + ": " + part);
  return names;
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
