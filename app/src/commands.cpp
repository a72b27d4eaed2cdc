#include "commands.hpp"

#include "processes.hpp"
#include "progress_line.hpp"
#include "report.hpp"

#include <kubature/backend.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/runtime/options.hpp>
#include <kubature/suite/suite.hpp>
#include <kubature/version.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <optional>
#include <unistd.h>

namespace kubature::app {
namespace {

using runtime::MethodInfo;

std::vector<suite::Entry> integrals() {
  std::vector<suite::Entry> all;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto const&, auto const&) { all.push_back(entry); });
  return all;
}

/// The suites in the order of their first integrals, `all` last.
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

Json option_as_json(runtime::OptionInfo const& option) {
  Json json{{"name", option.name}, {"kind", to_string(option.kind)}, {"methods", Json::object()}};
  if (!option.choices.empty())
    json["choices"] = option.choices;
  for (auto const& use : option.uses) {
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
    json["methods"].push_back({{"name", method.name}, {"summary", method.summary}});
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
  return json;
}

/// Words after a heading, broken into lines.
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

std::string names_of(bool MethodInfo::* able) {
  std::string names;
  for (auto const& method : runtime::methods())
    if (method.*able)
      names += (names.empty() ? "" : ", ") + std::string(method.name);
  return names;
}

/// Refuses a file that the method has no use for, and, before anything is computed, one that could not be written.
void check_file(std::string const& argument, std::string const& file, MethodInfo const& method,
                bool MethodInfo::* able) {
  if (file.empty() || processes().rank() > 0) // the first one reads and writes files for all
    return;
  if (!(method.*able))
    throw BadInput(argument, file, std::string(method.name) + " has no use for it; methods that do: " + names_of(able));
  std::error_code none;
  if (std::filesystem::is_directory(file, none))
    throw BadInput(argument, file, "this is a directory");
  auto const parent = std::filesystem::path(file).parent_path();
  if (access(parent.empty() ? "." : parent.c_str(), W_OK) != 0)
    throw BadInput(argument, file, std::string("cannot be written: ") + std::strerror(errno));
}

/// Whether anything says when a method that has no work of its own is done.
bool bounded(runtime::Settings const& settings) {
  auto const limits = settings.limits();
  return settings.tolerance().asked() || limits.seconds < Limits{}.seconds ||
         limits.evaluations < Limits{}.evaluations || limits.iterations < Limits{}.iterations;
}

/// The expression, or several of them, of the variables that are used or that are named; where none is used, those of
/// the box.
template <class AnyExpression>
AnyExpression expression_for(Options const& options) {
  try {
    return AnyExpression::parse(options.expression, options.variables);
  } catch (ExpressionError const& why) {
    if (!options.variables.empty() || !options.typed.contains("--box") || options.sides.size() > max_dimension)
      throw;
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= options.sides.size(); ++i)
      names.push_back('x' + std::to_string(i));
    try {
      return AnyExpression::parse(options.expression, names);
    } catch (ExpressionError const&) { // that is not what was wrong
      throw why;
    }
  }
}

/// What to do where the box has other sides than the expression has variables.
std::string other_sides(std::size_t sides, std::vector<std::string> names) {
  auto text = std::to_string(sides) + " sides for " + std::to_string(names.size()) +
              (names.size() == 1 ? " variable" : " variables") + "; give one side, or one for each variable";
  if (sides < names.size() || sides > max_dimension)
    return text;
  constexpr std::string_view letters = "xyzwvuts";
  bool const lettered = names[0] == "x" && sides <= letters.size();
  for (std::size_t i = names.size(); i < sides; ++i)
    names.push_back(lettered ? std::string(1, letters[i]) : 'x' + std::to_string(i + 1));
  std::string all;
  for (auto const& name : names)
    all += (all.empty() ? "" : ",") + name;
  return text + "; or name those, too, that the expression does not use: --vars " + all;
}

/// The settings of a call; ratios need a covariance.
runtime::Settings settings_of(Options const& options, int expressions) {
  auto settings = options.settings(options.method_or_default());
  if (options.ratios.empty())
    return settings;
  auto const& text = options.typed.at("--ratio");
  for (auto const& [i, j] : options.ratios)
    if (std::max(i, j) >= expressions)
      throw BadInput("--ratio", text,
                     expressions == 1 ? "there is one expression; several are separated by semicolons"
                                      : "there are " + std::to_string(expressions) + " expressions");
  if (!options.given.contains("covariance") && settings.has("covariance"))
    settings.set("covariance", "full");
  else if (options.given.contains("covariance") && options.given.at("covariance") != "full")
    throw BadInput("--ratio", text, "its error needs --covariance full");
  return settings;
}

void show(Options const& options, Result<> const& result, std::vector<PrecisionChoice> const& choices) {
  if (options.json) {
    Json json = to_json(result);
    if (options.explain)
      json["choices"] = to_json(choices);
    print(json);
  } else {
    std::cout << result << '\n';
    if (options.explain)
      std::cout << std::span<PrecisionChoice const>(choices);
  }
}

void show(Options const& options, runtime::SeveralResult const& result, std::vector<PrecisionChoice> const&) {
  if (options.json)
    return print(to_json(result, options.ratios));
  std::cout << result << '\n';
  for (auto const& [i, j] : options.ratios)
    std::cout << "  " << i + 1 << '/' << j + 1 << "  " << ratio(result, i, j) << '\n';
}

std::size_t iterations(Result<> const& result) { return result.iterations.size(); }
std::size_t iterations(runtime::SeveralResult const& result) { return result.iterations.size(); }

/// @tparam AnyExpression Expression or Expressions
template <class AnyExpression>
int integrate_as(Options const& options) {
  auto const expression = expression_for<AnyExpression>(options);
  int expressions = 1;
  if constexpr (requires { expression.size(); })
    expressions = expression.size();
  int const d = expression.dimension();
  if (options.sides.size() != 1 && static_cast<int>(options.sides.size()) != d)
    throw BadInput("--box", options.typed.at("--box"), other_sides(options.sides.size(), expression.variables()));
  Box<dynamic> const box(options.sides, d);
  auto const settings = settings_of(options, expressions);
  auto const& method = settings.method();
  settings.check(d, processes().size());
  if (method.open_ended && !bounded(settings))
    throw BadInput("--method", options.method,
                   "give --relative or --absolute, or a limit: --seconds, --evaluations or --iterations");
  auto const checkpoint = options.given.contains("checkpoint") ? options.given.at("checkpoint") : "";
  check_file("--map", options.map, method, &MethodInfo::maps);
  check_file("--checkpoint", checkpoint, method, &MethodInfo::checkpoints);
  if (!options.map.empty() && options.map == checkpoint)
    throw BadInput("--checkpoint", options.map, "the map needs a file of its own");
  if (options.explain && settings.precision().name != runtime::adaptive_name)
    throw BadInput("--explain", "", "there is nothing to explain without --precision adaptive");
  std::optional<VegasMap> map;
  if (!options.map.empty() && processes().any(processes().rank() == 0 && std::filesystem::exists(options.map)))
    map = VegasMap::load(processes(), options.map);

  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  ProgressLine line;
  runtime::Integrator integrator({}, processes(), settings);
  if (map)
    integrator.use(*map);
  auto const result = integrator.integrate(expression, box, watch(line));
  line.clear();
  show(options, result, integrator.choices());
  std::cout.flush();
  if (!options.map.empty() && iterations(result) > 0 && result.status != Status::non_finite)
    map = integrator.map();
  if (map && processes().rank() == 0)
    map->save(options.map);
  return exit_status(result.status);
}

} // namespace

int integrate_command(Options const& options) {
  if (!options.observable.empty())
    return histogram_command(options);
  bool const several = options.expression.find(';') != std::string::npos;
  return several ? integrate_as<Expressions>(options) : integrate_as<Expression>(options);
}

int list_command(Options const& options) {
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
  return success;
}

int info_command(Options const& options) {
  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  auto const build = version();
  if (options.json) {
    Json json{{"version", build.number},
              {"commit", build.commit},
              {"kokkos", build.kokkos},
              {"options", build.options},
              {"compiler", build.compiler}};
    for (auto const& each : backends())
      json["backends"].push_back({{"backend", each.backend},
                                  {"device", each.device},
                                  {"concurrency", each.concurrency},
                                  {"memory", each.memory}});
    print(json);
    return success;
  }
  std::cout << "kubature  " << build << '\n';
  for (auto const& each : backends())
    std::cout << "backend   " << each.backend << " on " << each.device << ", concurrency " << each.concurrency << ", "
              << std::setprecision(3) << static_cast<double>(each.memory) / (1 << 30) << " GiB\n";
  return success;
}

} // namespace kubature::app
