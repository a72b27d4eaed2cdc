#pragma once

#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

/// What the tests of points share: an integrand that watches where its points are, boxes, and fixtures.
namespace points {

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

inline constexpr double inf = infinity;

/// Sides whose ends are where rounding takes points to them.
inline std::vector<Side> const& sides() {
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
inline constexpr double tolerance = 1e-9;
template <class P>
inline constexpr double tolerance<MixedPrecision<P>> = 0.5;

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
      all.push_back({.transform = transform, .trained_map = map});
  for (auto const map : {QmcMap::automatic, QmcMap::rotated})
    all.push_back({.rule = QmcRule::sobol, .trained_map = map});
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
template <class Space>
class AllPoints : public ::testing::Test {
protected:
  Space exec;
  template <int D, class Method, class Make>
  void expect_all_inside(std::vector<Method> const& methods, Make const& make, int boxes) {
    expect_inside<Space, D>(exec, methods, make, boxes);
  }
};

} // namespace points
