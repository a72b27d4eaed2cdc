#pragma once

#include <kubature/box.hpp>
#include <kubature/histogram.hpp>
#include <kubature/runtime/settings.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature::app {

/// What the user asked for.
struct Options {
  std::string expression;
  std::vector<std::string> variables;
  std::vector<Side> sides{Side{}};
  std::string suite = "all";
  /// By their names; empty: the default.
  std::string method, precision;
  /// The file of a map to start from, and for the trained one; empty: none.
  std::string map;
  /// The files of the command `many`: parameters, and where results go; empty: to standard output.
  std::string table, output;
  /// What was given of runtime::options(), by their names; each serves at least one method.
  std::map<std::string, std::string> given;
  /// Pairs of components, counted from 0, whose ratios are wanted.
  std::vector<std::pair<int, int>> ratios;
  /// An observable, whose bins are to hold the parts of the integral; empty: none.
  std::string observable;
  Bins bins;
  bool json = false;
  /// Print what precision was chosen for what, and why.
  bool explain = false;
  /// What was typed for each argument, by its name.
  std::map<std::string, std::string> typed;

  /// The method that was named. Where none was: auto for a tolerance, where nothing else was asked for that auto has
  /// not; vegas+ otherwise.
  std::string_view method_or_default() const;
  /// For one of the methods: of the options that were given those that it has.
  runtime::Settings settings(std::string_view name) const;
};

/// "--relative-filter" for relative_filter.
std::string flag(std::string_view option);

/// Bad input: one line that begins with the argument as the user typed it.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
  BadInput(std::string const& argument, std::string const& value, std::string const& problem)
      : std::runtime_error(argument + (value.empty() ? "" : " " + value) + ": " + problem) {}
};

} // namespace kubature::app
