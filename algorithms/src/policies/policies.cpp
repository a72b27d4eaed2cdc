#include "policies/policy_table.hpp"

#include <kubature/backend.hpp>
#include <kubature/detail/policies/auto_policy.hpp>
#include <kubature/detail/policies/call_policy.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/detail/policies/precision_policy.hpp>
#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace kubature::detail {
namespace {

/// The constants of all calls; those of Auto on a host and on a GPU.
struct AllPolicies {
  CallPolicy call;
  CubaturePolicy cubature;
  PeaksPolicy peaks;
  PrecisionPolicy precision;
  QmcPolicy qmc;
  VegasPolicy vegas;
  AutoPolicy of_host{false}, of_gpu{true};
};

AllPolicies& all_policies() {
  static AllPolicies policies;
  return policies;
}

constexpr bool auto_is_on_gpu = on_device_of_its_own<Kokkos::DefaultExecutionSpace>;

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }
}

/// A number, "true" or "false", as a number.
std::optional<double> number_in(std::string_view text) {
  if (text == "true" || text == "false")
    return text == "true" ? 1 : 0;
  double value = 0;
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Why a value is wrong, as the end of a sentence; empty if it is right.
template <class T>
std::string problem_of(std::optional<double> value, Bounds bounds) {
  if (std::is_same_v<T, bool>)
    bounds.most = 1;
  else if (std::is_integral_v<T>)
    bounds.most = std::min(bounds.most, std::is_same_v<T, int> ? 1e9 : sizeof(T) == 4 ? 4e9 : 0x1p53);
  bool const whole = std::is_integral_v<T>;
  if (value && bounds.least <= *value && *value <= bounds.most && !(whole && std::floor(*value) != *value))
    return {};
  if (std::is_same_v<T, bool>)
    return "must be true or false";
  return std::string("must be a ") + (whole ? "whole number" : "number") +
         (std::isfinite(bounds.most) ? " from " + text_of(bounds.least) + " to " + text_of(bounds.most)
                                     : " not below " + text_of(bounds.least));
}

/// A constant of any policy and type.
struct AnyConstant {
  std::string name;
  Origin origin;
  std::function<std::string(AllPolicies&)> text;
  std::function<std::string(std::optional<double>)> problem;
  std::function<void(AllPolicies&, double)> set;
};

struct AnyPolicy {
  std::string_view name;
  std::vector<std::string_view> methods;
  std::vector<AnyConstant> constants;
};

/// @param members the policies that have these constants; the first one is listed
template <class Policy>
using PolicyMember = Policy AllPolicies::*; // an alias of its own, as in Option
template <class Policy>
AnyPolicy any_policy(DescribedPolicy<Policy> const& described, std::vector<PolicyMember<Policy>> const& members) {
  AnyPolicy result{described.name, described.methods, {}};
  for (auto const& constant : described.constants)
    std::visit(
        [&](auto member) {
          using T = std::remove_cvref_t<decltype(Policy().*member)>;
          result.constants.push_back({std::string(described.name) + '.' + std::string(constant.name), constant.origin,
                                      [=](AllPolicies& all) { return text_of((all.*members[0]).*member); },
                                      [bounds = constant.bounds](auto value) { return problem_of<T>(value, bounds); },
                                      [=](AllPolicies& all, double value) {
                                        for (auto const policy : members)
                                          (all.*policy).*member = static_cast<T>(value);
                                      }});
        },
        constant.member);
  return result;
}

std::vector<AnyPolicy> const& described_policies() {
  using All = AllPolicies;
  static std::vector<AnyPolicy> const policies{
      any_policy(describe_auto(),
                 auto_is_on_gpu ? std::vector{&All::of_gpu, &All::of_host} : std::vector{&All::of_host, &All::of_gpu}),
      any_policy(describe_call(), std::vector{&All::call}),
      any_policy(describe_cubature(), std::vector{&All::cubature}),
      any_policy(describe_peaks(), std::vector{&All::peaks}),
      any_policy(describe_precision(), std::vector{&All::precision}),
      any_policy(describe_qmc(), std::vector{&All::qmc}),
      any_policy(describe_vegas(), std::vector{&All::vegas})};
  return policies;
}

AnyConstant const& constant_of(std::string_view name, std::string_view value) {
  for (auto const& policy : described_policies())
    for (auto const& constant : policy.constants)
      if (constant.name == name)
        return constant;
  throw InvalidArgument(std::string(name), std::string(value),
                        "there is no such constant; `kubature policies` lists all of them");
}

void set_in(AllPolicies& policies, std::string_view name, std::string_view value) {
  auto const& constant = constant_of(name, value);
  auto const number = number_in(value);
  if (auto const problem = constant.problem(number); !problem.empty())
    throw InvalidArgument(std::string(name), std::string(value), problem);
  constant.set(policies, *number);
}

} // namespace

template <>
CallPolicy const& policy<CallPolicy>() {
  return all_policies().call;
}
template <>
CubaturePolicy const& policy<CubaturePolicy>() {
  return all_policies().cubature;
}
template <>
PeaksPolicy const& policy<PeaksPolicy>() {
  return all_policies().peaks;
}
template <>
PrecisionPolicy const& policy<PrecisionPolicy>() {
  return all_policies().precision;
}
template <>
QmcPolicy const& policy<QmcPolicy>() {
  return all_policies().qmc;
}
template <>
VegasPolicy const& policy<VegasPolicy>() {
  return all_policies().vegas;
}
AutoPolicy const& auto_policy(bool on_gpu) { return on_gpu ? all_policies().of_gpu : all_policies().of_host; }

std::vector<PolicyConstant> policy_constants(std::string_view of) {
  std::vector<PolicyConstant> result;
  AllPolicies initial;
  for (auto const& policy : described_policies())
    if (of.empty() || of == policy.name || std::ranges::find(policy.methods, of) != policy.methods.end())
      for (auto const& constant : policy.constants)
        result.push_back({constant.name, constant.text(all_policies()), constant.text(initial),
                          std::string(constant.origin.docs), std::string(constant.origin.study)});
  if (result.empty()) {
    std::string names;
    for (auto const& policy : described_policies())
      names += (names.empty() ? "" : ", ") + std::string(policy.name);
    throw InvalidArgument("policy", std::string(of), "must be one of " + names + ", or a method");
  }
  return result;
}

void set_policy(std::string_view name, std::string_view value) { set_in(all_policies(), name, value); }
void set_policy(std::string_view name, double value) { set_policy(name, text_of(value)); }

void set_policies(std::string_view assignments) {
  AllPolicies changed = all_policies();
  for (std::size_t begin = 0; begin <= assignments.size();) {
    auto const end = std::min(assignments.find(',', begin), assignments.size());
    auto const one = assignments.substr(begin, end - begin);
    auto const equals = one.find('=');
    if (equals == std::string_view::npos)
      throw InvalidArgument(std::string(one), "", "must be NAME=VALUE, as in qmc.most_retrained=3");
    set_in(changed, one.substr(0, equals), one.substr(equals + 1));
    begin = end + 1;
  }
  all_policies() = changed;
}

void restore_policies() { all_policies() = AllPolicies(); }

} // namespace kubature::detail
