#include <kubature/integrate.hpp>
#include <kubature/suite/cuts.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace calibration_test {
namespace {

using namespace kubature;
using suite::CutShape, suite::GenzFamily, suite::GenzFunction;

/// The pulls (value - truth) / error of a method on several integrands, `seeds` calls each. Honest ones have a root
/// mean square of 1, which for n pulls scatters by 1 / sqrt(2 n); 1.2 is three times that above 1 for n = 112.
struct Pulls {
  static constexpr int seeds = 24;

  double squares = 0;
  int count = 0;
  std::ostringstream each;

  template <class Method, class F>
  void add(Method method, F const& f, std::string const& name) {
    Side const side;
    Box<> const box(std::span(&side, 1), f.dimension);
    double const truth = f.value();
    double here = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      method.seed = static_cast<std::uint64_t>(seed);
      auto const result = integrate(method, f, box);
      double const pull = (result.value - truth) / result.error;
      here += pull * pull;
    }
    squares += here;
    count += seeds;
    each << "  " << name << ' ' << f.dimension << "-D " << std::sqrt(here / seeds) << '\n';
  }

  void expect_honest() const { EXPECT_LT(std::sqrt(squares / count), 1.2) << each.str(); }
};

/// Genz's discontinuous family at its usual difficulty: zero beyond a border across an axis.
template <class Method>
Pulls across_axes(Method const& method) {
  Pulls pulls;
  for (int d = 2; d <= 6; ++d)
    pulls.add(method, suite::random_genz(GenzFamily::discontinuous, d, 1, 11, static_cast<std::uint64_t>(d)),
              "discontinuous");
  return pulls;
}

/// Zero outside a ball or beyond a half space, neither of which follows an axis.
template <class Method>
Pulls across_no_axis(Method const& method) {
  Pulls pulls;
  for (int const d : {2, 4, 6})
    for (CutShape const shape : {CutShape::ball, CutShape::half_space})
      pulls.add(method, suite::random_cut(shape, d, 11, static_cast<std::uint64_t>(d)), std::string(to_string(shape)));
  return pulls;
}

/// One integrand of each family without a discontinuity.
template <class Method>
Pulls of_families(Method const& method) {
  Pulls pulls;
  for (GenzFamily const family : {GenzFamily::oscillatory, GenzFamily::product_peak, GenzFamily::corner_peak,
                                  GenzFamily::gaussian, GenzFamily::c0})
    pulls.add(method, suite::random_genz(family, 4, 1, 12, 0), std::string(to_string(family)));
  return pulls;
}

TEST(Calibration, OfVegasPlusOnCutsAcrossAxes) { across_axes(VegasPlus{.evaluations = 20'000}).expect_honest(); }
TEST(Calibration, OfMCubesOnCutsAcrossAxes) { across_axes(MCubes{.evaluations = 20'000}).expect_honest(); }
TEST(Calibration, OfVegasPlusOnBallsAndHalfSpaces) { across_no_axis(VegasPlus{.evaluations = 20'000}).expect_honest(); }
TEST(Calibration, OfMCubesOnBallsAndHalfSpaces) { across_no_axis(MCubes{.evaluations = 20'000}).expect_honest(); }

/// A thousand samples per iteration: the error may be too large then, but not too small.
TEST(Calibration, OfSmallBudgets) {
  of_families(PlainMonteCarlo{.evaluations = 1000}).expect_honest();
  of_families(MCubes{.evaluations = 1000}).expect_honest();
  of_families(VegasPlus{.evaluations = 1000}).expect_honest();
}

} // namespace
} // namespace calibration_test
