#include "spaces.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <type_traits>
#include <utility>

namespace ownership_test {
namespace {

using namespace kubature;
using Space = Kokkos::DefaultExecutionSpace;

/// What an integrator has learned and the memory that it holds have one owner.
template <class T>
inline constexpr bool only_moves = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                                   std::is_move_constructible_v<T> && std::is_move_assignable_v<T>;

static_assert(only_moves<Integrator<PlainMonteCarlo<>, Space>>);
static_assert(only_moves<Integrator<MCubes<>, Space>>);
static_assert(only_moves<Integrator<VegasPlus<>, Space>>);
static_assert(only_moves<Integrator<VegasPlus<Fp32>, Space>>);
static_assert(only_moves<Integrator<VegasPlus<Adaptive>, Space>>);
static_assert(only_moves<Integrator<MixedPrecision<>, Space>>);
static_assert(only_moves<Integrator<Pagani<>, Space>>);
static_assert(only_moves<Integrator<Pagani<Adaptive>, Space>>);
static_assert(only_moves<Integrator<kubature::TwoPhase<>, Space>>);

template <class S>
class Owners : public ::testing::Test {
protected:
  S exec;

  /// A moved integrator continues as if it had not moved, and another one can take its former place.
  template <class Method, class F, int D>
  void check(Method const& method, F const& f, Box<D> const& box, Tolerance tolerance) {
    Integrator stays(exec, method), first(exec, method);
    stays.integrate(f, box, tolerance);
    first.integrate(f, box, tolerance);
    Integrator second(std::move(first));
    first = Integrator(exec, method);
    first.integrate(f, box, tolerance); // draws, and writes into memory of its own
    EXPECT_EQ(second.integrate(f, box, tolerance).value, stays.integrate(f, box, tolerance).value);
  }
};
TYPED_TEST_SUITE(Owners, spaces::All, spaces::Names);

TYPED_TEST(Owners, MoveAndGoOn) {
  suite::F4<5> const f;
  Box<5> const box;
  this->check(PlainMonteCarlo{.evaluations = 10'000}, f, box, {});
  this->check(MCubes{.evaluations = 10'000}, f, box, {});
  this->check(VegasPlus{.evaluations = 10'000}, f, box, {});
  this->check(VegasPlus<Adaptive>{.evaluations = 10'000, .precision = adaptive}, f, box, {});
  this->check(Pagani{}, f, box, {.relative = 1e-3});
}

} // namespace
} // namespace ownership_test
