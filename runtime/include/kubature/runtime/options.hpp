#pragma once

#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The options of all methods, tolerances and limits among them, from the one description that each method has of its
/// own (kubature/options.hpp): for flags of programs, keywords of other languages, and their documentation.

namespace kubature::runtime {

/// How the value of an option is written.
enum class Kind {
  flag,   ///< true or false
  whole,  ///< a whole number, such as 1000000 or 1e6
  real,   ///< a number, such as 0.75
  reals,  ///< numbers separated by commas
  choice, ///< one of OptionInfo::choices
  file    ///< the name of a file; empty: none
};

/// "flag", "whole", ...
std::string_view to_string(Kind kind);

/// An option as one of the methods has it.
struct OptionUse {
  std::string_view method;  ///< its name
  std::string_view summary; ///< what the option means there
  /// The default. A number that is unlimited by default is written inf, one that the method chooses automatic.
  std::string fallback;
  std::string least; ///< the smallest possible value, itself included; empty where nothing bounds it
  std::string most;  ///< the largest one, likewise
};

/// An option of at least one method.
struct OptionInfo {
  std::string_view name;                 ///< as it is set by name; `--name` in the program
  Kind kind;                             ///< what its values are
  std::vector<std::string_view> choices; ///< the values of an option that is a choice
  /// One for each method that has it, in the order of methods().
  std::vector<OptionUse> uses;
};

/// All options. `evaluations` and `iterations` are limits where a method has no option of that name.
std::span<OptionInfo const> options();
/// Throws InvalidArgument for an unknown name.
OptionInfo const& find_option(std::string_view name, std::source_location where = std::source_location::current());

} // namespace kubature::runtime
