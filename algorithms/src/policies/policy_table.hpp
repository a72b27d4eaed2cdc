#pragma once

#include <kubature/detail/policies/policy.hpp>
#include <kubature/options.hpp>

#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace kubature::detail {

/// The origin of constants.
struct Origin {
  std::string_view docs;  ///< the section that explains them: "docs/design/audits.md#audits"
  std::string_view study; ///< a program of perf/, with its options
};

/// The values that a constant may have.
struct Bounds {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

/// A constant of a policy.
template <class Policy>
struct DescribedConstant {
  template <class T>
  using Member = T Policy::*; // as in Option
  using AnyMember =
      std::variant<Member<bool>, Member<int>, Member<std::uint32_t>, Member<std::uint64_t>, Member<double>>;

  std::string_view name;
  AnyMember member;
  Origin origin;
  Bounds bounds = {};
};

/// The policy's name, its methods, and its constants in the order of its members.
template <class Policy>
struct DescribedPolicy {
  std::string_view name;
  std::vector<std::string_view> methods;
  std::span<DescribedConstant<Policy> const> constants;
};

struct AutoPolicy;
struct CallPolicy;
struct CubaturePolicy;
struct PeaksPolicy;
struct PrecisionPolicy;
struct QmcPolicy;
struct VegasPolicy;
DescribedPolicy<AutoPolicy> describe_auto();
DescribedPolicy<CallPolicy> describe_call();
DescribedPolicy<CubaturePolicy> describe_cubature();
DescribedPolicy<PeaksPolicy> describe_peaks();
DescribedPolicy<PrecisionPolicy> describe_precision();
DescribedPolicy<QmcPolicy> describe_qmc();
DescribedPolicy<VegasPolicy> describe_vegas();

/// At least 1, for divisors and for minimum numbers.
inline constexpr Bounds positive{1};

} // namespace kubature::detail
