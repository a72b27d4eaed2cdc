#pragma once

#include <kubature/detail/expression/instruction.hpp>
#include <kubature/detail/expression/vector_functions.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Swap.hpp>

#include <type_traits>
#include <utility>

namespace kubature::detail::expression {

/// x^n, n != 0, of W values, by squaring, beginning with the lowest bit of n.
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

/// Calls body(0), ..., body(W - 1): in a loop if there are many points, so that the compiler vectorises over them;
/// unrolled for a few, so that arrays of their values stay in registers however large the body is.
template <int W, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_point(Body const& body) {
  if constexpr (W > 8) {
    for (int w = 0; w < W; ++w)
      body(w);
  } else {
    [&]<int... w>(std::integer_sequence<int, w...>) { (body(w), ...); }(std::make_integer_sequence<int, W>{});
  }
}

/// CASE(name, value) for each comparison and logical operation, where value is its result for `a` and `b`.
#define KUBATURE_EXPRESSION_COMPARISONS(CASE)                                                                          \
  CASE(less, a < b ? Real(1) : Real(0))                                                                                \
  CASE(less_equal, a <= b ? Real(1) : Real(0))                                                                         \
  CASE(equal, a == b ? Real(1) : Real(0))                                                                              \
  CASE(not_equal, a != b ? Real(1) : Real(0))                                                                          \
  CASE(logical_and, a != Real(0) && b != Real(0) ? Real(1) : Real(0))                                                  \
  CASE(logical_or, a != Real(0) || b != Real(0) ? Real(1) : Real(0))                                                   \
  CASE(logical_not, a == Real(0) ? Real(1) : Real(0))
#define KUBATURE_NO_CASE(name, function)

/// A number as double, and back.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION double as_double(Real a) {
  if constexpr (std::is_floating_point_v<Real>)
    return static_cast<double>(a);
  else
    return static_cast<double>(static_cast<float>(a));
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real from_double(double a) {
  if constexpr (std::is_floating_point_v<Real>)
    return static_cast<Real>(a);
  else
    return static_cast<Real>(static_cast<float>(a));
}

/// A special function of one or two values, out of line: they have no part in the code of other functions.
[[gnu::noinline]] inline KOKKOS_FUNCTION double call_special(Opcode opcode, double a, [[maybe_unused]] double b) {
#define KUBATURE_CASE(name, value)                                                                                     \
  case Opcode::name:                                                                                                   \
    return value;
  switch (opcode) {
    KUBATURE_EXPRESSION_SPECIAL_FUNCTIONS(KUBATURE_CASE, KUBATURE_CASE, KUBATURE_NO_CASE)
  default:
    return a;
  }
#undef KUBATURE_CASE
}

/// As above, of other numbers.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real call_special_of(Opcode opcode, Real a, Real b) {
  return from_double<Real>(call_special(opcode, as_double(a), as_double(b)));
}

/// The address of a program's first instruction.
template <class Instructions>
Instruction const* first_of(Instructions const& instructions) {
  if constexpr (std::is_pointer_v<Instructions>)
    return instructions;
  else
    return instructions.data();
}

/// A program that may call special functions on devices, too. Programs that are not wrapped so call them on hosts
/// alone: kernels in which such a call is possible have a fifth less speed on a GPU, whether they make it or not.
/// @tparam from_stack whether it may take steps there with all arguments on the stack: functions of distributions and
///         tables
template <class Instructions, bool from_stack>
struct WithSpecialFunctions {
  static constexpr bool calls_special = true, takes_from_stack = from_stack;
  Instructions const& instructions;
  KOKKOS_FUNCTION Instruction operator[](int i) const { return instructions[i]; }
  Instruction const* data() const { return first_of(instructions); }
};

/// What programs may do on devices.
template <class Instructions>
inline constexpr bool may_call_special = requires { Instructions::calls_special; };
template <class Instructions>
inline constexpr bool may_take_from_stack = requires { requires Instructions::takes_from_stack; };

/// A special function where the program may call it, otherwise a.
template <bool special, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real call_special_if([[maybe_unused]] Opcode opcode, Real a, [[maybe_unused]] Real b) {
  if constexpr (special)
    return call_special_of(opcode, a, b);
  else {
    KOKKOS_IF_ON_HOST((return call_special_of(opcode, a, b);))
    KOKKOS_IF_ON_DEVICE((return a;))
  }
}

/// A function of one or two values, out of line: a kernel with all functions inlined reserves registers for the most
/// demanding one, and spills (docs/design/interpreter.md).
template <bool special, class Real>
[[gnu::noinline]] KOKKOS_FUNCTION Real call_one(Opcode opcode, Real a, Real b) {
#define KUBATURE_CASE(name, value)                                                                                     \
  case Opcode::name:                                                                                                   \
    return value;
  switch (opcode) {
    KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_CASE, KUBATURE_CASE, KUBATURE_NO_CASE)
  default:
    return call_special_if<special>(opcode, a, b);
  }
#undef KUBATURE_CASE
}

/// Every operation except arithmetic, powers and selection, on W pairs of values: the result replaces the left value.
/// Functions of one argument ignore the right value. For few values the functions most common in integrands are
/// inlined; for many all are, so that the compiler can vectorise. On hosts vector functions come first, for any number
/// of values, so that a value does not depend on how many there are.
template <bool special, class Real, int W>
KOKKOS_FUNCTION void call(Opcode opcode, Real (&left)[W], Real const (&right)[W]) {
  if constexpr (std::is_same_v<Real, double> || std::is_same_v<Real, float>)
    KOKKOS_IF_ON_HOST((if (auto const function = vector_function(opcode, Real{})) return function(left, right, W);))
#define KUBATURE_CASE(name, value)                                                                                     \
  case Opcode::name:                                                                                                   \
    for_each_point<W>([&](int w) {                                                                                     \
      Real const a = left[w];                                                                                          \
      [[maybe_unused]] Real const b = right[w];                                                                        \
      left[w] = value;                                                                                                 \
    });                                                                                                                \
    break;
  switch (opcode) {
    KUBATURE_EXPRESSION_COMPARISONS(KUBATURE_CASE)
  default:
    if constexpr (W > 8) {
      switch (opcode) {
        KUBATURE_EXPRESSION_FUNCTIONS(KUBATURE_CASE, KUBATURE_CASE, KUBATURE_NO_CASE)
      default:
        for (int w = 0; w < W; ++w)
          left[w] = call_special_if<special>(opcode, left[w], right[w]);
      }
    } else {
      switch (opcode) {
        KUBATURE_CASE(abs, Kokkos::abs(a))
        KUBATURE_CASE(min, Kokkos::fmin(a, b))
        KUBATURE_CASE(max, Kokkos::fmax(a, b))
        KUBATURE_CASE(exp, Kokkos::exp(a))
        KUBATURE_CASE(log, Kokkos::log(a))
        KUBATURE_CASE(sqrt, Kokkos::sqrt(a))
        KUBATURE_CASE(cos, Kokkos::cos(a))
        KUBATURE_CASE(sin, Kokkos::sin(a))
      default:
        for_each_point<W>([&](int w) { left[w] = call_one<special>(opcode, left[w], right[w]); });
      }
    }
  }
#undef KUBATURE_CASE
}
#undef KUBATURE_EXPRESSION_COMPARISONS
#undef KUBATURE_NO_CASE

/// The value of a table, out of line. Coordinates beyond its axes have no meaning.
[[gnu::noinline]] inline KOKKOS_FUNCTION double read_table(Opcode opcode, TableGrid const& table, double x, double y,
                                                           double z) {
  bool const cubic = opcode == Opcode::table_cubic;
  double const one[] = {x}, two[] = {x, y}, three[] = {x, y, z};
  if (table.axes == 1)
    return cubic ? table.cubic(one) : table.linear(one);
  if (table.axes == 2)
    return cubic ? table.cubic(two) : table.linear(two);
  return cubic ? table.cubic(three) : table.linear(three);
}

/// A function of a distribution, out of line.
[[gnu::noinline]] inline KOKKOS_FUNCTION double call_distribution(Opcode opcode, double a, double b, double c) {
#define KUBATURE_CASE(name, value)                                                                                     \
  case Opcode::name:                                                                                                   \
    return value;
  switch (opcode) {
    KUBATURE_EXPRESSION_DISTRIBUTIONS(KUBATURE_CASE, KUBATURE_CASE)
  default:
    return a;
  }
#undef KUBATURE_CASE
}

/// Puts the values of a step that takes all its arguments from the stack, at W points, in the place of these.
template <class Real, int W>
KOKKOS_FORCEINLINE_FUNCTION void take_from_stack(Instruction const& step, Real const (&stack)[stack_size][W],
                                                 int& depth, Real (&top)[W]) {
  bool const reads = is_table(step.opcode);
  int const arguments = step.arguments();
  depth -= arguments - 1;
  for_each_point<W>([&](int w) {
    double const last = as_double(top[w]), first = arguments > 1 ? as_double(stack[depth][w]) : last,
                 second = arguments > 2 ? as_double(stack[depth + 1][w]) : last;
    top[w] = from_double<Real>(reads ? read_table(step.opcode, *step.table(), first, second, last)
                                     : call_distribution(step.opcode, first, second, last));
  });
}

/// As above, if it is such a step: on devices, where the program may take one.
template <bool on_devices, class Real, int W>
KOKKOS_FORCEINLINE_FUNCTION bool take_from_stack_if(Instruction const& step, Real const (&stack)[stack_size][W],
                                                    int& depth, Real (&top)[W]) {
  bool takes = takes_from_stack(step.opcode);
  if constexpr (!on_devices)
    KOKKOS_IF_ON_DEVICE((takes = false;))
  if (takes)
    take_from_stack(step, stack, depth, top);
  return takes;
}

/// The coordinates of W points, followed by room for the values that a program stores. It is a named type so that
/// kernels of all dimensions and numbers of components share one interpreter.
template <class Real, int W>
struct Coordinates {
  Real (*of)[W];
  KOKKOS_FUNCTION Real operator()(int axis, int w) const { return of[axis][w]; }
  KOKKOS_FUNCTION void store(int axis, int w, Real value) const { of[axis][w] = value; }
};

/// Runs steps of a program at W points side by side, so that each step is read and decoded once for all of them. The
/// program is a stack machine whose top of stack stays in registers; an operation takes its last operand from the stack
/// or directly from a variable or constant. Hosts carry out arithmetic by vector instructions, where they have them.
/// @param instructions the program, as a pointer or a View
/// @param x x(axis, w) is a coordinate of point w; x.store(axis, w, value) stores a value as one
template <class Real, int W, class Instructions, class Coordinates>
KOKKOS_FUNCTION void run(Instructions const& instructions, Steps steps, Coordinates const& x, Real (&value)[W]) {
  Real stack[stack_size][W], top[W];
  int depth = 0;
  for (int w = 0; w < W; ++w)
    top[w] = 0; // below the first value
  for (int i = steps.begin; i < steps.end; ++i) {
    if constexpr (may_have_arithmetic<Real, W>) {
      KOKKOS_IF_ON_HOST((if (auto const arithmetic = widest_arithmetic<Real, W>()) {
        i = arithmetic(first_of(instructions), i, steps.end, x.of[0], stack[0], depth, top);
        if (i == steps.end)
          break;
      }))
    }
    Instruction const step = instructions[i];
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
#define KUBATURE_CASE(name, form)                                                                                      \
  case Opcode::push_##name:                                                                                            \
    for (int w = 0; w < W; ++w) {                                                                                      \
      Real const u = x(step.index, w), c = step.template value<Real>();                                                \
      stack[depth][w] = top[w];                                                                                        \
      top[w] = form;                                                                                                   \
    }                                                                                                                  \
    ++depth;                                                                                                           \
    break;                                                                                                             \
  case Opcode::add_##name:                                                                                             \
    for (int w = 0; w < W; ++w) {                                                                                      \
      Real const u = x(step.index, w), c = step.template value<Real>();                                                \
      top[w] += form;                                                                                                  \
    }                                                                                                                  \
    break;                                                                                                             \
  case Opcode::subtract_##name:                                                                                        \
    for (int w = 0; w < W; ++w) {                                                                                      \
      Real const u = x(step.index, w), c = step.template value<Real>();                                                \
      top[w] -= form;                                                                                                  \
    }                                                                                                                  \
    break;                                                                                                             \
  case Opcode::multiply_##name:                                                                                        \
    for (int w = 0; w < W; ++w) {                                                                                      \
      Real const u = x(step.index, w), c = step.template value<Real>();                                                \
      top[w] *= form;                                                                                                  \
    }                                                                                                                  \
    break;
#define KUBATURE_ABSOLUTE Kokkos::abs
      KUBATURE_EXPRESSION_FORMS(KUBATURE_CASE)
#undef KUBATURE_ABSOLUTE
#undef KUBATURE_CASE
    case Opcode::store:
      for (int w = 0; w < W; ++w)
        x.store(step.index, w, top[w]);
      break;
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
      Operand const operand = step.operand;
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
      } else if (!take_from_stack_if<may_take_from_stack<Instructions>>(step, stack, depth, top)) {
        if (step.swapped)
          for (int w = 0; w < W; ++w)
            Kokkos::kokkos_swap(top[w], last[w]);
        call<may_call_special<Instructions>>(step.opcode, top, last);
      }
    }
    }
  }
  for (int w = 0; w < W; ++w)
    value[w] = top[w];
}

/// As above, at points whose coordinates are first put side by side.
template <class Real, int D, int W, class Instructions>
KOKKOS_FUNCTION void run_at(Instructions const& instructions, Steps steps, Point<Real, D> const (&x)[W],
                            Real (&value)[W]) {
  Real coordinates[Point<Real, D>::capacity + max_stored][W];
  for (int axis = 0; axis < x[0].size(); ++axis)
    for (int w = 0; w < W; ++w)
      coordinates[axis][w] = x[w][axis];
  run(instructions, steps, Coordinates<Real, W>{coordinates}, value);
}

} // namespace kubature::detail::expression
