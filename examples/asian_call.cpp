// Asian call options, a standard test of integration in many variables in finance: the mean price of a share on 252
// dates, the trading days of a year, decides what is paid. With the arithmetic mean there is no closed form; with the
// geometric mean there is one (Kemna and Vorst, 1990), which makes it a control variate: both payoffs and their
// difference are integrated in one call, over the same paths.
#include <kubature/integrate.hpp>
#include <kubature/path.hpp>

#include <cmath>
#include <iostream>
#include <vector>

constexpr int dates = 252;

// A share under geometric Brownian motion, and a call on its mean over dates at equal distances.
struct AsianCall {
  double spot = 100, strike = 100, rate = 0.05, volatility = 0.2, years = 1;

  enum : int { arithmetic, geometric, difference };

  // The discounted payoffs for a path of Brownian motion.
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(kubature::Point<double, dates> const& path) const {
    double sum = 0, sum_of_logs = 0;
    for (int i = 0; i < dates; ++i) {
      double const time = (i + 1) * years / dates;
      double const log_growth = (rate - volatility * volatility / 2) * time + volatility * path[i];
      sum += Kokkos::exp(log_growth);
      sum_of_logs += log_growth;
    }
    double const discount = Kokkos::exp(-rate * years);
    double const of_arithmetic = discount * Kokkos::fmax(0.0, spot * sum / dates - strike);
    double const of_geometric = discount * Kokkos::fmax(0.0, spot * Kokkos::exp(sum_of_logs / dates) - strike);
    return {of_arithmetic, of_geometric, of_arithmetic - of_geometric};
  }

  // The closed form: the logarithm of the geometric mean is normal.
  double geometric_price() const {
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
  AsianCall const call;
  std::vector<double> times;
  for (int i = 1; i <= dates; ++i)
    times.push_back(i * call.years / dates);

  // A Brownian bridge lets the first few variables decide most of the payoff. GPUs take up to 32 variables.
  auto const path = kubature::brownian_path<dates>(times, kubature::PathBy::bridge);
  kubature::QuasiMonteCarlo const method{.evaluations = 1 << 15};
  auto const result = kubature::integrate(Kokkos::DefaultHostExecutionSpace(), method, call, path);
  double const closed = call.geometric_price();
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
