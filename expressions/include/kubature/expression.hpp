#pragma once

#include <kubature/detail/expression/interpreter.hpp>
#include <kubature/detail/expression/program.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature {

template <class MemorySpace>
class DeviceExpression;

/// Thrown for a text that is not an expression. what() reads "expression = x + * y: column 5: expected a number, a
/// variable, a function or '(', found '*'".
class ExpressionError : public InvalidArgument {
public:
  /// A problem with a text, at a column counted from 1.
  ExpressionError(std::string text, int column, std::string const& problem,
                  std::source_location where = std::source_location::current())
      : InvalidArgument("expression", std::move(text), "column " + std::to_string(column) + ": " + problem, where),
        column_(column) {}

  /// The position of the first wrong character, counted from 1.
  int column() const { return column_; }

private:
  int column_;
};

/// A function that may occur in expressions, such as {"atan2", 2}.
struct ExpressionFunction {
  std::string_view name; ///< its name in formulas
  int arguments;         ///< the number of its arguments
};

/// A formula that is known at run time, such as "sin(x*y) + exp(-z)": an integrand that needs no compiler.
///
///     auto const formula = kubature::Expression::parse("sin(x*y) + exp(-z)");
///     auto const f = formula.on(exec); // f(Point<Real, D>) on the device, for every Real
///
/// Operators, from the loosest to the tightest: `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `* /`, unary `+ - !`, and `^`
/// from right to left, so that -x^2 is -(x^2) and 2^3^2 is 2^9. Comparisons give 1 or 0, and 0 < x < y <= 1 means that
/// all hold; every value except 0 is true. if(condition, a, b) selects: both branches are evaluated, and the one not
/// chosen may be NaN. Definitions may precede the formula: "let r = hypot(x, y); exp(-r)/r".
/// The constants are pi and e; functions() lists the functions; log is the natural logarithm.
///
/// Constant parts are computed once, in double precision; x^n with an integer |n| <= 64 is multiplied out; a
/// subexpression that occurs several times is computed once.
class Expression {
public:
  /// Throws ExpressionError for a text that is not an expression and InvalidArgument for invalid variable names.
  ///
  /// @param variables the names in axis order, whether the text uses them all or not; they may shadow pi, e and
  ///                  special functions (docs/expressions.md).
  ///                  Without names the text uses either x1 to x1024 or x, y, z, w, v, u, t, s, and the highest of
  ///                  those that it uses gives the dimension.
  static Expression parse(std::string_view text, std::vector<std::string> variables = {},
                          std::source_location where = std::source_location::current());

  /// All functions by name, aliases included.
  static std::span<ExpressionFunction const> functions();
  /// The functions that read a table from a file, table("growth.csv", x, y): the name of the file in quotes comes
  /// first, and `arguments` is the largest number of those after it (docs/expressions.md).
  static std::span<ExpressionFunction const> table_functions();

  std::string const& text() const { return text_; } ///< the text that was parsed
  /// The names of the variables in axis order.
  std::vector<std::string> const& variables() const { return variables_; }
  int dimension() const { return static_cast<int>(variables_.size()); } ///< the number of variables
  /// Arithmetic operations per evaluation of the formula as written; a function counts as one, and an integer power as
  /// its multiplications.
  int operation_count() const { return operations_; }
  /// Steps of the program per evaluation.
  int instruction_count() const { return static_cast<int>(program_.whole().size()); }

  /// Whether it calls special functions or reads tables (docs/expressions.md). Kernels of a GPU evaluate these in
  /// batches alone, batched(ExpressionsInBatches(...)), as the program, C and Python do.
  bool calls_special_functions() const { return program_.calls_special_functions(); }

  /// The terms of a sum, each an Expression of the same variables; the expression alone if it is not a sum. Their sum
  /// is the expression, up to rounding. See docs/expressions.md for sums in parentheses and how they are split.
  std::vector<Expression> terms() const;

  /// Sums of terms, in the form that kernels evaluate: term s of the result is the sum of terms()[k] for all k in
  /// sums[s], compiled as one formula, so that what its terms share is computed once.
  template <class ExecutionSpace>
  DeviceExpression<typename ExecutionSpace::memory_space> sums_on(ExecutionSpace const& exec,
                                                                  std::vector<std::vector<int>> const& sums) const;

  /// The form that kernels evaluate, in the memory of `exec`. The upload runs on that instance and is complete on
  /// return; the result does not refer to this object.
  template <class ExecutionSpace>
  DeviceExpression<typename ExecutionSpace::memory_space> on(ExecutionSpace const& exec) const;

  /// The value at one point, on the host. Throws InvalidArgument unless x has dimension() coordinates.
  double operator()(std::span<double const> x) const;

private:
  Expression(std::string_view text, std::vector<std::string> variables, detail::expression::Program program,
             int operations);

  /// Implements parse(), splitting a sum into its terms or not.
  static Expression compile(std::string_view text, std::vector<std::string> variables, bool split,
                            std::source_location where);
  /// The program of the whole, whose terms are sums of terms: see sums_on().
  detail::expression::Program program_of_sums(std::vector<std::vector<int>> const& sums) const;

  std::string text_;
  std::vector<std::string> variables_;
  detail::expression::Program program_; ///< the program of the whole and of each term
  std::vector<Expression> terms_;       ///< empty if there is only one; each text begins with the definitions
  std::size_t definitions_ = 0;         ///< their length
  int operations_;
};

/// An Expression in the memory of a device: an integrand for every Real (float, double, half_t) and every D that is at
/// least dimension(). A copy shares the program.
template <class MemorySpace>
class DeviceExpression {
public:
  using memory_space = MemorySpace; ///< where its program is stored

  /// The value at x.
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return evaluate<Real>(program_.whole(), x);
  }

  /// The values at W points side by side: less work per point than one by one, and vectorised by the compiler.
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&value)[W]) const {
    detail::expression::run_at(program_.instructions(), program_.whole(), x, value);
  }
  /// As above, for term k.
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(int k, Point<Real, D> const (&x)[W], Real (&value)[W]) const {
    detail::expression::run_at(program_.instructions(), program_.term(k), x, value);
  }

  /// The values at W points whose coordinates are side by side, x[axis][point]. Intermediate values are stored in the
  /// further_columns rows behind them.
  template <class Real, int W>
  KOKKOS_FUNCTION void columns(Real (*x)[W], Real (&value)[W]) const {
    detail::expression::run(program_.instructions(), program_.whole(), detail::expression::Coordinates<Real, W>{x},
                            value);
  }
  /// The rows that columns() may write to.
  static constexpr int further_columns = detail::expression::max_stored;

  /// The number of terms, see Expression::terms().
  KOKKOS_FUNCTION int terms() const { return program_.terms(); }

  /// The value of term k at x, 0 <= k < terms().
  template <class Real, int D>
  KOKKOS_FUNCTION Real term(int k, Point<Real, D> const& x) const {
    return evaluate<Real>(program_.term(k), x);
  }

  KOKKOS_FUNCTION int dimension() const { return dimension_; } ///< the number of variables

private:
  friend class Expression;

  DeviceExpression(detail::expression::DeviceProgram<MemorySpace> program, int dimension)
      : program_(std::move(program)), dimension_(dimension) {}

  template <class Real, int D>
  KOKKOS_FUNCTION Real evaluate(detail::expression::Steps steps, Point<Real, D> const& x) const {
    Point<Real, D> const at[1] = {x};
    Real value[1];
    detail::expression::run_at(program_.instructions(), steps, at, value);
    return value[0];
  }

  detail::expression::DeviceProgram<MemorySpace> program_;
  int dimension_;
};

template <class ExecutionSpace>
DeviceExpression<typename ExecutionSpace::memory_space> Expression::on(ExecutionSpace const& exec) const {
  static_assert(Kokkos::is_execution_space_v<ExecutionSpace>, "Expression::on takes an execution space instance");
  program_.check_on<typename ExecutionSpace::memory_space>(text_);
  return {detail::expression::DeviceProgram<typename ExecutionSpace::memory_space>(exec, program_), dimension()};
}

template <class ExecutionSpace>
DeviceExpression<typename ExecutionSpace::memory_space>
Expression::sums_on(ExecutionSpace const& exec, std::vector<std::vector<int>> const& sums) const {
  program_.check_on<typename ExecutionSpace::memory_space>(text_);
  return {detail::expression::DeviceProgram<typename ExecutionSpace::memory_space>(exec, program_of_sums(sums)),
          dimension()};
}

} // namespace kubature
