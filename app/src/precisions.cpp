#include "precisions.hpp"

#include "instances.hpp"
#include "methods.hpp"

#include <kubature/precision.hpp>
#include <kubature/suite/suite.hpp>

#include <array>

namespace kubature::app {
namespace {

template <class P, class... Families>
std::vector<Job> jobs_of() {
  std::vector<Job> all;
  for (auto const& family : {suite_jobs<P, Families>()...})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

template <class P, class... Families>
PrecisionInfo info(std::string_view name, std::string_view summary) {
  return {name, summary, &integrate_expression<P>, &jobs_of<P, Families...>};
}

template <class P>
PrecisionInfo info_of_all(std::string_view name, std::string_view summary) {
  return info<P, suite::Genz, suite::CuVegas, suite::TwoPhase, suite::Mixed>(name, summary);
}

} // namespace

std::span<PrecisionInfo const> precisions() {
  static std::array const all{
      info_of_all<Fp64>("fp64", "everything in double precision"),
      info_of_all<Fp32>("fp32", "points and integrand in single precision, sums in double"),
      info_of_all<Fp32Pure>("fp32_pure", "everything in single precision, for studies"),
      info_of_all<Fp16>("fp16", "integrand in half precision, points in single, sums in double, for studies"),
      info<Adaptive, suite::Mixed>(
          adaptive_name, "fp32 where it serves the tolerance, fp64 elsewhere; mixed: chosen by term or region")};
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
