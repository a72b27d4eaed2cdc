#include "find.hpp"

#include <kubature/runtime/detail/methods.hpp>

#include <array>
#include <string>
#include <vector>

namespace kubature::runtime {
namespace detail {
namespace {

template <class M>
MethodInfo info(std::string_view summary) {
  constexpr bool cubature = requires(M method) { CubatureRule(method.rule, 1); },
                 checkpoints = requires(M method) { method.checkpoint; };
  MethodInfo result;
  result.name = Described<M>::name;
  result.summary = summary;
  result.cubature = cubature;
  result.open_ended = cubature || std::is_same_v<M, Auto<>>;
  result.maps = Described<M>::serves.maps;
  result.checkpoints = checkpoints;
  result.distributed = Described<M>::serves.distributed;
  result.symmetric_only = false;
  result.batches = serves_batches<Fp64, M>;
  result.several = serves_several<Fp64, M>;
  result.many_variables = Described<M>::serves.many_variables;
  result.several_of_many = result.many_variables && result.several && Described<M>::serves.many;
  result.suites = Described<M>::serves.suites;
  return result;
}

template <class M>
AnyValues defaults() {
  Values<M> values;
  if constexpr (std::is_same_v<M, Auto<>>)
    values.tolerance.relative = auto_relative;
  return values;
}

template <class M>
Entry entry(std::string_view summary) {
  return {info<M>(summary), &defaults<M>, ""};
}

AnyValues defaults_of_one_map() {
  Values<MCubes<>> values;
  values.method.one_map = true;
  return values;
}

Entry one_map() {
  auto about = info<MCubes<>>("m-Cubes with one map for all axes, for symmetric integrands");
  about.name = "mcubes-1d";
  about.symmetric_only = true;
  return {about, &defaults_of_one_map, "one_map"};
}

} // namespace

std::span<Entry const> entries() {
  static std::array const all{
      entry<VegasPlus<>>("VEGAS+: adaptive importance sampling with adaptive stratification"),
      entry<MCubes<>>("m-Cubes: adaptive importance sampling, with a map for each axis"),
      one_map(),
      entry<PlainMonteCarlo<>>("plain Monte Carlo"),
      entry<QuasiMonteCarlo<>>("quasi-Monte Carlo: randomised points that fill the box evenly, in a trained map"),
      entry<Pagani<>>("PAGANI: adaptive cubature, refines many regions at once"),
      entry<Auto<>>("whichever of PAGANI, qmc and VEGAS+ is predicted to meet the tolerance with the least work"),
      entry<TwoPhase<>>("two-phase cubature, as published, for comparison with PAGANI"),
#ifndef KUBATURE_FP64_ONLY
      entry<MixedPrecision<>>("Monte Carlo in mixed precision, by term, by region or both (option strategy)"),
#endif
  };
  return all;
}

Entry const& entry(MethodInfo const& method) { return entries()[static_cast<std::size_t>(&method - methods().data())]; }

} // namespace detail

std::span<MethodInfo const> methods() {
  static auto const all = [] {
    std::vector<MethodInfo> infos;
    for (auto const& each : detail::entries())
      infos.push_back(each.info);
    return infos;
  }();
  return all;
}

MethodInfo const& find_method(std::string_view name, std::source_location where) {
  return find(methods(), "method", name, where);
}

std::span<PrecisionInfo const> precisions() {
  static constexpr PrecisionInfo all[] = {
      {"fp64", "everything in double precision"},
#ifndef KUBATURE_FP64_ONLY
      {"fp32", "points and integrand in single precision, sums in double"},
      {"fp32_pure", "everything in single precision, for studies"},
      {"fp16", "integrand in half precision, points in single, sums in double, for studies"},
      {adaptive_name, "fp32 where it suffices for the tolerance, fp64 elsewhere; mixed: chosen by term or region"},
#endif
  };
  return all;
}

PrecisionInfo const& find_precision(std::string_view name, std::source_location where) {
  return find(precisions(), "precision", name, where);
}

PrecisionInfo const& default_precision(MethodInfo const& method) {
  return method.name == Described<MixedPrecision<>>::name ? find_precision(adaptive_name) : precisions().front();
}

} // namespace kubature::runtime
