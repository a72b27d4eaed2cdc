#pragma once

#include "lexer.hpp"

#include <kubature/detail/expression/instruction.hpp>

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
};

/// The functions of the table by name, and if().
std::span<Function const> functions();

/// The function of that name, or null.
Function const* find_function(std::string_view name);

/// Gives variables their axes: by the caller's names, or by the family that the text turns out to use.
class Variables {
public:
  /// Throws InvalidArgument for names that are none.
  Variables(Source const& source, std::vector<std::string> names, std::source_location where);

  /// The axis of this variable, or -1 where the name stands for none.
  int axis(Token const& token);

  /// Which variables there are, as errors say it.
  std::string known() const;

  std::vector<std::string> const& names() const { return names_; }

private:
  int family_axis(Token const& token) const;

  Source const& source_;
  std::vector<std::string> names_;
  bool named_;
  std::string first_; ///< of those that the text uses, where the caller names none
};

} // namespace kubature::detail::expression
