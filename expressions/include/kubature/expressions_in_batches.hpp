#pragma once

#include <kubature/batched.hpp>
#include <kubature/expressions.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace kubature {

namespace detail {

/// One formula at `width` points; neighbouring threads evaluate the same formula.
/// @tparam tables whether formulas may read tables on a device; on a host they may in any case
template <class Space, bool tables>
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
    double coordinates[max_dimension + expression::max_stored][width], result[width];
    for (int axis = 0; axis < static_cast<int>(points.extent(1)); ++axis)
      for (int w = 0; w < width; ++w)
        coordinates[axis][w] = points(first + w < all ? first + w : all - 1, axis);
    using StepsOfProgram = std::remove_cvref_t<decltype(program.instructions())>;
    expression::run(expression::WithSpecialFunctions<StepsOfProgram, tables>{program.instructions()},
                    program.term(formula), expression::Coordinates<double, width>{coordinates}, result);
    for (int w = 0; w < width && first + w < all; ++w)
      values(first + w, formula) = result[w];
  }
};

} // namespace detail

/// Expressions, however many, as a function for batched(f, expressions.size()).
template <class Space>
class ExpressionsInBatches {
  using Kernel = detail::FormulasAtPoints<Space, false>;

public:
  /// Copies the program to the device of exec.
  ExpressionsInBatches(Space const& exec, Expressions const& expressions)
      : program_(exec, expressions.program_), reads_tables_(!expressions.program_.tables().empty()) {}

  /// The values of all formulas at all points.
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    // A kernel of their own: tables have no part in the code of other formulas.
    if (!Kernel::on_host && reads_tables_)
      run<detail::FormulasAtPoints<Space, !Kernel::on_host>>(exec, points, values);
    else
      run<Kernel>(exec, points, values);
  }

private:
  template <class OfTheseFormulas>
  void run(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    auto const blocks = (static_cast<std::int64_t>(points.extent(0)) + Kernel::width - 1) / Kernel::width;
    Kokkos::parallel_for(
        "kubature::expressions::batch",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks * program_.terms()),
        OfTheseFormulas{program_, points, values, blocks});
  }

  typename Kernel::Program program_;
  bool reads_tables_;
};

} // namespace kubature
