#include "fuzz.hpp"

#include <kubature/expression.hpp>

#include <limits>
#include <optional>
#include <random>
#include <vector>

/// The program that kernels run, of any expression: evaluated in every precision at points drawn from the text, one by
/// one and side by side, whole and by terms. All ways give the same bits, and in double precision those of the host.
namespace {

using namespace kubature;
using Device = DeviceExpression<Kokkos::HostSpace>;
using Kokkos::Experimental::half_t;

constexpr int many = 32;

template <class Real>
double wide(Real value) {
  return static_cast<double>(value);
}

struct Points {
  Point<double, dynamic> x[many];

  Points(std::string_view text, int dimension) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double special[] = {0,      -0.0,  1,     -1,        0.5,      2,
                                  1e-300, 1e300, 70000, -infinity, infinity, std::numeric_limits<double>::quiet_NaN()};
    std::minstd_rand random(static_cast<unsigned>(std::hash<std::string_view>{}(text)));
    std::uniform_real_distribution<double> ordinary(-4, 4);
    for (auto& point : x) {
      point.set_size(dimension);
      for (int axis = 0; axis < dimension; ++axis)
        point[axis] = random() % 4 == 0 ? special[random() % std::size(special)] : ordinary(random);
    }
  }
};

template <class Real, int D, int W>
void check(Device const& f, Point<Real, D> const (&all)[many], std::vector<double> const& single, int term) {
  for (int first = 0; first + W <= many; first += W) {
    Point<Real, D> x[W];
    for (int w = 0; w < W; ++w)
      x[w] = all[first + w];
    Real value[W];
    if (term < 0)
      f.batch(x, value);
    else
      f.batch(term, x, value);
    for (int w = 0; w < W; ++w)
      fuzz::expect(fuzz::same(wide(value[w]), single[static_cast<std::size_t>(first + w)]), "a batch that differs");
  }
}

template <class Real, int D>
std::vector<double> check(Device const& f, Points const& points) {
  Point<Real, D> x[many]{};
  for (int w = 0; w < many; ++w) {
    x[w].set_size(f.dimension());
    for (int axis = 0; axis < f.dimension(); ++axis)
      x[w][axis] = static_cast<Real>(points.x[w][axis]);
  }
  std::vector<double> whole;
  for (int term = -1; term < f.terms(); ++term) {
    std::vector<double> single;
    for (auto const& at : x)
      single.push_back(wide(term < 0 ? f(at) : f.term(term, at)));
    check<Real, D, 4>(f, x, single, term);
    check<Real, D, many>(f, x, single, term);
    if (term < 0)
      whole = std::move(single);
  }
  return whole;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::start_kokkos();
  std::optional<Expression> expression;
  try {
    expression = Expression::parse(fuzz::text(data, size));
  } catch (ExpressionError const&) {
    return -1; // not for the corpus
  }
  auto const f = expression->on(Kokkos::DefaultHostExecutionSpace{});
  fuzz::expect(f.dimension() == expression->dimension(), "another dimension");
  fuzz::expect(static_cast<std::size_t>(f.terms()) == expression->terms().size(), "another number of terms");
  Points const points(fuzz::text(data, size), f.dimension());
  auto const values = check<double, dynamic>(f, points);
  for (int w = 0; w < many; ++w) {
    std::vector<double> x;
    for (int axis = 0; axis < f.dimension(); ++axis)
      x.push_back(points.x[w][axis]);
    fuzz::expect(fuzz::same(values[static_cast<std::size_t>(w)], (*expression)(x)), "a value that the host has not");
  }
  check<float, dynamic>(f, points);
  check<half_t, dynamic>(f, points);
  if (f.dimension() <= 3)
    check<double, 3>(f, points);
  return 0;
}
