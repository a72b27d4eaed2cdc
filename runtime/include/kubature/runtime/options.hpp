#pragma once

#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The options of all methods, with tolerances and limits, derived from the methods' own descriptions
/// (kubature/options.hpp): for flags of programs, keywords of other languages, and their documentation.

namespace kubature::runtime {

/// The type of an option's value.
enum class Kind {
  flag,   ///< true or false
  whole,  ///< a whole number, such as 1000000 or 1e6
  real,   ///< a number, such as 0.75
  reals,  ///< numbers separated by commas
  choice, ///< one of OptionInfo::choices
  file    ///< the name of a file; empty if there is none
};

/// "flag", "whole", ...
std::string_view to_string(Kind kind);

/// An option in one of the methods that have it.
struct OptionUse {
  std::string_view method;  ///< the name of the method
  std::string_view summary; ///< what the option means in that method
  /// The default: inf for a number that is unlimited, automatic for one that the method chooses.
  std::string fallback;
  std::string least; ///< the smallest possible value; empty if there is no bound
  std::string most;  ///< the largest possible value; empty if there is no bound
};

/// An option that at least one method has.
struct OptionInfo {
  std::string_view name;                 ///< the name by which it is set; `--name` in the program
  Kind kind;                             ///< the type of its values
  std::vector<std::string_view> choices; ///< the possible values, if it is a choice
  /// One entry for each method that has it, in the order of methods().
  std::vector<OptionUse> uses;
};

/// All options. `max_evaluations` limits the evaluations of a call in every method. Where a method has no
/// option `evaluations` of its own, that is another name of `max_evaluations`; without its own `iterations`, that is a
/// limit.
std::span<OptionInfo const> options();
/// Throws InvalidArgument for an unknown name.
OptionInfo const& find_option(std::string_view name, std::source_location where = std::source_location::current());

} // namespace kubature::runtime
