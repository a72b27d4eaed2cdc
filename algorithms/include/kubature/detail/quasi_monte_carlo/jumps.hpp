#pragma once

#include <kubature/detail/policies/qmc_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace kubature::detail {

/// Detects an integrand's jumps from the means of the shifts, doubling by doubling. All shifts may by chance count the
/// same number of points up to a jump; their scatter then does not show the resulting error.
class Jumps {
public:
  /// @param means    of all shifts; few means carry little information
  /// @param small    a range of the means that carries no information
  /// @param restored a distance in units that stay the same
  template <class Restored>
  void add(std::vector<double> means, double small, Restored const& restored) {
    shifts_ = static_cast<double>(means.size());
    std::sort(means.begin(), means.end());
    distances_.push_back(
        means.size() < policy<QmcPolicy>().least_shifts_for_jumps ? 0 : restored(distance_of_groups(means, small)));
  }

  /// Drops the points so far, but remembers that there are jumps.
  void begin_anew() { distances_.clear(); }

  /// A lower bound of the error. If all n shifts are in one group, they do not scatter. If their common mean is off by
  /// the fraction x of the distance, that has a probability of (1 - x)^n; with x uniformly distributed, the root mean
  /// square of x is then sqrt(2 / ((n + 2) (n + 3))). The distance falls like 1/N, so earlier doublings predict it.
  double least_error() const {
    std::size_t const before = std::min<std::size_t>(policy<QmcPolicy>().remembered_jumps, distances_.size());
    double largest = 0;
    for (std::size_t k = distances_.size() - before; k < distances_.size(); ++k)
      largest = std::max(largest / 2, distances_[k]);
    return largest * std::sqrt(2.0 / ((shifts_ + 2) * (shifts_ + 3)));
  }

private:
  /// If an integrand has one jump along an axis, the means fall into two groups: for an indicator function of one
  /// variable each shift counts one of two numbers of points. Their distance is the widest gap between neighbours,
  /// unless that is less than most of the range, as for other integrands.
  ///
  /// With several jumps there are more groups. Once these have been seen twice, which is no coincidence, the distance
  /// is at least a third of the range.
  double distance_of_groups(std::vector<double> const& sorted, double small) {
    auto const& by = policy<QmcPolicy>();
    double const range = sorted.back() - sorted.front();
    double widest = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i)
      widest = std::max(widest, sorted[i] - sorted[i - 1]);
    seen_ += range > small && in_groups(sorted) ? 1 : 0;
    return widest > by.widest_gap * range ? widest : seen_ > 1 ? range / by.groups_apart : 0;
  }

  /// Whether many of the means are nearly equal to their neighbours, and not all of these in one place.
  static bool in_groups(std::vector<double> const& sorted) {
    auto const& by = policy<QmcPolicy>();
    double const range = sorted.back() - sorted.front();
    std::size_t equals = 0, groups = 0;
    bool in_group = false;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      double const gap = sorted[i] - sorted[i - 1];
      if (gap <= by.gap_within * range) {
        ++equals;
        groups += in_group ? 0 : 1;
        in_group = true;
      } else if (gap > by.gap_between * range) {
        in_group = false;
      }
    }
    return groups > 1 && static_cast<double>(equals) >= by.least_within * static_cast<double>(sorted.size() - 1);
  }

  double shifts_ = 0;
  std::vector<double> distances_; ///< of the groups with N / 2^k ... N / 2 and N points; 0 where there are none
  int seen_ = 0;                  ///< number of times that means were in several groups
};

} // namespace kubature::detail
