#pragma once

#include "lexer.hpp"

#include <kubature/detail/expression/instruction.hpp>

#include <functional>
#include <map>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

struct Function {
  std::string_view name;
  int arguments;
  Opcode opcode;
  bool special = false; ///< whether the caller's variables may have its name
};

/// The names, separated by commas.
std::string listed(std::vector<std::string> const& names);

/// Whether it consists of letters, digits and '_', and does not begin with a digit.
bool is_identifier(std::string_view name);

/// The largest number of variables that have letters.
constexpr int lettered_dimension = 8;

/// The name of an axis where names are x1, x2, ..., or x, y, z, w, v, u, t and s.
std::string family_name(bool numbered, int axis);

/// The functions of the table by name, as well as if().
std::span<Function const> functions();

/// The functions that read a table from a file; `arguments` is the largest number of those after the file.
std::span<Function const> table_functions();

/// The function of either with this name, or null.
Function const* find_function(std::string_view name);

/// Assigns axes to variables: by the caller's names, or by the family of names that the text turns out to use.
class Variables {
public:
  /// Throws InvalidArgument for invalid names.
  Variables(Source const& source, std::vector<std::string> names, std::source_location where);

  /// The axis of this variable, or -1 if the name is not a variable.
  int axis(Token const& token);

  /// Whether this is the name of a variable, of the caller's if there are any.
  bool has(Token const& token) const { return (named_ ? index(token.text) : family_axis(token)) >= 0; }
  /// Whether the caller has a variable of this name.
  bool is_named(std::string_view name) const { return named_ && index(name) >= 0; }

  /// The known variables, as error messages list them.
  std::string known() const;

  std::vector<std::string> const& names() const { return names_; }

private:
  int index(std::string_view name) const;
  int family_axis(Token const& token) const;

  Source const& source_;
  std::vector<std::string> names_;
  std::map<std::string, int, std::less<>> axes_; ///< of the caller's names
  bool named_;
  std::string first_; ///< the first variable that the text uses, if the caller names none
};

} // namespace kubature::detail::expression
