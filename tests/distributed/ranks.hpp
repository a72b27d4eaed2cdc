#pragma once

#include "../unit/values_of.hpp"

#include <kubature/batched.hpp>
#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

/// All processes of the test.
kubature::Communicator const& ranks();

/// A function of D variables, evaluated by a kernel over a batch of points.
template <class F, int D>
struct OfBatches {
  using Space = Kokkos::DefaultExecutionSpace;

  void operator()(Space const& exec, kubature::BatchPoints<Space> const& points,
                  kubature::BatchValues<Space> const& values) const {
    values_of::evaluate<Space, 1, D>("test::ranks::batch", exec, F{}, points, values);
  }
};
