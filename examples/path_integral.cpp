// The path integral of a quantum particle in the potential x^2 / 2 (m = hbar = 1), in imaginary time: Z(T) is the sum
// of exp(-S) over all paths that come back to where they began after the time T, cut into N slices. It is an integral
// over the whole space of N variables with a narrow ridge along its diagonal, where only the strata of VEGAS+ can
// follow: with beta = 0 they are all alike. The map that one T has trained begins the integration for another.
#include <kubature/integrate.hpp>

#include <cmath>
#include <filesystem>
#include <iostream>

template <int N>
struct Oscillator {
  double time;

  KOKKOS_FUNCTION double operator()(kubature::Point<double, N> const& x) const {
    double const a = time / N;
    double action = 0;
    for (int j = 0; j < N; ++j) {
      double const change = x[(j + 1) % N] - x[j];
      action += change * change / (2 * a) + a * x[j] * x[j] / 2;
    }
    return Kokkos::pow(2 * Kokkos::numbers::pi_v<double> * a, -N / 2.0) * Kokkos::exp(-action);
  }

  // In Fourier modes the Gaussian integral is a product.
  double exact() const {
    double const a = time / N;
    double product = 1;
    for (int k = 0; k < N; ++k)
      product *= a * a + 4 * std::pow(std::sin(M_PI * k / N), 2);
    return 1 / std::sqrt(product);
  }
  // As N grows.
  double continuum() const { return 1 / (2 * std::sinh(time / 2)); }
};

bool report(char const* what, kubature::Result<> const& result, double truth) {
  std::cout << what << result << ", closed form " << truth << '\n';
  return std::abs(result.value - truth) < 5 * result.error;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  kubature::Box<8> const space(-kubature::infinity, kubature::infinity);
  Kokkos::DefaultExecutionSpace const exec;

  Oscillator<8> const oscillator{.time = 4};
  kubature::VegasPlus method{.evaluations = 300'000, .iterations = 15};
  kubature::Integrator integrator(exec, method);
  auto const adapted = integrator.integrate(oscillator, space);
  method.beta = 0;
  auto const even = kubature::integrate(method, oscillator, space);
  bool right = report("T = 4:                     ", adapted, oscillator.exact());
  right &= report("T = 4, all strata alike:   ", even, oscillator.exact());
  right &= adapted.error < even.error;

  auto const file = (std::filesystem::temp_directory_path() / "kubature-oscillator.map").string();
  integrator.map().save(file);

  Oscillator<8> const longer{.time = 4.5};
  kubature::Integrator warm(exec, kubature::VegasPlus{.evaluations = 300'000, .iterations = 5, .skip = 0});
  warm.use(kubature::VegasMap::load(file));
  std::filesystem::remove(file);
  auto const second = warm.integrate(longer, space);
  right &= report("T = 4.5, the map of T = 4: ", second, longer.exact());

  // The mean energy at the temperature 1 / T, -d ln(Z) / dT, which goes to that of the ground state, 1/2, as T grows.
  double const step = longer.time - oscillator.time;
  double const energy = std::log(adapted.value / second.value) / step;
  double const error = std::hypot(adapted.error / adapted.value, second.error / second.value) / step;
  double const sliced = std::log(oscillator.exact() / longer.exact()) / step;
  double const continuum = std::log(oscillator.continuum() / longer.continuum()) / step;
  std::cout << "mean energy: " << kubature::format(energy, error) << ", closed form " << sliced
            << ", with infinitely many slices " << continuum << '\n';
  return right ? 0 : 1;
}
