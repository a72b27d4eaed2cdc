#pragma once

#include <kubature/batched.hpp>
#include <kubature/communicator.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/components/component_sum.hpp>
#include <kubature/detail/components/matrix_products.hpp>
#include <kubature/detail/correlated.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/options.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <vector>

namespace kubature::detail {

template <class Space>
class ComponentSums;

/// An integrand of components known at run time, and where their sums are kept. Methods treat it as an integrand of one
/// component, the one that drives map and strata.
template <class Space, class F>
struct SummedComponents {
  static constexpr auto evaluation = Evaluation::components;
  F f;
  ComponentSums<Space>* sums;

  int components() const { return sums->components(); }
  /// Never called: its type gives the type of what drives.
  template <int D>
  double operator()(Point<double, D> const& x) const;
};

/// An estimate of all components from the samples of one iteration.
struct ComponentEstimate {
  std::vector<double> value;
  JointErrors errors; ///< correlations where wanted
  double degrees;     ///< of freedom, of the variances
};

/// The sums of components known at run time over the samples of an iteration, which come in batches: means, variances,
/// and, where wanted, covariances, which a matrix product computes. There are sums for every chunk of a batch, so they
/// do not depend on how much memory was free.
///
/// With MPI, each rank keeps the sums of its own chunks. They are added in the order of all chunks, to the same bits as
/// on one rank; products of batches are added in the order of ranks, which rounds them differently.
template <class Space>
class ComponentSums {
public:
  explicit ComponentSums(std::string const& label);

  /// Begins a call. Throws InvalidArgument for what is not supported.
  template <class F, class Method>
  SummedComponents<Space, F> of(Space const& exec, BatchedComponents<F> const& integrand, Method const& method,
                                Communicator const& ranks, std::source_location where) {
    Call call{std::string(Described<Method>::type), integrand.count, method.covariance == Covariance::full};
    if constexpr (requires { method.checkpoint.file; })
      call.checkpoint = !method.checkpoint.file.empty();
    if constexpr (requires { method.driver; })
      call.driver = driving_component(method, integrand.count, where);
    begin_call(exec, ranks, call, where);
    return {integrand.f, this};
  }

  int components() const { return count_; }
  int driver() const { return driver_; }
  ComponentWeights& drive() { return drive_; }
  bool full() const { return full_; }
  /// Whether the estimates of all iterations are kept, for a checkpoint.
  bool checkpoint() const { return checkpoint_; }
  std::size_t size() const { return static_cast<std::size_t>(count_); }

  /// Maximum number of samples per chunk in this many dimensions: a batch of several chunks then nearly fills the
  /// memory it may use.
  std::uint64_t most_samples(int dimension) const { return (std::size_t{1} << 24) / row(dimension); }

  /// Begins a draw. @returns whether batches of one chunk and all sums fit into `room` bytes, and into memory
  /// @param slots per chunk
  bool begin(int dimension, std::uint64_t slots, Partition const& chunks, std::size_t room);
  /// Sets the number of strata in the draw, all of one size; 0: none.
  void strata(std::uint64_t count) { strata_ = count; }
  int chunks_per_batch() const { return per_batch_; }

  /// Memory of a batch.
  struct Batch {
    StoredPoints<Space> points;
    DenseMatrix<Space> values;
    BatchValues<Space> driving;
    SampleTable<Space> samples;
    using Sums = Kokkos::View<ComponentSum**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;
    Sums sums; ///< (chunk, component)
  };
  Batch batch(int dimension, int chunks, std::uint64_t slots);
  /// Finds what trains map and strata at each sample of a batch: NaN where any value is not finite. Such samples are
  /// removed unless the policy propagates them.
  void find_driving(Batch const& batch, NonFinite policy);

  /// Whether the values are to be shifted by those of another rank's batch, the very first one.
  bool needs_shift() const { return ranks_.size() > 1 && strata_ == 0; }
  /// Takes the mean of a batch's values as the shift.
  void shift_by(Batch const& batch);

  /// Adds a batch, and leaves deviations in place of the values.
  /// @param stratified whether its samples are in strata
  /// @param first      the number of its first chunk among those of this rank
  void add(Batch const& batch, bool stratified, int first, std::uint64_t segments, std::uint64_t steps);

  /// For each component, from the last draw in strata: see StratumSums::all_magnitudes().
  std::vector<double> magnitudes();

  /// The estimate from the last draw.
  /// @param exponent of the power of two by which the sums are to be multiplied
  ComponentEstimate estimate(std::uint64_t samples, int exponent);

private:
  /// The requirements of a method and an integrand on a call.
  struct Call {
    std::string method;
    int count;
    bool full;
    bool checkpoint = false;
    int driver = 0;
  };
  void begin_call(Space const& exec, Communicator const& ranks, Call const& call, std::source_location where);

  /// The sums of all components over all ranks, from the last draw, followed by the shifts.
  std::vector<ComponentSum> read_sums();

  /// Bytes per sample: its point and values, what drives, its Jacobian, and the parts of SampleTable.
  std::size_t row(int dimension) const { return (size() + static_cast<unsigned>(dimension) + 4) * sizeof(double); }
  /// Bytes of the sums; on a host, also of what is computed from them there.
  std::size_t fixed() const;
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> shifts();
  /// With MPI: the sums of this rank's chunks, (chunk, component).
  typename Batch::Sums kept();
  DenseMatrix<Space> products();

  Space exec_;
  int count_ = 0, driver_ = 0, per_batch_ = 0;
  std::uint64_t batches_ = 0, strata_ = 0;
  bool full_ = false, checkpoint_ = false;
  ComponentWeights drive_{0, 1};
  Communicator ranks_;
  Partition chunks_;
  Buffer<Space> batch_, totals_, matrix_, kept_, weights_;
};

/// Maximum number of samples per chunk if an integrand's values are in memory for each component.
template <class F>
std::uint64_t most_chunk_samples([[maybe_unused]] F const& f, [[maybe_unused]] int dimension) {
  if constexpr (summed_elsewhere<F>)
    return std::max<std::uint64_t>(1, f.sums->most_samples(dimension));
  else
    return std::numeric_limits<std::uint64_t>::max();
}

} // namespace kubature::detail
