#pragma once

#include <kubature/detail/call/estimates.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/iterations/sampling_engine.hpp>
#include <kubature/detail/many/many_record.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <Kokkos_Timer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace kubature::detail {

/// The data of one integral of many in a draw.
struct ManyTask {
  std::uint32_t slot = 0;                                 ///< its number in the wave
  double scale = std::numeric_limits<double>::infinity(); ///< of the histogram, see FixedPoint
  double weights = 0; ///< sum of the strata's weights; 0: unknown, samples are spread evenly
};

/// A draw of some integrals of a wave, from the same strata.
struct ManyPlan {
  std::vector<ManyTask> tasks = {};
  std::vector<double> drive = {}; ///< [slot][component], see DriverWeights
  Strata<dynamic> strata;
  std::uint64_t samples;   ///< of each integral
  std::uint32_t iteration; ///< number of the random numbers
  bool estimates = false;  ///< whether this is an iteration; otherwise it determines scales
  bool adapting;
  bool weighted = false; ///< whether samples are allocated by weights
};

/// Samples the integrals of a wave, each through its own map and strata.
class ManySamplesEngine {
public:
  virtual ~ManySamplesEngine() = default;
  /// The number of integrals that fit into this many bytes at once.
  virtual std::size_t room(Strata<dynamic> const& strata, std::uint64_t samples, int bins, std::size_t bytes) const = 0;
  /// Begins a wave: integrals first ... first + size - 1 of this rank.
  virtual void begin(std::size_t first, std::size_t size, Strata<dynamic> const& strata, int bins, bool weighted) = 0;
  /// @returns the sums of each task
  virtual std::vector<Drawn> draw(ManyPlan const& plan) = 0;
  /// Refines all maps, and adopts the weights of the last draw.
  virtual void adapt(Damping const& damping, bool weighted) = 0;
};

/// One call of integrate_many() by VEGAS+. Each integral has its own map, strata and estimates, and one launch is an
/// iteration of all that have not ended. As many integrals as fit into memory, a wave, are computed at once.
class ManyVegas {
public:
  /// @param driver see driving_component()
  ManyVegas(VegasPlus<Fp64> const& options, ManySamplesEngine& engine, ManyRows const& rows, int dimension,
            int components, int driver, Request const& request);

  ManyRecord compute();

private:
  /// One integral of a wave.
  struct Integral {
    Estimates estimates;
    ComponentWeights weights;
    ManyTask task;
    bool ended = false;

    Integral(Request const& request, int dimension, int components, int driver, std::uint32_t slot);
  };

  Limits share() const;
  bool weighted() const;
  bool compute(std::size_t first, std::size_t size);
  void measure_scales();
  void iterate(std::vector<std::uint32_t> const& open, int i);
  std::vector<Drawn> draw(std::vector<std::uint32_t> const& which, ManyPlan plan);
  void end(std::size_t number, Integral& integral);

  VegasPlus<Fp64> const& options_;
  ManySamplesEngine& engine_;
  ManyRows rows_;
  int dimension_, components_, driver_;
  Request request_;
  int iterations_;
  std::uint64_t budget_; ///< samples per iteration
  int bins_;
  Strata<dynamic> strata_;
  std::uint64_t samples_; ///< of an iteration, at least two in each cube
  bool stopped_ = false;
  Kokkos::Timer timer_;
  std::deque<Integral> integrals_; ///< of the wave
  ManyRecord record_;
};

} // namespace kubature::detail
