#include "options.hpp"

#include <algorithm>

namespace kubature::app {

runtime::Settings Options::settings(std::string_view of_method) const {
  runtime::Settings settings(of_method, precision);
  for (auto const& [option, value] : given)
    if (settings.has(option))
      settings.set(option, value);
  return settings;
}

std::string flag(std::string_view option) {
  std::string text = "--" + std::string(option);
  std::ranges::replace(text, '_', '-');
  return text;
}

} // namespace kubature::app
