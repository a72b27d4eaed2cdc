#pragma once

#include <kubature/batched.hpp>
#include <kubature/expressions.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature {

/// Expressions as a function for batched(f, expressions.size()), of as many formulas as there are.
template <class Space>
class ExpressionsInBatches {
  using Program = detail::expression::DeviceProgram<typename Space::memory_space>;
  /// Points side by side: on a host for the compiler to vectorise over.
  static constexpr int width =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible ? 32 : 4;

public:
  ExpressionsInBatches(Space const& exec, Expressions const& expressions) : program_(exec, expressions.program_) {}

  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    auto const blocks = (static_cast<std::int64_t>(points.extent(0)) + width - 1) / width;
    Kokkos::parallel_for(
        "kubature::expressions::batch",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks * program_.terms()),
        Kernel{program_, points, values, blocks});
  }

private:
  /// One formula at `width` points; neighbours evaluate the same formula.
  struct Kernel {
    Program program;
    BatchPoints<Space> points;
    BatchValues<Space> values;
    std::int64_t blocks;

    KOKKOS_FUNCTION void operator()(std::int64_t item) const {
      int const formula = static_cast<int>(item / blocks);
      auto const first = item % blocks * width, all = static_cast<std::int64_t>(points.extent(0));
      double coordinates[max_dimension][width], result[width];
      for (int axis = 0; axis < static_cast<int>(points.extent(1)); ++axis)
        for (int w = 0; w < width; ++w)
          coordinates[axis][w] = points(first + w < all ? first + w : all - 1, axis);
      detail::expression::run(program.instructions(), program.term(formula),
                              detail::expression::Coordinates<double, width>{coordinates}, result);
      for (int w = 0; w < width && first + w < all; ++w)
        values(first + w, formula) = result[w];
    }
  };

  Program program_;
};

} // namespace kubature
