#pragma once

#include <kubature/box.hpp>
#include <kubature/formula_parameters.hpp>
#include <kubature/histogram.hpp>
#include <kubature/runtime/settings.hpp>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature::app {

/// The user's request.
struct Options {
  std::string expression;
  std::vector<std::string> variables;
  /// Names in the expression that stand for numbers.
  std::vector<FormulaParameter> parameters;
  /// Whether the expression is complex, and whether its derivatives in the parameters are wanted.
  bool complex = false, derivatives = false;
  std::vector<Side> sides{Side{}};
  /// Sides with names, or a shape, as FormulaDomain::parse reads them, and points at which sides are cut; empty: none.
  std::string domain, breaks;
  std::string suite = "all";
  /// The names of the method and the precision; empty: the default.
  std::string method, precision;
  /// The file of a map to start from, to which the trained map is written; empty: none.
  std::string map;
  /// The files of the command `many`: parameters, and results; if the latter is empty, standard output.
  std::string table, output;
  /// The values given for runtime::options(), by name; each option belongs to at least one method.
  std::map<std::string, std::string> given;
  /// Pairs of components, counted from 0, whose ratios are to be printed.
  std::vector<std::pair<int, int>> ratios;
  /// An observable, in whose bins the parts of the integral are wanted; empty: none.
  std::string observable;
  Bins bins;
  /// Constants to set, "qmc.most_retrained=3,qmc.trial_part=4"; empty: none.
  std::string policies;
  /// The method or policy whose constants are listed; empty: all.
  std::string policy_of;
  /// The method whose options `list METHOD` lists, or `--help` shows; empty: all.
  std::string list_of, help_of;
  /// The largest number of peaks that are printed; 0: not given.
  std::uint64_t limit = 0;
  bool json = false;
  /// Whether to print what was chosen, a method or a precision for each part, and why.
  bool explain = false;
  /// The text that was typed for each argument, by its name.
  std::map<std::string, std::string> typed;

  /// The number of integrals: complex numbers are two, and derivatives count.
  int components() const;
  /// The names of the components where they are parts or derivatives; otherwise none.
  std::vector<std::string> component_names() const;
  /// The method that was named. If none was, auto, unless an option was given that auto lacks, or a tolerance of zero;
  /// otherwise vegas+.
  std::string_view method_or_default() const;
  /// The settings for one of the methods: those of the given options that it has.
  runtime::Settings settings(std::string_view name) const;
};

/// "--relative-filter" for relative_filter.
std::string flag(std::string_view option);

/// Invalid input: one line that begins with the argument as the user typed it.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
  BadInput(std::string const& argument, std::string const& value, std::string const& problem)
      : std::runtime_error(argument + (value.empty() ? "" : " " + value) + ": " + problem) {}
};

} // namespace kubature::app
