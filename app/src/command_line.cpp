#include "command_line.hpp"

#include "arguments.hpp"
#include "commands.hpp"
#include "suite_tasks.hpp"

#include <kubature/runtime/options.hpp>
#include <kubature/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <sstream>
#include <tuple>

namespace kubature::app {
namespace {

std::string joined(std::vector<std::string_view> const& words, std::string_view separator) {
  std::string text;
  for (auto const word : words)
    (text += text.empty() ? "" : separator) += word;
  return text;
}

/// The name of an option's value in the help.
std::string placeholder(runtime::OptionInfo const& option) {
  switch (option.kind) {
  case runtime::Kind::whole:
    return "N";
  case runtime::Kind::real:
    return "X";
  case runtime::Kind::reals:
    return "X,X,...";
  case runtime::Kind::choice:
    return joined(option.choices, "|");
  default:
    return "FILE";
  }
}

/// A sentence as part of another one.
std::string in_a_sentence(std::string_view words) {
  std::string text(words);
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

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

/// "Damping of the map's refinement, by default 0.75 (vegas+), 1.5 (mcubes, mcubes-1d)": the meaning of the option, and
/// its defaults by method.
std::string help(runtime::OptionInfo const& option) {
  std::string text;
  for (auto const& alike : grouped(option.uses, [](auto& use) { return use.summary; })) {
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
      if (methods.size() < runtime::methods().size())
        text += " (" + joined(methods, ", ") + ')';
      first = false;
    }
  }
  return text;
}

/// Throws BadInput for a value that no method accepts.
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

/// The options of one command. Each option is read by a function that gets its text.
class Command {
public:
  using Read = std::function<void(std::string const& name, std::string const& text)>;

  Command(CLI::App& program, Options& options, std::string const& name, std::string const& summary)
      : app_(*program.add_subcommand(name, summary)), options_(options) {
    app_.allow_extras(); // reported below, with the argument's name
    app_.add_flag("--json", options.json, "Print JSON");
  }

  void add(std::string const& name, std::string const& type, std::string const& summary, Read const& read) {
    auto const on_text = [this, name, read](std::string const& text) {
      options_.typed[name] = text;
      read(name, text);
    };
    app_.add_option_function<std::string>(name, on_text, summary)->type_name(type);
  }

  void add_method() {
    add("--method", "METHOD",
        "See `kubature list`; by default auto for a tolerance alone, vegas+ otherwise, in suites all but two-phase, "
        "auto and mixed",
        [&](auto&, auto& text) { options_.method = runtime::find_method(text).name; });
    add("--precision", "PRECISION", "See `kubature list`; by default fp64",
        [&](auto&, auto& text) { options_.precision = runtime::find_precision(text).name; });
  }

  /// The options of all methods, tolerances and limits.
  void add_settings(bool files) {
    for (auto const& option : runtime::options()) {
      if (option.name.starts_with("checkpoint") && !files)
        continue;
      if (option.kind == runtime::Kind::flag)
        add_flag(option);
      else
        add_setting(flag(option.name), option, help(option));
      if (option.name == "relative")
        add_setting("--tolerance", option, "The same as --relative");
    }
  }

  void add_policies() {
    add("--policy", "NAME=VALUE,...", "Constants by which methods decide, for studies: see `kubature policies`",
        [&](auto&, auto& text) { options_.policies = text; });
  }

  void add_explanation() {
    app_.add_flag("--explain", options_.explain, "Print what precisions were chosen, and why (--precision adaptive)");
  }

  void add_formula_flags() {
    app_.add_flag("--complex", options_.complex,
                  "The expression is complex: it may contain i, re(), im(), conj() and arg()");
    app_.add_flag("--derivatives", options_.derivatives,
                  "Integrate the derivatives with respect to each --parameter as well, on the same points");
  }

  void add_ratios() {
    add("--ratio", "I/J", "Print the ratio of expressions I and J with its error; 1/2,3/2 for several",
        [&](auto& name, auto& text) { options_.ratios = ratios(name, text); });
  }

  void add_histogram() {
    add("--histogram", "OBS:LOWER:UPPER:BINS",
        "Print the parts of the integral where an observable, an expression, falls in each of some bins, with errors",
        [&](auto& name, auto& text) { std::tie(options_.observable, options_.bins) = histogram(name, text); });
  }

  void add_map() {
    add("--map", "FILE",
        "Start from the map in this file, if there is one, and leave the trained map there (mcubes, vegas+)",
        [&](auto& name, auto& text) { options_.map = file(name, text); });
  }

  /// Adds text below the options in the help.
  void explain(std::string const& text) { app_.footer(text); }

  bool given() const { return app_.parsed(); }

  /// Handles leftover arguments: an expression that begins with a minus sign looks like an option.
  void take_expression() {
    auto const rest = left_over();
    if (options_.expression.empty() && rest.size() == 1 && rest[0].starts_with('-') && !rest[0].starts_with("--")) {
      options_.expression = options_.typed["EXPR"] = rest[0];
      return;
    }
    refuse_rest();
    if (options_.expression.empty())
      throw BadInput("EXPR", options_.expression, "an expression to integrate is needed, such as \"exp(-x*y)\"");
  }

  void refuse_rest() const {
    auto const rest = left_over();
    auto const option = std::find_if(rest.begin(), rest.end(), [](auto& text) { return text.starts_with('-'); });
    if (option != rest.end())
      throw BadInput(*option, "", "no such option; see kubature " + app_.get_name() + " --help");
    if (!rest.empty())
      throw BadInput(rest[0], "", "too many arguments");
  }

private:
  void add_setting(std::string const& name, runtime::OptionInfo const& option, std::string const& summary) {
    add(name, placeholder(option), summary, [this, &option](auto& argument, auto& text) {
      if (option.kind == runtime::Kind::file)
        file(argument, text);
      check_option(argument, option, text);
      options_.given[std::string(option.name)] = text;
    });
  }

  /// A flag that is on by default can be turned off; one that the method chooses can be set either way.
  void add_flag(runtime::OptionInfo const& option) {
    auto const by_default = [&](std::string_view value) {
      return std::ranges::any_of(option.uses, [&](auto& use) { return use.fallback == value; });
    };
    bool const chosen = by_default("automatic"), off = by_default("true");
    if (chosen || !off)
      add_flag(flag(option.name), option, "true", help(option));
    if (chosen || off)
      add_flag("--no-" + flag(option.name).substr(2), option, "false", "Turn off " + in_a_sentence(help(option)));
  }

  void add_flag(std::string const& name, runtime::OptionInfo const& option, std::string const& value,
                std::string const& summary) {
    app_.add_flag_callback(name, [this, &option, value] { options_.given[std::string(option.name)] = value; }, summary);
  }

  std::vector<std::string> left_over() const {
    auto rest = app_.remaining();
    std::erase(rest, "--");
    return rest;
  }

  CLI::App& app_;
  Options& options_;
};

/// A strategy implies the method mixed.
void choose_strategy(Options& options) {
  auto const strategy = options.given.find("strategy");
  if (strategy == options.given.end())
    return;
  if (options.method.empty())
    options.method = runtime::find_option("strategy").uses.front().method;
  if (!runtime::Settings(options.method).has("strategy"))
    throw BadInput("--strategy", strategy->second, options.method + " has no strategies; method mixed does");
}

} // namespace

std::optional<Request> read_command_line(int argc, char** argv) {
  Options options;
  CLI::App program("kubature integrates functions of 1 to 1024 variables over boxes, with an error estimate.",
                   "kubature");
  std::ostringstream build;
  build << "kubature " << version();
  program.set_version_flag("--version", build.str());
  program.allow_extras();
  program.require_subcommand(0, 1); // the name of a second command is an argument of the first
  program.footer("Examples:\n"
                 "  kubature integrate \"exp(-x*y)\" --box 0:1 --relative 1e-4\n"
                 "  kubature integrate \"exp(-x^2 - y^2)\" --box=-inf:inf,0:pi --json\n"
                 "  kubature integrate \"x*y\" --box \"x=0:1,y=0:x\" --relative 1e-8\n"
                 "  kubature integrate \"exp(x)\" --domain \"ball 0,0,0 1\" --relative 1e-8\n"
                 "  kubature integrate \"1/(0.1 + (x-y)^2)\" --method pagani --relative 1e-8\n"
                 "  kubature integrate \"exp(-9*(x+y+z)^2)\" --relative 1e-6 --checkpoint peak.state\n"
                 "  kubature integrate \"exp(-x*y); x*exp(-x*y)\" --ratio 2/1\n"
                 "  kubature integrate \"exp(i*x)/(x+2*i)\" --complex --relative 1e-8\n"
                 "  kubature many \"exp(-a*x*y)\" --vars x,y --table scan.csv --relative 1e-6\n"
                 "  kubature suite cuvegas --method vegas+\n"
                 "  kubature suite ladder\n"
                 "Exit status: 0 done, 2 bad input, 3 ended at a limit or without meeting the tolerance.");

  Command integrate(program, options, "integrate", "Integrate an expression");
  integrate.add("EXPR", "", "The integrand, such as \"sin(x*y) + exp(-z)\"; several are separated by semicolons",
                [&](auto&, auto& text) { options.expression = text; });
  integrate.add("--box", "SIDES",
                "lower:upper[,lower:upper...], one side for all variables or one for each; by default 0:1. Or "
                "x=lower:upper[,y=lower:upper...], which names the variables; bounds may be formulas of earlier ones, "
                "and variables may have distributions: x~normal(0,1)",
                [&](auto&, auto& text) {
                  if (names_sides(text) || text.find('~') != text.npos)
                    options.domain = text;
                  else
                    options.sides = box(text);
                });
  integrate.add(
      "--domain", "SHAPE",
      "In place of a box: \"ball 0,0,0 1\" (centre, radius), \"shell 0,0,0 0.5 1\", \"sphere 0,0,0 1\" (the "
      "surface), \"ellipsoid 0,0 2,1\", \"cylinder 0,0 1 0:2\", simplex, \"simplex 0,0; 1,0; 0,1\" (vertices), "
      "\"ordered 0:1\" (0 < x1 < x2 < ... < 1) or \"normal 0,0; 1,0.5; 0.5,1\" (mean, rows of the covariance)",
      [&](auto&, auto& text) { options.domain = shape(text); });
  integrate.add("--break", "POINTS", "x=0.3,0.7[,y=...], points at which sides of the box are cut into parts",
                [&](auto& name, auto& text) {
                  if (text.empty())
                    throw BadInput(name, text, "break points are needed, such as x=0.3,0.7");
                  options.breaks = text;
                });
  integrate.add("--vars", "NAMES", "Names of the variables, a,b,c; by default x1..x1024, or x,y,z,w,v,u,t,s",
                [&](auto&, auto& text) { options.variables = split(text, ','); });
  integrate.add("--parameter", "NAME=X,...", "Names in the expression that stand for numbers, a=3,b=pi/2",
                [&](auto& name, auto& text) { options.parameters = parameters(name, text); });
  integrate.add_formula_flags();
  integrate.add_method();
  integrate.add_settings(true);
  integrate.add_policies();
  integrate.add_explanation();
  integrate.add_ratios();
  integrate.add_histogram();
  integrate.add_map();
  Command many(program, options, "many", "Integrate an expression at many parameters, from a table to a table");
  many.add("EXPR", "", "The integrand, of variables and parameters, such as \"exp(-a*x*y)\"",
           [&](auto&, auto& text) { options.expression = text; });
  many.add("--table", "FILE",
           "The parameters: comma-separated values below the names of the columns, or one JSON object per line "
           "(FILE.jsonl); columns x.lower and x.upper are bounds of x",
           [&](auto& name, auto& text) { options.table = file(name, text); });
  many.add("--output", "FILE", "The table with value, error and status of each integral; by default on standard output",
           [&](auto& name, auto& text) { options.output = file(name, text); });
  many.add("--box", "SIDES", "lower:upper[,lower:upper...], where the table has no bounds; by default 0:1",
           [&](auto& name, auto& text) {
             if (names_sides(text))
               throw BadInput(name, text,
                              "many integrals have boxes of constant sides without names, one for each of --vars");
             options.sides = box(text);
           });
  many.add("--vars", "NAMES", "Names of the variables to integrate over, x,y",
           [&](auto&, auto& text) { options.variables = split(text, ','); });
  many.add_method();
  many.add_settings(false);
  many.add_policies();
  Command suite(program, options, "suite", "Integrate the reference integrals and compare with their true values");
  suite.add("NAME", "", "A suite or an integral, see `kubature list`; by default all",
            [&](auto&, auto& text) { options.suite = text; });
  suite.add_method();
  suite.add_settings(false);
  suite.add_policies();
  std::ostringstream defaults;
  defaults
      << "Sampling methods draw " << default_evaluations
      << " points per iteration unless --evaluations is given, fewer where an integrand takes long. Cubature methods "
         "refine here to a relative error of "
      << default_relative << " unless --relative or --absolute is given, and start no round after " << default_seconds
      << " s per integral unless --seconds is given. A tolerance that was not given need not be met for exit "
         "status 0.\n"
         "`kubature suite ladder` integrates by cubature methods to one relative tolerance after another, from "
         "1e-3, divided by 5 each time, down to 1.024e-10, until one is not met; --seconds is for each. Its "
         "exit status is 0.";
  suite.explain(defaults.str());
  Command list(program, options, "list", "List methods, precisions, suites and the functions of expressions");
  Command info(program, options, "info", "Print backend, devices and versions");
  Command policies(
      program, options, "policies",
      "List the constants by which methods decide, where they are explained, and the studies they came from");
  policies.add("METHOD", "",
               "A method, or one of auto, call, cubature, precision, qmc and vegas; by default all of these",
               [&](auto&, auto& text) { options.policy_of = text; });
  policies.add_policies();

  try {
    program.parse(argc, argv);
  } catch (CLI::Success const& asked) {
    program.exit(asked);
    return {};
  } catch (CLI::ParseError const& error) {
    throw BadInput(error.what());
  } catch (InvalidArgument const& refused) {
    throw as_typed(refused, options);
  }
  choose_strategy(options);

  if (auto const rest = program.remaining(); !rest.empty())
    throw BadInput(rest[0], "", "no such command; the commands are integrate, many, suite, list, info and policies");
  for (auto const& [command, run] : {std::pair(&integrate, &integrate_command), std::pair(&many, &many_command)})
    if (command->given()) {
      command->take_expression();
      return Request{run, options};
    }
  for (auto const& [command, run] : {std::pair(&suite, &suite_command), std::pair(&list, &list_command),
                                     std::pair(&info, &info_command), std::pair(&policies, &policies_command)})
    if (command->given()) {
      command->refuse_rest();
      return Request{run, options};
    }
  throw BadInput("a command is needed: integrate, many, suite, list, info or policies; see kubature --help");
}

} // namespace kubature::app
