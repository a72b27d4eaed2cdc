#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/batched.hpp>
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/integrate_many.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/vegas_map.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

/// Every point that an integrand is given lies strictly inside the box, in every method and precision, whether its
/// value is used or not: user code may look up a table there.
namespace points_test {
namespace {

using namespace kubature;

/// Counts points that are not strictly inside a box: on a device, so its sides are plain numbers.
template <class Space, int D>
struct Border {
  double lower[D], upper[D];
  Kokkos::View<std::uint64_t[2], Space> counts{"test::points::counts"}; ///< all points, and those not inside

  explicit Border(Box<D> const& box) {
    for (int i = 0; i < D; ++i) {
      lower[i] = box[i].lower;
      upper[i] = box[i].upper;
    }
  }
  template <class X>
  KOKKOS_FUNCTION void look(X const& x) const {
    bool inside = true;
    for (int i = 0; i < D; ++i) {
      auto const t = static_cast<double>(x(i));
      inside = inside && Kokkos::isfinite(t) && t > lower[i] && t < upper[i];
    }
    Kokkos::atomic_inc(&counts(0));
    if (!inside)
      Kokkos::atomic_inc(&counts(1));
  }
  std::uint64_t count(int which) const {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts)(which);
  }
  void expect_none_on_it() const {
    EXPECT_GT(count(0), 0u);
    EXPECT_EQ(count(1), 0u);
  }
};

/// An integrand with poles at finite ends that draw maps and regions there, and heavy tails towards infinite ones.
template <int D>
struct Poles {
  double end[D], width[D];
  double power;

  Poles(Box<D> const& box, bool upper, double of_pole) : power(of_pole) {
    for (int i = 0; i < D; ++i) {
      auto const [a, b] = box[i];
      end[i] = std::isinf(a) ? (std::isinf(b) ? 0.25 : b) : std::isinf(b) ? a : upper ? b : a;
      width[i] = std::isinf(b - a) ? 1 : b - a;
    }
  }
  template <class X>
  KOKKOS_FUNCTION double operator()(X const& x) const {
    double value = 1;
    for (int i = 0; i < D; ++i) {
      double const t = Kokkos::abs(static_cast<double>(x(i)) - end[i]) / width[i];
      value *= Kokkos::pow(t, -power) / (1 + t * t);
    }
    return value;
  }
};

template <class Space, int D>
struct Watched {
  Border<Space, D> border;
  Poles<D> poles;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto const at = [&](int i) { return x[i]; };
    border.look(at);
    return static_cast<Real>(poles(at));
  }
};

/// Evaluates several points side by side.
template <class Space, int D>
struct SideBySide : Watched<Space, D> {
  using Watched<Space, D>::operator();
  template <class Real, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&values)[W]) const {
    for (int w = 0; w < W; ++w)
      values[w] = (*this)(x[w]);
  }
};

template <class Space, int D>
struct TwoValues {
  Watched<Space, D> watched;
  template <class Real>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    Real const value = watched(x);
    return {value, value * (x[0] > Real(0) ? Real(2) : Real(1))};
  }
};

/// A function of batches, whose unused slots count as well.
template <class Space, int D>
struct InBatches {
  Watched<Space, D> watched;
  int components = 1;

  struct Kernel {
    Watched<Space, D> watched;
    BatchPoints<Space> points;
    BatchValues<Space> values;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      auto const at = [&](int i) { return points(k, i); };
      watched.border.look(at);
      for (std::size_t c = 0; c < values.extent(1); ++c)
        values(k, c) = watched.poles(at) * static_cast<double>(c + 1);
    }
  };
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("test::points::evaluate",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(points.extent(0))),
                         Kernel{watched, points, values});
  }
};

constexpr double inf = infinity;

/// Sides whose ends are where rounding takes points to them.
std::vector<Side> const& sides() {
  static std::vector<Side> const all{
      {-1, 0},    {0, 1},      {-3, 0},        {0, 0.1},         {-0.1, 0},    {-1, 1e-3},     {-1e6, 1e-3},
      {-1e9, 0},  {1e-3, 1e3}, {1e6, 1e6 + 1}, {-1e6 - 1, -1e6}, {1, 1.0001},  {1e-30, 3e-30}, {-2e-30, 0},
      {0, 1e-25}, {0, 1e30},   {-1e30, 1e30},  {0, inf},         {1, inf},     {1e6, inf},     {-1e6, inf},
      {-inf, 0},  {-inf, -1},  {-inf, 1e6},    {-inf, inf},      {-7.3, 11.9}, {-1e30, 0},     {3, inf}};
  return all;
}

template <int D>
Box<D> box_of(std::mt19937_64& random) {
  Side chosen[D];
  for (auto& side : chosen) {
    auto const r = random();
    if (r % 3 == 0) { // anywhere, of any size
      double const position = std::ldexp(static_cast<double>(r >> 40) - 0x1p23, -20 - static_cast<int>(r >> 8 & 7));
      double const length = std::ldexp(1 + static_cast<double>(r >> 16 & 255), -static_cast<int>(r >> 4 & 15));
      side = {position, position + length};
    } else {
      side = sides()[(r >> 8) % sides().size()];
    }
  }
  return Box<D>(std::span<Side const>(chosen));
}

/// Calls that draw few points.
template <class Method>
Method small(Method method, std::mt19937_64& random) {
  if constexpr (requires { method.evaluations; })
    method.evaluations = 500 + random() % 2000;
  if constexpr (requires { method.iterations; })
    method.iterations = 7;
  if constexpr (requires { method.non_finite; })
    method.non_finite = NonFinite::discard;
  if constexpr (requires { method.seed; })
    method.seed = random();
  if constexpr (requires { method.restratify = true; })
    method.restratify = random() % 2 == 0;
  return method;
}

/// Loose where low formats are to serve.
template <class Method>
constexpr double tolerance = 1e-9;
template <class P>
constexpr double tolerance<MixedPrecision<P>> = 0.5;

/// Integrates over many boxes. @param make makes an integrand of what watches its points
template <class Space, int D, class Method, class Make>
void expect_inside(Space const& exec, std::vector<Method> const& methods, Make const& make, int boxes) {
  std::mt19937_64 random(7);
  for (int k = 0; k < boxes; ++k) {
    auto const box = box_of<D>(random);
    Border<Space, D> const border(box);
    std::string trace(Described<Method>::type);
    trace.append(" ").append(std::to_string(k));
    for (int i = 0; i < D; ++i) {
      std::ostringstream text;
      text.precision(17);
      text << ' ' << box[i].lower << ':' << box[i].upper;
      trace += text.str();
    }
    SCOPED_TRACE(trace);
    Watched<Space, D> const watched{border, Poles<D>(box, random() % 2 == 0, k % 3 == 0 ? 0.0 : 0.45)};
    auto const method = small(methods[static_cast<std::size_t>(k) % methods.size()], random);
    try {
      integrate(exec, method, make(watched), box, {.relative = tolerance<Method>}, {.evaluations = 40'000});
      border.expect_none_on_it();
    } catch (InvalidArgument const& error) { // of a precision that has no numbers on a side
      EXPECT_EQ(error.argument().substr(0, 8), "Box side");
      EXPECT_EQ(border.count(1), 0u);
    }
    if (::testing::Test::HasFailure())
      return;
  }
}

template <class P>
std::vector<QuasiMonteCarlo<P>> qmc_methods() {
  std::vector<QuasiMonteCarlo<P>> all;
  for (auto const transform : {QmcTransform::automatic, QmcTransform::none, QmcTransform::tent, QmcTransform::korobov1,
                               QmcTransform::korobov2, QmcTransform::korobov3})
    for (auto const map : {QmcMap::automatic, QmcMap::none, QmcMap::linear, QmcMap::smooth, QmcMap::rotated})
      all.push_back({.transform = transform, .smooth_map = map});
  for (auto const map : {QmcMap::automatic, QmcMap::rotated})
    all.push_back({.rule = QmcRule::sobol, .smooth_map = map});
  return all;
}

template <class Case>
class Points : public ::testing::Test {
protected:
  using Space = typename Case::space;
  using P = typename Case::precision;
  Space exec;

  template <int D, class Method>
  void expect_all_inside(std::vector<Method> const& methods, int boxes) {
    expect_inside<Space, D>(exec, methods, [](auto const& watched) { return watched; }, boxes);
  }
};
TYPED_TEST_SUITE(Points, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(Points, OfPlainMonteCarlo) {
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<typename TestFixture::P>>(1), 200);
}
TYPED_TEST(Points, OfMCubes) {
  using P = typename TestFixture::P;
  this->template expect_all_inside<2>(std::vector<MCubes<P>>{{}, {.bins = 20, .alpha = 2}}, 200);
}
TYPED_TEST(Points, OfVegasPlus) {
  using P = typename TestFixture::P;
  this->template expect_all_inside<2>(std::vector<VegasPlus<P>>{{}, {.bins = 20, .alpha = 2.0}}, 200);
}
TYPED_TEST(Points, OfQuasiMonteCarlo) {
  this->template expect_all_inside<2>(qmc_methods<typename TestFixture::P>(), 320);
}
TYPED_TEST(Points, OfPagani) {
  using P = typename TestFixture::P;
  this->template expect_all_inside<2>(std::vector<Pagani<P>>(1), 200);
  this->template expect_all_inside<5>(std::vector<Pagani<P>>(1), 30);
}
TYPED_TEST(Points, OfTwoPhase) {
  this->template expect_all_inside<2>(std::vector<TwoPhase<typename TestFixture::P>>(1), 100);
}
TYPED_TEST(Points, OfAuto) { this->template expect_all_inside<2>(std::vector<Auto<typename TestFixture::P>>(1), 100); }

template <class Space>
class AllPoints : public ::testing::Test {
protected:
  Space exec;
  template <int D, class Method, class Make>
  void expect_all_inside(std::vector<Method> const& methods, Make const& make, int boxes) {
    expect_inside<Space, D>(exec, methods, make, boxes);
  }
};
TYPED_TEST_SUITE(AllPoints, spaces::All, spaces::Names);

TYPED_TEST(AllPoints, OfMixedPrecision) {
  std::vector<MixedPrecision<>> methods;
  for (auto const strategy : {Strategy::term, Strategy::region, Strategy::hybrid})
    for (double const rounding : {0.1, 0.9})
      methods.push_back({.strategy = strategy, .rounding = rounding, .operations = 1000});
  auto const terms = [](auto const& watched) { return sum_of(watched, watched, watched); };
  this->template expect_all_inside<2>(methods, terms, 200);
}

TYPED_TEST(AllPoints, GivenSideBySide) {
  auto const make = [](Watched<TypeParam, 2> const& watched) { return SideBySide<TypeParam, 2>{watched}; };
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<VegasPlus<>>(1), make, 50);
  this->template expect_all_inside<2>(qmc_methods<Fp64>(), make, 64);
  this->template expect_all_inside<2>(std::vector<Pagani<>>(1), make, 50);
}

TYPED_TEST(AllPoints, OfSeveralComponents) {
  auto const make = [](Watched<TypeParam, 2> const& watched) { return TwoValues<TypeParam, 2>{watched}; };
  this->template expect_all_inside<2>(std::vector<MCubes<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<Auto<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MixedPrecision<Fp64>>(1), make, 50);
}

TYPED_TEST(AllPoints, OfBatches) {
  auto const make = [](auto const& watched) { return batched<1>(InBatches<TypeParam, 2>{watched}); };
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<VegasPlus<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MCubes<>>(1), make, 50);
  this->template expect_all_inside<2>(qmc_methods<Fp64>(), make, 64);
  this->template expect_all_inside<2>(std::vector<Pagani<>>(1), make, 100);
  this->template expect_all_inside<2>(std::vector<Auto<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MixedPrecision<Fp64>>{{}, {.strategy = Strategy::hybrid}}, make, 50);
}

TYPED_TEST(AllPoints, OfComponentsAtRunTime) {
  auto const make = [](auto const& watched) { return batched(InBatches<TypeParam, 2>{watched}, 3); };
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<VegasPlus<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MCubes<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MixedPrecision<Fp64>>{{}, {.strategy = Strategy::hybrid}}, make, 50);
}

/// One of many integrals, each over its own box.
template <class Space>
struct Which {
  Watched<Space, 2> const* watched;
};
struct WatchedOfMany {
  template <class Real, class Space>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x, Which<Space> const& which) const {
    return (*which.watched)(x);
  }
};

TYPED_TEST(AllPoints, OfManyIntegrals) {
  std::mt19937_64 random(5);
  std::vector<Box<2>> boxes;
  using One = Watched<TypeParam, 2>;
  std::vector<One> each;
  for (int k = 0; k < 100; ++k) {
    boxes.push_back(box_of<2>(random));
    each.push_back({Border<TypeParam, 2>(boxes.back()), Poles<2>(boxes.back(), k % 2 == 0, 0.45)});
  }
  if constexpr (Kokkos::SpaceAccessibility<TypeParam, Kokkos::HostSpace>::accessible) {
    std::vector<Which<TypeParam>> parameters;
    for (auto const& one : each)
      parameters.push_back({&one});
    integrate_many(this->exec, Pagani<>{.non_finite = NonFinite::discard}, WatchedOfMany{}, boxes, parameters,
                   {.relative = 1e-9}, {.seconds = 5});
    integrate_many(this->exec, VegasPlus<>{.evaluations = 1000, .iterations = 8, .non_finite = NonFinite::discard},
                   WatchedOfMany{}, boxes, parameters);
    for (auto const& one : each)
      one.border.expect_none_on_it();
  }
}

/// Points that are drawn from a map.
TYPED_TEST(AllPoints, OfAMap) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 50; ++k) {
    auto const box = box_of<2>(random);
    Border<TypeParam, 2> const border(box);
    Watched<TypeParam, 2> const watched{border, Poles<2>(box, k % 2 == 0, 0.45)};
    Integrator integrator(this->exec, VegasPlus<>{.evaluations = 1000, .iterations = 10, .alpha = 2.0});
    integrator.integrate(watched, box);
    auto const drawn = integrator.map().sample(this->exec, box, 1000);
    auto const points = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), drawn.points);
    for (std::size_t n = 0; n < points.extent(0); ++n)
      for (int i = 0; i < 2; ++i) {
        ASSERT_GT(points(n, i), box[i].lower);
        ASSERT_LT(points(n, i), box[i].upper);
      }
  }
}

/// An expression that is huge on the border.
TEST(PointsOfExpressions, LieInside) {
  auto const expect = [](auto const& method, double least) {
    auto const f = Expression::parse("if(x >= 0 || x <= -1 || y <= 0 || y >= 3, 1e30, 1/sqrt(-x*y))");
    auto const result = integrate(method, f, Box<2>{{-1, 0}, {0, 3}}, {.relative = 1e-6}, {.evaluations = 300'000});
    EXPECT_LT(result.value, 1e6) << Described<std::remove_cvref_t<decltype(method)>>::type;
    EXPECT_GT(result.value, least);
  };
  expect(PlainMonteCarlo<>{.evaluations = 20'000}, 6);
  expect(PlainMonteCarlo<Fp32>{.evaluations = 20'000}, 6);
  expect(MCubes<>{.evaluations = 20'000}, 6);
  expect(VegasPlus<>{.evaluations = 20'000}, 6);
  expect(VegasPlus<Fp32>{.evaluations = 20'000}, 6);
  expect(QuasiMonteCarlo<>{.evaluations = 20'000}, 6);
  expect(QuasiMonteCarlo<Fp32>{.evaluations = 20'000}, 6);
  expect(Pagani<>{}, 6);
  expect(TwoPhase<>{}, 6);
  expect(MixedPrecision<>{.evaluations = 20'000}, 6);
  expect(Auto<>{}, 6);
}

} // namespace
} // namespace points_test
