// vegas-plus: what the papers on m-Cubes and cuVegas show in figures and tables, for VEGAS+ and m-Cubes on their
// integrands: samples per second, time and error of whole calls, whether requested tolerances are met, and the
// statistics of results over many seeds.
#include "kernel_times.hpp"
#include "vegas_plus_study.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using kubature::Limits, kubature::Result, kubature::Status, kubature::Tolerance, kubature::format;
using namespace kubature::perf;

/// Samples per second of one iteration. The first five train the map and the strata, and prepare a frozen map.
Json rate(std::string const& series, Integrand const& integrand, Method method, bool refined = true) {
  int const training = 5;
  method.iterations = training + 7;
  method.adapt = refined ? method.iterations : training - 1;
  method.skip = 1;
  IterationTimes times(training);
  auto const result = integrand.integrator(method)({}, {}, times.callback());
  double const rate = static_cast<double>(result.iterations.back().evaluations) / times.median() * 1e-9;
  print(integrand, method);
  std::fprintf(stderr, "%5d bins %-8s %8.4f Geval/s\n", method.bins, refined ? "refined" : "frozen", rate);
  auto result_row = row(integrand, method);
  result_row.update({{"series", series},
                     {"map", refined ? "refined" : "frozen"},
                     {"bins", method.bins},
                     {"milliseconds", 1e3 * times.median()},
                     {"geval_per_second", rate}});
  return result_row;
}

void throughput(Study const& study, Json& rows) {
  for (std::string const name : {"vegas+", "mcubes"}) {
    auto const method = [&](double evaluations) {
      return Method{.name = name, .evaluations = study.evaluations(evaluations), .bins = 500};
    };
    rows.push_back(rate("integrands", study["f4-5d"], method(1e8)));
    rows.push_back(rate("integrands", study["f4-5d"], method(1e9)));
    rows.push_back(rate("integrands", study["f4-5d"], method(1e9), false));
    rows.push_back(rate("integrands", study["f5-8d"], method(1e9)));
    rows.push_back(rate("integrands", study["linear"], method(1e9)));
    rows.push_back(rate("integrands", study["ridge"], method(1e7)));
    rows.push_back(rate("integrands", study["f4-5d fp32"], method(1e9)));
    rows.push_back(rate("integrands", study["f4-5d fp32"], method(1e9), false));

    for (std::string const linear :
         {"linear-2", "linear-4", "linear-6", "linear-8", "linear", "linear-14", "linear-20"})
      rows.push_back(rate("dimension", study[linear], method(1e8)));
    for (int bins = 64; bins <= 4096; bins *= 2) {
      auto with_bins = method(1e8);
      with_bins.bins = bins;
      rows.push_back(rate("bins", study["f4-5d"], with_bins));
    }
    for (double const evaluations : {1e5, 1e6, 1e7, 1e8, 1e9})
      rows.push_back(rate("evaluations", study["f4-5d"], method(evaluations)));
  }
}

/// The row of a call without a tolerance.
Json call_row(Integrand const& integrand, Method const& method, Timed const& call) {
  auto const& [result, milliseconds] = call;
  double const truth = std::abs(result.value - integrand.value);
  print(integrand, method);
  std::fprintf(stderr, "%10.3f ms  %s  estimated error %8.2e, true %8.2e\n", milliseconds,
               format(result.value, result.error).c_str(), result.error, truth);
  auto json = row(integrand, method);
  json.update({{"milliseconds", milliseconds},
               {"value", result.value},
               {"error", result.error},
               {"estimated_relative_error", std::abs(result.error / integrand.value)},
               {"true_relative_error", std::abs(truth / integrand.value)},
               {"chi2_per_dof", result.chi2_per_dof}});
  return json;
}

/// Calls of 20 iterations, and the calls after them, which start with a trained map and allocated memory.
void whole_calls(Study const& study, Json& rows) {
  auto const add = [&](std::string const& name, double evaluations) {
    auto const& integrand = study[name];
    for (std::string const method_name : {"vegas+", "mcubes"}) {
      Method const method{.name = method_name, .evaluations = study.evaluations(evaluations)};
      rows.push_back(call_row(integrand, method, timed_often(integrand, method, 5)));
      auto const call = integrand.integrator(method);
      call({}, {}, {});
      std::vector<double> times;
      for (int k = 0; k < 5; ++k) {
        Kokkos::Timer const timer;
        call({}, {}, {});
        times.push_back(milliseconds(timer));
      }
      rows.back()["second_call_milliseconds"] = median(times);
    }
  };
  add("gaussian", 1e6);
  add("f4-5d", 1e7);
  add("f4-5d", 1e8);
  add("f5-8d", 1e8);
  add("roos-arnold", 1e8);
}

Names const papers{"f1-5d", "f2", "f3-3d", "f4-5d", "f5-8d", "f6", "ridge"};

void error_against_time(Study const& study, Json& rows) {
  for (auto const& name : papers)
    for (auto const& method_name : methods(study[name]))
      for (double const evaluations : {1e5, 1e6, 1e7, 1e8}) {
        auto const& integrand = study[name];
        Method const method{.name = method_name, .evaluations = study.evaluations(evaluations / integrand.cost)};
        rows.push_back(call_row(integrand, method, timed_often(integrand, method, 3)));
      }
}

/// Quantiles of the errors of converged calls: minimum, lower quartile, median, upper quartile, maximum.
Json quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Json result;
  for (int quarter = 0; quarter <= 4; ++quarter)
    result.push_back(values[(values.size() - 1) * static_cast<std::size_t>(quarter) / 4]);
  return result;
}

/// Calls to a tolerance, with many seeds or as many as the time for a row allows.
Json requested_row(Study const& study, Integrand const& integrand, Method method, double tolerance, int seeds) {
  std::vector<double> achieved, times;
  std::uint64_t evaluations = 0;
  Kokkos::Timer const timer;
  for (int seed = 0; seed < seeds && timer.seconds() < study.seconds; ++seed) {
    method.seed = static_cast<std::uint64_t>(seed);
    auto const [result, milliseconds] = timed(integrand, method, {.relative = tolerance}, {.seconds = study.seconds});
    times.push_back(milliseconds);
    evaluations += result.evaluations;
    if (result.status == Status::converged)
      achieved.push_back(std::abs(result.value / integrand.value - 1));
  }
  auto const within = std::count_if(achieved.begin(), achieved.end(), [&](double e) { return e <= tolerance; });
  print(integrand, method);
  std::fprintf(stderr, "tolerance %7.1e: %3zu of %3zu seeds converge, %3td of them within it, %10.3f ms\n", tolerance,
               achieved.size(), times.size(), within, median(times));
  auto result = row(integrand, method);
  result.update({{"tolerance", tolerance},
                 {"seeds", times.size()},
                 {"converged", achieved.size()},
                 {"milliseconds", median(times)},
                 {"mean_evaluations", static_cast<double>(evaluations) / static_cast<double>(times.size())}});
  if (!achieved.empty())
    result.update({{"within", static_cast<double>(within) / static_cast<double>(achieved.size())},
                   {"quantiles", quantiles(achieved)}});
  return result;
}

/// Figure 1 of the m-Cubes paper. VEGAS+ enlarges its iterations by itself; m-Cubes is given larger ones.
void requested_achieved(Study const& study, Json& rows) {
  struct Rung {
    double tolerance, evaluations;
    int seeds;
  };
  for (auto const& name : papers)
    for (std::string const method_name : {"vegas+", "mcubes"}) {
      auto const& integrand = study[name];
      load_kernels(integrand, {.name = method_name});
      for (Rung const rung : {Rung{1e-3, 1e6, 100}, {2e-4, 1e7, 100}, {4e-5, 1e8, 100}, {8e-6, 1e9, 20}}) {
        bool const plus = method_name == "vegas+";
        Method const method{.name = method_name,
                            .evaluations = study.evaluations((plus ? 1e6 : rung.evaluations) / integrand.cost),
                            .iterations = plus ? 0 : 100};
        rows.push_back(requested_row(study, integrand, method, rung.tolerance, study.seeds(rung.seeds)));
        if (rows.back()["converged"] == 0)
          break;
      }
    }
}

/// Figure 3 of the m-Cubes paper.
void one_map(Study const& study, Json& rows) {
  for (std::string const name : {"f2", "f4-5d", "f5-8d"})
    for (std::string const method_name : {"mcubes", "mcubes-1d"})
      for (double const evaluations : {1e6, 1e7, 1e8, 1e9}) {
        Method const method{.name = method_name, .evaluations = study.evaluations(evaluations)};
        rows.push_back(call_row(study[name], method, timed_often(study[name], method, 3)));
      }
}

/// Table 1 of the m-Cubes paper.
void zmcintegral(Study const& study, Json& rows) {
  for (std::string const name : {"fA", "fB"})
    for (std::string const method_name : {"vegas+", "mcubes"})
      for (double const evaluations : {1e8, 1e9}) {
        Method const method{.name = method_name, .evaluations = study.evaluations(evaluations)};
        rows.push_back(call_row(study[name], method, timed_often(study[name], method, 1)));
      }
}

/// The results over many seeds.
struct Statistics {
  double mean, deviation;

  explicit Statistics(std::vector<double> const& values) : mean(0), deviation(0) {
    auto const count = static_cast<double>(values.size());
    for (double const value : values)
      mean += value / count;
    for (double const value : values)
      deviation += (value - mean) * (value - mean) / (count - 1);
    deviation = std::sqrt(deviation);
  }
};

/// The same call with many seeds.
struct Sample {
  std::vector<double> values, errors, times, chi2;

  Sample(Integrand const& integrand, Method method, int seeds) {
    load_kernels(integrand, method);
    for (int seed = 0; seed < seeds; ++seed) {
      method.seed = static_cast<std::uint64_t>(seed);
      auto const [result, milliseconds] = timed(integrand, method);
      values.push_back(result.value);
      errors.push_back(result.error);
      times.push_back(milliseconds);
      chi2.push_back(result.chi2_per_dof);
    }
  }
};

Json spread_row(Integrand const& integrand, Method const& method, int seeds) {
  Sample const sample(integrand, method, seeds);
  Statistics const values(sample.values), errors(sample.errors);
  // The mean square is the squared mean plus the variance; the latter here divides by the number minus one.
  double const reported =
      std::sqrt(errors.mean * errors.mean + errors.deviation * errors.deviation * (seeds - 1) / seeds);
  print(integrand, method);
  std::fprintf(stderr, "beta %4.2f  mean %.9g  spread %8.2e  reported error %8.2e  %10.3f ms\n", method.beta,
               values.mean, values.deviation, reported, median(sample.times));
  auto result = row(integrand, method);
  result.update({{"beta", method.beta},
                 {"seeds", seeds},
                 {"mean", values.mean},
                 {"spread", values.deviation},
                 {"mean_error", errors.mean},
                 {"rms_error", reported},
                 {"true_value", integrand.value},
                 {"milliseconds", median(sample.times)}});
  return result;
}

/// Figure 8 of the cuVegas paper.
void beta(Study const& study, Json& rows) {
  for (std::string const name : {"ridge", "feynman-path"})
    for (double const beta : {0.0, 0.75})
      for (double const evaluations : {1e5, 1e6, 1e7, 1e8}) {
        auto const& integrand = study[name];
        Method const method{.evaluations = study.evaluations(evaluations / integrand.cost), .beta = beta};
        rows.push_back(spread_row(integrand, method, study.seeds(10)));
      }
}

/// For comparison with the spread of other codes' results.
void spread(Study const& study, Json& rows) {
  auto const add = [&](std::string const& name, double evaluations, int seeds) {
    Method const method{.evaluations = study.evaluations(evaluations)};
    rows.push_back(spread_row(study[name], method, study.seeds(seeds)));
  };
  add("gaussian", 1e6, 40);
  add("f4-5d", 1e6, 40);
  add("f4-5d", 1e7, 40);
  add("f4-5d", 1e8, 10);
  add("f5-8d", 1e7, 40);
  add("f5-8d", 1e8, 10);
  add("roos-arnold", 1e7, 40);
  add("roos-arnold", 1e8, 10);
  add("ridge", 1e6, 40);
  add("ridge", 1e7, 10);
  add("feynman-path", 1e7, 40);
}

/// Whether the errors are honest: (value - truth) / error should be normal with mean 0 and standard deviation 1.
void pulls(Study const& study, Json& rows) {
  for (std::string const name : {"f2", "f4-5d", "f5-8d", "gaussian", "linear", "ridge"})
    for (std::string const method_name : {"mc", "mcubes", "vegas+"}) {
      auto const& integrand = study[name];
      Method const method{.name = method_name, .evaluations = study.evaluations(name == "ridge" ? 2e4 : 1e5)};
      Sample const sample(integrand, method, study.seeds(1000));
      std::size_t const seeds = sample.values.size();
      std::vector<double> pull;
      for (std::size_t k = 0; k < seeds; ++k)
        pull.push_back((sample.values[k] - integrand.value) / sample.errors[k]);
      auto const within = [&](double deviations) {
        auto const count = std::count_if(pull.begin(), pull.end(), [&](double p) { return std::abs(p) <= deviations; });
        return static_cast<double>(count) / static_cast<double>(seeds);
      };
      Statistics const all(pull), chi2(sample.chi2);
      print(integrand, method);
      std::fprintf(stderr, "pulls %+8.3g +- %8.3g, within 1: %5.3f, within 2: %5.3f, chi2/dof %8.3g\n", all.mean,
                   all.deviation, within(1), within(2), chi2.mean);
      rows.push_back(row(integrand, method));
      rows.back().update({{"seeds", seeds},
                          {"mean", all.mean},
                          {"deviation", all.deviation},
                          {"within_1", within(1)},
                          {"within_2", within(2)},
                          {"chi2_per_dof", chi2.mean}});
    }
}

/// Table 1 of the cuVegas paper: the shares of the kernels and, beside their sum, the time of a call that does not wait
/// for each.
void sections(Study const& study, Json& rows) {
  auto const& integrand = study["f4-5d"];
  for (std::string const name : {"vegas+", "mcubes"})
    for (double const evaluations : {1e6, 1e7, 1e8}) {
      Method const method{.name = name, .evaluations = study.evaluations(evaluations)};
      double const whole = timed_often(integrand, method, 3).milliseconds;
      KernelTimes::seconds.clear();
      KernelTimes::watch(KernelTimes::begin, KernelTimes::end);
      timed(integrand, method);
      KernelTimes::watch(nullptr, nullptr);

      double all = 0;
      for (auto const& [label, seconds] : KernelTimes::seconds)
        all += seconds;
      print(integrand, method);
      std::fprintf(stderr, "%10.3f ms, kernels %10.3f ms\n", whole, 1e3 * all);
      Json shares;
      for (auto const& [label, seconds] : KernelTimes::seconds) {
        std::fprintf(stderr, "%45s %5.1f %%\n", label.c_str(), 100 * seconds / all);
        shares[label] = seconds / all;
      }
      rows.push_back(row(integrand, method));
      rows.back().update({{"milliseconds", whole}, {"kernel_milliseconds", 1e3 * all}, {"shares", shares}});
    }
}

struct Section {
  std::string name;
  void (*measure)(Study const&, Json&);
};
std::vector<Section> const all_sections{{"throughput", throughput},
                                        {"whole_calls", whole_calls},
                                        {"error_against_time", error_against_time},
                                        {"requested_achieved", requested_achieved},
                                        {"one_map", one_map},
                                        {"zmcintegral", zmcintegral},
                                        {"beta", beta},
                                        {"spread", spread},
                                        {"pulls", pulls},
                                        {"sections", sections}};

void measure(Study& study, Json& record) {
  study.prepare();
  record["scale"] = study.scale;
  for (auto const& section : all_sections)
    if (study.section == "all" || study.section == section.name) {
      std::fprintf(stderr, "\n%s\n", section.name.c_str());
      Kokkos::Timer const timer;
      section.measure(study, record[section.name]);
      std::fprintf(stderr, "%s: %.1f s\n", section.name.c_str(), timer.seconds());
    }
}

} // namespace

int main(int argc, char** argv) {
  Study study;
  CLI::App app("VEGAS+ and m-Cubes on the integrands of the papers: speed, errors, tolerances and statistics");
  Names names{"all"};
  for (auto const& section : all_sections)
    names.push_back(section.name);
  app.add_option("--section", study.section, "A part of the record; by default all")->check(CLI::IsMember(names));
  app.add_option("--scale", study.scale, "Multiplies evaluations and numbers of seeds")->check(CLI::PositiveNumber);
  app.add_option("--seconds", study.seconds, "A row of requested_achieved may take so long")
      ->check(CLI::PositiveNumber);
  return kubature::perf::study("vegas-plus", app, argc, argv, [&](Json& record) { measure(study, record); });
}
