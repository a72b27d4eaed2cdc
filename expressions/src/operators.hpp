#pragma once

#include <kubature/detail/expression/instruction.hpp>

#include <array>
#include <string_view>

namespace kubature::detail::expression {

/// An operator as written, and its meaning.
struct Operator {
  std::string_view name;
  Opcode opcode;
  int precedence;         ///< the higher, the tighter
  bool exchanged = false; ///< true where the operands change places: a > b is b < a
};

inline constexpr int equality = 3, comparison = 4, prefix = 7;

inline constexpr std::array operators{Operator{"||", Opcode::logical_or, 1},
                                      Operator{"&&", Opcode::logical_and, 2},
                                      Operator{"==", Opcode::equal, equality},
                                      Operator{"!=", Opcode::not_equal, equality},
                                      Operator{"<=", Opcode::less_equal, comparison},
                                      Operator{">=", Opcode::less_equal, comparison, true},
                                      Operator{"<", Opcode::less, comparison},
                                      Operator{">", Opcode::less, comparison, true},
                                      Operator{"+", Opcode::add, 5},
                                      Operator{"-", Opcode::subtract, 5},
                                      Operator{"*", Opcode::multiply, 6},
                                      Operator{"/", Opcode::divide, 6},
                                      Operator{"^", Opcode::pow, 8}};
inline constexpr Operator minus{"-", Opcode::negate, prefix};
inline constexpr Operator negation{"!", Opcode::logical_not, prefix};

} // namespace kubature::detail::expression
