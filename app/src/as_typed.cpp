#include "command_line.hpp"

#include <kubature/runtime/options.hpp>

#include <algorithm>

namespace kubature::app {
namespace {

bool is_argument(std::string_view name) {
  return name == "method" || name == "precision" ||
         std::ranges::find(runtime::options(), name, &runtime::OptionInfo::name) != runtime::options().end();
}

} // namespace

BadInput as_typed(InvalidArgument const& refused, Options const& options) {
  std::string name = refused.argument(), problem = refused.problem();
  auto const typed_as = [&](char const* option) {
    auto const typed = options.typed.find(option);
    return typed != options.typed.end() && typed->second == refused.value();
  };
  if (name == "expression" || name == "number of expressions")
    name = "EXPR";
  else if (name == "variable" || name == "number of variables")
    name = options.typed.count("--vars") ? "--vars" : "EXPR";
  else if (name.starts_with("parameter"))
    name = "--parameter";
  else if (name == "box" || name == "domain" || name == "breaks")
    name = name == "breaks" ? "--break" : "--" + name;
  else if (name == "file" && typed_as("--checkpoint"))
    name = "--checkpoint";
  else if (name == "file" || name.starts_with("VegasMap."))
    name = "--map";
  else if (name == "axes of the map") {
    name = "--map";
    problem = "the number of its axes is " + refused.value() + "; " + problem;
  } else if (auto const last = name.substr(name.rfind('.') + 1); is_argument(last))
    name = flag(last);
  auto const typed = options.typed.find(name);
  return {name, typed != options.typed.end() ? typed->second : refused.value(), problem};
}

} // namespace kubature::app
