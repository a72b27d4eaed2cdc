#pragma once

#include <kubature/detail/audit/audit.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kubature::detail {

/// What an audit took and found.
struct Audited {
  std::uint64_t evaluations = 0;
  std::vector<Audit::Findings> of; ///< each component; empty if there was no audit
};

/// The audits of one call: how much larger errors are than what iterations or shifts tell.
class Audits {
public:
  /// @param make audits points of the method, with about so many evaluations at most; no audit where that is too few
  void by(std::function<Audited(std::uint64_t most)> make) { make_ = std::move(make); }

  /// Evaluations that an audit of a call of so many takes at most.
  static double cost(double evaluations);

  /// Makes an audit if there was none, or only one with a quarter of the samples so far.
  /// @param made, left evaluations of the call so far, and those that its limit leaves
  /// @returns evaluations that it took
  std::uint64_t audit(std::uint64_t made, std::uint64_t left);

  /// Notes which share of the samples lies on poles, or where values overflow: they count as zero, but should count as
  /// much as the largest values at least.
  void note_poles(double share) { on_poles_ = share; }

  /// An error that iterations or shifts tell, with what was found: the larger, the heavier the tail of the weights is,
  /// and not below what lies closer to the ends than points come.
  double error(int component, double value, double error) const;
  /// The heaviest tail; NaN if unknown.
  double k_hat() const;
  /// Whether the tail of a component is too heavy for any error: known from enough weights, and not if the error is far
  /// below what the largest one contributes, as where lattices or strata are even enough to integrate it.
  /// @param error that iterations or shifts tell
  bool no_variance(int component, double error) const;
  /// Whether what rounding hides of a component exceeds what is allowed.
  bool out_of_reach(int component, double value, double allowed) const;

  /// Sentences for the user about what increased the error of a component.
  std::vector<std::string> remarks(int component, double value, double error) const;

private:
  std::function<Audited(std::uint64_t most)> make_;
  std::vector<Audit::Findings> found_;
  std::uint64_t made_ = 0;
  double on_poles_ = 0;
};

} // namespace kubature::detail
