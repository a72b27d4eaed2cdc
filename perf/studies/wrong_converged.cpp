// wrong-converged: how often a result that claims to be converged is not. Integrates random Genz integrands of six
// families, 1 to 8 variables and difficulties of 1, 3 and 10 times the usual, to relative tolerances from 1e-3 to 1e-8,
// by cubature and by sampling. A method that misses a tolerance is not tried at tighter ones.
//
// A wrong result is a converged one whose true error exceeds the tolerance or, for sampling, whose errors are standard
// deviations, three times the tolerance. Every wrong case is listed; --case repeats one.
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/random_genz.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space, perf::on_host;

struct Options {
  std::uint64_t count = 3000, set = 1;
  std::optional<std::uint64_t> only;
  std::vector<std::string> methods = {"pagani", "two-phase", "mcubes", "vegas+", "qmc", "auto"}, families;
  std::vector<int> dimensions;
  std::vector<double> difficulties, tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  std::vector<std::uint64_t> samples =
      on_host ? std::vector<std::uint64_t>{20'000} : std::vector<std::uint64_t>{20'000, 100'000};
  std::uint64_t cubature_limit = on_host ? 1'000'000 : 10'000'000;
  std::uint64_t sampling_limit = on_host ? 500'000 : 10'000'000;
  double seconds = infinity;
};

/// "1e+05" in the usual notation.
std::string power(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  std::string const all = text;
  auto const e = all.find("e+0");
  return e == std::string::npos ? all : all.substr(0, e) + 'e' + all.substr(e + 3);
}

template <class Number>
bool chosen(std::vector<Number> const& of, Number const& one) {
  return of.empty() || std::find(of.begin(), of.end(), one) != of.end();
}

/// A call compared with the truth.
struct Outcome {
  suite::RandomGenz const& integrand;
  std::string const& method;
  double tolerance, truth;
  bool sampling;
  Result<> const& result;

  bool converged() const { return result.status == Status::converged; }
  double deviation() const { return std::abs(result.value - truth); }
  /// The true error in units of the tolerance, and of the estimated error.
  double in_tolerances() const { return deviation() / (tolerance * std::abs(truth)); }
  double in_errors() const {
    return deviation() == 0    ? 0
           : result.error == 0 ? std::numeric_limits<double>::infinity()
                               : deviation() / result.error;
  }
  bool wrong() const { return converged() && in_tolerances() > (sampling ? 3 : 1); }
  /// The probability that an honest normal error of this size would be called wrong.
  double chance() const {
    return sampling && converged() ? std::erfc(3 * tolerance * std::abs(truth) / result.error / std::sqrt(2.0)) : 0;
  }
};

/// The statistics of calls that share method, family, dimension, difficulty and tolerance.
class Tally {
public:
  void add(Outcome const& outcome) {
    ++tried_;
    evaluations_.push_back(static_cast<double>(outcome.result.evaluations));
    if (!outcome.converged()) {
      missed_off_ += outcome.in_errors() > 5;
      return;
    }
    ++converged_;
    wrong_ += outcome.wrong();
    off_tolerance_ += outcome.in_tolerances() > 1;
    off_3_tolerances_ += outcome.in_tolerances() > 3;
    off_error_ += outcome.in_errors() > 1;
    off_3_errors_ += outcome.in_errors() > 3;
    off_5_errors_ += outcome.in_errors() > 5;
    chance_ += outcome.chance();
    // Deviations below the rounding error count as this much.
    double const least = 1e-16 * std::abs(outcome.truth);
    estimate_to_truth_.push_back(outcome.result.error / std::max(outcome.deviation(), least));
  }

  static constexpr char const* columns =
      "tried,converged,wrong,above_tolerance,above_3_tolerances,above_error,above_3_errors,above_5_errors,"
      "wrong_by_chance,median_estimate_to_truth,median_evaluations,missed_above_5_errors";

  std::string row() const {
    char text[200];
    std::snprintf(text, sizeof text, "%d,%d,%d,%d,%d,%d,%d,%d,%.2g,%s,%.3g,%d", tried_, converged_, wrong_,
                  off_tolerance_, off_3_tolerances_, off_error_, off_3_errors_, off_5_errors_, chance_,
                  converged_ > 0 ? power(perf::median(estimate_to_truth_)).c_str() : "", perf::median(evaluations_),
                  missed_off_);
    return text;
  }

private:
  int tried_ = 0, converged_ = 0, wrong_ = 0, off_tolerance_ = 0, off_3_tolerances_ = 0, off_error_ = 0,
      off_3_errors_ = 0, off_5_errors_ = 0, missed_off_ = 0;
  double chance_ = 0;
  std::vector<double> evaluations_, estimate_to_truth_;
};

class Study {
public:
  explicit Study(Options options) : options_(std::move(options)) {
    std::sort(options_.tolerances.rbegin(), options_.tolerances.rend());
    if (options_.only)
      set_.emplace_back(options_.set, *options_.only);
    else
      for (std::uint64_t index = 0; index < options_.count; ++index)
        if (suite::RandomGenz const one(options_.set, index);
            chosen(options_.families, std::string(to_string(one.f.family))) &&
            chosen(options_.dimensions, one.f.dimension) && chosen(options_.difficulties, one.difficulty))
          set_.push_back(one);
    for (auto const& one : set_)
      truths_.push_back(one.f.value());
  }

  void run(Json& record) {
    record["integrands"] = set_.size();
    record["set"] = options_.set;
    record["cubature_limit"] = options_.cubature_limit;
    record["sampling_limit"] = options_.sampling_limit;
    if (options_.only)
      std::cerr << set_.front().f.text() << '\n';
    if (chosen(options_.methods, std::string("pagani")))
      by_cubature("pagani", Pagani{});
    if (chosen(options_.methods, std::string("two-phase")))
      by_cubature("two-phase", TwoPhase{});
    for (auto const samples : options_.samples) {
      auto const suffix = ' ' + power(static_cast<double>(samples));
      if (chosen(options_.methods, std::string("mcubes")))
        by_sampling("mcubes" + suffix, MCubes{.evaluations = samples});
      if (chosen(options_.methods, std::string("vegas+")))
        by_sampling("vegas+" + suffix, VegasPlus{.evaluations = samples});
    }
    if (chosen(options_.methods, std::string("qmc")))
      by_sampling("qmc", QuasiMonteCarlo{.evaluations = 1 << 17});
    if (chosen(options_.methods, std::string("auto")))
      by_sampling("auto", Auto{});
    write(record);
  }

private:
  template <class Method>
  void by_cubature(std::string const& name, Method const& method) {
    Integrator integrator(Space(), method);
    Limits const limits{.evaluations = options_.cubature_limit, .seconds = options_.seconds};
    climb(name, false, [&](suite::RandomGenz const& one, Box<> const& box, Tolerance tolerance) {
      return integrator.integrate(one.f, box, tolerance, limits);
    });
  }

  /// Each call starts from an untrained map, and each integrand has a seed of its own.
  template <class Method>
  void by_sampling(std::string const& name, Method method) {
    Limits const limits{.evaluations = options_.sampling_limit, .seconds = options_.seconds};
    climb(name, true, [&](suite::RandomGenz const& one, Box<> const& box, Tolerance tolerance) {
      method.seed = (options_.set - 1) * options_.count + one.index;
      return integrate(method, one.f, box, tolerance, limits);
    });
  }

  /// All integrands by one method, each from the loosest tolerance to the first one missed.
  template <class Call>
  void climb(std::string const& method, bool sampling, Call const& call) {
    Kokkos::Timer timer;
    std::map<std::tuple<suite::GenzFamily, int, double, double>, Tally> tallies;
    int converged = 0, wrong = 0;
    Side const side;
    for (std::size_t k = 0; k < set_.size(); ++k) {
      auto const& one = set_[k];
      Box<> const box(std::span(&side, 1), one.f.dimension);
      for (double const tolerance : options_.tolerances) {
        Result<> const result = call(one, box, {.relative = tolerance});
        Outcome const outcome{one, method, tolerance, truths_[k], sampling && result.method != "pagani", result};
        tallies[{one.f.family, one.f.dimension, one.difficulty, -tolerance}].add(outcome);
        converged += outcome.converged();
        wrong += outcome.wrong();
        if (outcome.wrong())
          list(outcome);
        if (options_.only)
          std::cerr << method << " to " << tolerance << ": " << result << "\n  true error " << outcome.in_tolerances()
                    << " tolerances, " << outcome.in_errors() << " estimated errors"
                    << (outcome.wrong() ? ": wrong" : "") << '\n';
        if (!outcome.converged())
          break;
      }
    }
    for (auto const& [key, tally] : tallies) {
      auto const& [family, dimension, difficulty, negative] = key;
      char text[80];
      std::snprintf(text, sizeof text, "%s,%s,%d,%g,%g,", method.c_str(), std::string(to_string(family)).c_str(),
                    dimension, difficulty, -negative);
      rows_.push_back(text + tally.row());
    }
    std::fprintf(stderr, "%-12s %6d converged, %4d of them wrong, %6.1f s\n", method.c_str(), converged, wrong,
                 timer.seconds());
    seconds_[method] = timer.seconds();
  }

  void list(Outcome const& outcome) {
    char text[200];
    auto const& f = outcome.integrand.f;
    std::snprintf(text, sizeof text, "%s,%llu,%s,%d,%g,%g,%.3g,%.3g,%llu", outcome.method.c_str(),
                  static_cast<unsigned long long>(outcome.integrand.index), std::string(to_string(f.family)).c_str(),
                  f.dimension, outcome.integrand.difficulty, outcome.tolerance, outcome.in_tolerances(),
                  outcome.in_errors(), static_cast<unsigned long long>(outcome.result.evaluations));
    wrong_.push_back(text);
  }

  /// Rows are lines of comma-separated values: thousands of them take a tenth of the space of JSON objects.
  void write(Json& record) const {
    record["seconds"] = seconds_;
    record["columns"] = std::string("method,family,dimension,difficulty,tolerance,") + Tally::columns;
    record["rows"] = rows_;
    record["wrong_columns"] = "method,case,family,dimension,difficulty,tolerance,true_error_in_tolerances,"
                              "true_error_in_estimates,evaluations";
    record["wrong"] = wrong_;
  }

  Options options_;
  std::vector<suite::RandomGenz> set_;
  std::vector<double> truths_;
  std::map<std::string, double> seconds_;
  std::vector<std::string> rows_, wrong_;
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("How often converged results of random Genz integrands are wrong");
  app.add_option("--count", options.count, "Integrands of the set, before others are chosen from it");
  app.add_option("--set", options.set, "The set's seed");
  app.add_option("--case", options.only, "Only the integrand of this number, with all that is known of it");
  app.add_option("--method", options.methods, "pagani, two-phase, mcubes, vegas+, qmc, auto; by default all");
  app.add_option("--family", options.families, "oscillatory, product-peak, ...; by default all");
  app.add_option("--dimension", options.dimensions, "1 to 8; by default all");
  app.add_option("--difficulty", options.difficulties, "1, 3, 10; by default all");
  app.add_option("--tolerance", options.tolerances, "Relative tolerances; by default 1e-3 to 1e-8")
      ->check(CLI::PositiveNumber);
  app.add_option("--samples", options.samples, "Samples per iteration; by default 2e4, on devices 1e5 as well")
      ->check(CLI::Range(2.0, 1e12));
  app.add_option("--cubature-limit", options.cubature_limit, "Evaluations of a call of cubature at most");
  app.add_option("--sampling-limit", options.sampling_limit, "Evaluations of a call of sampling at most");
  app.add_option("--seconds", options.seconds, "A call may take so long")->check(CLI::PositiveNumber);
  return perf::study("wrong-converged", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}
