#pragma once

#include <kubature/error.hpp>
#include <kubature/runtime/names.hpp>

#include <functional>
#include <ranges>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::runtime {

/// The names in a range, separated by commas.
template <class Range, class Name>
std::string listed(Range&& range, Name name) {
  std::string text;
  for (auto const& each : range)
    text += (text.empty() ? "" : ", ") + std::string(std::invoke(name, each));
  return text;
}

/// "; did you mean relative?", or an empty text if no known name resembles this one.
std::string did_you_mean(std::string_view name, std::span<std::string_view const> known);

/// The entry with this name. Throws InvalidArgument, listing all names, if there is none.
/// @param what the kind of entry: "method"
template <class Info>
Info const& find(std::span<Info const> all, std::string_view what, std::string_view name, std::source_location where) {
  for (auto const& each : all)
    if (each.name == name)
      return each;
  std::vector<std::string_view> names;
  for (auto const& each : all)
    names.push_back(each.name);
  auto const hint = did_you_mean(name, names);
  throw InvalidArgument(std::string(what), std::string(name),
                        "no such " + std::string(what) + hint + (hint.empty() ? "; the " : " The ") +
                            std::string(what) + "s are " + listed(all, &Info::name),
                        where);
}

/// Throws InvalidArgument, naming the methods that have a property, if this method lacks it.
inline void need(MethodInfo const& method, bool MethodInfo::* property, std::string const& otherwise,
                 std::source_location where) {
  if (method.*property)
    return;
  auto others = methods() | std::views::filter(property);
  throw InvalidArgument("method", std::string(method.name),
                        otherwise + "; methods that do: " + listed(others, &MethodInfo::name), where);
}

} // namespace kubature::runtime
