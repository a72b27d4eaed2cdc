// qmc: the errors of quasi-Monte Carlo against evaluations and against time, compared to VEGAS+, m-Cubes and PAGANI
// with equally many evaluations; calls to a tolerance; throughput; and the pulls of all reference integrals. Errors and
// times are medians over several seeds.
#include "asian_option.hpp"
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/correlated.hpp>
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
  int seeds = 3, pulls = 300;
  std::uint64_t first = 1 << 16, last = on_host ? 1 << 22 : std::uint64_t{1} << 30;
  std::uint64_t pull_evaluations = 1 << 17;
  std::uint64_t throughput = on_host ? 1 << 24 : std::uint64_t{1} << 33;
  double seconds = on_host ? 0 : 12;
  std::vector<std::string> only;
};

/// The integrands whose errors are studied.
constexpr std::string_view subjects[] = {
    "f1-5d",           "f1-8d",          "f2",       "f3-8d",    "f4-5d",        "f4-8d",         "f5-8d",
    "roos-arnold",     "feynman-path",   "asian-16", "asian-20", "correlated-6", "correlated-10", "two-phase-f1-5d",
    "two-phase-f1-6d", "two-phase-f1-7d"};

/// Calls to a tolerance.
struct Reach {
  std::string_view integrand, how;
  double relative;
  QuasiMonteCarlo<> method;
};
Reach const reaches[] = {
    {"f1-8d", "korobov3, no map", 1e-9, {.transform = QmcTransform::korobov3, .trained_map = QmcMap::none}},
    {"f1-8d", "chosen", 1e-9, {}},
    {"f3-8d", "tent, map chosen", 1e-10, {.transform = QmcTransform::tent}},
    {"f3-8d", "korobov1, map chosen", 1e-10, {.transform = QmcTransform::korobov1}},
    {"f3-8d", "chosen", 1e-10, {}},
    {"f4-8d", "tent, map chosen", 1e-9, {.transform = QmcTransform::tent}},
    {"f4-8d", "chosen", 1e-9, {}},
};

class Study {
public:
  explicit Study(Options const& options) : options_(options) {}

  void run(Json& record) {
    auto const visit = [&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const& box) {
      if (!options_.only.empty() && !among(options_.only, entry.name))
        return;
      if constexpr (D >= 5)
        if (among(subjects, entry.name))
          errors(entry, f, box);
      if constexpr (D == 8)
        for (auto const& reach : reaches)
          if (reach.integrand == entry.name && options_.seconds > 0)
            to_tolerance(reach, entry, f, box);
      if (options_.pulls > 1)
        pulls(entry, f, box);
    };
    suite::for_each_by_dimension<suite::least_dimension, suite::largest_dimension>(visit);
    option<16>("asian-16", visit);
    option<20>("asian-20", visit);
    correlated<6>("correlated-6", visit);
    correlated<10>("correlated-10", visit);
    throughput("none", QmcMap::none);
    throughput("smooth", QmcMap::smooth);
    record["columns"] = "integrand,dimension,method,evaluations,milliseconds,error,true_error";
    record["rows"] = rows_;
    record["pull_columns"] = "integrand,dimension,seeds,error,mean,deviation,within_1,within_2";
    record["pulls"] = pulls_;
    record["reach"] = reach_;
    record["throughput"] = throughput_;
  }

private:
  static bool among(auto const& all, std::string_view name) {
    return std::find(std::begin(all), std::end(all), name) != std::end(all);
  }
  static QuasiMonteCarlo<> seeded(QuasiMonteCarlo<> method, int seed) {
    method.seed = static_cast<std::uint64_t>(seed);
    return method;
  }

  template <int D, class Visitor>
  static void option(char const* name, Visitor const& visit) {
    using Call = perf::AsianCall<D>;
    visit(suite::Entry{.name = name, .formula = "", .value = Call::value(), .source = "", .suites = {}}, Call{},
          Box<D>{});
  }

  /// A peak across the axes.
  template <int D, class Visitor>
  static void correlated(char const* name, Visitor const& visit) {
    auto const f = suite::correlated_gaussian(D, 0.9, 0.5, 0.08);
    visit(suite::Entry{.name = name, .formula = "", .value = f.value(), .source = "", .suites = {}}, f, Box<D>{});
  }

  template <class F, int D>
  void errors(suite::Entry const& entry, F const& f, Box<D> const& box) {
    for (std::uint64_t n = options_.first; n <= options_.last; n *= 4) {
      measure(entry, "qmc", QuasiMonteCarlo<>{.evaluations = n}, f, box);
      measure(entry, "qmc no map", QuasiMonteCarlo<>{.evaluations = n, .trained_map = QmcMap::none}, f, box);
      if constexpr (D <= 8)
        measure(entry, "qmc korobov3",
                QuasiMonteCarlo<>{.evaluations = n, .transform = QmcTransform::korobov3, .trained_map = QmcMap::none},
                f, box);
      measure(entry, "qmc sobol", QuasiMonteCarlo<>{.evaluations = n, .rule = QmcRule::sobol}, f, box);
      measure(entry, "vegas+", VegasPlus<>{.evaluations = n / 20}, f, box);
      measure(entry, "mcubes", MCubes<>{.evaluations = n / 20}, f, box);
      if constexpr (D <= 8)
        measure(entry, "pagani", Pagani<>{}, f, box, {.relative = 1e-15}, {.evaluations = n});
    }
  }

  template <class Method, class F, int D>
  void measure(suite::Entry const& entry, char const* name, Method method, F const& f, Box<D> const& box,
               Tolerance tolerance = {}, Limits limits = {}) {
    integrate(Space(), method, f, box, tolerance, {.evaluations = 4096}); // the first call loads kernels
    std::vector<double> seconds, errors, off;
    std::uint64_t evaluations = 0;
    int seeds = options_.seeds;
    if constexpr (!requires { method.seed; })
      seeds = 1;
    for (int seed = 1; seed <= seeds; ++seed) {
      if constexpr (requires { method.seed; })
        method.seed = static_cast<std::uint64_t>(seed);
      auto const result = integrate(Space(), method, f, box, tolerance, limits);
      evaluations = result.evaluations;
      seconds.push_back(result.seconds);
      errors.push_back(result.error / std::abs(entry.value));
      off.push_back(std::abs(result.value / entry.value - 1));
    }
    char row[200];
    std::snprintf(row, sizeof row, "%s,%d,%s,%llu,%.4g,%.3g,%.3g", std::string(entry.name).c_str(), D, name,
                  static_cast<unsigned long long>(evaluations), 1e3 * perf::median(seconds), perf::median(errors),
                  perf::median(off));
    add(rows_, row);
  }

  template <class F, int D>
  void to_tolerance(Reach const& reach, suite::Entry const& entry, F const& f, Box<D> const& box) {
    auto const result = integrate(Space(), seeded(reach.method, 1), f, box, {.relative = reach.relative},
                                  {.seconds = options_.seconds});
    reach_.push_back({{"integrand", entry.name},
                      {"dimension", D},
                      {"relative", reach.relative},
                      {"how", reach.how},
                      {"status", to_string(result.status)},
                      {"evaluations", result.evaluations},
                      {"seconds", result.seconds},
                      {"error", result.error / std::abs(entry.value)},
                      {"true_error", std::abs(result.value / entry.value - 1)}});
    std::fprintf(stderr, "%s\n", reach_.back().dump().c_str());
  }

  /// (value - truth) / error of many calls; calls that saw nothing but zeros have none.
  template <class F, int D>
  void pulls(suite::Entry const& entry, F const& f, Box<D> const& box) {
    double sum = 0, squares = 0, within_1 = 0, within_2 = 0, errors = 0;
    int n = 0;
    for (int seed = 1; seed <= options_.pulls; ++seed) {
      auto const result = integrate(Space(), seeded({.evaluations = options_.pull_evaluations}, seed), f, box);
      if (!(result.error > 0))
        continue;
      double const pull = (result.value - entry.value) / result.error;
      sum += pull;
      squares += pull * pull;
      within_1 += std::abs(pull) < 1;
      within_2 += std::abs(pull) < 2;
      errors += result.error / std::abs(entry.value);
      ++n;
    }
    double const mean = sum / n;
    char row[200];
    std::snprintf(row, sizeof row, "%s,%d,%d,%.3g,%.3g,%.4g,%.3f,%.3f", std::string(entry.name).c_str(), D, n,
                  errors / n, mean, std::sqrt((squares - n * mean * mean) / (n - 1)), within_1 / n, within_2 / n);
    add(pulls_, row);
  }

  void throughput(char const* name, QmcMap map) {
    Integrator integrator(
        Space(),
        QuasiMonteCarlo<>{.evaluations = options_.throughput, .transform = QmcTransform::tent, .trained_map = map});
    integrator.integrate(suite::F4<5>{}, Box<5>{}); // sets up
    auto const result = integrator.integrate(suite::F4<5>{}, Box<5>{});
    throughput_.push_back({{"work", "5-D f4"},
                           {"map", name},
                           {"evaluations", result.evaluations},
                           {"geval_per_second", 1e-9 * static_cast<double>(result.evaluations) / result.seconds}});
  }

  static void add(Json& rows, char const* row) {
    rows.push_back(row);
    std::fprintf(stderr, "%s\n", row);
  }

  Options options_;
  Json rows_ = Json::array(), pulls_ = Json::array(), reach_ = Json::array(), throughput_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Errors of quasi-Monte Carlo against evaluations and time, beside VEGAS+, m-Cubes and PAGANI; calls to a "
      "tolerance, throughput and pulls");
  app.add_option("--seeds", options.seeds, "Seeds of each")->check(CLI::PositiveNumber);
  app.add_option("--pulls", options.pulls, "Seeds of the pulls, 0: none");
  app.add_option("--pull-evaluations", options.pull_evaluations, "Evaluations of each")->check(CLI::Range(1e3, 1e13));
  app.add_option("--first", options.first, "Evaluations to begin with")->check(CLI::Range(1e3, 1e13));
  app.add_option("--last", options.last, "Evaluations to end with, after steps of 4")->check(CLI::Range(1e3, 1e13));
  app.add_option("--throughput", options.throughput, "Evaluations of the throughput")->check(CLI::Range(1e3, 1e13));
  app.add_option("--seconds", options.seconds, "Limit of each call to a tolerance, 0: none of them");
  app.add_option("--only", options.only, "Integrals; by default sixteen, and the pulls of all");
  return perf::study("qmc", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}
