#include "memory/device_bytes.hpp"

#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace kubature::detail {
namespace {

template <class Space>
using Member = typename Kokkos::TeamPolicy<Space>::member_type;

template <class Space>
struct Reset {
  typename DeviceMap<Space>::template Array<double> edges;
  typename DeviceMap<Space>::template Array<std::uint64_t> weights, counts;
  int bins;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
    int const axis = team.league_rank();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, bins + 1), [&](int k) {
      edges(axis * (bins + 1) + k) = k;
      if (k < bins) {
        int const bin = axis * bins + k;
        weights(bin) = 0;
        counts(bin) = 0;
      }
    });
  }
};

/// Refines the map, one team per axis.
template <class Space>
struct Refine {
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tuning<Space>::refining_team>>;
  using Member = typename Policy::member_type;
  template <class T>
  using Array = typename DeviceMap<Space>::template Array<T>;
  Array<double> edges, work;
  Array<std::uint64_t> weights, counts;
  int bins;
  Damping damping;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const axis = team.league_rank();
    // work holds the smoothed mean weights, then their damped running sums; behind them is a copy of the old edges.
    double* const share = work.data() + static_cast<std::ptrdiff_t>(axis) * 2 * (bins + 1);
    double* const old = share + bins + 1;
    double* const edge = edges.data() + static_cast<std::ptrdiff_t>(axis) * (bins + 1);
    std::uint64_t* const weight = weights.data() + static_cast<std::ptrdiff_t>(axis) * bins;
    std::uint64_t* const count = counts.data() + static_cast<std::ptrdiff_t>(axis) * bins;

    Smoothed all_smoothed;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, bins),
        [&](int k, Smoothed& sum) {
          share[k] = smoothed(weight, count, k);
          old[k] = edge[k];
          sum.join({share[k], share[k] == 0 ? 1 : 0});
        },
        Join<Smoothed>(all_smoothed));
    double const total = all_smoothed.total;
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, bins), [&](int k) {
      weight[k] = 0;
      count[k] = 0;
    });
    if (!(total > 0) || damping.alpha == 0) // only zeros were recorded, or nothing is to be refined
      return;
    Kokkos::single(Kokkos::PerTeam(team), [&] { old[bins] = bins; });

    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, bins), [&](int k) { share[k] = damped(share[k] / total); });
    team.team_barrier();
    if (all_smoothed.zeros > 0)
      add_up<std::uint64_t>(team, [&](int k) { return share[k] > 0 ? 1 : 0; }, weight);
    add_up<double>(team, [&](int k) { return share[k]; }, share);
    if (all_smoothed.zeros > 0)
      guard(team, share, weight, old, edge, damping.resolved ? damped(1 / total) * (1 + 1e-9) : 0);

    double const all = share[bins - 1];
    int low = 0; // a host's thread goes on from the last interval
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1, bins), [&](int j) {
      double const target = all * j / bins;
      if constexpr (on_device_of_its_own<Space>)
        low = reaching(share, target);
      else
        while (share[low] < target)
          ++low;
      double const before = low > 0 ? share[low - 1] : 0;
      double const part = (target - before) / (share[low] - before);
      edge[j] = old[low] + (part < 1 ? part : 1.0) * (old[low + 1] - old[low]);
    });
  }

private:
  /// The sum of smoothed weights, and the number of zeros among them.
  struct Smoothed {
    double total = 0;
    int zeros = 0;
    KOKKOS_FUNCTION void join(Smoothed const& other) {
      total += other.total;
      zeros += other.zeros;
    }
  };

  /// Running sums of terms; they may overwrite the terms.
  template <class T, class Term>
  KOKKOS_FUNCTION void add_up(Member const& team, Term const& term, T* to) const {
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, bins), [&](int k, T& sum, bool last) {
      sum += static_cast<T>(term(k));
      if (last)
        to[k] = sum;
    });
    team.team_barrier();
  }

  /// The first interval whose running sum is not below the target, or `bins`.
  template <class T>
  KOKKOS_FUNCTION int reaching(T const* share, T target) const {
    int low = 0, high = bins;
    while (low < high) {
      int const middle = (low + high) / 2;
      if (share[middle] < target)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// Gives the runs of intervals in which only zeros were recorded a small part of all shares, so that they do not
  /// become one wide interval that spans the border and is hardly ever sampled. The part falls as 1 / distance from the
  /// border, so that the widths grow from those on the border's other side: see docs/design/vegas-adaptation.md,
  /// "Cuts". If the intervals on the other side have hardly any share, values have died away before they underflow to
  /// zero, and there is nothing to guard.
  /// @param share  running sums, to which those of the new parts are added
  /// @param number running numbers of the intervals that have a share, which are exact while sums are not; left zero
  /// @param room   for `bins` numbers
  /// @param least  share of an interval at a border that is guarded, which is to be exceeded
  KOKKOS_FUNCTION void guard(Member const& team, double* share, std::uint64_t* number, double const* old, double* room,
                             double least) const {
    double const part = guarding / (bins < least_bins ? least_bins : bins) * share[bins - 1];
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, bins), [&](int k) {
      room[k] = 0;
      std::uint64_t const before = k > 0 ? number[k - 1] : 0;
      if (number[k] > before)
        return;
      // The run lies between the interval at which the number reaches this value, and the first one beyond.
      int const left = before > 0 ? reaching(number, before) : -1;
      int const right = reaching(number, before + 1);
      double const begin = old[left + 1], end = old[right];
      if (left >= 0 && cuts(share, left, -1, least))
        room[k] += part * graded(old[k] - begin, old[k + 1] - begin, end - begin, begin - old[left]);
      if (right < bins && cuts(share, right, 1, least))
        room[k] += part * graded(end - old[k + 1], end - old[k], end - begin, old[right + 1] - end);
    });
    team.team_barrier();
    add_up<double>(team, [&](int k) { return room[k]; }, room);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, bins), [&](int k) {
      share[k] += room[k];
      number[k] = 0;
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { room[0] = 0; });
  }

  /// Whether any of the intervals next to a border has more than the least share. Several are examined, as the first
  /// one may by chance have few significant samples.
  KOKKOS_FUNCTION bool cuts(double const* share, int border, int away, double least) const {
    constexpr int near = 4;
    for (int j = 0; j < near; ++j)
      if (int const k = border + j * away; k >= 0 && k < bins && share[k] - (k > 0 ? share[k - 1] : 0) > least)
        return true;
    return false;
  }

  /// The integral of 1 / (x + width) from a to b, as a fraction of that from 0 to `length`. An interval of no width
  /// gives 0.
  KOKKOS_FUNCTION static double graded(double a, double b, double length, double width) {
    if (!(width > 0))
      return length > 0 ? (b - a) / length : 0;
    return Kokkos::log((b + width) / (a + width)) / Kokkos::log((length + width) / width);
  }

  /// The number of new intervals that guard a border, if there are at least `least_bins` (measured:
  /// docs/design/vegas-adaptation.md).
  static constexpr double guarding = 5;
  static constexpr int least_bins = 100;

  /// The mean weight around interval k; at the ends, weights beyond them are mirrored. Sums and counts are smoothed
  /// separately, so that a constant integrand gives a constant and empty intervals borrow from their neighbours.
  KOKKOS_FUNCTION double smoothed(std::uint64_t const* weight, std::uint64_t const* count, int k) const {
    int const reach = damping.reach > 0 ? damping.reach : 1;
    double const peak = damping.reach > 0 ? reach + 1 : 6;
    auto const kernel = [&](std::uint64_t const* of) {
      double sum = peak * static_cast<double>(of[k]);
      for (int j = 1; j <= reach; ++j)
        sum += (reach + 1 - j) * (static_cast<double>(of[mirrored(k - j)]) + static_cast<double>(of[mirrored(k + j)]));
      return sum;
    };
    double const samples = kernel(count);
    return samples > 0 ? kernel(weight) / samples : 0;
  }
  /// The interval that mirrors an interval beyond an end, or the last one if there are too few.
  KOKKOS_FUNCTION int mirrored(int k) const {
    if (k < 0)
      k = -1 - k;
    if (k >= bins)
      k = 2 * bins - 1 - k;
    return k < 0 ? 0 : k < bins ? k : bins - 1;
  }

  KOKKOS_FUNCTION double damped(double w) const {
    if (!(w > 0))
      return 0;
    if (!(w < 1))
      return 1;
    return Kokkos::pow((1 - w) / -Kokkos::log(w), damping.alpha);
  }
};

template <class Space>
struct AddRows {
  static constexpr std::size_t block = 64; ///< intervals
  ThreadRows<Space> rows;
  typename DeviceMap<Space>::template Array<std::uint64_t> weights, counts;

  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    std::size_t const end = (n + 1) * block;
    rows.take(n * block, end < rows.bins ? end : rows.bins, weights.data(), counts.data());
  }
};

template <class Space, class View>
void grow(Space const& exec, View& view, std::size_t size, std::string const& label) {
  if (view.size() < size)
    view = View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

} // namespace

template <class Space>
void DeviceMap<Space>::reset(Space const& exec, int axes, int bins) {
  add_rows(exec); // leaves zeros, wherever rows begin
  axes_ = axes;
  bins_ = bins;
  scale_ = std::numeric_limits<double>::infinity();
  exponent_ = 0;
  auto const size = static_cast<std::size_t>(axes) * static_cast<std::size_t>(bins);
  auto const nodes = size + static_cast<std::size_t>(axes);
  grow(exec, edges_, nodes, "kubature::vegas_map::edges");
  grow(exec, work_, 2 * nodes, "kubature::vegas_map::work");
  grow(exec, weights_, size, "kubature::vegas_map::weights");
  grow(exec, counts_, size, "kubature::vegas_map::counts");
  rows_ = {nullptr, size, ThreadRows<Space>::threads_of(exec)};
  if (rows_memory_.size() < rows_.size()) {
    grow(exec, rows_memory_, rows_.size(), "kubature::vegas_map::rows");
    Kokkos::parallel_for("kubature::vegas_map::clear_rows", range(exec, rows_.size()),
                         SetToZero<std::uint64_t>{rows_memory_.data()});
  }
  rows_.rows = rows_memory_.data();
  Kokkos::parallel_for("kubature::vegas_map::reset",
                       Kokkos::TeamPolicy<Space>(exec, axes, Tuning<Space>::reduction_team),
                       Reset<Space>{edges_, weights_, counts_, bins});
}

template <class Space>
void DeviceMap<Space>::add_rows(Space const& exec) {
  if constexpr (!on_device_of_its_own<Space>) {
    constexpr auto block = AddRows<Space>::block;
    Kokkos::parallel_for("kubature::vegas_map::add_rows", range(exec, (rows_.bins + block - 1) / block),
                         AddRows<Space>{rows_, weights_, counts_});
    exec.fence("kubature::vegas_map::add_rows");
    for (int thread = 0; thread < rows_.threads; ++thread)
      rows_.used(thread) = 0;
  }
}

template <class Space>
void DeviceMap<Space>::sum(Space const& exec, Communicator const& ranks) {
  if (ranks.size() == 1)
    return;
  auto const size = static_cast<std::size_t>(axes_) * static_cast<std::size_t>(bins_);
  add_rows(exec);
  if (on_host_.size() < 2 * size)
    on_host_ = OnHost(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::vegas_map::histogram"), 2 * size);
  std::pair const both(std::size_t{0}, size);
  auto const weights = Kokkos::subview(weights_, both), counts = Kokkos::subview(counts_, both);
  auto const host_weights = Kokkos::subview(on_host_, both);
  auto const host_counts = Kokkos::subview(on_host_, std::pair(size, 2 * size));
  Kokkos::deep_copy(exec, host_weights, weights);
  Kokkos::deep_copy(exec, host_counts, counts);
  exec.fence("kubature::vegas_map::read_histogram");
  ranks.sum({on_host_.data(), 2 * size});
  Kokkos::deep_copy(exec, weights, host_weights);
  Kokkos::deep_copy(exec, counts, host_counts);
}

template <class Space>
void DeviceMap<Space>::refine(Space const& exec, Damping damping, double largest) {
  add_rows(exec);
  int const threads = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(32, bins_))));
  Kokkos::parallel_for("kubature::vegas_map::refine",
                       typename Refine<Space>::Policy(exec, axes_, std::min(Tuning<Space>::refining_team, threads)),
                       Refine<Space>{edges_, work_, weights_, counts_, bins_, damping});
  set_scale(largest);
}

template <class Space>
void DeviceMap<Space>::forget(Space const& exec, int exponent) {
  double const largest = FixedPoint::target / scale_;
  refine(exec, {0}, std::ldexp(largest, exponent_ - exponent));
  exponent_ = exponent;
}

template <class Space>
void DeviceMap<Space>::set_scale(double largest) {
  if (largest > 0)
    scale_ = FixedPoint::target / largest;
}

template <class Space>
std::vector<double> DeviceMap<Space>::read(Space const& exec) const {
  std::vector<double> result(static_cast<std::size_t>(axes_) * static_cast<std::size_t>(bins_ + 1));
  Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(result.data(), result.size());
  Kokkos::deep_copy(exec, host, Kokkos::subview(edges_, std::pair<std::size_t, std::size_t>(0, result.size())));
  exec.fence("kubature::vegas_map::read");
  return result;
}

template <class Space>
void DeviceMap<Space>::write(Space const& exec, int axes, int bins, std::span<double const> edges) {
  reset(exec, axes, bins);
  Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(edges.data(), edges.size());
  Kokkos::deep_copy(exec, Kokkos::subview(edges_, std::pair<std::size_t, std::size_t>(0, edges.size())), host);
  exec.fence("kubature::vegas_map::write");
}

#define KUBATURE_INSTANTIATE(Space) template class DeviceMap<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
