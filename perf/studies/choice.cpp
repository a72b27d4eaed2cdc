// choice: what Auto costs beside the best method for each integral. Random Genz integrands
// (kubature/suite/random_genz.hpp) to relative tolerances from 1e-2 to 1e-8, by Auto and by each of the methods that it
// chooses from, and m-Cubes; a call may take so many seconds. The best is the method that converges in the least time.
// Methods start untrained.
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/random_genz.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space;

struct Options {
  std::uint64_t count = 600, set = 1;
  std::vector<double> tolerances = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  double seconds = 1;
};

/// One method's call.
struct Outcome {
  Result<> result;
  double seconds = 0;

  bool converged() const { return result.status == Status::converged; }
};

constexpr std::array names{"auto", "pagani", "qmc", "vegas+", "mcubes"};
using Outcomes = std::array<Outcome, names.size()>;

/// What is told of all integrands at one tolerance.
struct Tally {
  int tried = 0, possible = 0, converged = 0, within_2 = 0;
  std::array<int, names.size()> best = {}, wrong_of = {};
  std::vector<double> ratios;
  std::map<std::string, int> chosen;

  void add(Outcomes const& of, double truth, double tolerance) {
    auto const is_wrong = [&](Outcome const& one) {
      double const sigmas = one.result.method == "pagani" ? 1 : 3;
      return one.converged() && std::abs(one.result.value - truth) > sigmas * tolerance * std::abs(truth);
    };
    ++tried;
    std::size_t fastest = 0;
    for (std::size_t m = 1; m < of.size(); ++m) {
      wrong_of[m] += is_wrong(of[m]);
      if (of[m].converged() && (fastest == 0 || of[m].seconds < of[fastest].seconds))
        fastest = m;
    }
    wrong_of[0] += is_wrong(of[0]);
    converged += of[0].converged();
    if (of[0].converged())
      ++chosen[of[0].result.method];
    if (fastest == 0)
      return;
    ++possible;
    ++best[fastest];
    if (of[0].converged())
      ratios.push_back(of[0].seconds / of[fastest].seconds);
    within_2 += of[0].converged() && of[0].seconds <= 2 * of[fastest].seconds;
  }

  Json json() const {
    Json object{{"tried", tried},
                {"some_method_converged", possible},
                {"auto_converged", converged},
                {"within_2_times", within_2}};
    object["median_ratio"] = ratios.empty() ? std::numeric_limits<double>::quiet_NaN() : perf::median(ratios);
    object["chosen"] = chosen;
    for (std::size_t m = 0; m < names.size(); ++m) {
      object["wrong"][names[m]] = wrong_of[m];
      if (m > 0)
        object["best"][names[m]] = best[m];
    }
    return object;
  }
};

template <class Method>
Outcome call(Method const& method, suite::RandomGenz const& one, Box<> const& box, Tolerance tolerance, Limits limits) {
  Kokkos::Timer const timer;
  auto result = integrate(Space(), method, one.f, box, tolerance, limits);
  return {std::move(result), timer.seconds()};
}

void run(Options const& options, Json& record) {
  record["integrands"] = options.count;
  record["set"] = options.set;
  record["seconds"] = options.seconds;
  Side const side;
  for (double const relative : options.tolerances) {
    Tally tally;
    for (std::uint64_t index = 0; index < options.count; ++index) {
      suite::RandomGenz const one(options.set, index);
      Box<> const box(std::span(&side, 1), one.f.dimension);
      Tolerance const tolerance{.relative = relative};
      Limits const limits{.seconds = options.seconds};
      auto const seed = (options.set - 1) * options.count + index;
      if (index == 0) // kernels are loaded by their first launches
        call(Auto{}, one, box, {.relative = 1e-4}, limits);
      tally.add({call(Auto{.seed = seed}, one, box, tolerance, limits), call(Pagani{}, one, box, tolerance, limits),
                 call(QuasiMonteCarlo{.seed = seed}, one, box, tolerance, limits),
                 call(VegasPlus{.seed = seed}, one, box, tolerance, limits),
                 call(MCubes{.seed = seed}, one, box, tolerance, limits)},
                one.f.value(), relative);
    }
    auto row = tally.json();
    row["relative"] = relative;
    std::fprintf(stderr,
                 "%.0e  auto converged %d of %d that any method does, within 2 times of the best %d, wrong %d\n",
                 relative, tally.converged, tally.possible, tally.within_2, tally.wrong_of[0]);
    record["rows"].push_back(row);
  }
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What Auto costs beside the best method for each integral");
  app.add_option("--count", options.count, "Random Genz integrands");
  app.add_option("--set", options.set, "Their set's seed");
  app.add_option("--tolerance", options.tolerances, "Relative tolerances; by default 1e-2 to 1e-8")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "A call may take so long")->check(CLI::PositiveNumber);
  return perf::study("choice", app, argc, argv, [&](Json& record) { run(options, record); });
}
