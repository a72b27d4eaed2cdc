#include <kubature/runtime/options.hpp>

#include "find.hpp"
#include "option_list.hpp"
#include "text.hpp"

#include <algorithm>

namespace kubature::runtime {
namespace {

template <class T>
std::vector<std::string_view> choices_of() {
  std::vector<std::string_view> names;
  if constexpr (std::is_enum_v<T>)
    for (auto const& [name, value] : Choices<T>::all)
      names.push_back(name);
  return names;
}

template <class T, class Allowed>
OptionUse use(std::string_view method, std::string_view summary, T const& fallback, Allowed const& allowed) {
  OptionUse result{method, summary, write(fallback), {}, {}};
  if constexpr (requires { allowed.least; }) {
    result.least = write(allowed.least);
    if (allowed.most < std::numeric_limits<T>::max())
      result.most = write(allowed.most);
  }
  return result;
}

std::vector<OptionInfo> collect() {
  std::vector<OptionInfo> all;
  for (auto const& entry : detail::entries())
    std::visit(
        [&](auto const& values) {
          detail::for_each_option(values, [&]<class T>(std::string_view name, std::string_view summary, T const& value,
                                                       auto const& allowed) {
            if (name == entry.fixed)
              return;
            auto place = std::ranges::find(all, name, &OptionInfo::name);
            if (place == all.end())
              place = all.insert(place, OptionInfo{name, kind_of<T>(), choices_of<T>(), {}});
            for (auto const& choice : choices_of<T>()) // over all methods
              if (std::ranges::find(place->choices, choice) == place->choices.end())
                place->choices.push_back(choice);
            place->uses.push_back(use(entry.info.name, summary, value, allowed));
          });
        },
        entry.defaults());
  return all;
}

} // namespace

std::string_view to_string(Kind kind) {
  constexpr std::string_view names[] = {"flag", "whole", "real", "reals", "choice", "file"};
  return names[static_cast<int>(kind)];
}

std::span<OptionInfo const> options() {
  static auto const all = collect();
  return all;
}

OptionInfo const& find_option(std::string_view name, std::source_location where) {
  return find(options(), "option", name, where);
}

} // namespace kubature::runtime
