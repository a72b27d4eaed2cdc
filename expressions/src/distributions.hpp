#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

/// \file
/// Distributions of variables, as sides of a domain have them, by formulas of their parameters.

namespace kubature::detail::expression {

/// A distribution. In its texts, $1, $2 and $3 stand for the parameters, and all else for what the texts say.
struct Distribution {
  struct Parameter {
    std::string_view name; ///< empty: there is none
    bool positive = false;
  };

  std::string_view name;
  std::array<Parameter, 3> parameters;
  /// The quantile of $u, where $q is 1 - $u, with all digits of either.
  std::string_view quantile;
  /// The probabilities below and above $x.
  std::string_view below, above;
  /// The parameters that may be left out, and their values.
  std::array<std::string_view, 3> defaults{};

  std::size_t count() const;   ///< of parameters
  std::string pattern() const; ///< how it is written
};

/// The distribution with this name, or null.
Distribution const* find_distribution(std::string_view name);

/// Their names, separated by commas.
std::string distribution_names();

/// A text of a distribution with values in the places of its parameters and of others, such as {{'x', "0.5"}}.
/// All are complete in themselves: a name, a number, or in parentheses.
std::string filled(std::string_view text, std::span<std::string const> parameters,
                   std::map<char, std::string> const& others);

} // namespace kubature::detail::expression
