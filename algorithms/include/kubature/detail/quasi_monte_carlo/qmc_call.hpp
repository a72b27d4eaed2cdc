#pragma once

#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/quasi_monte_carlo/map_choice.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_engine.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_stream_id.hpp>
#include <kubature/detail/quasi_monte_carlo/shift_estimates.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/qmc_choices.hpp>
#include <kubature/result.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The request of a call of quasi-Monte Carlo.
struct QmcRequest {
  int dimension = 0;
  std::uint64_t evaluations = 0; ///< drawn in any case, or half a limit; maps and trials use fractions of them
  QmcTransform transform = QmcTransform::automatic;
  QmcMap map = QmcMap::automatic;
  bool lattice = true; ///< or Sobol's sequence, for which no polynomial is tried
  int longest = 0;     ///< maximum binary logarithm of the points of a shift
  std::uint64_t seed = 0;
  std::uint32_t call = 0; ///< its number, which selects its random numbers
  NonFinite non_finite = NonFinite::error;
};

/// The maps from the points to the box, as the engine holds them.
class PointPath {
public:
  explicit PointPath(QmcEngine& engine) : engine_(engine) {}

  QmcTransform transform() const { return transform_; }
  bool rotated() const { return rotated_; }
  /// Whether there is a map, a rotation or a peak.
  bool moved() const { return mapped_ || rotated_ || in_peak_; }

  void fold(QmcTransform transform);
  void hold(PiecewiseCubic map);
  void hold(std::vector<double> rotation);
  /// In a peak there is neither a map nor a rotation.
  void hold(Peak const& peak);
  void drop_map();
  void drop_rotation();
  /// Drops all of them.
  void straighten();

private:
  QmcEngine& engine_;
  bool mapped_ = false, rotated_ = false, in_peak_ = false;
  QmcTransform transform_ = QmcTransform::tent;
};

/// The state shared by the parts of QmcStrategy.
struct QmcCall {
  QmcRequest request;
  QmcEngine& engine;
  ShiftEstimates& run;
  PointPath path;
  int power;         ///< the binary logarithm of the points of a shift that the map is for
  int retrained = 0; ///< maps trained after the first
  int begun = 0;     ///< the one in which the points are drawn

  QmcCall(QmcRequest const& asked, QmcEngine& drawing, ShiftEstimates& estimates)
      : request(asked), engine(drawing), run(estimates), path(drawing),
        power(estimates.nearest_power(asked.evaluations)) {}

  int used() const { return run.used(); }
  /// 2^power points of each shift.
  std::uint64_t of_shifts(int power_of_each) const { return static_cast<std::uint64_t>(run.shifts()) << power_of_each; }
  /// Random numbers for a purpose: different ones for each map that the call trains, and each restart.
  Stream stream(QmcStreamId::Purpose purpose) const;
  /// Counts the evaluations of a trial. @returns false if the call has ended
  bool learn(ShiftSums const& sums) const;

  /// A few points in the map that is held, or 2^more times as many others.
  MapTrial trial(int more);
  /// All 2^power points of each shift in the map that is held, or those that are not among the first half.
  MapTrial trial_of(int power_of_each, bool all);
};

/// The binary logarithm of a number, rounded down.
int log2_of(std::uint64_t x);

} // namespace kubature::detail
