#pragma once

#include <kubature/batched.hpp>
#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// All processes of the test.
kubature::Communicator const& ranks();

/// A function of D variables, evaluated by a kernel over a batch of points.
template <class F, int D>
struct OfBatches {
  using Space = Kokkos::DefaultExecutionSpace;

  struct Evaluate {
    kubature::BatchPoints<Space> points;
    kubature::BatchValues<Space> values;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      kubature::Point<double, D> x;
      for (int i = 0; i < D; ++i)
        x[i] = points(k, i);
      values(k, 0) = F{}(x);
    }
  };

  void operator()(Space const& exec, kubature::BatchPoints<Space> const& points,
                  kubature::BatchValues<Space> const& values) const {
    Kokkos::parallel_for("test::ranks::batch",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
                         Evaluate{points, values});
  }
};
