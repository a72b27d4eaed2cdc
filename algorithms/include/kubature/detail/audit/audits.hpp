#pragma once

#include <kubature/detail/audit/audit.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kubature::detail {

/// The cost of an audit and its findings.
struct Audited {
  std::uint64_t evaluations = 0;
  std::vector<Audit::Findings> of; ///< each component; empty if there was no audit
};

/// The audits of one call: by how much errors exceed those from iterations or shifts.
class Audits {
public:
  /// @param make audits points of the method, with about `most` evaluations at most; no audit if that is too few
  void by(std::function<Audited(std::uint64_t most)> make) { make_ = std::move(make); }

  /// Maximum number of evaluations of an audit, for a call of this many.
  static double cost(double evaluations);

  /// Makes an audit if there was none, or only one with a quarter of the samples so far.
  /// @param made, left evaluations of the call so far, and those left by its limit
  /// @returns the evaluations of the audit
  std::uint64_t audit(std::uint64_t made, std::uint64_t left);

  /// Records which share of the samples lies on poles, or where values overflow: they count as zero, but should count
  /// at least as much as the largest values.
  void note_poles(double share) { on_poles_ = share; }

  /// An error from iterations or shifts, adjusted by the findings: the larger, the heavier the tail of the weights, and
  /// at least what lies closer to the ends than the points.
  double error(int component, double value, double error) const;
  /// The heaviest tail; NaN if unknown.
  double k_hat() const;
  /// Whether the tail of a component is too heavy for any error estimate: known only from enough weights, and false if
  /// the error is far below the contribution of the largest one, as where lattices or strata are even enough to
  /// integrate it.
  /// @param error from iterations or shifts
  bool no_variance(int component, double error) const;
  /// Whether what rounding hides of a component exceeds the allowed error.
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
