#pragma once

#include <kubature/detail/expression/functions.hpp>

#include <Kokkos_Swap.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

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

/// x^n, n != 0, of W values, by squaring from the lowest bit of n on.
template <class Real, int W>
KOKKOS_FUNCTION void integer_power(Real (&x)[W], int n) {
  unsigned bits = static_cast<unsigned>(n < 0 ? -n : n);
  auto const square = [&] {
    for (int w = 0; w < W; ++w)
      x[w] = x[w] * x[w];
  };
  for (; !(bits & 1u); bits >>= 1)
    square();
  Real product[W];
  for (int w = 0; w < W; ++w)
    product[w] = x[w];
  while (bits >>= 1) {
    square();
    if (bits & 1u)
      for (int w = 0; w < W; ++w)
        product[w] = product[w] * x[w];
  }
  for (int w = 0; w < W; ++w)
    x[w] = n < 0 ? Real(1) / product[w] : product[w];
}

/// body(0), ..., body(W - 1): a loop where the compiler shall vectorise over many points, unrolled for a few, so that
/// arrays of their values stay in registers however large the body is.
template <int W, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_point(Body const& body) {
  if constexpr (W > 8) {
    for (int w = 0; w < W; ++w)
      body(w);
  } else {
    [&]<int... w>(std::integer_sequence<int, w...>) { (body(w), ...); }(std::make_integer_sequence<int, W>{});
  }
}

/// Every operation but arithmetic, powers and selection, on W pairs of values: the result takes the place of the left
/// ones. Functions of one argument leave the right ones alone.
template <class Real, int W>
KOKKOS_FUNCTION void call(Opcode opcode, Real (&left)[W], Real const (&right)[W]) {
  switch (opcode) {
#define KUBATURE_CASE(name, value)                                                                                     \
  case Opcode::name:                                                                                                   \
    for_each_point<W>([&](int w) {                                                                                     \
      Real const a = left[w];                                                                                          \
      [[maybe_unused]] Real const b = right[w];                                                                        \
      left[w] = value;                                                                                                 \
    });                                                                                                                \
    break;
#define KUBATURE_NO_CASE(name, function)
    KUBATURE_CASE(less, a < b ? Real(1) : Real(0))
    KUBATURE_CASE(less_equal, a <= b ? Real(1) : Real(0))
    KUBATURE_CASE(equal, a == b ? Real(1) : Real(0))
    KUBATURE_CASE(not_equal, a != b ? Real(1) : Real(0))
    KUBATURE_CASE(logical_and, a != Real(0) && b != Real(0) ? Real(1) : Real(0))
    KUBATURE_CASE(logical_or, a != Real(0) || b != Real(0) ? Real(1) : Real(0))
    KUBATURE_CASE(logical_not, a == Real(0) ? Real(1) : Real(0))
    KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_CASE, KUBATURE_CASE, KUBATURE_NO_CASE)
#undef KUBATURE_CASE
#undef KUBATURE_NO_CASE
  default:
    break;
  }
}

/// Runs the steps begin ... end - 1 of a program at W points side by side, so that each step is read and told from the
/// others once for all of them. The program is a stack machine whose top of stack stays in registers; its first
/// instruction is a push, and an operation takes its last operand from the stack or straight from a variable or
/// constant.
/// @param x x(axis, w) is a coordinate of point w
template <class Real, int W, class Program, class Coordinates>
KOKKOS_FUNCTION void run(Program const& program, int begin, int end, Coordinates const& x, Real (&value)[W]) {
  Real stack[stack_size - 1][W], top[W];
  int depth = 0;
  Instruction const first = program[begin];
  for (int w = 0; w < W; ++w)
    top[w] = first.opcode == Opcode::push_variable ? x(first.index, w) : first.template value<Real>();
  for (int i = begin + 1; i < end; ++i) {
    Instruction const step = program[i];
    switch (step.opcode) {
    case Opcode::push_variable:
      for (int w = 0; w < W; ++w) {
        stack[depth][w] = top[w];
        top[w] = x(step.index, w);
      }
      ++depth;
      break;
    case Opcode::push_constant:
      for (int w = 0; w < W; ++w) {
        stack[depth][w] = top[w];
        top[w] = step.template value<Real>();
      }
      ++depth;
      break;
#define KUBATURE_CASE(name, result)                                                                                    \
  case Opcode::name:                                                                                                   \
    --depth;                                                                                                           \
    for (int w = 0; w < W; ++w) {                                                                                      \
      Real const left = stack[depth][w], right = top[w];                                                               \
      top[w] = result;                                                                                                 \
    }                                                                                                                  \
    break;                                                                                                             \
  case Opcode::name##_variable:                                                                                        \
    for (int w = 0; w < W; ++w) {                                                                                      \
      Real const left = top[w], right = x(step.index, w);                                                              \
      top[w] = result;                                                                                                 \
    }                                                                                                                  \
    break;                                                                                                             \
  case Opcode::name##_constant:                                                                                        \
    for (int w = 0; w < W; ++w) {                                                                                      \
      Real const left = top[w], right = step.template value<Real>();                                                   \
      top[w] = result;                                                                                                 \
    }                                                                                                                  \
    break;
      KUBATURE_EXPRESSION_ARITHMETIC(KUBATURE_CASE)
#undef KUBATURE_CASE
    case Opcode::negate:
      for (int w = 0; w < W; ++w)
        top[w] = -top[w];
      break;
    case Opcode::square:
      for (int w = 0; w < W; ++w)
        top[w] = top[w] * top[w];
      break;
    case Opcode::integer_power:
      integer_power(top, step.index);
      break;
    default: {
      auto const operand = step.operand();
      Real last[W];
      for (int w = 0; w < W; ++w)
        last[w] = operand == Operand::variable   ? x(step.index, w)
                  : operand == Operand::constant ? step.template value<Real>()
                                                 : top[w];
      if (operand == Operand::stack) {
        --depth;
        for (int w = 0; w < W; ++w)
          top[w] = stack[depth][w];
      }
      if (step.opcode >= Opcode::select && step.opcode <= Opcode::select_otherwise_first) {
        --depth;
        for (int w = 0; w < W; ++w) {
          Real const below = stack[depth][w];
          top[w] = step.opcode == Opcode::select                  ? (below != Real(0) ? top[w] : last[w])
                   : step.opcode == Opcode::select_condition_last ? (last[w] != Real(0) ? below : top[w])
                                                                  : (top[w] != Real(0) ? last[w] : below);
        }
      } else {
        if (step.is_swapped())
          for (int w = 0; w < W; ++w)
            Kokkos::kokkos_swap(top[w], last[w]);
        call(step.opcode, top, last);
      }
    }
    }
  }
  for (int w = 0; w < W; ++w)
    value[w] = top[w];
}

} // namespace kubature::detail::expression
