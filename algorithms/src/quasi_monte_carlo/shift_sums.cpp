#include <kubature/detail/quasi_monte_carlo/shift_sums.hpp>

#include <cmath>

namespace kubature::detail {

std::uint64_t ShiftSums::points() const {
  std::uint64_t all = 0;
  for (auto const& of : counts_)
    all += of.points;
  return all;
}

void ShiftSums::join(ShiftSums const& other) {
  for (std::size_t r = 0; r < size(); ++r) {
    auto& mine = counts_[r];
    auto const& more = other.counts_[r];
    if (more.points == 0)
      continue;
    auto const n = static_cast<double>(mine.points), m = static_cast<double>(more.points);
    double const share = m / (n + m);
    for (int c = 0; c < components(); ++c) {
      double const step = other.mean(r, c) - mean(r, c);
      squares(r, c) += other.squares(r, c) + step * step * n * share;
      mean(r, c) += step * share;
    }
    mine.points += more.points;
    mine.non_finite += more.non_finite;
    mine.on_poles += more.on_poles;
    mine.serious += more.serious;
  }
}

void ShiftSums::scale(int by) {
  if (by == 0)
    return;
  for (double& x : mean_)
    x = std::ldexp(x, by);
  for (double& x : squares_)
    x = std::ldexp(x, 2 * by);
}

} // namespace kubature::detail
