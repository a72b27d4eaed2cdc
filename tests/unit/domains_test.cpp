#include "domains.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace domains_test {
namespace {

struct Zero {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const*) const {
    return 0;
  }
};

struct Square {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return x[0] * x[0];
  }
};

struct OneLessSum {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return 1 - x[0] - x[1];
  }
};

struct OneLess {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return 1 - x[0];
  }
};

struct Infinite {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const*) const {
    return static_cast<Real>(infinity);
  }
};

struct ExpOfMinusY {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return Kokkos::exp(-x[1]);
  }
};

/// 0 < x < 1, 0 < y < x^2.
struct Parabola {
  static constexpr int variables = 2, coordinates = 2;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    x[0] = u[0];
    x[1] = u[1] * u[0] * u[0];
    return u[0] * u[0];
  }
};

TEST(Domains, OfDependentLimits) {
  auto const below_parabola = sides(Side{0, 1}, Between{Zero{}, Square{}});
  expect(one, below_parabola, 1.0 / 3);
  expect(squares, below_parabola, 1.0 / 5 + 1.0 / 21);
  auto const tetrahedron = sides(Side{0, 1}, Between{Zero{}, OneLess{}}, Between{Zero{}, OneLessSum{}});
  expect(exponential, tetrahedron, std::numbers::e / 2 - 1);
  expect(ExpOfMinusY{}, sides(Side{0, 1}, Between{Square{}, Infinite{}}), std::sqrt(pi) / 2 * std::erf(1.0));
  expect(one, sides(Side{0, 1}, Between{OneLess{}, Zero{}}), -0.5); // reversed
}

TEST(Domains, ProductsAndPieces) {
  expect(one, Product{Ball<2>(), Box<1>(0, 3)}, 3 * pi);
  expect(one, Product{Box<1>(0, 3), Simplex<2>()}, 1.5);
  expect(one, Boxes<2>({Box<2>{{0, 1}, {0, 1}}, Box<2>{{2, 4}, {0, 0.5}}}), 2);
  auto const cut = cut_at(Box<2>(), {{0.3, 0.7}, {0.5}});
  EXPECT_EQ(cut.pieces(), 6);
  expect(exponential, cut, std::pow(std::numbers::e - 1, 2));
  expect(one, Parabola{}, 1.0 / 3);
}

TEST(Domains, RefuseWhatSpansNoVolume) {
  EXPECT_THROW(Ball<2>({0, 0}, 0), InvalidArgument);
  EXPECT_THROW(Ball<2>({0, infinity}, 1), InvalidArgument);
  EXPECT_THROW(Shell<3>({0, 0, 0}, 2, 1), InvalidArgument);
  EXPECT_THROW(Ellipsoid<2>({0, 0}, {1, -1}), InvalidArgument);
  EXPECT_THROW(Simplex<2>({{{0, 0}, {1, 1}, {2, 2}}}), InvalidArgument);
  EXPECT_THROW(Simplex<2>({{{0.1, 0.2}, {0.2, 1}, {0.4, 2.6}}}), InvalidArgument); // on a line but for rounding
  EXPECT_THROW(Boxes<2>(std::vector<Box<2>>{}), InvalidArgument);
}

} // namespace
} // namespace domains_test
