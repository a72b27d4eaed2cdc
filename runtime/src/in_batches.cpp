#include "several.hpp"

#include <kubature/expressions_in_batches.hpp>

#include <memory>

namespace kubature::runtime::detail {

BatchFunction in_batches(Expressions const& integrand) {
  using Space = Kokkos::DefaultExecutionSpace;
  auto const f = std::make_shared<ExpressionsInBatches<Space>>(Space(), integrand);
  return [f](Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) {
    (*f)(exec, points, values);
  };
}

} // namespace kubature::runtime::detail
