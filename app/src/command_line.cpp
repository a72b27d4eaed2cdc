#include "command_line.hpp"

#include "arguments.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "option_text.hpp"
#include "suite_tasks.hpp"

#include <kubature/runtime/options.hpp>
#include <kubature/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature::app {
namespace {

constexpr std::string_view commands[] = {"integrate", "many", "peaks", "evidence", "plot",
                                         "suite",     "list", "info",  "policies", "help"};

/// "integrate, many, ... and help".
std::string all_commands() {
  return joined({std::begin(commands), std::end(commands) - 1}, ", ") + " and " + std::string(*std::rbegin(commands));
}

/// "no such command; did you mean integrate? The commands are ...".
std::string no_such_command(std::string const& typed) {
  auto const meant = runtime::likely(typed, commands);
  return "no such command; " + (meant.empty() ? "the" : "did you mean " + std::string(meant) + "? The") +
         " commands are " + all_commands();
}

/// The arguments, where `help integrate` is `integrate --help`.
std::vector<char*> with_help_last(int argc, char** argv) {
  static char help[] = "--help";
  std::vector<char*> all(argv, argv + argc);
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    all.erase(all.begin() + 1);
    all.push_back(help);
  }
  return all;
}

/// The method that is named where --help is asked for, whose options alone are shown; empty: none.
std::string method_of_help(std::span<char* const> arguments) {
  std::string method;
  bool asked = false, next = false;
  for (std::string_view const argument : arguments) {
    asked = asked || argument == "--help" || argument == "-h";
    if (next)
      method = argument;
    next = argument == "--method";
    if (argument.starts_with("--method="))
      method = argument.substr(argument.find('=') + 1);
  }
  return asked && !method.empty() ? std::string(runtime::find_method(method).name) : "";
}

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
  auto const arguments = with_help_last(argc, argv);
  try {
    options.help_of = method_of_help(arguments);
  } catch (InvalidArgument const& refused) {
    throw as_typed(refused, options);
  }
  CLI::App program("kubature integrates functions of 1 to 1024 variables over boxes, with an error estimate.",
                   "kubature");
  std::ostringstream build;
  build << "kubature " << version();
  program.set_version_flag("--version", build.str());
  program.allow_extras();
  program.require_subcommand(0, 1); // the name of a second command is an argument of the first
  program.footer("Examples:\n"
                 "  kubature integrate \"exp(-x*y)\" --box 0:1\n"
                 "  kubature integrate \"exp(-x^2 - y^2)\" --box=-inf:inf,0:pi --json\n"
                 "  kubature integrate \"x*y\" --box \"x=0:1,y=0:x\" --relative 1e-8\n"
                 "  kubature integrate \"exp(x)\" --domain \"ball 0,0,0 1\" --relative 1e-8\n"
                 "  kubature integrate \"1/(0.1 + (x-y)^2)\" --method pagani --relative 1e-8\n"
                 "  kubature integrate \"exp(-9*(x+y+z)^2)\" --relative 1e-6 --checkpoint peak.state\n"
                 "  kubature integrate \"exp(-x*y); x*exp(-x*y)\" --ratio 2/1\n"
                 "  kubature integrate \"exp(i*x)/(x+2*i)\" --complex --relative 1e-8\n"
                 "  kubature many \"exp(-a*x*y)\" --vars x,y --table scan.csv --relative 1e-6\n"
                 "  kubature peaks \"exp(-5000*((x-0.3)^2 + (y-0.7)^2))\"\n"
                 "  kubature evidence \"-(m-3)^2/(2*s^2) - log(s)\" --box m=0:10,s=0.1:1\n"
                 "  kubature suite cuvegas --method vegas+\n"
                 "  kubature suite ladder\n"
                 "  kubature list vegas+\n"
                 "  kubature integrate --method vegas+ --help\n"
                 "Exit status: 0 done, 2 bad input, 3 ended at a limit or without meeting the tolerance.");

  Command integrate(program, options, "integrate", "Integrate an expression");
  integrate.add_expression("The integrand, such as \"sin(x*y) + exp(-z)\"; several are separated by semicolons");
  integrate.add_box("; bounds may be formulas of earlier ones, and variables may have distributions: x~normal(0,1)");
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
  integrate.add_variables();
  integrate.add_complex();
  integrate.add_derivatives();
  integrate.add_method("auto, to a relative error of 1e-6 where no tolerance is given, within 10 s where no limit is "
                       "given either; vegas+ with --evaluations, --iterations, or what auto lacks");
  integrate.add_settings(true);
  integrate.add_policies();
  integrate.add_explanation();
  integrate.add_ratios();
  integrate.add_histogram();
  integrate.add_map();
  program.add_subcommand("plot", "Draw regions, map, points or convergence for an expression, by the Python package");
  Command many(program, options, "many", "Integrate an expression at many parameters, from a table to a table");
  many.add_expression(
      "The integrand, of variables and parameters, such as \"exp(-a*x*y)\"; several are separated by semicolons");
  many.add("--table", "FILE",
           "The parameters: comma-separated values below the names of the columns, or one JSON object per line; "
           "columns x.lower and x.upper are bounds of x; - reads standard input",
           [&](auto& name, auto& text) { options.table = file(name, text); });
  many.add("--output", "FILE",
           "The table with value, error and status of each integral, as it came or, with --json, one JSON object per "
           "line; by default on standard output",
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
  many.add_method("auto: pagani for all, and other methods for those that it does not finish");
  many.add_settings(false);
  many.add_policies();
  Command peaks(program, options, "peaks", "Search for the peaks of an expression: where, how high, how wide");
  peaks.add_expression(
      "The function whose magnitude has the peaks; of several, separated by semicolons, the sum of magnitudes");
  peaks.add_box("");
  peaks.refuse("--domain",
               "peaks are searched for in boxes; beyond another domain in a box the expression may be zero, "
               "as in if(y < x, f, 0)");
  peaks.add_variables();
  peaks.add_complex();
  peaks.add_option("evaluations", "Evaluations of the ascents, at least 1000, by default 1200000; telling peaks apart "
                                  "takes up to as many again");
  peaks.add_option("seed", "Seed of the random numbers, by default 0");
  peaks.add("--limit", "N", "Print at most N peaks, the highest first; by default 10, with --json all",
            [&](auto& name, auto& text) { options.limit = whole(name, text, 1); });
  peaks.add_policies();
  Command evidence(program, options, "evidence",
                   "Compute the logarithm of the integral of exp(EXPR), and the means and deviations of the variables");
  evidence.add_expression("The logarithm of the integrand, such as that of likelihood times prior");
  evidence.add_box("");
  evidence.refuse("--domain", "an evidence is computed in boxes; beyond another domain the logarithm may be -inf");
  evidence.add_variables();
  auto const keep_text = [&](char const* name) { return [&, name](auto&, auto& text) { options.given[name] = text; }; };
  evidence.add("--error", "E", "The tolerance, one standard deviation of log Z, by default 0.01", keep_text("error"));
  evidence.add("--search", "N", "Evaluations of the search for peaks, at least 1000, by default 1200000",
               keep_text("search"));
  evidence.add("--samples", "N", "Evaluations of an iteration, at least 1000, by default 100000", keep_text("samples"));
  evidence.add("--max-evaluations", "N", "Limit of the evaluations of the call", keep_text("max_evaluations"));
  evidence.add("--seconds", "S", "Limit of the duration of the call", keep_text("seconds"));
  evidence.add("--seed", "S", "Seed of the random numbers, by default 0", keep_text("seed"));
  evidence.add("--output", "FILE", "File for the weighted samples, comma-separated",
               [&](auto& name, auto& text) { options.output = file(name, text); });
  evidence.add_policies();
  Command suite(program, options, "suite", "Integrate the reference integrals and compare with their true values");
  suite.add("NAME", "", "A suite or an integral, see `kubature list`; by default all",
            [&](auto&, auto& text) { options.suite = text; });
  suite.add_method("all but two-phase, auto and mixed");
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
  list.add("METHOD", "", "A method, whose options are listed; by default, what there is", [&](auto& name, auto& text) {
    try {
      options.list_of = runtime::find_method(text).name;
    } catch (InvalidArgument const& refused) {
      throw BadInput(name, text, refused.problem());
    }
  });
  Command info(program, options, "info", "Print backend, devices and versions");
  Command policies(
      program, options, "policies",
      "List the constants by which methods decide, where they are explained, and the studies they came from");
  policies.add("METHOD", "",
               "A method, or one of auto, call, cubature, peaks, precision, qmc and vegas; by default all of these",
               [&](auto&, auto& text) { options.policy_of = text; });
  policies.add_policies();

  try {
    program.parse(static_cast<int>(arguments.size()), arguments.data());
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
    throw BadInput(rest[0], "", no_such_command(rest[0]));
  for (auto const& [command, run] : {std::pair(&integrate, &integrate_command), std::pair(&many, &many_command),
                                     std::pair(&peaks, &peaks_command), std::pair(&evidence, &evidence_command)})
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
  throw BadInput("a command is needed; the commands are " + all_commands());
}

} // namespace kubature::app
