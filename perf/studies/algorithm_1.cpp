#include "algorithm_1.hpp"

#include <cmath>
#include <random>

namespace kubature::perf {
namespace {

template <class Real>
Real value(int function, Real x, Real y) {
  using std::sin, std::cos, std::exp, std::log, std::sqrt, std::atan;
  switch (function) {
  case 0:
    return sin(x * y);
  case 1:
    return cos(x + y);
  case 2:
    return exp(Real(-0.1) * x * y);
  case 3:
    return log(x + 1);
  case 4:
    return sqrt(x * x + y * y);
  case 5:
    return x * x * x + y * y;
  case 6:
    return atan(x / y);
  case 7:
    return 1 / (x * x + y * y + 1);
  case 8:
    return sin(x) * cos(y);
  default:
    return exp(-x * x - y * y);
  }
}

template <class Real>
class Sum {
public:
  Sum(int function, Side x, Side y) : function_(function), x_(x), y_(y) {}

  void add(double u, double v) {
    auto const at = [](Side side, double share) {
      return Real(side.lower) + (Real(side.upper) - Real(side.lower)) * Real(share);
    };
    auto const value = perf::value(function_, at(x_, u), at(y_, v));
    if (std::isfinite(value))
      partial_ += value;
    if (++count_ % 4096 == 0)
      close();
  }

  long double integral() {
    close();
    return (Real(x_.upper) - Real(x_.lower)) * (Real(y_.upper) - Real(y_.lower)) * (total_ / Real(count_));
  }

private:
  void close() {
    total_ += partial_;
    partial_ = 0;
  }

  int function_;
  Side x_, y_;
  Real partial_ = 0, total_ = 0;
  int count_ = 0;
};

} // namespace

std::array<long double, 3> integrals_by_format(int function, Side x, Side y, int points) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  Sum<float> single(function, x, y);
  Sum<double> twice(function, x, y);
  Sum<long double> extended(function, x, y);
  for (int i = 0; i < points; ++i) {
    double const u = uniform(random), v = uniform(random);
    single.add(u, v);
    twice.add(u, v);
    extended.add(u, v);
  }
  return {single.integral(), twice.integral(), extended.integral()};
}

} // namespace kubature::perf
