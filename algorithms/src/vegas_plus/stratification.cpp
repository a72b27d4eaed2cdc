#include "vegas_plus/stratification_kernels.hpp"

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace kubature::detail {
namespace {

/// The data of the cubes from `first` on, indexed by cube number.
template <class View>
View by_number(View const& data, std::uint64_t first) {
  return View(data.data() - first, first + data.size());
}

/// The number of cubes per team.
template <class Space>
std::uint64_t chunk_of(std::uint64_t cubes) {
  return std::max<std::uint64_t>(1024, Partition::ceil(cubes, Tuning<Space>::most_chunks));
}

} // namespace

template <class Space>
void Stratification<Space>::cut(Space const& exec, int dimension, Counts const& counts) {
  std::uint64_t cubes = 1;
  bool same = dimension == dimension_;
  int const axes = cut_axes(dimension);
  for (int i = 0; i < axes; ++i) {
    cubes *= static_cast<std::uint64_t>(counts[i]);
    same = same && counts[i] == counts_[i];
  }
  if (same)
    return;
  if (known_ && dimension == dimension_) {
    collect(exec);
    auto const chunk = chunk_of<Space>(cubes);
    auto const chunks = Partition::ceil(cubes, chunk);
    auto const partials = partials_.template as<CubeSum<double>>(exec, chunks);
    Kokkos::parallel_for("kubature::vegas_plus::carry_over",
                         Kokkos::TeamPolicy<Space>(exec, static_cast<int>(chunks), Tuning<Space>::reduction_team),
                         CarryOver<Space>{weights_.template as<float>(exec, cubes_),
                                          next_.template as<float>(exec, cubes), partials, counts_, counts, axes, cubes,
                                          chunk});
    cubes_ = cubes;
    accept_all(total_.join(exec, "kubature::vegas_plus::join", partials).value);
  } else {
    known_ = false;
  }
  dimension_ = dimension;
  counts_ = counts;
  cubes_ = cubes;
}

template <class Space>
Allocation<Space> Stratification<Space>::allocate(Space const& exec, std::uint64_t least, std::uint64_t evaluations,
                                                  Partition const& chunks) {
  auto result = spread_evenly<Space>(cubes_, least, evaluations);
  result.scale = known_ ? share_of_weights(result, evaluations, sum_) : 0;
  bool const even = result.scale == 0;
  if (!even)
    result.even = 0;

  next_owned_ = {0, cubes_};
  if (ranks_.size() > 1) {
    auto const found = boundaries(exec, result, chunks);
    next_owned_.clear();
    for (int r = 0; r <= ranks_.size(); ++r) {
      auto const& [cube, begin, end, sum] = found[r];
      auto const pair = chunks.template begin_items<Space>(r, ranks_.size());
      bool const before = cube < cubes_ && result.holds_middle(end - begin, 0, pair - begin);
      next_owned_.push_back(before ? cube + 1 : cube);
    }
    if (!even) {
      std::vector<Range> needed;
      for (int r = 0; r < ranks_.size(); ++r)
        needed.push_back({found[r].cube, std::min(found[r + 1].cube + 1, cubes_)});
      exchange(exec, needed);
      for (int r = 0; r <= ranks_.size(); ++r)
        owned_[r] = found[r].cube;
      result.start = held_.first;
      result.cubes = held_.end;
      result.before = found[ranks_.rank()].sum;
    }
  }
  if (!even) {
    result.weights = held(exec);
    add_up(exec, result);
  }
  return result;
}

template <class Space>
void Stratification<Space>::add_up(Space const& exec, Allocation<Space>& allocation) {
  auto const sums = sums_.template as<std::uint64_t>(exec, allocation.blocks() + 1);
  if (allocation.blocks() > 0)
    SumBlocks<Space>{allocation, sums}.launch(exec);
  RunningSums const running{sums.data(), static_cast<std::int64_t>(allocation.blocks())};
  if (allocation.blocks() <= ScanFewBlocks<Space>::most)
    ScanFewBlocks<Space>{running}.launch(exec);
  else
    Kokkos::parallel_scan("kubature::vegas_plus::scan_blocks",
                          Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, running.blocks + 1),
                          running);
  allocation.sums = sums;
}

template <class Space>
auto Stratification<Space>::boundaries(Space const& exec, Allocation<Space> allocation, Partition const& chunks)
    -> std::vector<Boundary> {
  int const size = ranks_.size();
  std::vector<Boundary> result(size + 1);
  std::uint64_t all = 0; // sum of the shares of all cubes
  if (allocation.scale == 0) {
    FindBoundaries<Space> const find{allocation, chunks, size, {}};
    for (int r = 0; r <= size; ++r)
      result[r] = find.at(r);
    all = allocation.even * cubes_;
  } else {
    allocation.start = owned_[ranks_.rank()];
    allocation.cubes = owned_[ranks_.rank() + 1];
    allocation.weights = held(exec);
    add_up(exec, allocation);
    constexpr std::size_t words = sizeof(Boundary) / sizeof(std::uint64_t);
    if (boundaries_.size() < words * result.size())
      boundaries_ = decltype(boundaries_)("kubature::vegas_plus::boundaries", words * result.size());

    Kokkos::deep_copy(exec, Kokkos::subview(boundaries_, 0),
                      Kokkos::subview(allocation.sums, static_cast<std::size_t>(allocation.blocks())));
    exec.fence("kubature::vegas_plus::read_sum");
    std::vector<std::uint64_t> sums(size);
    std::vector<std::size_t> begins(size + 1);
    std::iota(begins.begin(), begins.end(), std::size_t{0});
    sums[ranks_.rank()] = boundaries_(0);
    ranks_.gather(sums, begins);
    allocation.before = std::accumulate(sums.begin(), sums.begin() + ranks_.rank(), std::uint64_t{0});
    all = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});

    Kokkos::View<Boundary*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged> const found(
        reinterpret_cast<Boundary*>(boundaries_.data()), result.size());
    Kokkos::parallel_for("kubature::vegas_plus::find_boundaries", Kokkos::RangePolicy<Space>(exec, 0, size + 1),
                         FindBoundaries<Space>{allocation, chunks, size, found});
    exec.fence("kubature::vegas_plus::read_boundaries");
    ranks_.sum({boundaries_.data(), words * result.size()}); // each found on only one rank
    std::copy_n(found.data(), result.size(), result.begin());
  }
  std::uint64_t const pairs = allocation.first(cubes_, all);
  for (Boundary& each : result)
    if (each.end == 0)
      each = {cubes_, pairs, pairs, all};
  return result;
}

template <class Space>
void Stratification<Space>::exchange(Space const& exec, std::vector<Range> const& needed) {
  auto const overlap = [](Range a, Range b) { return Range{std::max(a.first, b.first), std::min(a.end, b.end)}; };
  auto const owned = [&](int rank) { return Range{owned_[rank], owned_[rank + 1]}; };
  auto const between = [](Weights const& weights, Range range) {
    return Weights(weights.data() + range.first, range.size());
  };
  int const me = ranks_.rank();
  auto const from = held(exec);
  auto const to =
      by_number(next_.template as<float>(exec, std::max<std::uint64_t>(1, needed[me].size())), needed[me].first);
  if (Range const stay = overlap(owned(me), needed[me]); stay.size() > 0)
    Kokkos::deep_copy(exec, between(to, stay), between(from, stay));

  for (int r = 0; r < ranks_.size(); ++r) {
    if (r == me)
      continue;
    if (Range const comes = overlap(owned(r), needed[me]); comes.size() > 0)
      messages_.receive(r, memory_of(to.data() + comes.first, comes.size()));
    if (Range const goes = overlap(owned(me), needed[r]); goes.size() > 0)
      messages_.send(r, memory_of(from.data() + goes.first, goes.size()));
  }
  messages_.exchange(exec, ranks_);
  std::swap(weights_, next_);
  held_ = needed[me];
}

template <class Space>
void Stratification<Space>::collect(Space const& exec) {
  if (ranks_.any(held_.size() < cubes_))
    exchange(exec, std::vector<Range>(static_cast<std::size_t>(ranks_.size()), Range{0, cubes_}));
}

template <class Space>
auto Stratification<Space>::held(Space const& exec) -> Weights {
  return by_number(weights_.template as<float>(exec, std::max<std::uint64_t>(1, held_.size())), held_.first);
}

template <class Space>
auto Stratification<Space>::next(Space const& exec) -> Weights {
  std::uint64_t const first = next_owned_[ranks_.rank()], end = next_owned_[ranks_.rank() + 1];
  return by_number(next_.template as<float>(exec, std::max<std::uint64_t>(1, end - first)), first);
}

template <class Space>
void Stratification<Space>::accept(double sum) {
  std::swap(weights_, next_);
  owned_ = next_owned_;
  held_ = {owned_[ranks_.rank()], owned_[ranks_.rank() + 1]};
  sum_ = sum;
  known_ = true;
}

template <class Space>
void Stratification<Space>::accept_all(double sum) {
  auto const size = static_cast<std::uint64_t>(ranks_.size());
  next_owned_.clear();
  for (std::uint64_t r = 0; r <= size; ++r)
    next_owned_.push_back(cubes_ / size * r + cubes_ % size * r / size);
  accept(sum);
  held_ = {0, cubes_};
}

template <class Space>
double Stratification<Space>::sum_of_powers(Space const& exec, double power, double factor) {
  std::uint64_t const first = owned_[ranks_.rank()], end = owned_[ranks_.rank() + 1];
  std::uint64_t units = 0;
  if (end > first) {
    auto const chunk = chunk_of<Space>(end - first);
    auto const chunks = Partition::ceil(end - first, chunk);
    auto const partials = partials_.template as<CubeSum<std::uint64_t>>(exec, chunks);
    Kokkos::parallel_for("kubature::vegas_plus::sum_powers",
                         Kokkos::TeamPolicy<Space>(exec, static_cast<int>(chunks), Tuning<Space>::reduction_team),
                         SumPowers<Space>{held(exec), partials, power, factor, first, end, chunk});
    units = total_.join(exec, "kubature::vegas_plus::join", partials).value;
  }
  ranks_.sum({&units, 1});
  return static_cast<double>(units) / SumPowers<Space>::unit;
}

template <class Space>
std::vector<float> Stratification<Space>::weights(Space const& exec) {
  if (!known_)
    return {};
  collect(exec);
  std::vector<float> result(cubes_);
  Kokkos::View<float*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(result.data(), result.size());
  Kokkos::deep_copy(exec, host, held(exec));
  exec.fence("kubature::vegas_plus::read_weights");
  return result;
}

template <class Space>
void Stratification<Space>::restore(Space const& exec, int dimension, Counts const& counts, double sum,
                                    std::vector<float> const& weights) {
  reset();
  cut(exec, dimension, counts);
  if (weights.empty())
    return;
  Kokkos::View<float const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(weights.data(), weights.size());
  Kokkos::deep_copy(exec, next_.template as<float>(exec, cubes_), host);
  exec.fence("kubature::vegas_plus::write_weights");
  accept_all(sum);
}

#define KUBATURE_INSTANTIATE(Space) template class Stratification<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
