// Asian call options, a standard test of integration in many variables in finance: the mean price of a share on 16
// dates (or as many as the argument says, 2 to 20) decides what is paid. With the arithmetic mean there is no closed
// form; with the geometric mean there is one (Kemna and Vorst, 1990), which makes it a control variate: both payoffs
// and their difference are integrated in one call, over the same samples.
#include <kubature/integrate.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>

// The inverse of the standard normal distribution. Abramowitz and Stegun 26.2.23 gives x to 4.5e-4; the Taylor series
// of the inverse, from x'(p) = 1 / phi(x) and x'' = x x'^2 (Steinbrecher and Shaw, "Quantile mechanics", 2008),
// corrects it to full double accuracy.
KOKKOS_FUNCTION double normal_quantile(double u) {
  double const p = Kokkos::fmin(u, 1 - u);
  double const t = Kokkos::sqrt(-2 * Kokkos::log(p));
  double const x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                           (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))); // the upper tail has probability p
  double const density = Kokkos::exp(-x * x / 2) * Kokkos::numbers::inv_sqrtpi_v<double> / Kokkos::sqrt(2.0);
  double const r = (Kokkos::erfc(x / Kokkos::sqrt(2.0)) / 2 - p) / density;
  double const refined = x + r * (1 + r * (x / 2 + r * ((1 + 2 * x * x) / 6 + r * x * (7 + 6 * x * x) / 24)));
  return u < 0.5 ? -refined : refined;
}

// A share under geometric Brownian motion, and a call on its mean over dates at equal distances.
struct AsianCall {
  double spot = 100, strike = 100, rate = 0.05, volatility = 0.3, years = 1;

  enum : int { arithmetic, geometric, difference };

  // The discounted payoffs for one path. A Brownian bridge makes it of the uniform numbers u: the first decides where
  // the path ends, the others fill in the middle of ever shorter gaps. So the first few decide most of the payoff.
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(kubature::Point<double, kubature::dynamic> const& u) const {
    int const dates = u.size();
    double const step = years / dates;
    double path[kubature::max_dimension + 1];
    path[0] = 0;
    path[dates] = Kokkos::sqrt(years) * normal_quantile(u[0]);
    int next = 1;
    for (int gaps = 2; gaps < 2 * dates; gaps *= 2)
      for (int k = 1; k < gaps; k += 2) {
        int const left = (k - 1) * dates / gaps, middle = k * dates / gaps, right = (k + 1) * dates / gaps;
        if (left == middle || middle == right)
          continue;
        double const part = double(middle - left) / (right - left);
        double const deviation = Kokkos::sqrt(step * part * (right - middle));
        path[middle] = path[left] + part * (path[right] - path[left]) + deviation * normal_quantile(u[next]);
        ++next;
      }

    double sum = 0, sum_of_logs = 0;
    for (int date = 1; date <= dates; ++date) {
      double const log_growth = (rate - volatility * volatility / 2) * step * date + volatility * path[date];
      sum += Kokkos::exp(log_growth);
      sum_of_logs += log_growth;
    }
    double const discount = Kokkos::exp(-rate * years);
    double const of_arithmetic = discount * Kokkos::fmax(0.0, spot * sum / dates - strike);
    double const of_geometric = discount * Kokkos::fmax(0.0, spot * Kokkos::exp(sum_of_logs / dates) - strike);
    return {of_arithmetic, of_geometric, of_arithmetic - of_geometric};
  }

  // The closed form: the logarithm of the geometric mean is normal.
  double geometric_price(int dates) const {
    auto const distribution = [](double x) { return std::erfc(-x / std::sqrt(2)) / 2; };
    double const n = dates;
    double const mean = std::log(spot) + (rate - volatility * volatility / 2) * years * (n + 1) / (2 * n);
    double const deviation = volatility * std::sqrt(years * (n + 1) * (2 * n + 1) / (6 * n * n));
    double const d = (mean - std::log(strike)) / deviation;
    return std::exp(-rate * years) *
           (std::exp(mean + deviation * deviation / 2) * distribution(d + deviation) - strike * distribution(d));
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  int const dates = argc > 1 ? std::atoi(argv[1]) : 16;
  kubature::Box<> const cube(std::array{kubature::Side{0, 1}}, dates);

  AsianCall const call;
  kubature::VegasPlus const method{.evaluations = 100'000, .iterations = 15};
  auto const result = kubature::integrate(method, call, cube);
  double const closed = call.geometric_price(dates);
  double const plain = result.value[AsianCall::arithmetic], plain_error = result.error[AsianCall::arithmetic];
  double const price = closed + result.value[AsianCall::difference], error = result.error[AsianCall::difference];

  std::cout << result << '\n'
            << "geometric mean:  "
            << kubature::format(result.value[AsianCall::geometric], result.error[AsianCall::geometric])
            << ", closed form " << closed << '\n'
            << "arithmetic mean: " << kubature::format(plain, plain_error) << ", with the control variate "
            << kubature::format(price, error) << '\n';
  bool const right = std::abs(result.value[AsianCall::geometric] - closed) < 5 * result.error[AsianCall::geometric] &&
                     std::abs(plain - price) < 5 * std::hypot(plain_error, error) && error < plain_error;
  return right ? 0 : 1;
}
