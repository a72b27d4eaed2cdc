#include "commands.hpp"

#include "option_text.hpp"
#include "report.hpp"

#include <kubature/expression.hpp>
#include <kubature/runtime/options.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace kubature::app {
namespace {

std::vector<suite::Entry> integrals() {
  std::vector<suite::Entry> all;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto const&, auto const&) { all.push_back(entry); });
  return all;
}

/// The suites in the order of their first integrals, with `all` last.
std::vector<std::pair<std::string_view, std::vector<std::string_view>>> suites() {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> result;
  std::vector<std::string_view> names;
  for (auto const& entry : integrals()) {
    names.push_back(entry.name);
    for (auto const name : entry.suites) {
      auto place = std::find_if(result.begin(), result.end(), [&](auto const& suite) { return suite.first == name; });
      if (place == result.end())
        place = result.insert(place, {name, {}});
      place->second.push_back(entry.name);
    }
  }
  result.emplace_back("all", names);
  return result;
}

/// @param method the only one to speak of; empty: all that have it
Json option_as_json(runtime::OptionInfo const& option, std::string_view method = {}) {
  Json json{{"name", option.name}, {"kind", to_string(option.kind)}, {"methods", Json::object()}};
  if (!option.choices.empty())
    json["choices"] = option.choices;
  for (auto const& use : option.uses) {
    if (!method.empty() && use.method != method)
      continue;
    auto& of = json["methods"][std::string(use.method)] = {{"summary", use.summary}, {"default", use.fallback}};
    if (!use.least.empty())
      of["least"] = use.least;
    if (!use.most.empty())
      of["most"] = use.most;
  }
  return json;
}

Json list_as_json() {
  Json json{{"methods", Json::array()}, {"precisions", Json::array()}, {"suites", Json::object()}};
  for (auto const& method : runtime::methods())
    json["methods"].push_back({{"name", method.name},
                               {"summary", method.summary},
                               {"batches", method.batches},
                               {"several", method.several},
                               {"many_variables", method.many_variables},
                               {"maps", method.maps},
                               {"checkpoints", method.checkpoints},
                               {"distributed", method.distributed}});
  for (auto const& precision : runtime::precisions())
    json["precisions"].push_back({{"name", precision.name}, {"summary", precision.summary}});
  for (auto const& option : runtime::options())
    json["options"].push_back(option_as_json(option));
  for (auto const& [name, members] : suites())
    json["suites"][std::string(name)] = members;
  for (auto const& entry : integrals())
    json["integrals"].push_back({{"name", entry.name},
                                 {"dimension", entry.dimension},
                                 {"lower", entry.side.lower},
                                 {"upper", entry.side.upper},
                                 {"formula", entry.formula},
                                 {"true_value", entry.value},
                                 {"symmetric", entry.symmetric},
                                 {"source", entry.source}});
  for (auto const& function : Expression::functions())
    json["functions"].push_back({{"name", function.name}, {"arguments", function.arguments}});
  for (auto const& function : Expression::table_functions())
    json["table_functions"].push_back({{"name", function.name}, {"most_arguments", function.arguments}});
  return json;
}

/// Prints words after a heading, broken into lines.
void print_words(std::string_view heading, std::vector<std::string_view> const& words) {
  constexpr std::size_t width = 100;
  std::string line = "  " + std::string(heading);
  line.resize(13, ' ');
  for (auto const word : words) {
    if (line.size() + word.size() >= width) {
      std::cout << line << '\n';
      line.assign(13, ' ');
    }
    (line += ' ') += word;
  }
  std::cout << line << '\n';
}

/// A method, and its options with their defaults.
int list_method(std::string_view name, bool json) {
  auto const& method = runtime::find_method(name);
  auto listed = Json::array();
  if (!json)
    std::cout << method.name << "  " << method.summary << '\n';
  for (auto const& option : runtime::options()) {
    if (!has(name, option))
      continue;
    listed.push_back(option_as_json(option, name));
    for (auto const& each : flags(option, name))
      if (!json)
        std::cout << "  " << each << (option.kind == runtime::Kind::flag ? "" : ' ' + placeholder(option, name))
                  << "\n      "
                  << (each.starts_with("--no-") ? "Turn off " + in_a_sentence(help(option, name)) : help(option, name))
                  << '\n';
  }
  if (json)
    print({{"name", method.name}, {"summary", method.summary}, {"options", listed}});
  return success;
}

} // namespace

int list_command(Options const& options) {
  if (!options.list_of.empty())
    return list_method(options.list_of, options.json);
  if (options.json) {
    print(list_as_json());
    return success;
  }
  auto const line = [](std::string_view name, std::string_view text) {
    std::cout << "  " << std::left << std::setw(12) << name << text << '\n';
  };
  std::cout << "methods\n";
  for (auto const& method : runtime::methods())
    line(method.name, method.summary);
  std::cout << "precisions\n";
  for (auto const& precision : runtime::precisions())
    line(precision.name, precision.summary);
  std::cout << "suites\n";
  for (auto const& [name, members] : suites()) {
    if (name == "all")
      line(name, "all of these");
    else
      print_words(name, members);
  }
  std::cout << "functions of expressions\n";
  std::vector<std::string_view> functions;
  for (auto const& function : Expression::functions())
    functions.push_back(function.name);
  print_words("", functions);
  std::vector<std::string_view> tables;
  for (auto const& function : Expression::table_functions())
    tables.push_back(function.name);
  std::cout << "functions of expressions that read a table, as in table(\"FILE\", x)\n";
  print_words("", tables);
  std::cout << "kubature list METHOD lists the options of a method\n";
  return success;
}

} // namespace kubature::app
