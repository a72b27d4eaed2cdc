#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/quasi_monte_carlo/map_choice.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_engine.hpp>
#include <kubature/detail/quasi_monte_carlo/shift_estimates.hpp>
#include <kubature/qmc_choices.hpp>
#include <kubature/result.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kubature::detail {

/// What is asked of a call of quasi-Monte Carlo.
struct QmcRequest {
  int dimension = 0;
  std::uint64_t evaluations = 0; ///< that are drawn in any case, or half a limit; maps and trials take parts of them
  QmcTransform transform = QmcTransform::automatic;
  QmcMap map = QmcMap::automatic;
  bool lattice = true; ///< or Sobol's sequence, for which no polynomial is tried
  int longest = 0;     ///< the binary logarithm of the points of a shift at most
  std::uint64_t seed = 0;
  std::uint32_t call = 0; ///< its number, for random numbers of its own
  NonFinite non_finite = NonFinite::error;
};

/// What one call of quasi-Monte Carlo decides: the way of points to the box, the transform that they go through before,
/// when another map is trained, and when to double the points. It may pause between its iterations and then goes on as
/// if it had not.
class QmcStrategy {
public:
  QmcStrategy(QmcRequest const& request, QmcEngine& engine, ShiftEstimates& estimates, Communicator const& ranks);

  /// Draws points until the call ends, or pauses before an iteration or the training of another map.
  /// @param pause pause(call, n) tells whether to, where that would take about n evaluations; the same on all processes
  /// @returns whether the call has ended
  bool go_on(std::function<bool(CallState const&, std::uint64_t)> const& pause);

private:
  int used() const { return run_.used(); }
  std::uint64_t of_shifts(int power) const { return static_cast<std::uint64_t>(run_.shifts()) << power; }
  bool adapted() const;
  Stream stream(std::uint32_t purpose) const;

  // What points go through.
  void fold(QmcTransform transform);
  template <class What>
  void hold(What&& what);
  void drop_map();
  void drop_rotation();
  void straighten();

  bool prepare();
  int fit_in_time();
  bool place();
  void begin_anew(int power);
  bool iterate();
  int worth_training() const;

  bool transform_open() const;
  void choose_transform(int power);
  int trial_due() const;
  void try_transforms_again(int power);

  void choose(std::vector<double> const& edges);
  MapTrial trial(int more);
  MapTrial trial_of(int power, bool all);
  bool try_rotated(MapTrial const& unrotated);
  bool rotate(std::vector<double> directions);
  std::vector<double> differences();
  bool try_peak(std::vector<double> const& edges, MapTrial const& unrotated);
  bool take(Peak const& peak);
  std::optional<Peak> locate(std::vector<double> const& edges);
  int peak_power() const;
  std::vector<double> refine(std::vector<double> x, int power);
  int octaves() const;
  int slab_power() const;

  QmcRequest request_;
  QmcEngine& engine_;
  ShiftEstimates& run_;
  Communicator ranks_;
  int power_;             ///< the binary logarithm of the points of a shift that the map is for
  int retrained_ = 0;     ///< maps trained after the first
  int begun_ = 0;         ///< which of them the points are drawn in
  int tried_ = 0;         ///< the binary logarithm of the points per shift that transforms were last tried with
  bool prepared_ = false; ///< whether the first map was trained
  bool mapped_ = false, rotated_ = false, in_peak_ = false; ///< what is held
  QmcTransform transform_ = QmcTransform::tent;             ///< what points are folded by
};

} // namespace kubature::detail
