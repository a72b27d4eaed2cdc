#pragma once

#include <kubature/batched.hpp>
#include <kubature/error.hpp>
#include <kubature/expressions.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <source_location>
#include <type_traits>

namespace kubature {

namespace detail {

/// One formula at `width` points; neighbouring threads evaluate the same formula.
/// @tparam from_stack whether the formulas may call functions of distributions and read tables on devices
template <class Space, bool from_stack>
struct FormulasAtPoints {
  using Program = expression::DeviceProgram<typename Space::memory_space>;
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
  /// The number of points side by side; on a host the compiler vectorises over them.
  static constexpr int width = on_host ? 32 : 4;

  Program program;
  BatchPoints<Space> points;
  BatchValues<Space> values;
  std::int64_t blocks;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    int const formula = static_cast<int>(item / blocks);
    auto const first = item % blocks * width, all = static_cast<std::int64_t>(points.extent(0));
    KOKKOS_IF_ON_HOST((if (points.extent(1) > max_dimension) return evaluate<most_variables>(formula, first, all);))
    evaluate<max_dimension>(formula, first, all);
  }

private:
  template <int most>
  KOKKOS_FUNCTION void evaluate(int formula, std::int64_t first, std::int64_t all) const {
    double coordinates[most + expression::max_stored][width], result[width];
    for (int axis = 0; axis < static_cast<int>(points.extent(1)); ++axis)
      for (int w = 0; w < width; ++w)
        coordinates[axis][w] = points(first + w < all ? first + w : all - 1, axis);
    using StepsOfProgram = std::remove_cvref_t<decltype(program.instructions())>;
    expression::run(expression::WithSpecialFunctions<StepsOfProgram, from_stack>{program.instructions()},
                    program.term(formula), expression::Coordinates<double, width>{coordinates}, result);
    for (int w = 0; w < width && first + w < all; ++w)
      values(first + w, formula) = result[w];
  }
};

} // namespace detail

/// Expressions, however many, as a function for batched(f, expressions.size()). On a GPU, in up to 20 variables.
template <class Space>
class ExpressionsInBatches {
  /// Kernels with functions of distributions and tables take more registers on a GPU, so that others lack them.
  using Kernel = detail::FormulasAtPoints<Space, false>;
  using KernelWithMore = detail::FormulasAtPoints<Space, true>;

public:
  /// Copies the program to the device of exec. Throws InvalidArgument if the formulas have more than 20 variables and
  /// hosts do not reach its memory.
  ExpressionsInBatches(Space const& exec, Expressions const& expressions)
      : program_(exec, expressions.program_), takes_from_stack_(expressions.program_.takes_from_stack()) {
    require(Kernel::on_host || expressions.dimension() <= max_dimension, "number of variables", expressions.dimension(),
            "kernels of a GPU evaluate formulas in up to 20", std::source_location::current());
  }

  /// The values of all formulas at all points.
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    auto const blocks = (static_cast<std::int64_t>(points.extent(0)) + Kernel::width - 1) / Kernel::width;
    Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> const range(exec, 0, blocks * program_.terms());
    if constexpr (!Kernel::on_host)
      if (takes_from_stack_)
        return Kokkos::parallel_for("kubature::expressions::batch_with_more", range,
                                    KernelWithMore{program_, points, values, blocks});
    Kokkos::parallel_for("kubature::expressions::batch", range, Kernel{program_, points, values, blocks});
  }

private:
  typename Kernel::Program program_;
  bool takes_from_stack_;
};

} // namespace kubature
