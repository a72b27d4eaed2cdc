#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/total.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/messages.hpp>
#include <kubature/detail/vegas_plus/allocation.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// The start of a rank's pairs of samples: the cube of the first one, that cube's pairs, and the sum of the shares
/// before it.
struct Boundary {
  std::uint64_t cube, begin, end, sum;
};

/// Bytes for the weights of `cubes` cubes: two sets, and the running sum.
constexpr std::size_t bytes_of_strata(std::uint64_t cubes) {
  return 2 * sizeof(float) * cubes + sizeof(std::uint64_t) * (cubes / cubes_per_block + 2);
}

/// The cubes of VEGAS+ with a weight for each, sigma^beta as measured in an iteration, from which the next iteration's
/// samples are allocated. All of it stays on the device.
///
/// With MPI, each rank stores the weights of the cubes it samples, and receives from the others those of the cubes that
/// it samples in the next iteration: few, as consecutive iterations allocate their samples similarly. So neither memory
/// nor transfers grow with the number of all cubes.
template <class Space>
class Stratification {
public:
  using Counts = Kokkos::Array<int, max_dimension>;
  using Weights = Kokkos::View<float*, Space, Kokkos::MemoryUnmanaged>;

  explicit Stratification(Communicator const& ranks = {}) : ranks_(ranks) {}

  /// Bytes in use.
  std::size_t size() const { return weights_.size() + next_.size() + sums_.size(); }

  int dimension() const { return dimension_; }
  Counts const& counts() const { return counts_; }

  /// Drops all weights: equal numbers of samples follow.
  void reset() { known_ = false; }

  /// Sets the cubes: counts[i] along axis i, the first axis fastest. Known weights are carried over from the cubes that
  /// contain the new ones' centres.
  void cut(Space const& exec, int dimension, Counts const& counts);

  /// The pairs of samples of an iteration, which are cut into these chunks: enough for `least` samples in each cube,
  /// and the rest of `evaluations` by the weights.
  Allocation<Space> allocate(Space const& exec, std::uint64_t least, std::uint64_t evaluations,
                             Partition const& chunks = {});

  /// The array, indexed by cube number, to which the sampling kernel writes the weights from the last allocation. It
  /// reads none.
  Weights next(Space const& exec);
  /// Adopts these weights; `sum` is their total.
  void accept(double sum);

  /// The sum over all cubes of factor * weight^power, each term at most 16 and rounded to 2^-30: integers are added up,
  /// so the sum is the same to the bit for any number of threads and ranks.
  double sum_of_powers(Space const& exec, double power, double factor);

  /// The weights' sum, 0 if none are known, and the weights, for a checkpoint.
  double sum() const { return known_ ? sum_ : 0; }
  std::vector<float> weights(Space const& exec);
  void restore(Space const& exec, int dimension, Counts const& counts, double sum, std::vector<float> const& weights);

private:
  /// Cubes first ... end - 1.
  struct Range {
    std::uint64_t first = 0, end = 0;
    std::uint64_t size() const { return end > first ? end - first : 0; }
  };

  void add_up(Space const& exec, Allocation<Space>& allocation);
  /// Of all ranks and, behind the last one, of all pairs.
  std::vector<Boundary> boundaries(Space const& exec, Allocation<Space> allocation, Partition const& chunks);
  /// Sends each rank the weights of the cubes that it needs.
  void exchange(Space const& exec, std::vector<Range> const& needed);
  /// Sends all weights to each rank.
  void collect(Space const& exec);
  /// Adopts weights of all cubes, each rank its share.
  void accept_all(double sum);
  /// The weights on this rank, indexed by cube number.
  Weights held(Space const& exec);

  Communicator ranks_;
  std::uint64_t cubes_ = 0;
  int dimension_ = 0;
  Counts counts_{};
  bool known_ = false;
  double sum_ = 0;
  /// The cubes whose weights are on this rank.
  Range held_;
  /// The first cube of each rank, and at the end the number of all: a cube's weight is known on its rank.
  std::vector<std::uint64_t> owned_, next_owned_;
  Buffer<Space> weights_{"kubature::vegas_plus::weights"}, next_{"kubature::vegas_plus::weights"};
  Buffer<Space> sums_{"kubature::vegas_plus::sums"}, partials_{"kubature::vegas_plus::partials"};
  Total<Space> total_{"kubature::vegas_plus::total"};
  Messages<Space> messages_{"kubature::vegas_plus::messages"};
  Kokkos::View<std::uint64_t*, ReadbackSpace<Space>> boundaries_;
};

} // namespace kubature::detail
