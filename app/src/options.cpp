#include "options.hpp"

#include <kubature/runtime/options.hpp>

#include <algorithm>

namespace kubature::app {

runtime::Settings Options::settings(std::string_view of) const {
  runtime::Settings settings(of, precision);
  for (auto const& [option, value] : given)
    try {
      if (settings.has(option))
        settings.set(option, value);
    } catch (InvalidArgument const&) {
      // Of several methods another one may have an option of that name with other choices.
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
