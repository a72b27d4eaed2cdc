// choice: what Auto costs compared to the best method for each integral. Integrates random Genz integrands
// (kubature/suite/random_genz.hpp), or the reference integrals, to relative tolerances from 1e-2 to 1e-8, by Auto and
// by each of the methods that it chooses from, and by m-Cubes, with a time limit per call. Auto may have a longer one,
// to see whether it converges at all where another method does in time. The best method is the one that converges in
// the least time. A method that misses a tolerance is not tried at tighter ones, and neither is Auto if none of the
// others is left. Methods start untrained. Calls of less than 10 ms are made three times, and the shortest counts, as
// the first call for an integrand finds nothing in caches. The record lists the cases in which Auto is slower or wrong,
// one per line.
#include "jobs.hpp"
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/runtime/settings.hpp>
#include <kubature/suite/random_genz.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
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
  double seconds = 1, auto_seconds = 0;
  bool every = false, references = false;
};

/// A call of one method; if it was not made, its time is infinite.
struct Outcome {
  Result<> result = {};
  double seconds = std::numeric_limits<double>::infinity();

  bool made() const { return std::isfinite(seconds); }
  bool converged() const { return result.status == Status::converged; }
};

constexpr std::array names{"auto", "pagani", "qmc", "vegas+", "mcubes"};
using Outcomes = std::array<Outcome, names.size()>;

/// An integral with its true value, and a function that computes it by any of the methods.
struct Subject {
  std::string description; ///< as in a line of the record
  double truth;
  std::uint64_t seed;
  std::function<Result<>(std::size_t method, std::uint64_t seed, Tolerance, Limits)> integrate;
  std::array<bool, names.size()> asked = {true, true, true, true, true}; ///< the methods that are still tried

  /// Calls all methods; Auto is called as long as another one is.
  Outcomes call(Tolerance tolerance, Limits of_auto, Limits of_others) {
    asked[0] = std::find(asked.begin() + 1, asked.end(), true) != asked.end();
    Outcomes outcomes;
    for (std::size_t m = 0; m < names.size(); ++m)
      outcomes[m] = call(m, tolerance, m == 0 ? of_auto : of_others);
    return outcomes;
  }

  Outcome call(std::size_t m, Tolerance tolerance, Limits limits) {
    constexpr double brief = 0.01;
    Outcome outcome;
    for (int i = 0; asked[m] && i < 3 && (i == 0 || outcome.seconds < brief); ++i) {
      Kokkos::Timer const timer;
      outcome.result = integrate(m, seed, tolerance, limits);
      outcome.seconds = std::min(outcome.seconds, timer.seconds());
    }
    asked[m] = outcome.converged();
    return outcome;
  }
};

Subject subject(suite::RandomGenz const& one, std::uint64_t seed) {
  std::ostringstream text;
  text << one.index << ',' << to_string(one.f.family) << ',' << one.f.dimension << ',' << one.difficulty;
  return {text.str(), one.f.value(), seed,
          [f = one.f](std::size_t m, std::uint64_t of_call, Tolerance tolerance, Limits limits) {
            Side const side;
            auto const by = [&](auto const& method) {
              return kubature::integrate(Space(), method, f, Box<>(std::span(&side, 1), f.dimension), tolerance,
                                         limits);
            };
            switch (m) {
            case 0:
              return by(Auto{.seed = of_call});
            case 1:
              return by(Pagani{});
            case 2:
              return by(QuasiMonteCarlo{.seed = of_call});
            case 3:
              return by(VegasPlus{.seed = of_call});
            default:
              return by(MCubes{.seed = of_call});
            }
          }};
}

/// A reference integral, by the kernels of the program.
Subject subject(app::Job const& job, std::uint64_t seed) {
  auto const& entry = job.entry;
  return {std::to_string(seed) + ',' + std::string(entry.name) + ',' + std::to_string(entry.dimension) + ",1",
          entry.value, seed, [run = job.run](std::size_t m, std::uint64_t of_call, Tolerance tolerance, Limits limits) {
            runtime::Settings settings(names[m]);
            settings.set("relative", tolerance.relative).set("seconds", limits.seconds);
            if (settings.has("seed"))
              settings.set("seed", of_call);
            return run(settings, {});
          }};
}

/// A line of the list: what was integrated, what Auto chose, and what each method did.
std::string line(Subject const& of, Outcomes const& outcomes) {
  std::ostringstream out;
  out << of.description << ',' << outcomes[0].result.method;
  for (auto const& outcome : outcomes)
    if (outcome.made())
      out << ',' << to_string(outcome.result.status) << ',' << outcome.result.evaluations << ','
          << std::llround(1e6 * outcome.seconds);
    else
      out << ",,,";
  return out.str();
}

/// The names of the values in a line.
std::string header() {
  std::string text = "index,family,dimension,difficulty,chosen";
  for (std::string const name : names)
    text += "," + name + " status," + name + " evaluations," + name + " microseconds";
  return text;
}

/// The statistics of all integrands at one tolerance.
struct Tally {
  int tried = 0, possible = 0, converged = 0, in_time = 0, within_2 = 0;
  std::array<int, names.size()> best = {}, wrong_of = {};
  std::vector<double> ratios;
  std::map<std::string, int> chosen;
  std::vector<std::string> cases;

  /// @param seconds the limit of the other methods
  void add(Subject const& subject, Outcomes const& of, double tolerance, double seconds, bool every) {
    double const truth = subject.truth;
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
    in_time += of[0].converged() && of[0].seconds <= seconds;
    if (of[0].converged())
      ++chosen[of[0].result.method];
    bool const near = of[0].converged() && (fastest == 0 || of[0].seconds <= 2 * of[fastest].seconds);
    if (every || (fastest != 0 && !near) || is_wrong(of[0]))
      cases.push_back(line(subject, of));
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
                {"auto_converged_in_time", in_time},
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

/// The integrals that the options ask for.
std::vector<Subject> subjects(Options const& options) {
  std::vector<Subject> all;
  if (options.references) {
    for (auto const& job : app::all_compiled_jobs())
      all.push_back(subject(job, all.size()));
    return all;
  }
  for (auto index = options.first; index < options.count; index += options.step)
    all.push_back(
        subject(suite::RandomGenz(options.set, index, options.dimensions), (options.set - 1) * options.count + index));
  return all;
}

void run(Options const& options, Json& record) {
  auto all = subjects(options);
  if (options.references) {
    record["integrands"] = "reference integrals";
  } else {
    record["integrands"] = options.count;
    record["set"] = options.set;
    record["dimensions"] = options.dimensions;
    record["first"] = options.first;
    record["step"] = options.step;
  }
  Limits const of_others{.seconds = options.seconds};
  Limits const of_auto{.seconds = options.auto_seconds > 0 ? options.auto_seconds : options.seconds};
  record["seconds"] = of_others.seconds;
  record["auto_seconds"] = of_auto.seconds;
  record["columns_of_cases"] = header();
  if (!all.empty()) // the first launch of a kernel loads it
    Subject(all.front()).call(0, {.relative = 1e-4}, of_auto);
  for (double const relative : options.tolerances) {
    Tally tally;
    for (auto& subject : all)
      tally.add(subject, subject.call({.relative = relative}, of_auto, of_others), relative, of_others.seconds,
                options.every);
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
  app.add_flag("--references", options.references, "The reference integrals instead of random integrands");
  app.add_option("--count", options.count, "Random Genz integrands");
  app.add_option("--first", options.first, "The first of them to take, from 0");
  app.add_option("--step", options.step, "Take one in so many: with 5 and --first 0 to 4 five shares, alike in kind")
      ->check(CLI::PositiveNumber);
  app.add_option("--dimensions", options.dimensions, "They have 1 to so many variables")->check(CLI::Range(1, 12));
  app.add_option("--set", options.set, "Their set's seed");
  app.add_option("--tolerance", options.tolerances, "Relative tolerances; by default 1e-2 to 1e-8")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "A call may take so long")->check(CLI::PositiveNumber);
  app.add_option("--auto-seconds", options.auto_seconds, "A call of Auto may take so long; by default as the others")
      ->check(CLI::PositiveNumber);
  app.add_flag("--every", options.every, "List every case, not only those that Auto loses or gets wrong");
  return perf::study("choice", app, argc, argv, [&](Json& record) { run(options, record); });
}
