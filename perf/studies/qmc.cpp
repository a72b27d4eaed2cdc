// qmc: the errors of quasi-Monte Carlo against evaluations and against time, beside VEGAS+, m-Cubes and PAGANI with as
// many evaluations in all; its throughput; and pulls of the reference integrals. Errors are medians over some seeds.
#include "asian_option.hpp"
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space, perf::on_host;

struct Options {
  int seeds = 5, pulls = 300;
  std::uint64_t first = 1 << 16, last = on_host ? 1 << 22 : std::uint64_t{1} << 30;
  std::uint64_t throughput = on_host ? 1 << 24 : std::uint64_t{1} << 33;
  std::vector<std::string> only;
};

/// Those whose errors are looked at: smooth, peaked and kinked ones of 5 to 20 variables.
constexpr std::string_view subjects[] = {"f1-5d",           "f1-8d",           "f2",      "f3-8d",       "f4-5d",
                                         "f4-8d",           "f5-8d",           "linear",  "roos-arnold", "feynman-path",
                                         "two-phase-f1-5d", "two-phase-f1-7d", "asian-20"};

class Study {
public:
  explicit Study(Options const& options) : options_(options) {}

  void run(Json& record) {
    auto const visit = [&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const& box) {
      if (!options_.only.empty() && !among(options_.only, entry.name))
        return;
      if (among(subjects, entry.name))
        errors(entry, f, box);
      if (options_.pulls > 1 && entry.cost == 1)
        pulls(entry, f, box);
    };
    suite::for_each_by_dimension<5, 8>(visit);
    suite::for_each_by_dimension<10, 10>(visit);
    using Asian = perf::AsianCall<20>;
    visit(suite::Entry{.name = "asian-20", .formula = "", .value = Asian::value(), .source = "", .suites = {}}, Asian{},
          Box<20>{});
    record["rows"] = rows_;
    record["pulls"] = pulls_;
    Json rates = Json::array();
    for (bool const mapped : {false, true}) {
      QuasiMonteCarlo<> const method{.evaluations = options_.throughput,
                                     .smooth_map = mapped ? QmcMap::smooth : QmcMap::none};
      Integrator integrator(Space(), method);
      for (int call = 0; call < 2; ++call) { // the first one sets up
        auto const result = integrator.integrate(suite::F4<5>{}, Box<5>{});
        if (call > 0)
          rates.push_back({{"work", "5-D f4"},
                           {"map", mapped ? "smooth" : "none"},
                           {"evaluations", result.evaluations},
                           {"geval_per_second", 1e-9 * static_cast<double>(result.evaluations) / result.seconds}});
      }
    }
    record["throughput"] = rates;
  }

private:
  static bool among(auto const& all, std::string_view name) {
    return std::find(std::begin(all), std::end(all), name) != std::end(all);
  }

  template <class F, int D>
  void errors(suite::Entry const& entry, F const& f, Box<D> const& box) {
    for (std::uint64_t n = options_.first; n <= options_.last; n *= 4) {
      measure(entry, "qmc", QuasiMonteCarlo<>{.evaluations = n}, f, box);
      measure(entry, "qmc no map", QuasiMonteCarlo<>{.evaluations = n, .smooth_map = QmcMap::none}, f, box);
      if (D <= 8)
        measure(entry, "qmc korobov3",
                QuasiMonteCarlo<>{.evaluations = n, .transform = QmcTransform::korobov3, .smooth_map = QmcMap::none}, f,
                box);
      measure(entry, "qmc sobol", QuasiMonteCarlo<>{.evaluations = n, .rule = QmcRule::sobol}, f, box);
      measure(entry, "vegas+", VegasPlus<>{.evaluations = n / 20}, f, box);
      measure(entry, "mcubes", MCubes<>{.evaluations = n / 20}, f, box);
      if constexpr (D <= 8)
        measure(entry, "pagani", Pagani<>{}, f, box, {.relative = 1e-15}, {.evaluations = n});
    }
  }

  /// (value - truth) / error of many calls.
  template <class F, int D>
  void pulls(suite::Entry const& entry, F const& f, Box<D> const& box) {
    double sum = 0, squares = 0, within_1 = 0, within_2 = 0, errors = 0;
    for (int seed = 1; seed <= options_.pulls; ++seed) {
      auto const result = integrate(
          Space(), QuasiMonteCarlo<>{.evaluations = 1 << 15, .seed = static_cast<std::uint64_t>(seed)}, f, box);
      double const pull = (result.value - entry.value) / result.error;
      sum += pull;
      squares += pull * pull;
      within_1 += std::abs(pull) < 1;
      within_2 += std::abs(pull) < 2;
      errors += result.error / std::abs(entry.value);
    }
    double const n = options_.pulls, mean = sum / n;
    pulls_.push_back({{"integrand", entry.name},
                      {"dimension", D},
                      {"seeds", options_.pulls},
                      {"error", errors / n},
                      {"mean", mean},
                      {"deviation", std::sqrt((squares - n * mean * mean) / (n - 1))},
                      {"within_1", within_1 / n},
                      {"within_2", within_2 / n}});
    std::fprintf(stderr, "%-16s pulls of %d seeds: mean %+.2f, deviation %.2f\n", std::string(entry.name).c_str(),
                 options_.pulls, mean, std::sqrt((squares - n * mean * mean) / (n - 1)));
  }

  template <class Method, class F, int D>
  void measure(suite::Entry const& entry, std::string const& name, Method method, F const& f, Box<D> const& box,
               Tolerance tolerance = {}, Limits limits = {}) {
    constexpr bool random = requires { method.seed; };
    Integrator<Method, Space>(Space(), method).integrate(f, box, {}, {.evaluations = 4096}); // set-up
    std::vector<double> errors, estimates, seconds;
    std::uint64_t evaluations = 0;
    for (int seed = 1; seed <= (random ? options_.seeds : 1); ++seed) {
      if constexpr (random)
        method.seed = static_cast<std::uint64_t>(seed);
      auto const result = integrate(Space(), method, f, box, tolerance, limits);
      double const scale = entry.value != 0 ? std::abs(entry.value) : 1;
      errors.push_back(std::abs(result.value - entry.value) / scale);
      estimates.push_back(result.error / scale);
      seconds.push_back(result.seconds);
      evaluations = result.evaluations;
    }
    rows_.push_back({{"integrand", entry.name},
                     {"dimension", D},
                     {"method", name},
                     {"evaluations", evaluations},
                     {"true_error", perf::median(errors)},
                     {"error", perf::median(estimates)},
                     {"milliseconds", 1e3 * perf::median(seconds)}});
    std::fprintf(stderr, "%-16s %-13s %8.2e evaluations: error %8.2e, true %8.2e, %8.2f ms\n",
                 std::string(entry.name).c_str(), name.c_str(), static_cast<double>(evaluations),
                 perf::median(estimates), perf::median(errors), 1e3 * perf::median(seconds));
  }

  Options options_;
  Json rows_ = Json::array(), pulls_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Errors of quasi-Monte Carlo against evaluations and time, beside VEGAS+, m-Cubes and PAGANI, its "
               "throughput, and pulls");
  app.add_option("--seeds", options.seeds, "Seeds of each")->check(CLI::PositiveNumber);
  app.add_option("--pulls", options.pulls, "Seeds of the pulls, 0: none");
  app.add_option("--first", options.first, "Evaluations to begin with")->check(CLI::Range(1e3, 1e13));
  app.add_option("--last", options.last, "Evaluations to end with, after steps of 4")->check(CLI::Range(1e3, 1e13));
  app.add_option("--throughput", options.throughput, "Evaluations of the throughput")->check(CLI::Range(1e3, 1e13));
  app.add_option("--only", options.only, "Integrals; by default thirteen, and pulls of all");
  return perf::study("qmc", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}
