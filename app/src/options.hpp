#pragma once

#include <kubature/box.hpp>
#include <kubature/checkpoint.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kubature::app {

/// What the user asked of a method; what is not given stays as the method has it.
struct MethodOptions {
  std::optional<std::uint64_t> evaluations;
  std::optional<int> iterations, skip, adapt, bins;
  std::optional<double> alpha, beta, redistribute;
  std::uint64_t seed = 0;
  Rule rule = Rule::automatic;
  bool relative_filter = true;
  NonFinite non_finite = NonFinite::error;
  Strategy strategy = Strategy::term;
  Tolerance tolerance;
  Limits limits;
  Checkpoint checkpoint;

  /// Whether anything says when a method that has no work of its own is done.
  bool bounded() const { return tolerance.asked() || evaluations || iterations || limits.seconds < Limits{}.seconds; }
};

struct Options {
  std::string expression;
  std::vector<std::string> variables;
  std::vector<Side> sides{Side{}};
  std::string suite = "all";
  std::string method;
  std::string precision = "fp64";
  /// The file of a map to start from, and for the trained one; empty: none.
  std::string map;
  MethodOptions with;
  bool json = false;
  /// Print what precision was chosen for what, and why.
  bool explain = false;
  /// What was typed for each argument, by its name.
  std::map<std::string, std::string> typed;
};

/// Bad input: one line that begins with the argument as the user typed it.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
  BadInput(std::string const& argument, std::string const& value, std::string const& problem)
      : std::runtime_error(argument + (value.empty() ? "" : " " + value) + ": " + problem) {}
};

} // namespace kubature::app
