#pragma once

#include <kubature/detail/expression_functions.hpp>

#include <cstdint>
#include <type_traits>

/// The operations that take most of the time of an expression: each is an opcode for every kind of right
/// operand.
#define KUBATURE_EXPRESSION_ARITHMETIC(X)                                                                              \
  X(add, left + right)                                                                                                 \
  X(subtract, left - right)                                                                                            \
  X(reverse_subtract, right - left)                                                                                    \
  X(multiply, left* right)                                                                                             \
  X(divide, left / right)                                                                                              \
  X(reverse_divide, right / left)

namespace kubature::detail::expression {

// clang-format off
enum class Opcode : std::uint8_t {
  push_variable,
  push_constant,
#define KUBATURE_OPCODE(name, value) name, name##_variable, name##_constant,
  KUBATURE_EXPRESSION_ARITHMETIC(KUBATURE_OPCODE)
#undef KUBATURE_OPCODE
  negate,
  square,
  integer_power,
  select,                 // condition, then, otherwise
  select_condition_last,  // then, otherwise, condition
  select_otherwise_first, // otherwise, condition, then
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
#define KUBATURE_OPCODE(name, value) name,
#define KUBATURE_NO_OPCODE(name, function)
  KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_OPCODE, KUBATURE_OPCODE, KUBATURE_NO_OPCODE)
#undef KUBATURE_OPCODE
#undef KUBATURE_NO_OPCODE
};
// clang-format on

/// Where an instruction finds its last operand, in the order of the three opcodes of an arithmetic operation;
/// none for an operation on the top of the stack alone.
enum class Operand : std::uint8_t { stack, variable, constant, none };

/// One step of a program. The constant is kept in both precisions so that evaluation in float converts
/// nothing.
struct alignas(16) Instruction {
  double constant = 0;
  float constant32 = 0;
  std::int16_t index = 0; ///< the variable, or the exponent of integer_power
  Opcode opcode = Opcode::push_constant;
  std::uint8_t operand_bits = 3; ///< Operand, plus `swapped` where left and right change places

  static constexpr std::uint8_t swapped = 4;

  KOKKOS_FUNCTION constexpr Operand operand() const { return static_cast<Operand>(operand_bits & 3); }
  KOKKOS_FUNCTION constexpr bool is_swapped() const { return operand_bits & swapped; }

  template <class Real>
  KOKKOS_FUNCTION Real value() const {
    if constexpr (std::is_same_v<Real, double>)
      return constant;
    else
      return static_cast<Real>(constant32);
  }
};
static_assert(sizeof(Instruction) == 16, "an instruction is one 128-bit load");

/// The most values that a program may hold at once, the top of the stack included.
inline constexpr int stack_size = 16;

/// x^n, n != 0, by squaring from the lowest bit of n on.
template <class Real>
KOKKOS_FUNCTION Real integer_power(Real x, int n) {
  unsigned bits = static_cast<unsigned>(n < 0 ? -n : n);
  for (; !(bits & 1u); bits >>= 1)
    x = x * x;
  Real product = x;
  while (bits >>= 1) {
    x = x * x;
    if (bits & 1u)
      product = product * x;
  }
  return n < 0 ? Real(1) / product : product;
}

/// Every operation but arithmetic, powers and selection; functions of one argument leave b alone.
template <class Real>
KOKKOS_FUNCTION Real call(Opcode opcode, Real a, [[maybe_unused]] Real b) {
  switch (opcode) {
  case Opcode::less:
    return a < b ? Real(1) : Real(0);
  case Opcode::less_equal:
    return a <= b ? Real(1) : Real(0);
  case Opcode::equal:
    return a == b ? Real(1) : Real(0);
  case Opcode::not_equal:
    return a != b ? Real(1) : Real(0);
  case Opcode::logical_and:
    return a != Real(0) && b != Real(0) ? Real(1) : Real(0);
  case Opcode::logical_or:
    return a != Real(0) || b != Real(0) ? Real(1) : Real(0);
  case Opcode::logical_not:
    return a == Real(0) ? Real(1) : Real(0);
#define KUBATURE_CASE(name, value)                                                                                     \
  case Opcode::name:                                                                                                   \
    return value;
#define KUBATURE_NO_CASE(name, function)
    KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_CASE, KUBATURE_CASE, KUBATURE_NO_CASE)
#undef KUBATURE_CASE
#undef KUBATURE_NO_CASE
  default:
    return a;
  }
}

/// Runs a program of `length` instructions at the point x. The program is a stack machine whose top of stack
/// stays in a register; its first instruction is a push, and an operation takes its last operand from the
/// stack or straight from a variable or constant.
template <class Real, class Program, class Coordinates>
KOKKOS_FUNCTION Real run(Program const& program, int length, Coordinates const& x) {
  Real stack[stack_size - 1];
  int depth = 0;
  Instruction const first = program[0];
  Real top = first.opcode == Opcode::push_variable ? Real(x[first.index]) : first.template value<Real>();
  for (int i = 1; i < length; ++i) {
    Instruction const step = program[i];
    switch (step.opcode) {
    case Opcode::push_variable:
      stack[depth++] = top;
      top = x[step.index];
      break;
    case Opcode::push_constant:
      stack[depth++] = top;
      top = step.template value<Real>();
      break;
#define KUBATURE_CASE(name, result)                                                                                    \
  case Opcode::name: {                                                                                                 \
    Real const left = stack[--depth], right = top;                                                                     \
    top = result;                                                                                                      \
    break;                                                                                                             \
  }                                                                                                                    \
  case Opcode::name##_variable: {                                                                                      \
    Real const left = top, right = x[step.index];                                                                      \
    top = result;                                                                                                      \
    break;                                                                                                             \
  }                                                                                                                    \
  case Opcode::name##_constant: {                                                                                      \
    Real const left = top, right = step.template value<Real>();                                                        \
    top = result;                                                                                                      \
    break;                                                                                                             \
  }
      KUBATURE_EXPRESSION_ARITHMETIC(KUBATURE_CASE)
#undef KUBATURE_CASE
    case Opcode::negate:
      top = -top;
      break;
    case Opcode::square:
      top = top * top;
      break;
    case Opcode::integer_power:
      top = integer_power(top, step.index);
      break;
    default: {
      Real left = top, right = top;
      switch (step.operand()) {
      case Operand::none:
        break;
      case Operand::stack:
        left = stack[--depth];
        break;
      case Operand::variable:
        right = x[step.index];
        break;
      case Operand::constant:
        right = step.template value<Real>();
        break;
      }
      if (step.opcode >= Opcode::select && step.opcode <= Opcode::select_otherwise_first) {
        Real const below = stack[--depth];
        top = step.opcode == Opcode::select                  ? (below != Real(0) ? left : right)
              : step.opcode == Opcode::select_condition_last ? (right != Real(0) ? below : left)
                                                             : (left != Real(0) ? right : below);
      } else {
        top = step.is_swapped() ? call(step.opcode, right, left) : call(step.opcode, left, right);
      }
    }
    }
  }
  return top;
}

} // namespace kubature::detail::expression
