#pragma once

#include <kubature/detail/call/request.hpp>
#include <kubature/progress.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Timer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kubature::detail {

/// One call of a method for the part of an integral that a channel has.
struct PartOfCall {
  std::size_t channel;
  double share;     ///< of the method's evaluations per iteration
  bool pilot;       ///< whether it only tells how much the part scatters
  std::size_t pass; ///< the number of this call of the part
};

/// An integral as the sum of the parts that its channels have, each integrated by itself by calls of a method. The work
/// is divided so that the variance of the sum is least: in proportion to the scatter of the parts (Neyman, J. R. Stat.
/// Soc. 97 (1934) 558).
class ChannelSum {
public:
  using Integrate = std::function<SeveralResult(PartOfCall const& part, Request const& request)>;

  /// @param before evaluations of the call so far
  /// @param timer  since it began
  ChannelSum(std::size_t parts, Integrate integrate, Request const& request, std::uint64_t before,
             Kokkos::Timer const& timer);

  /// Integrates each part with a small share of the work.
  void pilot();
  /// All of the call, with a pilot.
  SeveralResult run();
  /// Whether a part has ended so that no others follow: stopped, or not finite.
  bool ended() const;
  /// For parts whose integrands have the weight of a density as a factor: better weights, in proportion to the root of
  /// the second moment (Kleiss and Pittau, Comput. Phys. Commun. 83 (1994) 141, section 3).
  std::vector<double> weights() const;
  /// Integrates the parts until their sum meets the tolerance.
  /// @param guess of the sum, with errors: what the tolerance is relative to at first
  /// @param most  evaluations of each call of a part
  /// @returns whether it meets the tolerance
  bool to_tolerance(SeveralResult const& guess, std::uint64_t most);
  /// Has the method do all its work, divided among the parts.
  void all_work();

  /// The sum. Its status is that of a part that ended early, if any did.
  SeveralResult sum() const;
  /// The sum as the result of a call with a tolerance.
  /// @param met whether it meets the tolerance
  SeveralResult result(bool met) const;
  std::uint64_t evaluations() const { return made_; } ///< of all parts so far
  std::uint64_t evaluations_left() const;

private:
  std::uint64_t part_of_left(double share) const;
  void integrate(PartOfCall const& part, Tolerance const& tolerance, std::uint64_t most, std::size_t still);
  std::vector<double> shares() const;

  Integrate integrate_;
  Request const& request_;
  std::uint64_t before_, made_ = 0;
  Kokkos::Timer const& timer_;
  std::vector<SeveralResult> parts_;
  std::size_t passes_ = 0;
};

} // namespace kubature::detail
