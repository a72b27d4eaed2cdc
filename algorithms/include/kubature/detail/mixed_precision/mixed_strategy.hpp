#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/iterations/sampling_loop.hpp>
#include <kubature/detail/mixed_precision/cell.hpp>
#include <kubature/detail/probing/plan.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/mixed_precision_options.hpp>
#include <kubature/precision_choice.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail {

/// Consecutive cells whose terms are evaluated in the same mix of formats.
struct MixLaunch {
  int first = 0, cells = 0, teams = 0;

  /// The first team of rank `rank` of `size` ranks.
  int begin(int rank, int size) const { return static_cast<int>(static_cast<std::int64_t>(teams) * rank / size); }
};

/// The cells of an iteration, sorted by the mix of their formats.
struct CellPlan {
  std::vector<Cell> cells;
  std::array<MixLaunch, mixes> launches;

  int teams() const { return launches[0].teams + launches[1].teams + launches[2].teams; }
};

/// Samples and probes one integrand in mixed precision. A draw covers the cells last set.
class MixedEngine : public SamplingEngine {
public:
  /// Cells to be drawn from now on.
  virtual void set_cells(CellPlan const& plan) = 0;
  /// The minimum device memory of draws of such cells, in bytes.
  virtual std::size_t bytes(CellPlan const& plan) const = 0;
  /// Leaves this many bytes to batches.
  virtual void limit_batches(std::size_t bytes) = 0;
  /// Samples of a segment, and segments of a team, in a draw of this many samples in one cell.
  virtual std::uint64_t segment_length(std::uint64_t samples) const = 0;
  virtual int segments_per_team() const = 0;

  /// Whether there is memory for probing, on this rank.
  virtual bool reserve_for_probing() = 0;
  /// Number of evaluations for probing a cell.
  virtual std::uint64_t evaluations_of_probe() const = 0;
  /// Probes the components that drive the choice, [box][component].
  /// @param first the number of the first box among all boxes of the call, which have distinct random numbers
  virtual std::vector<Probed> probe_components(std::vector<SubBox> const& boxes, std::uint64_t first) = 0;
  /// Probes the terms, [box][term].
  virtual std::vector<Probed> probe_terms(std::vector<SubBox> const& boxes, std::uint64_t first) = 0;
};

/// The data of a call's integrand, box and backend that MixedStrategy needs.
struct MixedCall {
  int terms;                            ///< of the integrand
  bool term_by_term;                    ///< whether terms can be probed one by one
  bool by_sums;                         ///< whether a program computes the sum of all terms of a format
  std::vector<std::string> names;       ///< of the terms
  std::vector<int> operations;          ///< of these
  int operations_of_whole;              ///< of the integrand
  std::uint64_t least_samples;          ///< minimum for a cell, with components known at run time
  std::vector<double> origins, lengths; ///< of the box's sides, see plan.hpp
  double volume;
  bool infinite;       ///< whether the box has infinite sides
  FormatCosts costs;   ///< of an operation
  double overhead = 0; ///< of a term, or sum of terms, by itself in a mix, in operations (see spare())
};

/// One call of mixed precision: probes the integrand, chooses regions, formats and samples, and makes equal iterations.
class MixedStrategy {
public:
  /// @param choices receives the choices of the call and their reasons
  MixedStrategy(MixedPrecision<Fp64> const& options, MixedEngine& engine, Estimates& estimates,
                Communicator const& ranks, Request const& request, MixedCall const& call, ComponentWeights weights,
                std::vector<PrecisionChoice>& choices);

  /// Makes iterations until the call ends.
  /// @param stream the number of the first one's random numbers; on return that of the next call's
  void run(std::uint32_t& stream);

  /// The parts whose formats were chosen, in words.
  std::string_view parts_name() const;

private:
  /// The observations of the regions, and of the parts whose formats are chosen: [region][part].
  struct View {
    std::vector<ProbedCell> regions{1};
    std::vector<Probed> parts;
  };

  bool by_term() const { return strategy_ != Strategy::region; }
  int dimension() const { return static_cast<int>(call_.lengths.size()); }
  std::size_t parts() const { return by_term() ? static_cast<std::size_t>(call_.terms) : 1; }

  std::uint64_t take_whole(std::uint64_t wanted);
  std::uint64_t plan(Schedule const& schedule);
  std::uint64_t see(View& view, int most, bool tries_regions);
  void describe(View const& view);
  std::uint64_t stratify(std::vector<ProbedCell> const& regions, std::uint64_t wanted, std::size_t parts);
  Cell cell(ProbedCell const& region, std::uint64_t samples, std::span<PrecisionChoice const> choices,
            std::uint64_t segment) const;
  void hold();

  MixedPrecision<Fp64> const& options_;
  MixedEngine& engine_;
  Estimates& run_;
  Communicator const& ranks_;
  Request const& request_;
  MixedCall const& call_;
  ComponentWeights weights_;
  std::vector<PrecisionChoice>& choices_;
  Strategy strategy_; ///< as chosen
  SamplingLoop loop_;
  CellPlan cells_;
  bool spared_ = false; ///< whether fp64 throughout was found to be as fast
};

} // namespace kubature::detail
