// calls: the calls that its input asks for, one per line of JSON, answered in a line each, so that a script in any
// language can run experiments with warm kernels. A call has
//   integrand  a reference integral, "arithmetic-asian" or "fixed-path"; or `formula`, `variables` and `box`
//   method     by name
//   precision, options, policy: as for the program
//   repeat     the number of calls, each with a fresh integrator; the median of their times counts
//   seeds      calls with the seeds 0, 1, ...; their values, errors, times and whether they met the tolerance are lists
//   budget     seconds after which there is no further repetition or seed
//   kernels    whether to give the milliseconds of each kernel as well, from a further call that waits for each
//   memory     whether to give the most bytes that a further call holds at once in the memory of its execution space
// The first call for an integrand by a method is preceded by a short one, which loads the kernels.
// The method "cuhre" is a sequential one for each of `runs`, which have an integrand, tolerances in descending order,
// max_evaluations and seconds. Half of the host's cores work on them, one on each.
#include "calls.hpp"
#include "kernel_times.hpp"
#include "peak_memory.hpp"
#include "record.hpp"
#include "report.hpp"

#include <kubature/detail/policies/policy.hpp>
#include <kubature/expression.hpp>
#include <kubature/runtime/integrator.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using namespace kubature;
using perf::Json;

/// What a call is made of: an integral by a method, with settings.
struct Outcome {
  Json result;
  double value, error;
  bool met; ///< the tolerance, or all iterations are done
};
using Run = std::function<Outcome(runtime::Settings const&)>;

Outcome outcome(Result<> const& result) {
  return {app::to_json(result), result.value, result.error,
          result.status == Status::converged || result.status == Status::completed};
}

/// Constants that are set while it exists.
class WithPolicy {
public:
  explicit WithPolicy(std::string const& assignments) {
    if (!assignments.empty())
      detail::set_policies(assignments);
  }
  WithPolicy(WithPolicy const&) = delete;
  ~WithPolicy() {
    for (auto const& constant : before_)
      detail::set_policy(constant.name, constant.value);
  }

private:
  std::vector<detail::PolicyConstant> before_ = detail::policy_constants();
};

class Calls {
public:
  Json answer(Json const& asked) {
    WithPolicy const policy(asked.value("policy", ""));
    auto const method = asked.value("method", "vegas+");
    if (method == "cuhre")
      return of_cuhre(asked);
    runtime::Settings settings(method, asked.value("precision", ""));
    auto const options = asked.value("options", Json::object());
    for (auto const& [name, value] : options.items())
      settings.set(name, value.is_string() ? value.get<std::string>() : value.dump());
    double truth = std::numeric_limits<double>::quiet_NaN();
    auto const run = asked.contains("formula") ? of_formula(asked) : of_integrand(asked, truth);
    load_kernels(asked, method, run);
    Json answer = asked.contains("seeds") ? by_seeds(asked, settings, run) : repeated(asked, settings, run);
    answer["true_value"] = truth;
    if (asked.value("kernels", false))
      answer["kernels"] = kernels(settings, run);
    if (asked.value("memory", false)) {
      perf::PeakMemory const memory;
      run(settings);
      answer["bytes"] = memory.most();
    }
    return answer;
  }

private:
  static double timed(Run const& run, runtime::Settings const& settings, Outcome& of) {
    Kokkos::fence();
    Kokkos::Timer const timer;
    of = run(settings);
    return 1e3 * timer.seconds();
  }

  Run of_integrand(Json const& asked, double& truth) const {
    auto const name = asked.at("integrand").get<std::string>();
    for (auto const& job : jobs_)
      if (job.entry.name == name) {
        truth = job.entry.value;
        return [run = job.run](runtime::Settings const& settings) { return outcome(run(settings, {})); };
      }
    throw std::invalid_argument("no integrand is called " + name);
  }

  static Run of_formula(Json const& asked) {
    auto const variables = asked.at("variables").get<std::vector<std::string>>();
    auto const f = Expression::parse(asked.at("formula").get<std::string>(), variables);
    std::vector<Side> sides;
    for (auto const& side : asked.at("box"))
      sides.push_back({side.at(0), side.at(1)});
    Box<dynamic_many> const box(sides, static_cast<int>(variables.size()));
    return [f, box](runtime::Settings const& settings) {
      runtime::Integrator integrator(settings);
      auto of = outcome(integrator.integrate(f, box));
      if (auto const choices = integrator.choices(); !choices.empty())
        of.result["choices"] = app::to_json(choices);
      return of;
    };
  }

  void load_kernels(Json const& asked, std::string const& method, Run const& run) {
    auto const name = asked.contains("formula") ? asked["formula"] : asked["integrand"];
    if (!loaded_.emplace(name.get<std::string>(), method, asked.value("precision", "")).second)
      return;
    runtime::Settings brief(method, asked.value("precision", ""));
    if (brief.method().open_ended)
      brief.set("relative", 1e-2).set("seconds", 0.1);
    else
      brief.set("evaluations", method == "qmc" ? 1 << 12 : 1000);
    if (auto const options = asked.value("options", Json::object()); options.contains("non_finite"))
      brief.set("non_finite", options["non_finite"].get<std::string>());
    run(brief);
  }

  static Json repeated(Json const& asked, runtime::Settings const& settings, Run const& run) {
    Outcome of;
    std::vector<double> times;
    Kokkos::Timer const all;
    for (int k = 0; k < asked.value("repeat", 1) && (k == 0 || all.seconds() < asked.value("budget", 1e9)); ++k)
      times.push_back(timed(run, settings, of));
    of.result["milliseconds"] = perf::median(times);
    of.result["calls"] = times.size();
    return of.result;
  }

  static Json by_seeds(Json const& asked, runtime::Settings settings, Run const& run) {
    Json answer{{"values", Json::array()}, {"errors", Json::array()}, {"met", Json::array()}};
    std::vector<double> times;
    double evaluations = 0;
    Kokkos::Timer const all;
    for (int seed = 0; seed < asked["seeds"] && (seed == 0 || all.seconds() < asked.value("budget", 1e9)); ++seed) {
      Outcome of;
      times.push_back(timed(run, settings.set("seed", seed), of));
      answer["values"].push_back(of.value);
      answer["errors"].push_back(of.error);
      answer["met"].push_back(of.met);
      evaluations += of.result["evaluations"].get<double>();
    }
    answer["milliseconds"] = perf::median(times);
    answer["evaluations"] = evaluations / static_cast<double>(times.size());
    return answer;
  }

  static Json kernels(runtime::Settings const& settings, Run const& run) {
    using perf::KernelTimes;
    KernelTimes::seconds.clear();
    KernelTimes::watch(KernelTimes::begin, KernelTimes::end);
    run(settings);
    KernelTimes::watch(nullptr, nullptr);
    Json milliseconds;
    for (auto const& [label, seconds] : KernelTimes::seconds)
      milliseconds[label] = 1e3 * seconds;
    return milliseconds;
  }

  Json of_cuhre(Json const& asked) const {
    auto runs = asked.at("runs");
    for (auto const& run : runs)
      if (auto const name = run.at("integrand").get<std::string>(); !cuhre_.contains(name))
        throw std::invalid_argument("no integrand for Cuhre is called " + name);
    std::atomic<std::size_t> next = 0;
    auto const work = [&] {
      for (std::size_t k = next++; k < runs.size(); k = next++)
        runs[k]["rungs"] = rungs_of_cuhre(runs[k]);
    };
    auto const threads = std::max(1U, std::thread::hardware_concurrency() / 2);
    {
      std::vector<std::jthread> at_work;
      for (unsigned t = 0; t < threads; ++t)
        at_work.emplace_back(work);
    }
    return {{"threads", threads}, {"runs", runs}};
  }

  Json rungs_of_cuhre(Json const& run) const {
    perf::CuhreLimits const limits{run.at("max_evaluations"), run.at("seconds")};
    Json rungs = Json::array();
    for (auto const& rung : cuhre_.at(run.at("integrand"))(run.at("tolerances"), limits)) {
      auto const& of = rung.result;
      rungs.push_back({{"tolerance", rung.tolerance},
                       {"status", of.converged                    ? "converged"
                                  : rung.seconds < limits.seconds ? "evaluation_limit"
                                                                  : "time_limit"},
                       {"value", of.value},
                       {"error", of.error},
                       {"evaluations", of.evaluations},
                       {"regions", 2 * of.regions - 1},
                       {"milliseconds", 1e3 * rung.seconds}});
    }
    return rungs;
  }

  std::vector<app::Job> jobs_ = [] {
    auto all = app::all_compiled_jobs();
    for (auto const& more : {perf::jobs_of_papers(), perf::jobs_of_sums(), perf::jobs_of_sums_by_mcubes()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  std::map<std::string, perf::Cuhre, std::less<>> const cuhre_ = perf::sequential_cuhre();
  std::set<std::tuple<std::string, std::string, std::string>> loaded_;
};

void answer_all() {
  Calls calls;
  for (std::string line; std::getline(std::cin, line);) {
    Json answer;
    try {
      answer = calls.answer(Json::parse(line));
    } catch (std::exception const& refused) {
      answer = {{"refused", refused.what()}};
    }
    std::cout << answer.dump() << std::endl;
  }
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes the calls that its input asks for, in JSON, one per line; ends with the heading of a record");
  return perf::study("calls", app, argc, argv, [](Json&) { answer_all(); });
}
