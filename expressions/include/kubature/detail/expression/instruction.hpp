#pragma once

#include <kubature/detail/expression/functions.hpp>
#include <kubature/detail/table_grid.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <type_traits>

/// The operations that dominate the cost of an expression; each has an opcode for every kind of right operand.
#define KUBATURE_EXPRESSION_ARITHMETIC(X)                                                                              \
  X(add, left + right)                                                                                                 \
  X(subtract, left - right)                                                                                            \
  X(reverse_subtract, right - left)                                                                                    \
  X(multiply, left* right)                                                                                             \
  X(divide, left / right)                                                                                              \
  X(reverse_divide, right / left)

/// Functions of one variable u and one constant c that a step evaluates as its operand; each has an opcode for every
/// use of its value. With them, sums of squares and affine sums need one step per variable. Where they are used,
/// KUBATURE_ABSOLUTE is the absolute value.
#define KUBATURE_EXPRESSION_FORMS(X)                                                                                   \
  X(shifted, u + c)                                                                                                    \
  X(scaled, u* c)                                                                                                      \
  X(square, (u + c) * (u + c))                                                                                         \
  X(distance, KUBATURE_ABSOLUTE(u + c))

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
  store,                  // stores the top of the stack as a further variable
#define KUBATURE_OPCODE(name, value) push_##name, add_##name, subtract_##name, multiply_##name,
  KUBATURE_EXPRESSION_FORMS(KUBATURE_OPCODE)
#undef KUBATURE_OPCODE
#define KUBATURE_OPCODE(name, value) name,
#define KUBATURE_NO_OPCODE(name, function)
  KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_OPCODE, KUBATURE_OPCODE, KUBATURE_NO_OPCODE)
  KUBATURE_EXPRESSION_SPECIAL_FUNCTIONS(KUBATURE_OPCODE, KUBATURE_OPCODE, KUBATURE_NO_OPCODE)
  KUBATURE_EXPRESSION_DISTRIBUTIONS(KUBATURE_OPCODE, KUBATURE_OPCODE)
#undef KUBATURE_OPCODE
#undef KUBATURE_NO_OPCODE
  table,                  // of as many values as the table has axes, all on the stack
  table_cubic,
};
// clang-format on

/// Whether it is a special function or a table: these come last.
KOKKOS_INLINE_FUNCTION constexpr bool is_special(Opcode opcode) { return opcode >= Opcode::erfcx; }
/// Whether it takes all its arguments from the stack: a function of a distribution, or a table.
KOKKOS_INLINE_FUNCTION constexpr bool takes_from_stack(Opcode opcode) { return opcode >= Opcode::gamma_p; }
/// Whether it reads a table.
KOKKOS_INLINE_FUNCTION constexpr bool is_table(Opcode opcode) { return opcode >= Opcode::table; }

/// Where an instruction finds its last operand, in the order of the three opcodes of an arithmetic operation; `none`
/// for an operation on the top of the stack alone.
enum class Operand : std::uint8_t { stack, variable, constant, none };

/// One step of a program: an operation and its operand. A constant operand is part of the instruction, so that a step
/// is a single load, and is kept in both precisions, so that evaluation in float needs no conversion.
struct alignas(16) Instruction {
  double constant = 0; ///< where is_table(opcode), the address of the table
  float constant32 = 0;
  std::int16_t index = 0; ///< the variable, the exponent of integer_power, or where a value is stored
  Opcode opcode = Opcode::push_constant;
  Operand operand : 4 = Operand::none; ///< for all but arithmetic operations, whose opcodes imply it
  bool swapped : 4 = false;            ///< left and right are exchanged

  /// The table that it reads. With a union instead of a cast, kernels take other numbers of registers on CUDA.
  KOKKOS_FUNCTION TableGrid const* table() const { return Kokkos::bit_cast<TableGrid const*>(constant); }
  /// How many arguments it takes, where takes_from_stack(opcode).
  KOKKOS_FUNCTION int arguments() const { return is_table(opcode) ? table()->axes : opcode >= Opcode::beta_i ? 3 : 2; }
  void set_table(TableGrid const* table) { constant = Kokkos::bit_cast<double>(table); }

  template <class Real>
  KOKKOS_FUNCTION Real value() const {
    if constexpr (std::is_same_v<Real, double>)
      return constant;
    else
      return static_cast<Real>(constant32);
  }
};
static_assert(sizeof(Instruction) == 16 && std::is_trivially_copyable_v<Instruction>,
              "an instruction is one 128-bit load");

/// The instructions begin, ..., end - 1 of a program, which one evaluation runs.
struct Steps {
  int begin, end;
};

/// The largest number of values that a program may hold at once, the top of the stack included.
inline constexpr int stack_size = 16;

/// The largest number of values that a program may store, as variables after the others.
inline constexpr int max_stored = 8;

} // namespace kubature::detail::expression
