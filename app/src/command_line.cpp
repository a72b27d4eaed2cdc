#include "command_line.hpp"

#include "commands.hpp"
#include "methods.hpp"
#include "precisions.hpp"
#include "suite_tasks.hpp"

#include <kubature/expression.hpp>
#include <kubature/version.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

namespace kubature::app {
namespace {

template <class T>
std::optional<T> parse(std::string const& text) {
  T value{};
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

double real(std::string const& argument, std::string const& text) {
  if (auto const value = parse<double>(text))
    return *value;
  throw BadInput(argument, text, "a number is needed");
}

double real_from_zero(std::string const& argument, std::string const& text) {
  double const value = real(argument, text);
  if (value >= 0 && std::isfinite(value))
    return value;
  throw BadInput(argument, text, "a finite number, zero or above, is needed");
}

/// A whole number, which may be written as 1e6.
template <class T>
T whole(std::string const& argument, std::string const& text, T least, T most = std::numeric_limits<T>::max()) {
  auto const refuse = [&](bool too_large) {
    throw BadInput(argument, text,
                   "a whole number is needed, at " +
                       (too_large ? "most " + std::to_string(most) : "least " + std::to_string(least)));
  };
  std::uint64_t value = 0;
  if (auto const digits = parse<std::uint64_t>(text)) {
    value = *digits;
  } else {
    double const number = real(argument, text);
    if (!(number >= 0) || number != std::floor(number))
      refuse(false);
    if (number >= 0x1p64)
      refuse(true);
    value = static_cast<std::uint64_t>(number);
  }
  if (value > static_cast<std::uint64_t>(most))
    refuse(true);
  if (value < static_cast<std::uint64_t>(least))
    refuse(false);
  return static_cast<T>(value);
}

std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> parts(1);
  for (char const c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// A bound is a constant expression, in which inf stands for infinity.
double bound(std::string const& side, std::string const& text) {
  try {
    return Expression::parse(text, {"inf", "nan"})({{infinity, std::numeric_limits<double>::quiet_NaN()}});
  } catch (ExpressionError const&) {
    throw BadInput("--box", side, "'" + text + "' is no bound; write numbers, inf, pi or constant expressions");
  }
}

std::vector<Side> box(std::string const& text) {
  std::vector<Side> sides;
  for (auto const& part : split(text, ',')) {
    auto const bounds = split(part, ':');
    if (bounds.size() != 2)
      throw BadInput("--box", part.empty() ? text : part,
                     "a side is written lower:upper, and sides are separated by commas");
    sides.push_back({bound(part, bounds[0]), bound(part, bounds[1])});
    try {
      Box<dynamic>{sides.back()};
    } catch (InvalidArgument const& refused) {
      throw BadInput("--box", part, refused.problem());
    }
  }
  return sides;
}

NonFinite non_finite(std::string const& text) {
  if (text == "error")
    return NonFinite::error;
  if (text == "discard")
    return NonFinite::discard;
  if (text == "propagate")
    return NonFinite::propagate;
  throw BadInput("--non-finite", text, "error, discard or propagate is needed");
}

Strategy strategy(std::string const& text) {
  if (text == "term")
    return Strategy::term;
  if (text == "region")
    return Strategy::region;
  if (text == "hybrid")
    return Strategy::hybrid;
  throw BadInput("--strategy", text, "term, region or hybrid is needed");
}

Rule rule(std::string const& text) {
  if (text == "7")
    return Rule::degree_7;
  if (text == "9")
    return Rule::degree_9;
  if (text == "11")
    return Rule::degree_11;
  if (text == "13")
    return Rule::degree_13;
  if (text == "gauss-kronrod")
    return Rule::gauss_kronrod;
  throw BadInput("--rule", text, "no such rule; there are 7, 9, 11, 13 and gauss-kronrod");
}

std::string file(std::string const& argument, std::string const& text) {
  if (text.empty())
    throw BadInput(argument, text, "the name of a file is needed");
  return text;
}

/// The options of one command. What reads an option gets its text.
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

  void add_method_options() {
    auto& with = options_.with;
    add("--method", "METHOD", "See `kubature list`; by default vegas+, and in suites all but two-phase",
        [&](auto&, auto& text) { options_.method = find_method(text).name; });
    add("--precision", "PRECISION", "See `kubature list`; by default fp64",
        [&](auto&, auto& text) { options_.precision = find_precision(text).name; });
    add("--relative", "R", "Stop at an error below R times the value",
        [&](auto& name, auto& text) { with.tolerance.relative = real_from_zero(name, text); });
    add("--tolerance", "R", "The same as --relative",
        [&](auto& name, auto& text) { with.tolerance.relative = real_from_zero(name, text); });
    add("--absolute", "A", "Stop at an error below A",
        [&](auto& name, auto& text) { with.tolerance.absolute = real_from_zero(name, text); });
    add("--evaluations", "N",
        "Samples an iteration, such as 1e6, of which vegas+ takes more where a tolerance needs them; in all at most "
        "(cubature)",
        [&](auto& name, auto& text) { with.evaluations = whole<std::uint64_t>(name, text, 2); });
    add("--iterations", "N",
        "Iterations at most; by default 20 (mcubes, vegas+), and up to 200 for a tolerance (vegas+)",
        [&](auto& name, auto& text) { with.iterations = whole<int>(name, text, 1); });
    add("--seconds", "T", "Start no iteration after this time", [&](auto& name, auto& text) {
      with.limits.seconds = real(name, text);
      if (!(with.limits.seconds > 0))
        throw BadInput(name, text, "a time above zero is needed");
    });
    add("--seed", "N", "Seed of the random numbers, by default 0",
        [&](auto& name, auto& text) { with.seed = whole<std::uint64_t>(name, text, 0); });
    add("--adapt", "N", "Iterations that refine the map, and the strata (mcubes, vegas+)",
        [&](auto& name, auto& text) { with.adapt = whole<int>(name, text, 0); });
    add("--skip", "N", "Iterations at the start that stay out of the estimate (mcubes, vegas+)",
        [&](auto& name, auto& text) { with.skip = whole<int>(name, text, 0); });
    add("--bins", "N", "Intervals of the map an axis (mcubes, vegas+)",
        [&](auto& name, auto& text) { with.bins = whole<int>(name, text, 1); });
    add("--alpha", "X", "Damping of the map's refinement (mcubes, vegas+)",
        [&](auto& name, auto& text) { with.alpha = real_from_zero(name, text); });
    add("--beta", "X", "Damping of the strata, 0 (samples are spread evenly) to 1 (vegas+)",
        [&](auto& name, auto& text) { with.beta = real_from_zero(name, text); });
    add("--redistribute", "X", "Part of the samples that goes to the strata that vary most, 0 to below 1 (vegas+)",
        [&](auto& name, auto& text) { with.redistribute = real_from_zero(name, text); });
    add("--rule", "RULE",
        "Degree of the cubature rule: 7, 9, 11 (3 variables), 13 (2), or gauss-kronrod (1); by default the highest "
        "(cubature)",
        [&](auto&, auto& text) { with.rule = rule(text); });
    app_.add_flag_callback(
        "--no-relative-filter", [&] { with.relative_filter = false; },
        "Split regions of a small relative error, too; for integrands that cancel (pagani)");
    add("--non-finite", "POLICY", "Values that are not finite: error (by default), discard or propagate",
        [&](auto&, auto& text) { with.non_finite = non_finite(text); });
  }

  void add_explanation() {
    add("--strategy", "STRATEGY", "What precisions are chosen for: term, region or hybrid, terms in regions (mixed)",
        [&](auto&, auto& text) { options_.with.strategy = strategy(text); });
    app_.add_flag("--explain", options_.explain, "Print what precisions were chosen, and why (--precision adaptive)");
  }

  void add_files() {
    auto& checkpoint = options_.with.checkpoint;
    add("--map", "FILE",
        "Start from the map in this file, if there is one, and leave the trained map there (mcubes, vegas+)",
        [&](auto& name, auto& text) { options_.map = file(name, text); });
    add("--checkpoint", "FILE",
        "Keep the state in this file, and go on from there: the same command again continues a call that was "
        "interrupted or ended at a limit (vegas+)",
        [&](auto& name, auto& text) { checkpoint.file = file(name, text); });
    add("--checkpoint-seconds", "T", "Write it after iterations that end so long after the last time, by default 10",
        [&](auto& name, auto& text) { checkpoint.seconds = real_from_zero(name, text); });
  }

  /// Text below the options in the help.
  void explain(std::string const& text) { app_.footer(text); }

  bool given() const { return app_.parsed(); }

  /// An expression that begins with a minus sign looks like an option, and is left over.
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
      throw BadInput(rest[0], "", "one argument too many");
  }

private:
  std::vector<std::string> left_over() const {
    auto rest = app_.remaining();
    std::erase(rest, "--");
    return rest;
  }

  CLI::App& app_;
  Options& options_;
};

} // namespace

std::optional<Request> read_command_line(int argc, char** argv) {
  Options options;
  CLI::App program("kubature integrates functions of 1 to 20 variables over boxes, with an error estimate.",
                   "kubature");
  std::ostringstream build;
  build << "kubature " << version();
  program.set_version_flag("--version", build.str());
  program.allow_extras();
  program.require_subcommand(0, 1); // the name of a second command is an argument of the first
  program.footer("Examples:\n"
                 "  kubature integrate \"exp(-x*y)\" --box 0:1 --relative 1e-4\n"
                 "  kubature integrate \"exp(-x^2 - y^2)\" --box=-inf:inf,0:pi --json\n"
                 "  kubature integrate \"1/(0.1 + (x-y)^2)\" --method pagani --relative 1e-8\n"
                 "  kubature integrate \"exp(-9*(x+y+z)^2)\" --relative 1e-6 --checkpoint peak.state\n"
                 "  kubature suite cuvegas --method vegas+\n"
                 "  kubature suite ladder\n"
                 "Exit status: 0 done, 2 bad input, 3 ended at a limit or without meeting the tolerance.");

  Command integrate(program, options, "integrate", "Integrate an expression");
  integrate.add("EXPR", "", "The integrand, such as \"sin(x*y) + exp(-z)\"",
                [&](auto&, auto& text) { options.expression = text; });
  integrate.add("--box", "SIDES",
                "lower:upper[,lower:upper...], one side for all variables or one for each; by default 0:1",
                [&](auto&, auto& text) { options.sides = box(text); });
  integrate.add("--vars", "NAMES", "Names of the variables, a,b,c; by default x1..x20, or x,y,z,w,v,u,t,s",
                [&](auto&, auto& text) { options.variables = split(text, ','); });
  integrate.add_method_options();
  integrate.add_explanation();
  integrate.add_files();
  Command suite(program, options, "suite", "Integrate the reference integrals and compare with their true values");
  suite.add("NAME", "", "A suite or an integral, see `kubature list`; by default all",
            [&](auto&, auto& text) { options.suite = text; });
  suite.add_method_options();
  std::ostringstream defaults;
  defaults
      << "Cubature methods refine here to a relative error of " << default_relative
      << " unless --relative or --absolute is given, and start no round after " << default_seconds
      << " s an integral unless --seconds is given. A tolerance that was not given need not be met for exit status 0.\n"
         "`kubature suite ladder` integrates by cubature methods to one relative tolerance after the other, 1e-3 "
         "and then always a fifth of the last down to 1.024e-10, until one is not met; --seconds is for each. Its "
         "exit status is 0.";
  suite.explain(defaults.str());
  Command list(program, options, "list", "List methods, precisions, suites and the functions of expressions");
  Command info(program, options, "info", "Tell backend, devices and versions");

  try {
    program.parse(argc, argv);
  } catch (CLI::Success const& asked) {
    program.exit(asked);
    return {};
  } catch (CLI::ParseError const& error) {
    throw BadInput(error.what());
  }

  if (auto const rest = program.remaining(); !rest.empty())
    throw BadInput(rest[0], "", "no such command; there are integrate, suite, list and info");
  if (integrate.given()) {
    integrate.take_expression();
    return Request{integrate_command, options};
  }
  for (auto const& [command, run] :
       {std::pair(&suite, &suite_command), std::pair(&list, &list_command), std::pair(&info, &info_command)})
    if (command->given()) {
      command->refuse_rest();
      return Request{run, options};
    }
  throw BadInput("a command is needed: integrate, suite, list or info; see kubature --help");
}

BadInput as_typed(InvalidArgument const& refused, Options const& options) {
  std::string name = refused.argument(), problem = refused.problem();
  auto const typed_as = [&](char const* option) {
    auto const typed = options.typed.find(option);
    return typed != options.typed.end() && typed->second == refused.value();
  };
  if (name == "expression")
    name = "EXPR";
  else if (name == "variable" || name == "number of variables")
    name = options.typed.count("--vars") ? "--vars" : "EXPR";
  else if (name == "rule")
    name = "--rule";
  else if (name == "VegasPlus.checkpoint.file" || (name == "file" && typed_as("--checkpoint")))
    name = "--checkpoint";
  else if (name == "file" || name.starts_with("VegasMap."))
    name = "--map";
  else if (name == "axes of the map") {
    name = "--map";
    problem = "the number of its axes is " + refused.value() + "; " + problem;
  } else if (auto const dot = name.rfind('.'); dot != name.npos)
    name = "--" + name.substr(dot + 1);
  auto const typed = options.typed.find(name);
  return {name, typed != options.typed.end() ? typed->second : refused.value(), problem};
}

} // namespace kubature::app
