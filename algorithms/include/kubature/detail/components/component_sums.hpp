#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/communicator.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/components/kernels.hpp>
#include <kubature/detail/components/matrix_products.hpp>
#include <kubature/detail/components/of_all_processes.hpp>
#include <kubature/detail/correlated.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <utility>
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
  /// Never called: its type says what drives.
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
/// With several processes, each keeps the sums of its own chunks. They are added in the order of all chunks, to the
/// same bits as in one process; products of batches are added in the order of ranks, which rounds them differently.
template <class Space>
class ComponentSums {
public:
  explicit ComponentSums(std::string const& label)
      : batch_(label + "_batch"), totals_(label + "_totals"), matrix_(label + "_products"), kept_(label + "_chunks"),
        weights_(label + "_weights") {}

  /// Begins a call. Throws InvalidArgument for what is not supported.
  template <class F, class Method>
  SummedComponents<Space, F> of(Space const& exec, BatchedComponents<F> const& integrand, Method const& method,
                                Communicator const& ranks, std::source_location where) {
    check_kokkos(where);
    std::string const name(Described<Method>::type);
    ranks_ = ranks;
    if constexpr (requires { method.checkpoint.file; })
      checkpoint_ = !method.checkpoint.file.empty();
    else
      checkpoint_ = false;
    full_ = method.covariance == Covariance::full && integrand.count > 1;
    require(!full_ || has_matrix_products(), name + ".covariance", "full",
            "components known at run time need Kokkos Kernels for it: configure kubature with KUBATURE_KERNELS=ON, and "
            "KokkosKernels_ROOT where CMake does not find it; or give their number by batched<C>, which serves up to " +
                std::to_string(most_correlated),
            where);
    count_ = integrand.count;
    if constexpr (requires { method.driver; })
      driver_ = driving_component(method, count_, where);
    else
      driver_ = 0;
    drive_ = ComponentWeights(driver_, count_);
    exec_ = exec;
    return {integrand.f, this};
  }

  int components() const { return count_; }
  int driver() const { return driver_; }
  ComponentWeights& drive() { return drive_; }
  /// What DriveBySamples reads.
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> weights() {
    return weights_.template as<double>(exec_, size());
  }
  bool full() const { return full_; }
  /// Whether the estimates of all iterations are kept, for a checkpoint.
  bool checkpoint() const { return checkpoint_; }
  std::size_t size() const { return static_cast<std::size_t>(count_); }

  /// Maximum number of samples per chunk in this many dimensions: if a batch has several chunks, it is close to what it
  /// may take.
  std::uint64_t most_samples(int dimension) const { return (std::size_t{1} << 24) / row(dimension); }

  /// Begins a draw. @returns whether batches of one chunk and all sums fit into `room` bytes, and into memory
  /// @param slots per chunk
  bool begin(int dimension, std::uint64_t slots, Partition const& chunks, std::size_t room) {
    chunks_ = chunks;
    std::size_t const own = ranks_.size() > 1 ? static_cast<std::size_t>(chunks.mine) * size() : 0;
    std::size_t const sums = fixed() + own * sizeof(ComponentSum);
    std::size_t const chunk = slots * row(dimension) + size() * sizeof(ComponentSum);
    std::size_t const most = room < sums ? 0 : (room - sums) / chunk;
    per_batch_ = static_cast<int>(std::min(
        {most, std::max<std::size_t>(1, useful / chunk), static_cast<std::size_t>(std::max(chunks.count, 1))}));
    std::size_t const bytes = static_cast<std::size_t>(per_batch_) * chunk, grows = bytes + sums;
    std::size_t const held = batch_.size() + totals_.size() + matrix_.size() + kept_.size() + weights_.size();
    if (per_batch_ == 0 || (grows > held && grows - held > free_memory(exec_)))
      return false;
    auto const totals = totals_.template as<ComponentSum>(exec_, 2 * size());
    Kokkos::deep_copy(exec_,
                      Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>(reinterpret_cast<double*>(totals.data()),
                                                                            per_sum * totals.size()),
                      0.0);
    upload(exec_, weights_.template as<double>(exec_, size()), drive_.values());
    if (full_)
      Kokkos::deep_copy(exec_, products(), 0.0);
    batches_ = 0;
    return true;
  }
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
  Batch batch(int dimension, int chunks, std::uint64_t slots) {
    std::size_t const n = static_cast<std::size_t>(chunks) * slots, c = size();
    double* const memory = batch_
                               .template as<double>(exec_, n * row(dimension) / sizeof(double) +
                                                               per_sum * c * static_cast<unsigned>(chunks))
                               .data();
    double* const rest = memory + n * (c + static_cast<unsigned>(dimension));
    using Numbers = typename SampleTable<Space>::template Column<double>;
    using Counts = typename SampleTable<Space>::template Column<std::uint64_t>;
    return {StoredPoints<Space>(memory, n, dimension),
            DenseMatrix<Space>(memory + n * static_cast<unsigned>(dimension), n, c),
            BatchValues<Space>(rest, n, 1),
            {Numbers(rest + n, n), Numbers(rest + 2 * n, n), Counts(reinterpret_cast<std::uint64_t*>(rest + 3 * n), n)},
            typename Batch::Sums(reinterpret_cast<ComponentSum*>(rest + 4 * n), chunks, c)};
  }

  /// Whether the values are to be shifted by those of another process's batch, the very first one.
  bool needs_shift() const { return ranks_.size() > 1 && strata_ == 0; }
  /// Takes the mean of a batch's values as the shift.
  void shift_by(Batch const& batch) {
    if (batches_++ == 0)
      ShiftOfComponents<Space>{batch.values, batch.samples, shifts()}.launch(exec_);
  }

  /// Adds a batch, and leaves deviations in place of the values.
  /// @param first the number of its first chunk among those of this process
  template <bool stratified>
  void add(Batch const& batch, [[maybe_unused]] int first, std::uint64_t segments, std::uint64_t steps) {
    if (!stratified)
      shift_by(batch);
    CentreComponents<Space, stratified>{batch.values, batch.samples, shifts(), batch.sums, segments, steps}.launch(
        exec_);
    if (ranks_.size() == 1)
      AddChunks<Space>{batch.sums, totals_.template as<ComponentSum>(exec_, 2 * size())}.launch(exec_);
    else
      Kokkos::deep_copy(
          exec_, Kokkos::subview(kept(), std::pair(first, first + static_cast<int>(batch.sums.extent(0))), Kokkos::ALL),
          batch.sums);
    if (full_)
      add_products(exec_, batch.values, products());
  }

  /// For each component, from the last draw in strata: see StratumSums::all_magnitudes().
  std::vector<double> magnitudes() {
    auto const sums = read_sums();
    std::vector<double> result(size());
    std::transform(sums.begin(), sums.begin() + count_, result.begin(), [](auto const& sum) { return sum.magnitude; });
    return result;
  }

  /// The estimate from the last draw.
  /// @param exponent of the power of two by which the sums are to be multiplied
  ComponentEstimate estimate(std::uint64_t samples, int exponent) {
    std::size_t const c = size();
    auto const sums = read_sums();
    std::vector<double> products;
    if (full_) {
      products.resize(c * c);
      Kokkos::deep_copy(
          exec_,
          Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(products.data(), c, c),
          this->products());
      exec_.fence("kubature::components::read");
      if (ranks_.size() > 1)
        add_of_all(ranks_, products);
    }
    auto const* shifts = reinterpret_cast<double const*>(sums.data() + c);
    auto const n = static_cast<double>(samples), m = static_cast<double>(strata_);
    bool const stratified = strata_ > 0;
    ComponentEstimate result{
        std::vector<double>(c), {std::vector<double>(c), {}}, std::max(1.0, stratified ? n - m : n - 1)};
    std::vector<double> spreads(c);
    for (std::size_t i = 0; i < c; ++i) {
      spreads[i] = std::max(0.0, stratified ? sums[i].spread : sums[i].spread - sums[i].mean * (sums[i].mean / n));
      double const value = stratified ? sums[i].mean / m : shifts[i] + sums[i].mean / n;
      double const error = stratified ? std::sqrt(spreads[i]) / m : std::sqrt(spreads[i] / (n - 1) / n);
      result.value[i] = std::ldexp(value, exponent);
      result.errors.error[i] = std::ldexp(error, exponent);
    }
    if (full_)
      for (std::size_t j = 1; j < c; ++j)
        for (std::size_t i = 0; i < j; ++i) {
          double const product = products[j * c + i] - (stratified ? 0 : sums[i].mean * (sums[j].mean / n));
          double const a = std::sqrt(spreads[i]), b = std::sqrt(spreads[j]);
          result.errors.correlations.push_back(a == 0 || b == 0 ? 0 : std::clamp(product / a / b, -1.0, 1.0));
        }
    return result;
  }

private:
  /// The sums of all components over all processes, from the last draw, followed by the shifts.
  std::vector<ComponentSum> read_sums() {
    std::size_t const c = size();
    auto const totals = totals_.template as<ComponentSum>(exec_, 2 * c);
    std::vector<ComponentSum> sums(2 * c);
    Kokkos::deep_copy(
        exec_, Kokkos::View<ComponentSum*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(sums.data(), 2 * c), totals);
    std::vector<ComponentSum> own(ranks_.size() > 1 ? static_cast<std::size_t>(chunks_.mine) * c : 0);
    if (!own.empty())
      Kokkos::deep_copy(exec_,
                        Kokkos::View<ComponentSum**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                            own.data(), chunks_.mine, c),
                        kept());
    exec_.fence("kubature::components::read_sums");
    if (ranks_.size() > 1)
      add_chunks_of_all(ranks_, chunks_, own, std::span(sums).first(c));
    return sums;
  }

  /// Bytes per sample: its point and values, what drives, its Jacobian, and what SampleTable says of parts.
  std::size_t row(int dimension) const { return (size() + static_cast<unsigned>(dimension) + 4) * sizeof(double); }
  /// Bytes of the sums; on a host, also of what is made of them there.
  std::size_t fixed() const {
    std::size_t const matrices = on_device_of_its_own<Space> ? 1 : 4;
    return size() * (2 * sizeof(ComponentSum) + sizeof(double)) +
           (full_ ? matrices * size() * size() * sizeof(double) : 0);
  }
  auto shifts() {
    auto const totals = totals_.template as<ComponentSum>(exec_, 2 * size());
    return Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>(reinterpret_cast<double*>(totals.data() + size()),
                                                                 size());
  }
  /// With several processes: the sums of this one's chunks, (chunk, component).
  typename Batch::Sums kept() {
    auto const own = static_cast<std::size_t>(chunks_.mine);
    return typename Batch::Sums(kept_.template as<ComponentSum>(exec_, std::max<std::size_t>(1, own * size())).data(),
                                own, size());
  }
  DenseMatrix<Space> products() {
    return DenseMatrix<Space>(matrix_.template as<double>(exec_, size() * size()).data(), size(), size());
  }

  /// Numbers that a sum consists of.
  static constexpr std::size_t per_sum = sizeof(ComponentSum) / sizeof(double);

  /// Bytes of a batch that suffice to keep the device busy, or that fit a host's caches.
  static constexpr std::size_t useful = std::size_t{1} << (on_device_of_its_own<Space> ? 28 : 25);

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
