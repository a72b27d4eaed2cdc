#include "precisions.hpp"

#include "instances.hpp"
#include "methods.hpp"

#include <kubature/precision.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <array>

namespace kubature::app {
namespace {

/// All integrals, in the suite's order.
template <class P>
std::vector<Job> all_jobs() {
  std::vector<std::string_view> order;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto&&...) { order.push_back(entry.name); });
  auto const place = [&](Job const& job) { return std::ranges::find(order, job.entry.name); };
  std::vector<Job> all;
  for (auto const& jobs : {suite_jobs<P, 2, 4>(), suite_jobs<P, 5, 7>(), suite_jobs<P, 8, 8>(), suite_jobs<P, 9, 10>()})
    all.insert(all.end(), jobs.begin(), jobs.end());
  std::ranges::sort(all, {}, place);
  return all;
}

/// Those that Expression parses.
template <class P>
std::vector<Job> jobs_of_formulas() {
  std::vector<Job> jobs;
  suite::for_each<suite::All>([&](suite::Entry const& entry, auto&&...) {
    if (!entry.variables.empty())
      jobs.push_back({entry, [entry](std::string_view method, MethodOptions const& options, Callback const& callback) {
                        Kept kept;
                        return integrate_expression<P>(
                            method, options, Expression::parse(entry.formula, entry.variables),
                            Box<dynamic>(std::span(&entry.side, 1), entry.dimension), callback, kept);
                      }});
  });
  return jobs;
}

template <class P>
PrecisionInfo info(std::string_view name, std::vector<Job> (*suite)(), std::string_view summary) {
  return {name, summary, &integrate_expression<P>, suite};
}

} // namespace

std::span<PrecisionInfo const> precisions() {
  static std::array const all{
      info<Fp64>("fp64", &all_jobs<Fp64>, "everything in double precision"),
      info<Fp32>("fp32", &all_jobs<Fp32>, "points and integrand in single precision, sums in double"),
      info<Fp32Pure>("fp32_pure", &jobs_of_formulas<Fp32Pure>, "everything in single precision, for studies"),
      info<Fp16>("fp16", &jobs_of_formulas<Fp16>,
                 "integrand in half precision, points in single, sums in double, for studies"),
      info<Adaptive>(adaptive_name, &jobs_of_formulas<Adaptive>,
                     "fp32 where it serves the tolerance, fp64 elsewhere; mixed: chosen by term or region")};
  return all;
}

PrecisionInfo const& precision_for(Options const& options, std::string_view method) {
  if (method != MixedMethod::name)
    return find_precision(options.precision);
  if (options.typed.contains("--precision") && options.precision != adaptive_name)
    throw BadInput("--precision", options.precision, "the method mixed chooses its precisions: adaptive");
  return find_precision(adaptive_name);
}

PrecisionInfo const& find_precision(std::string_view name) {
  std::string known;
  for (auto const& precision : precisions()) {
    if (precision.name == name)
      return precision;
    known += (known.empty() ? "" : ", ") + std::string(precision.name);
  }
  throw BadInput("--precision", std::string(name), "no such precision; there are " + known);
}

} // namespace kubature::app
