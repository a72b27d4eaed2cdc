#pragma once

#include <kubature/expression.hpp>

#include <Kokkos_Core.hpp>

#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature {

template <class MemorySpace, int C>
class DeviceExpressions;

template <int C>
class ExpressionComponents;

template <class Space>
class ExpressionsInBatches;

/// Several formulas of the same variables in one text, separated by semicolons, such as "exp(-x*y); x*exp(-x*y)": the
/// components of one integrand. Their grammar is that of Expression; a name is known in all formulas after its
/// definition.
class Expressions {
public:
  /// Throws as Expression::parse does. Columns, and the number of variables, refer to the whole text.
  static Expressions parse(std::string_view text, std::vector<std::string> variables = {},
                           std::source_location where = std::source_location::current());

  /// The number of formulas of a text, which may be wrong otherwise: its statements, except for definitions of names.
  static int count(std::string_view text);

  std::string const& text() const { return text_; } ///< the text that was parsed
  /// The names of the variables in axis order.
  std::vector<std::string> const& variables() const { return variables_; }
  int dimension() const { return static_cast<int>(variables_.size()); } ///< the number of variables
  /// The number of formulas.
  int size() const { return program_.terms(); }
  /// See Expression::calls_special_functions().
  bool calls_special_functions() const { return program_.calls_special_functions(); }

  /// An integrand with C components, at least as many as there are formulas: the additional ones are zero, and methods
  /// ignore them. Throws InvalidArgument if there are more than C formulas.
  template <int C>
  ExpressionComponents<C> components(std::source_location where = std::source_location::current()) const {
    require(size() <= C, "number of expressions", size(), "there is room for " + std::to_string(C), where);
    return ExpressionComponents<C>(*this);
  }

private:
  template <int C>
  friend class ExpressionComponents;
  template <class Space>
  friend class ExpressionsInBatches;

  Expressions(std::string_view text, std::vector<std::string> variables, detail::expression::Program program)
      : text_(text), variables_(std::move(variables)), program_(std::move(program)) {}

  std::string text_;
  std::vector<std::string> variables_;
  detail::expression::Program program_; ///< its terms are the formulas
};

/// Expressions as an integrand with C components; see Expressions::components().
template <int C>
class ExpressionComponents {
public:
  int dimension() const { return of_.dimension(); } ///< the number of variables

  /// The form that kernels evaluate, on the device of exec.
  template <class ExecutionSpace>
  DeviceExpressions<typename ExecutionSpace::memory_space, C> on(ExecutionSpace const& exec) const {
    of_.program_.template check_on<typename ExecutionSpace::memory_space>(of_.text_);
    return DeviceExpressions<typename ExecutionSpace::memory_space, C>(exec, of_.program_);
  }

private:
  friend class Expressions;
  explicit ExpressionComponents(Expressions const& of) : of_(of) {}

  Expressions of_;
};

/// Expressions in the memory of a device: an integrand with C components for every Real and every D that is at least
/// the number of variables. A copy shares the program.
template <class MemorySpace, int C>
class DeviceExpressions {
public:
  /// Copies the program to the device of exec.
  template <class ExecutionSpace>
  DeviceExpressions(ExecutionSpace const& exec, detail::expression::Program const& program) : program_(exec, program) {}

  /// The number of components that are not identically zero.
  KOKKOS_FUNCTION int components() const { return program_.terms(); }

  /// The values of all formulas at x, followed by zeros.
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, C> operator()(Point<Real, D> const& x) const {
    Point<Real, D> const at[1] = {x};
    Real values[C][1];
    batch(at, values);
    Kokkos::Array<Real, C> result;
    for (int c = 0; c < C; ++c)
      result[c] = values[c][0];
    return result;
  }

  /// The values at W points side by side, one formula after the other.
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&values)[C][W]) const {
    Real coordinates[Point<Real, D>::capacity + detail::expression::max_stored][W];
    for (int axis = 0; axis < x[0].size(); ++axis)
      for (int w = 0; w < W; ++w)
        coordinates[axis][w] = x[w][axis];
    int const count = components();
    for (int c = 0; c < count; ++c)
      detail::expression::run(program_.instructions(), program_.term(c),
                              detail::expression::Coordinates<Real, W>{coordinates}, values[c]);
    for (int c = count; c < C; ++c)
      for (int w = 0; w < W; ++w)
        values[c][w] = 0;
  }

private:
  detail::expression::DeviceProgram<MemorySpace> program_;
};

} // namespace kubature
