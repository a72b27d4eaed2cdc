// paths: errors and times of the sampling methods for an Asian call on the arithmetic mean of a price at 252 dates,
// with paths by steps, a bridge and principal components, with and without the call on the geometric mean as control
// variate. Errors are root mean squares over several seeds against one reference, times their medians.
#include "asian_option.hpp"
#include "record.hpp"
#include "relative_errors.hpp"

#include <kubature/integrate.hpp>
#include <kubature/path.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr int dates = 252;

/// The discounted payoff of the call of perf::AsianCall, on the arithmetic mean, for a path of Brownian motion; or what
/// it is above that on the geometric mean.
struct ArithmeticCall {
  bool above_geometric;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, dates> const& path) const {
    using Of = perf::AsianCall<dates>;
    double prices = 0, logarithms = 0;
    for (int i = 0; i < dates; ++i) {
      double const time = (i + 1.0) / dates;
      double const logarithm =
          (Of::interest - Of::volatility * Of::volatility / 2) * time + Of::volatility * static_cast<double>(path[i]);
      prices += Kokkos::exp(logarithm);
      logarithms += logarithm;
    }
    auto const paid = [](double mean) { return Kokkos::max(Of::price * mean - Of::strike, 0.0); };
    double const geometric = above_geometric ? paid(Kokkos::exp(logarithms / dates)) : 0;
    return static_cast<Real>(Kokkos::exp(-Of::interest) * (paid(prices / dates) - geometric));
  }
};

struct Options {
  int seeds = 8;
  std::uint64_t first = 1 << 10, last = 1 << 20, reference = 1 << 22;
  std::vector<std::string> paths{"steps", "bridge", "principal"}, methods{"plain", "vegas+", "lattice", "sobol"};
};

class Study {
public:
  explicit Study(Options const& options) : options_(options) {
    for (int i = 1; i <= dates; ++i)
      at_.push_back(i / static_cast<double>(dates));
  }

  void run(Json& record) {
    QuasiMonteCarlo<> method{.evaluations = options_.reference};
    method.seed = 1000; // of no other call
    auto const reference = integrate(Space(), method, ArithmeticCall{true}, brownian_path<dates>(at_));
    value_ = perf::AsianCall<dates>::value() + reference.value;
    for (auto const by : {PathBy::steps, PathBy::bridge, PathBy::principal}) {
      std::string const name = by == PathBy::steps ? "steps" : by == PathBy::bridge ? "bridge" : "principal";
      if (!chosen(name, options_.paths))
        continue;
      auto const path = brownian_path<dates>(at_, by);
      for (bool const control : {false, true})
        methods(name, path, control);
    }
    record["reference"] = {{"value", value_}, {"error", reference.error}};
    record["columns"] = "path,control variate,method,evaluations,milliseconds,error,true_error";
    record["rows"] = rows_;
  }

private:
  static bool chosen(std::string const& name, std::vector<std::string> const& among) {
    return std::ranges::find(among, name) != among.end();
  }

  void methods(std::string const& name, Path<dates> const& path, bool control) {
    for (auto n = options_.first; n <= options_.last; n *= 4) {
      measure(name, path, control, "plain", PlainMonteCarlo<>{.evaluations = n / 10}, n);
      measure(name, path, control, "vegas+", VegasPlus<>{.evaluations = n / 10, .iterations = 10}, n);
      measure(name, path, control, "lattice", QuasiMonteCarlo<>{.evaluations = n}, n);
      measure(name, path, control, "sobol", QuasiMonteCarlo<>{.evaluations = n, .rule = QmcRule::sobol}, n);
    }
  }

  template <class Method>
  void measure(std::string const& name, Path<dates> const& path, bool control, std::string const& by, Method method,
               std::uint64_t n) {
    if (!chosen(by, options_.methods))
      return;
    perf::RelativeErrors errors(value_);
    for (int seed = 0; seed < options_.seeds; ++seed) {
      method.seed = static_cast<std::uint64_t>(seed);
      auto const begin = std::clock();
      auto const result = integrate(Space(), method, ArithmeticCall{control}, path);
      double const value = result.value + (control ? perf::AsianCall<dates>::value() : 0);
      errors.add(value, result.error, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    rows_.push_back({name, control, by, n, errors.milliseconds(), errors.reported(), errors.off()});
  }

  Options options_;
  std::vector<double> at_;
  double value_ = 0;
  Json rows_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Errors of the sampling methods for an Asian call at 252 dates");
  app.add_option("--seeds", options.seeds, "Seeds of each")->check(CLI::PositiveNumber);
  app.add_option("--first", options.first, "Evaluations to begin with")->check(CLI::Range(1e3, 1e13));
  app.add_option("--last", options.last, "Evaluations to end with, after steps of 4")->check(CLI::Range(1e3, 1e13));
  app.add_option("--reference", options.reference, "Evaluations of the reference")->check(CLI::Range(1e3, 1e13));
  app.add_option("--paths", options.paths, "Of steps, bridge and principal");
  app.add_option("--methods", options.methods, "Of plain, vegas+, lattice and sobol");
  return perf::study("paths", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}
