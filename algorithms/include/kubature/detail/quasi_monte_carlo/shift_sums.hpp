#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Sums over the points of each shift, or of other groups of points, of any number of components.
class ShiftSums {
public:
  /// The number of points of a group, and of values that were not finite (NonFiniteSamples).
  struct Counts {
    std::uint64_t points = 0, non_finite = 0, on_poles = 0, serious = 0;
  };

  ShiftSums() = default;
  ShiftSums(std::size_t groups, int components)
      : components_(static_cast<std::size_t>(components)), counts_(groups), mean_(groups * components_),
        squares_(groups * components_) {}

  /// @param sums Moments
  template <int C, class Sums>
  static ShiftSums of(std::vector<Sums> const& sums) {
    ShiftSums result(sums.size(), C);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      result.counts_[r] = {sums[r].count, sums[r].non_finite, sums[r].on_poles, sums[r].serious};
      std::copy_n(sums[r].mean, C, &result.mean(r, 0));
      std::copy_n(sums[r].squares, C, &result.squares(r, 0));
    }
    return result;
  }

  bool empty() const { return counts_.empty(); }
  std::size_t size() const { return counts_.size(); }
  int components() const { return static_cast<int>(components_); }

  Counts const& counts(std::size_t r) const { return counts_[r]; }
  double mean(std::size_t r, int c) const { return mean_[place(r, c)]; }
  double& mean(std::size_t r, int c) { return mean_[place(r, c)]; }
  /// The sum of squared deviations from the mean.
  double squares(std::size_t r, int c) const { return squares_[place(r, c)]; }
  double& squares(std::size_t r, int c) { return squares_[place(r, c)]; }

  /// The points of all groups.
  std::uint64_t points() const;
  /// Adds the points of the same groups (Chan, Golub and LeVeque, see Moments).
  void join(ShiftSums const& other);
  /// Multiplies all values by 2^by.
  void scale(int by);

private:
  std::size_t place(std::size_t r, int c) const { return r * components_ + static_cast<std::size_t>(c); }

  std::size_t components_ = 0;
  std::vector<Counts> counts_;
  std::vector<double> mean_, squares_;
};

} // namespace kubature::detail
