// choice: what Auto costs beside the best method for each integral. Random Genz integrands
// (kubature/suite/random_genz.hpp) to relative tolerances from 1e-2 to 1e-8, by Auto and by each of the methods that it
// chooses from, and m-Cubes; a call may take so many seconds. The best is the method that converges in the least time.
// A method that misses a tolerance is not asked for tighter ones, and nor is Auto where none of the others is left.
// Methods start untrained. Calls of less than 10 ms are made three times, and the shortest counts: the first call for
// an integrand finds nothing in caches. The record lists the cases that Auto loses or gets wrong, a line each.
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/random_genz.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space;

struct Options {
  std::uint64_t count = 600, set = 1, dimensions = 12, first = 0, step = 1;
  std::vector<double> tolerances = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  double seconds = 1;
  bool every = false;
};

/// One method's call; where it was not made, of infinite time.
struct Outcome {
  Result<> result = {};
  double seconds = std::numeric_limits<double>::infinity();

  bool made() const { return std::isfinite(seconds); }
  bool converged() const { return result.status == Status::converged; }
};

constexpr std::array names{"auto", "pagani", "qmc", "vegas+", "mcubes"};
using Outcomes = std::array<Outcome, names.size()>;

/// One case of the list: what was integrated, what Auto chose, and what each method did.
std::string line(suite::RandomGenz const& one, Outcomes const& of) {
  std::ostringstream out;
  out << one.index << ',' << to_string(one.f.family) << ',' << one.f.dimension << ',' << one.difficulty << ','
      << of[0].result.method;
  for (auto const& outcome : of)
    if (outcome.made())
      out << ',' << to_string(outcome.result.status) << ',' << outcome.result.evaluations << ','
          << std::llround(1e6 * outcome.seconds);
    else
      out << ",,,";
  return out.str();
}

/// What the values of a line are.
std::string header() {
  std::string text = "index,family,dimension,difficulty,chosen";
  for (std::string const name : names)
    text += "," + name + " status," + name + " evaluations," + name + " microseconds";
  return text;
}

/// What is told of all integrands at one tolerance.
struct Tally {
  int tried = 0, possible = 0, converged = 0, within_2 = 0;
  std::array<int, names.size()> best = {}, wrong_of = {};
  std::vector<double> ratios;
  std::map<std::string, int> chosen;
  std::vector<std::string> cases;

  void add(suite::RandomGenz const& one, Outcomes const& of, double tolerance, bool every) {
    double const truth = one.f.value();
    auto const is_wrong = [&](Outcome const& outcome) {
      auto const& result = outcome.result;
      double const sigmas = result.method == "pagani" ? 1 : 3;
      return outcome.converged() && std::abs(result.value - truth) > sigmas * tolerance * std::abs(truth);
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
    bool const near = of[0].converged() && (fastest == 0 || of[0].seconds <= 2 * of[fastest].seconds);
    if (every || (fastest != 0 && !near) || is_wrong(of[0]))
      cases.push_back(line(one, of));
    if (fastest == 0)
      return;
    ++possible;
    ++best[fastest];
    if (of[0].converged())
      ratios.push_back(of[0].seconds / of[fastest].seconds);
    within_2 += near;
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
    object["cases"] = cases;
    return object;
  }
};

/// An integrand of the set, and which methods are still asked.
struct Subject {
  suite::RandomGenz one;
  std::array<bool, names.size()> asked;

  template <class Method>
  Outcome call(std::size_t m, Method const& method, Tolerance tolerance, Limits limits) {
    constexpr double brief = 0.01;
    Outcome outcome;
    Side const side;
    Box<> const box(std::span(&side, 1), one.f.dimension);
    for (int i = 0; asked[m] && i < 3 && (i == 0 || outcome.seconds < brief); ++i) {
      Kokkos::Timer const timer;
      outcome.result = integrate(Space(), method, one.f, box, tolerance, limits);
      outcome.seconds = std::min(outcome.seconds, timer.seconds());
    }
    asked[m] = outcome.converged();
    return outcome;
  }

  /// By all methods; Auto is asked as long as another one is.
  Outcomes call(std::uint64_t seed, Tolerance tolerance, Limits limits) {
    asked[0] = std::find(asked.begin() + 1, asked.end(), true) != asked.end();
    return {call(0, Auto{.seed = seed}, tolerance, limits), call(1, Pagani{}, tolerance, limits),
            call(2, QuasiMonteCarlo{.seed = seed}, tolerance, limits),
            call(3, VegasPlus{.seed = seed}, tolerance, limits), call(4, MCubes{.seed = seed}, tolerance, limits)};
  }
};

void run(Options const& options, Json& record) {
  record["integrands"] = options.count;
  record["set"] = options.set;
  record["dimensions"] = options.dimensions;
  record["first"] = options.first;
  record["step"] = options.step;
  record["seconds"] = options.seconds;
  record["columns_of_cases"] = header();
  std::vector<Subject> subjects;
  for (auto index = options.first; index < options.count; index += options.step)
    subjects.push_back({{options.set, index, options.dimensions}, {true, true, true, true, true}});
  if (!subjects.empty()) // kernels are loaded by their first launches
    Subject(subjects.front()).call(0, {.relative = 1e-4}, {.seconds = options.seconds});
  for (double const relative : options.tolerances) {
    Tally tally;
    for (auto& subject : subjects) {
      auto const seed = (options.set - 1) * options.count + subject.one.index;
      tally.add(subject.one, subject.call(seed, {.relative = relative}, {.seconds = options.seconds}), relative,
                options.every);
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
  app.add_option("--first", options.first, "The first of them to take, from 0");
  app.add_option("--step", options.step, "Take one in so many: with 5 and --first 0 to 4 five shares, alike in kind")
      ->check(CLI::PositiveNumber);
  app.add_option("--dimensions", options.dimensions, "They have 1 to so many variables")->check(CLI::Range(1, 12));
  app.add_option("--set", options.set, "Their set's seed");
  app.add_option("--tolerance", options.tolerances, "Relative tolerances; by default 1e-2 to 1e-8")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "A call may take so long")->check(CLI::PositiveNumber);
  app.add_flag("--every", options.every, "List every case, not only those that Auto loses or gets wrong");
  return perf::study("choice", app, argc, argv, [&](Json& record) { run(options, record); });
}
