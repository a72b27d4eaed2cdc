#include <kubature/detail/peaks/peak_engine.hpp>

#include "peaks/launch.hpp"
#include "peaks/parts.hpp"

#include <kubature/backend.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/detail/spaces.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

namespace kubature::detail {
namespace {

template <class Space>
std::vector<double> on_host(Space const& exec, typename PeakEngine<Space>::Numbers const& from) {
  std::vector<double> to(from.size());
  download(exec, from, to.data());
  return to;
}

/// Numbers of the first memory that the host writes, enough for the curvature at a point.
constexpr std::size_t least_of_host = 1 << 13;

template <class Space>
struct LargestExcess {
  typename PeakEngine<Space>::Numbers numbers;
  KOKKOS_FUNCTION void operator()(std::uint64_t k, double& largest) const {
    largest = Kokkos::max(largest, numbers(k));
  }
};

template <class Space>
struct CountAbove {
  typename PeakEngine<Space>::Numbers numbers;
  double bound;
  KOKKOS_FUNCTION void operator()(std::uint64_t k, std::uint64_t& count) const { count += numbers(k) > bound ? 1 : 0; }
};

/// Writes the places of the first above a bound and not above another, in their order.
template <class Space>
struct Select {
  using Numbers = typename PeakEngine<Space>::Numbers;
  using value_type = std::uint64_t;

  Numbers numbers;
  double above, up_to;
  Numbers places;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, std::uint64_t& before, bool final) const {
    if (!(numbers(k) > above && numbers(k) <= up_to))
      return;
    if (final && before < places.extent(0))
      places(before) = static_cast<double>(k);
    ++before;
  }
};

/// Draws uniform points: those with the numbers in a list, or the first ones.
template <class Space>
struct Draw {
  using Numbers = typename PeakEngine<Space>::Numbers;

  Candidates points;
  Numbers at, numbers;
  bool listed;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    points.draw(listed ? static_cast<std::uint64_t>(numbers(k)) : k,
                at.data() + k * static_cast<unsigned>(points.dimension));
  }
};

template <class Space>
struct Before {
  SearchPass<Space> pass;
  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { pass.before(k); }
};
template <class Space>
struct After {
  SearchPass<Space> pass;
  std::uint64_t step;
  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { pass.after(step, k); }
};

} // namespace

template <class Space>
void run_in_turns(Space const& exec, SearchPass<Space> const& pass, std::function<void()> const& evaluate) {
  launch(exec, "kubature::peaks::before", pass.count(), Before<Space>{pass});
  for (std::uint64_t step = 0; step < pass.steps; ++step) {
    evaluate();
    launch(exec, "kubature::peaks::after", pass.count(), After<Space>{pass, step});
  }
}

template <class Space>
std::vector<double> PeakEngine<Space>::heights(std::vector<double> const& points) {
  auto const n = points.size() / static_cast<std::size_t>(dimension_), c = std::size_t{values_.count()};
  if (n == 0)
    return {};
  auto const all = points.size() + n * (c + 1);
  auto& memory = memory_.of_host;
  if (memory.size() < all)
    memory = std::remove_reference_t<decltype(memory)>(
        Kokkos::view_alloc("kubature::peaks::of_host", Kokkos::WithoutInitializing), std::max(all, least_of_host));
  Parts<Space> part(memory.data());
  auto const at = part(points.size()), values = part(n * c), found = part(n);
  exec().fence("kubature::peaks::written"); // what reads the memory
  std::ranges::copy(points, at.data());
  run_(pass(Pass::Task::heights, at, values, found));
  exec().fence("kubature::peaks::read");
  return {found.data(), found.data() + n};
}

template <class Space>
void PeakEngine<Space>::try_points(Candidates const& points, std::uint64_t count, std::vector<double> const& modes) {
  constexpr std::uint64_t at_once = on_device_of_its_own<Space> ? 1 << 18 : 1 << 14; // hosts: within the caches
  auto const d = static_cast<std::size_t>(dimension_), c = std::size_t{values_.count()};
  auto const most = std::min(at_once, count);
  tried_ = points;
  excess_ = memory_.excess.template as<double>(exec(), count);
  Parts<Space> part(exec(), memory_.points, modes.size() + most * (d + c));
  auto const gaussians = part(modes.size()), at = part(most * d), values = part(most * c);
  if (!modes.empty())
    upload(exec(), gaussians, modes);
  for (std::uint64_t first = 0; first < count; first += at_once) {
    auto const n = std::min(at_once, count - first);
    auto each = pass(Pass::Task::excess, Numbers(at.data(), n * d), Numbers(values.data(), n * c),
                     Numbers(excess_.data() + first, n));
    each.uniform_points = {points, first, gaussians};
    run_(each);
  }
}

template <class Space>
std::uint64_t PeakEngine<Space>::count_above(double excess) const {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce("kubature::peaks::count", items_of(exec_for(excess_.size()), excess_.size()),
                          CountAbove<Space>{excess_, excess}, count);
  return count;
}

template <class Space>
double PeakEngine<Space>::largest() const {
  double result = 0;
  Kokkos::parallel_reduce("kubature::peaks::largest", items_of(exec_for(excess_.size()), excess_.size()),
                          LargestExcess<Space>{excess_}, Kokkos::Max<double>(result));
  return result;
}

template <class Space>
double PeakEngine<Space>::share_near_largest(double distance) {
  return static_cast<double>(count_above(largest() - distance)) / static_cast<double>(excess_.size());
}

template <class Space>
void PeakEngine<Space>::select(double above, double up_to, Numbers const& places) const {
  if (places.size() > 0)
    Kokkos::parallel_scan("kubature::peaks::select", items_of(exec_for(excess_.size()), excess_.size()),
                          Select<Space>{excess_, above, up_to, places});
}

template <class Space>
EndsOfAscents PeakEngine<Space>::climb(std::uint64_t chains, std::uint64_t seed, WriteStarts const& write) {
  if (chains == 0)
    return {dimension_, {}, {}};
  auto const& by = policy<PeaksPolicy>();
  auto const n = static_cast<std::size_t>(chains), c = std::size_t{values_.count()},
             all = n * static_cast<std::size_t>(dimension_);
  Parts<Space> part(exec(), memory_.points, 2 * all + n * (3 + c));
  auto const at = part(all), values = part(n * c), size = part(n), inside = part(n);
  auto const found = part(all + n); // places and heights, read at once
  Numbers const best(found.data(), all), height(found.data() + all, n);
  auto pass_of_ascents = pass(Pass::Task::ascents, at, values, height);
  pass_of_ascents.steps = by.steps;
  pass_of_ascents.ascents = {.first_step = by.first_step,
                             .longer = by.longer,
                             .shorter = by.shorter,
                             .longest = by.longest,
                             .key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
                             .best = best,
                             .size = size,
                             .inside = inside};
  write(at, size);
  run_(pass_of_ascents);
  auto places = on_host(exec(), found);
  auto const first = places.begin() + static_cast<std::ptrdiff_t>(all);
  std::vector<double> heights(first, places.end());
  places.erase(first, places.end());
  return {dimension_, std::move(places), std::move(heights)};
}

template <class Space>
EndsOfAscents PeakEngine<Space>::ascend(std::vector<double> const& starts, std::uint64_t seed) {
  return climb(starts.size() / static_cast<std::size_t>(dimension_), seed,
               [&](Numbers const& at, Numbers const&) { upload(exec(), at, starts); });
}

template <class Space>
EndsOfAscents PeakEngine<Space>::ascend_from_first(Candidates const& points, std::uint64_t count, std::uint64_t seed) {
  return climb(count, seed, [&](Numbers const& at, Numbers const& numbers) {
    launch(exec_for(count), "kubature::peaks::draw", count, Draw<Space>{points, at, numbers, false});
  });
}

template <class Space>
EndsOfAscents PeakEngine<Space>::ascend_from_above(double excess, std::uint64_t most, std::uint64_t seed) {
  auto const count = count_above(excess), chains = std::min(count, most);
  // A bound that up to half of `most` exceed, but no fewer than a quarter if there is one.
  double bound = excess;
  std::uint64_t exceed = chains;
  if (count > most) {
    double low = excess;
    bound = largest();
    exceed = 0;
    for (int k = 0; k < std::numeric_limits<double>::digits && exceed < most / 4; ++k) {
      double const middle = low + (bound - low) / 2;
      auto const n = count_above(middle);
      (n > most / 2 ? low : bound) = middle;
      exceed = n > most / 2 ? exceed : n;
    }
  }
  return climb(chains, seed, [&](Numbers const& at, Numbers const& numbers) {
    select(bound, std::numeric_limits<double>::infinity(), Numbers(numbers.data(), exceed));
    select(excess, bound, Numbers(numbers.data() + exceed, chains - exceed));
    launch(exec_for(chains), "kubature::peaks::draw", chains, Draw<Space>{tried_, at, numbers, true});
  });
}

#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  template class PeakEngine<Space>;                                                                                    \
  template void run_in_turns(Space const&, SearchPass<Space> const&, std::function<void()> const&);
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
