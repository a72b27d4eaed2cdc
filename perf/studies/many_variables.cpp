// many-variables: errors and times of the sampling methods in 64, 252 and 1024 variables, where each has as many
// evaluations. Errors are root mean squares over several seeds, times their medians.
#include "asian_option.hpp"
#include "record.hpp"
#include "relative_errors.hpp"

#include <kubature/integrate.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space;

struct Options {
  int seeds = 4;
  std::uint64_t first = 1 << 12, last = 1 << 18;
  std::vector<int> variables{64, 252, 1024};
};

enum class Kind { product, gaussian, peak, oscillatory, keister };

/// The product of 1 + (x_i - 1/2) / i^2; Genz's Gaussian, product peak and oscillatory integrands, whose difficulty
/// falls from the first variable to the last; Keister's.
template <int D>
struct Integrand {
  Kind kind;

  KOKKOS_FUNCTION static double share(int i) { return 2.0 * (D - i) / (D * (D + 1.0)); }
  KOKKOS_FUNCTION double difficulty(int i) const {
    return kind == Kind::oscillatory ? 4 * share(i) : 3 * Kokkos::sqrt(share(i));
  }

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    double sum = 0, product = 1;
    for (int i = 0; i < D; ++i) {
      auto const at = static_cast<double>(x[i]);
      if (kind == Kind::product) {
        product *= 1 + (at - 0.5) / ((i + 1.0) * (i + 1.0));
      } else if (kind == Kind::keister) {
        double const z = detail::normal_quantile(at);
        sum += z * z / 2;
      } else if (kind == Kind::oscillatory) {
        sum += difficulty(i) * at;
      } else {
        double const off = difficulty(i) * (at - 0.4);
        sum += off * off;
        if (kind == Kind::peak)
          product /= 1 + off * off;
      }
    }
    return static_cast<Real>(kind == Kind::gaussian      ? Kokkos::exp(-sum)
                             : kind == Kind::oscillatory ? Kokkos::cos(1 + sum)
                             : kind == Kind::keister     ? Kokkos::cos(Kokkos::sqrt(sum))
                                                         : product);
  }

  double value() const {
    double product = 1, angle = 1;
    std::vector<double> cosine{std::exp(-0.25)}, sine{2 * 0.42443638350202229 / std::sqrt(std::numbers::pi)};
    for (int i = 0; i < D; ++i) {
      double const a = difficulty(i);
      if (kind == Kind::gaussian)
        product *= std::sqrt(std::numbers::pi) / (2 * a) * (std::erf(0.6 * a) + std::erf(0.4 * a));
      if (kind == Kind::peak)
        product *= (std::atan(0.6 * a) + std::atan(0.4 * a)) / a;
      if (kind == Kind::oscillatory) {
        product *= std::sin(a / 2) / (a / 2);
        angle += a / 2;
      }
      if (i == 0)
        continue; // Keister's by recurrence: see tests/unit/many_variables_test.cpp
      auto const n = static_cast<std::size_t>(i);
      double const g = std::exp(std::lgamma(i / 2.0) - std::lgamma((i + 1) / 2.0)) / 2;
      cosine.push_back((n > 1 ? cosine[n - 2] : 1) - g * sine[n - 1]);
      sine.push_back((n > 1 ? sine[n - 2] : 0) + g * cosine[n - 1]);
    }
    return kind == Kind::oscillatory ? product * std::cos(angle) : kind == Kind::keister ? cosine.back() : product;
  }
};

class Study {
public:
  explicit Study(Options const& options) : options_(options) {}

  void run(Json& record) {
    variables<64>();
    variables<252>();
    variables<1024>();
    record["columns"] = "integrand,variables,method,evaluations,milliseconds,error,true_error";
    record["rows"] = rows_;
  }

private:
  template <int D>
  void variables() {
    if (std::ranges::find(options_.variables, D) == options_.variables.end())
      return;
    char const* const names[] = {"product", "gaussian", "product peak", "oscillatory", "keister"};
    for (auto const kind : {Kind::product, Kind::gaussian, Kind::peak, Kind::oscillatory, Kind::keister}) {
      Integrand<D> const f{kind};
      methods<D>(names[static_cast<int>(kind)], f, f.value());
    }
    methods<D>("asian call", perf::AsianCall<D>{}, perf::AsianCall<D>::value());
  }

  template <int D, class F>
  void methods(char const* name, F const& f, double value) {
    for (auto n = options_.first; n <= options_.last; n *= 4) {
      measure<D>(name, "plain", PlainMonteCarlo<>{.evaluations = n / 10}, n, f, value);
      measure<D>(name, "mcubes", MCubes<>{.evaluations = n / 10, .iterations = 10, .adapt = 7}, n, f, value);
      measure<D>(name, "vegas+", VegasPlus<>{.evaluations = n / 10, .iterations = 10}, n, f, value);
      measure<D>(name, "lattice", QuasiMonteCarlo<>{.evaluations = n}, n, f, value);
      measure<D>(name, "sobol", QuasiMonteCarlo<>{.evaluations = n, .rule = QmcRule::sobol}, n, f, value);
    }
  }

  template <int D, class Method, class F>
  void measure(char const* name, char const* by, Method method, std::uint64_t n, F const& f, double value) {
    perf::RelativeErrors errors(value);
    for (int seed = 0; seed < options_.seeds; ++seed) {
      method.seed = static_cast<std::uint64_t>(seed);
      auto const result = integrate(Space(), method, f, Box<D>{});
      errors.add(result.value, result.error, result.seconds);
    }
    rows_.push_back({name, D, by, n, errors.milliseconds(), errors.reported(), errors.off()});
  }

  Options options_;
  Json rows_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Errors of the sampling methods in 64, 252 and 1024 variables");
  app.add_option("--seeds", options.seeds, "Seeds of each")->check(CLI::PositiveNumber);
  app.add_option("--first", options.first, "Evaluations to begin with")->check(CLI::Range(1e3, 1e13));
  app.add_option("--last", options.last, "Evaluations to end with, after steps of 4")->check(CLI::Range(1e3, 1e13));
  app.add_option("--variables", options.variables, "Numbers of variables, of 64, 252 and 1024");
  return perf::study("many-variables", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}
