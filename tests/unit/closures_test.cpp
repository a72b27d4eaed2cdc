#include "cubatures.hpp"

#include <cmath>

/// \file
/// Closures that capture: they can be copied, but not assigned.

namespace closures_test {

using namespace kubature;
using namespace cubatures;

/// The integral of exp(-rate x) over 0 < x < 1.
template <class Space, class Method>
double decay(Space const& exec, Method const& method, double rate) {
  auto const f = KOKKOS_LAMBDA(Point<double, 1> const& x) { return Kokkos::exp(-rate * x[0]); };
  return integrate(exec, method, f, Box<1>{}, {.relative = 1e-10}).value;
}

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, IntegrateClosuresThatCapture) {
  double const truth = (1 - std::exp(-3.0)) / 3;
  EXPECT_NEAR(decay(this->exec, Pagani{}, 3), truth, 1e-10 * truth);
  EXPECT_NEAR(decay(this->exec, TwoPhase{}, 3), truth, 1e-10 * truth);
}

} // namespace closures_test
