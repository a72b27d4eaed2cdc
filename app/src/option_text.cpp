#include "option_text.hpp"

#include "options.hpp"

#include <kubature/error.hpp>
#include <kubature/runtime/settings.hpp>

#include <algorithm>
#include <cctype>

namespace kubature::app {
namespace {

/// The groups of equal keys, in the order of their first members.
template <class Key>
std::vector<std::vector<runtime::OptionUse>> grouped(std::vector<runtime::OptionUse> const& uses, Key const& key) {
  std::vector<std::vector<runtime::OptionUse>> groups;
  for (auto const& use : uses) {
    auto place = std::ranges::find_if(groups, [&](auto& group) { return key(group.front()) == key(use); });
    if (place == groups.end())
      place = groups.emplace(place);
    place->push_back(use);
  }
  return groups;
}

/// Whether a method takes this value.
bool accepts(std::string_view method, runtime::OptionInfo const& option, std::string_view value) {
  try {
    runtime::Settings(method).set(option.name, value);
    return true;
  } catch (InvalidArgument const&) {
    return false;
  }
}

/// The choices that a method has, or all.
std::vector<std::string_view> choices(runtime::OptionInfo const& option, std::string_view method) {
  auto all = option.choices;
  if (!method.empty())
    std::erase_if(all, [&](auto choice) { return !accepts(method, option, choice); });
  return all;
}

/// Those of one method, or of all.
std::vector<runtime::OptionUse> uses(runtime::OptionInfo const& option, std::string_view method) {
  auto all = option.uses;
  if (!method.empty())
    std::erase_if(all, [&](auto const& use) { return use.method != method; });
  return all;
}

} // namespace

std::string joined(std::vector<std::string_view> const& words, std::string_view separator) {
  std::string text;
  for (auto const word : words)
    (text += text.empty() ? "" : separator) += word;
  return text;
}

std::string placeholder(runtime::OptionInfo const& option, std::string_view method) {
  switch (option.kind) {
  case runtime::Kind::whole:
    return "N";
  case runtime::Kind::real:
    return "X";
  case runtime::Kind::reals:
    return "X,X,...";
  case runtime::Kind::choice:
    return joined(choices(option, method), "|");
  default:
    return "FILE";
  }
}

std::string in_a_sentence(std::string_view words) {
  std::string text(words);
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string help(runtime::OptionInfo const& option, std::string_view method) {
  std::string text;
  for (auto const& alike : grouped(uses(option, method), [](auto& use) { return use.summary; })) {
    auto const summary = alike.front().summary;
    text += text.empty() ? std::string(summary) : "; " + in_a_sentence(summary);
    auto const defaults = grouped(alike, [](auto& use) { return use.fallback; });
    bool first = true;
    for (auto const& group : defaults) {
      auto const& fallback = group.front().fallback;
      bool const plain = defaults.size() == 1 && (fallback.empty() || fallback == "inf");
      if (option.kind != runtime::Kind::flag && !plain)
        (text += first ? ", by default " : ", ") += fallback == "inf" ? "no limit" : fallback;
      std::vector<std::string_view> methods;
      for (auto const& use : group)
        methods.push_back(use.method);
      if (method.empty() && methods.size() < runtime::methods().size())
        text += " (" + joined(methods, ", ") + ')';
      first = false;
    }
  }
  return text;
}

bool has(std::string_view method, runtime::OptionInfo const& option) { return !uses(option, method).empty(); }

/// A flag that is on by default can be turned off; one that the method chooses can be set either way.
std::vector<std::string> flags(runtime::OptionInfo const& option, std::string_view method) {
  auto const name = flag(option.name);
  if (option.kind != runtime::Kind::flag)
    return {name};
  auto const of = uses(option, method);
  auto const by_default = [&](std::string_view value) {
    return std::ranges::any_of(of, [&](auto& use) { return use.fallback == value; });
  };
  bool const chosen = by_default("automatic"), on = by_default("true");
  std::vector<std::string> all;
  if (chosen || !on)
    all.push_back(name);
  if (chosen || on)
    all.push_back("--no-" + name.substr(2));
  return all;
}

void check_option(std::string const& argument, runtime::OptionInfo const& option, std::string const& text) {
  std::string problem = option.kind == runtime::Kind::choice ? "must be one of " + joined(option.choices, ", ") : "";
  for (auto const& use : option.uses) {
    try {
      runtime::Settings(use.method).set(option.name, text);
      return;
    } catch (InvalidArgument const& refused) {
      if (problem.empty())
        problem = refused.problem();
    }
  }
  throw BadInput(argument, text, problem);
}

} // namespace kubature::app
