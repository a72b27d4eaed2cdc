#pragma once

#include <kubature/detail/peaks/modes.hpp>
#include <kubature/detail/peaks/peak_engine.hpp>

#include <cstdint>
#include <vector>

namespace kubature::detail {

/// A search for the modes of |f| in the unit cube, in rounds. The ascents of each round after the first start from
/// points where |f| exceeds what the modes found so far explain.
class PeakSearch {
public:
  PeakSearch(Climber& climber, int dimension, std::uint64_t seed)
      : climber_(climber), dimension_(static_cast<std::size_t>(dimension)), seed_(seed) {}

  /// @param evaluations of the ascents and their starts; telling modes apart takes up to as many again
  void round(std::uint64_t evaluations);
  /// Adds the modes next to given points, [point][axis].
  /// @param most evaluations of the ascents
  void climb_from(std::vector<double> const& points, std::uint64_t most);

  std::vector<Mode> const& modes() const { return modes_.sorted(); }
  std::uint64_t evaluations() const { return evaluations_; } ///< so far

private:
  Candidates points() const; ///< of this round
  std::uint64_t seed_of_ascents() const { return seed_ + rounds_; }
  EndsOfAscents from_unexplained(std::uint64_t candidates, std::uint64_t most);
  void add(EndsOfAscents const& ends, std::uint64_t evaluations);

  Climber& climber_;
  std::size_t dimension_;
  std::uint64_t seed_, evaluations_ = 0;
  std::uint32_t rounds_ = 0;
  Modes modes_;
};

} // namespace kubature::detail
