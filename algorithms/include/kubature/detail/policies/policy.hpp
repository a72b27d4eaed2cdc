#pragma once

#include <string>
#include <string_view>
#include <vector>

/// \file
/// The constants by which methods decide on the host, gathered in one struct per method. Each constant names the
/// section of the documentation that explains it and the study that it came from; studies override them at run time
/// (docs/development.md, "Constants").
///
/// Constants that kernels use are compiled into these and stay where they are: studies of them change the source.

namespace kubature::detail {

/// The constants of a method. Each policy declares its own: policy<QmcPolicy>(). They are global, and are changed
/// only between calls.
template <class Policy>
Policy const& policy();

/// A constant, as programs list it.
struct PolicyConstant {
  std::string name;           ///< "qmc.most_retrained"
  std::string value, initial; ///< as text, now and by default
  std::string docs;           ///< "docs/design/quasi-monte-carlo-maps.md#maps"
  std::string study;          ///< the command, as a name of a program of perf/ with its options
};

/// The constants of a policy, or of all of them.
/// @param of a policy, such as "qmc"; or a method, such as "vegas+", for its policy; empty: all policies. Throws
///           InvalidArgument if there is none of this name.
std::vector<PolicyConstant> policy_constants(std::string_view of = {});

/// Sets a constant for the calls that begin from now on. Throws InvalidArgument if there is no such constant, or if it
/// may not have this value. For studies and tests: what constants mean may change from version to version.
void set_policy(std::string_view name, std::string_view value);
void set_policy(std::string_view name, double value);

/// The same for several: "qmc.most_retrained=3,qmc.trial_part=4". All are set or none.
void set_policies(std::string_view assignments);

/// Resets all constants to their defaults.
void restore_policies();

} // namespace kubature::detail
