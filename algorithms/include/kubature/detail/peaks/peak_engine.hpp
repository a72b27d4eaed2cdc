#pragma once

#include <kubature/backend.hpp>
#include <kubature/detail/launch/host_threads.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/peaks/modes.hpp>
#include <kubature/detail/peaks/search_pass.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kubature::detail {

/// The memory of a search.
template <class Space>
struct SearchBuffers {
  Buffer<Space> points{"kubature::peaks::points"}, excess{"kubature::peaks::excess"};
  Kokkos::View<double*, ReadbackSpace<Space>> of_host; ///< that the host writes and reads without a copy
};

/// Evaluates log |f| and climbs, for PeakSearch.
class Climber {
public:
  virtual ~Climber() = default;

  /// log |f| at points of the unit cube, [point][axis]; -infinity where f is zero or not finite. Several components
  /// count with the sum of their magnitudes.
  virtual std::vector<double> heights(std::vector<double> const& points) = 0;
  /// Draws the first of a list of uniform points, and finds log |f| there, less the logarithm of the largest Gaussian,
  /// if there is one: the excess.
  /// @param modes as Modes::gaussians() has them
  virtual void try_points(Candidates const& points, std::uint64_t count, std::vector<double> const& modes) = 0;
  /// The share of the points tried whose excess is above the largest less this.
  virtual double share_near_largest(double distance) = 0;
  /// The last points of ascents from given points.
  /// @param starts [chain][axis]
  virtual EndsOfAscents ascend(std::vector<double> const& starts, std::uint64_t seed) = 0;
  /// Those of ascents from the first of a list of uniform points.
  virtual EndsOfAscents ascend_from_first(Candidates const& points, std::uint64_t count, std::uint64_t seed) = 0;
  /// Those of ascents from the points tried whose excess is above this: if there are more than `most`, from up to half
  /// of that number with the largest excess, and others.
  virtual EndsOfAscents ascend_from_above(double excess, std::uint64_t most, std::uint64_t seed) = 0;
};

/// Ascents of |f| in the unit cube: chains of a (1+1) evolution strategy, each with a step size of its own that grows
/// after a success and shrinks after a failure (Rechenberg's rule of success as in Kern et al., "Learning probability
/// distributions in continuous evolutionary algorithms", Natural Computing 3 (2004) 77, section 4). Where f is zero
/// there is no slope: a chain then draws uniform points. Compiled once for all integrands but for the kernel that runs
/// a pass.
template <class Space>
class PeakEngine final : public Climber {
public:
  using Pass = SearchPass<Space>;
  using Numbers = typename Pass::Numbers;
  using Run = std::function<void(Pass const& pass)>;

  /// @param run        runs a pass, where f has no Jacobian of the box
  /// @param components number of values at a point; 0: one, the logarithm of f
  /// @param memory     used by nobody else meanwhile
  PeakEngine(HostThreads<Space> const& threads, Run run, int dimension, int components, SearchBuffers<Space>& memory)
      : threads_(threads), run_(std::move(run)), dimension_(dimension), values_{components}, memory_(memory) {}

  std::vector<double> heights(std::vector<double> const& points) override;
  void try_points(Candidates const& points, std::uint64_t count, std::vector<double> const& modes) override;
  double share_near_largest(double distance) override;
  EndsOfAscents ascend(std::vector<double> const& starts, std::uint64_t seed) override;
  EndsOfAscents ascend_from_first(Candidates const& points, std::uint64_t count, std::uint64_t seed) override;
  EndsOfAscents ascend_from_above(double excess, std::uint64_t most, std::uint64_t seed) override;

private:
  /// Writes the starts of chains, [chain][axis], and may use memory for a number of each.
  using WriteStarts = std::function<void(Numbers const& at, Numbers const& numbers)>;

  double largest() const;
  std::uint64_t count_above(double excess) const;
  void select(double above, double up_to, Numbers const& places) const;
  EndsOfAscents climb(std::uint64_t chains, std::uint64_t seed, WriteStarts const& write);
  Pass pass(typename Pass::Task task, Numbers at, Numbers values, Numbers height) const {
    return {
        .task = task, .dimension = dimension_, .of = values_, .steps = 1, .at = at, .values = values, .height = height};
  }

  /// The instance for a kernel over this many points that does not evaluate f.
  Space const& exec_for(std::uint64_t points) const { return threads_.for_work(1e-8 * static_cast<double>(points)); }

  Space const& exec() const { return threads_.all(); }

  HostThreads<Space> const& threads_;
  Run run_;
  int dimension_;
  ValuesOfSearch values_;
  SearchBuffers<Space>& memory_;
  Candidates tried_{}; ///< the points tried last
  Numbers excess_;     ///< at these
};

/// Runs a pass whose points an integrand of batches evaluates: a kernel for what comes before, and one for each step.
template <class Space>
void run_in_turns(Space const& exec, SearchPass<Space> const& pass, std::function<void()> const& evaluate);

} // namespace kubature::detail
