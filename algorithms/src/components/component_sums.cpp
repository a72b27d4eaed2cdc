#include "components/kernels.hpp"

#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/components/of_all_processes.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/error.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace kubature::detail {
namespace {

/// Numbers per sum.
constexpr std::size_t per_sum = sizeof(ComponentSum) / sizeof(double);

/// Bytes of a batch that keep the device busy, or that fit a host's caches.
template <class Space>
constexpr std::size_t useful = std::size_t{1} << (on_device_of_its_own<Space> ? 28 : 25);

} // namespace

template <class Space>
ComponentSums<Space>::ComponentSums(std::string const& label)
    : batch_(label + "_batch"), totals_(label + "_totals"), matrix_(label + "_products"), kept_(label + "_chunks"),
      weights_(label + "_weights") {}

template <class Space>
void ComponentSums<Space>::begin_call(Space const& exec, Communicator const& ranks, Call const& call,
                                      std::source_location where) {
  check_kokkos(where);
  ranks_ = ranks;
  checkpoint_ = call.checkpoint;
  full_ = call.full && call.count > 1;
  require(!full_ || has_matrix_products(), call.method + ".covariance", "full",
          "components known at run time need Kokkos Kernels for it: configure kubature with KUBATURE_KERNELS=ON, and "
          "KokkosKernels_ROOT where CMake does not find it; or give their number by batched<C>, which supports up to " +
              std::to_string(most_correlated),
          where);
  count_ = call.count;
  driver_ = call.driver;
  drive_ = ComponentWeights(driver_, count_);
  exec_ = exec;
}

template <class Space>
bool ComponentSums<Space>::begin(int dimension, std::uint64_t slots, Partition const& chunks, std::size_t room) {
  chunks_ = chunks;
  std::size_t const own = ranks_.size() > 1 ? static_cast<std::size_t>(chunks.mine) * size() : 0;
  std::size_t const sums = fixed() + own * sizeof(ComponentSum);
  std::size_t const chunk = slots * row(dimension) + size() * sizeof(ComponentSum);
  std::size_t const most = room < sums ? 0 : (room - sums) / chunk;
  per_batch_ = static_cast<int>(std::min(
      {most, std::max<std::size_t>(1, useful<Space> / chunk), static_cast<std::size_t>(std::max(chunks.count, 1))}));
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

template <class Space>
typename ComponentSums<Space>::Batch ComponentSums<Space>::batch(int dimension, int chunks, std::uint64_t slots) {
  std::size_t const n = static_cast<std::size_t>(chunks) * slots, c = size();
  double* const memory =
      batch_
          .template as<double>(exec_, n * row(dimension) / sizeof(double) + per_sum * c * static_cast<unsigned>(chunks))
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

template <class Space>
void ComponentSums<Space>::find_driving(Batch const& batch, NonFinite policy) {
  DriveBySamples<Space>{batch.values, batch.samples, batch.driving, weights_.template as<double>(exec_, size()),
                        policy == NonFinite::propagate}
      .launch(exec_);
}

template <class Space>
void ComponentSums<Space>::shift_by(Batch const& batch) {
  if (batches_++ == 0)
    ShiftOfComponents<Space>{batch.values, batch.samples, shifts()}.launch(exec_);
}

template <class Space>
void ComponentSums<Space>::add(Batch const& batch, bool stratified, int first, std::uint64_t segments,
                               std::uint64_t steps) {
  if (stratified) {
    CentreComponents<Space, true>{batch.values, batch.samples, shifts(), batch.sums, segments, steps}.launch(exec_);
  } else {
    shift_by(batch);
    CentreComponents<Space, false>{batch.values, batch.samples, shifts(), batch.sums, segments, steps}.launch(exec_);
  }
  if (ranks_.size() == 1)
    AddChunks<Space>{batch.sums, totals_.template as<ComponentSum>(exec_, 2 * size())}.launch(exec_);
  else
    Kokkos::deep_copy(
        exec_, Kokkos::subview(kept(), std::pair(first, first + static_cast<int>(batch.sums.extent(0))), Kokkos::ALL),
        batch.sums);
  if (full_)
    add_products(exec_, batch.values, products());
}

template <class Space>
std::vector<double> ComponentSums<Space>::magnitudes() {
  auto const sums = read_sums();
  std::vector<double> result(size());
  std::transform(sums.begin(), sums.begin() + count_, result.begin(), [](auto const& sum) { return sum.magnitude; });
  return result;
}

template <class Space>
ComponentEstimate ComponentSums<Space>::estimate(std::uint64_t samples, int exponent) {
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

template <class Space>
std::vector<ComponentSum> ComponentSums<Space>::read_sums() {
  std::size_t const c = size();
  auto const totals = totals_.template as<ComponentSum>(exec_, 2 * c);
  std::vector<ComponentSum> sums(2 * c);
  Kokkos::deep_copy(exec_, Kokkos::View<ComponentSum*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(sums.data(), 2 * c),
                    totals);
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

template <class Space>
std::size_t ComponentSums<Space>::fixed() const {
  std::size_t const matrices = on_device_of_its_own<Space> ? 1 : 4;
  return size() * (2 * sizeof(ComponentSum) + sizeof(double)) +
         (full_ ? matrices * size() * size() * sizeof(double) : 0);
}

template <class Space>
Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> ComponentSums<Space>::shifts() {
  auto const totals = totals_.template as<ComponentSum>(exec_, 2 * size());
  return Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>(reinterpret_cast<double*>(totals.data() + size()),
                                                               size());
}

template <class Space>
typename ComponentSums<Space>::Batch::Sums ComponentSums<Space>::kept() {
  auto const own = static_cast<std::size_t>(chunks_.mine);
  return typename Batch::Sums(kept_.template as<ComponentSum>(exec_, std::max<std::size_t>(1, own * size())).data(),
                              own, size());
}

template <class Space>
DenseMatrix<Space> ComponentSums<Space>::products() {
  return DenseMatrix<Space>(matrix_.template as<double>(exec_, size() * size()).data(), size(), size());
}

#define KUBATURE_INSTANTIATE(Space) template class ComponentSums<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
