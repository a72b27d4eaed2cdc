#include "audit/even_points.hpp"

#include "memory/device_bytes.hpp"

#include <kubature/detail/cubature/poles.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/policies/cubature_policy.hpp>
#include <kubature/detail/spaces.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace kubature::detail {
namespace {

/// Closes in on the largest |f| over some axes.
class Search {
public:
  Search(unsigned axes, std::vector<double> const& centre, std::vector<double> const& length)
      : axes_(axes), even_(static_cast<int>(centre.size())), centre_(centre), reach_(length) {
    for (double& reach : reach_)
      reach = std::max(reach, by_.least_pole_reach);
    int const over = std::popcount(axes);
    count_ = over == 1 ? by_.pole_points_along
                       : std::min(by_.most_pole_points, static_cast<int>(std::pow(by_.pole_points_per_axis, over)));
    for (std::size_t k = 0; k < centre.size(); ++k)
      if (!across(k)) // anywhere in the region, but on no axis of symmetry
        centre_[k] += (even_(0, static_cast<int>(k)) - 0.5) * length[k];
  }
  bool open() const { return open_; }

  void place(std::vector<double>& points) {
    first_ = points.size();
    for (int j = 0; j < count_; ++j)
      for (std::size_t k = 0; k < centre_.size(); ++k) {
        double const from = std::max(0.0, centre_[k] - reach_[k]), to = std::min(1.0, centre_[k] + reach_[k]);
        points.push_back(across(k) ? from + (to - from) * even_(j, static_cast<int>(k)) : centre_[k]);
      }
  }
  void take(std::vector<double> const& points, std::vector<double> const& values) {
    auto const d = centre_.size();
    std::vector<double> sizes;
    double const* best = nullptr;
    for (std::size_t j = 0; j < static_cast<std::size_t>(count_); ++j) {
      double const size = values[first_ / d + j];
      if (!std::isfinite(size))
        continue;
      sizes.push_back(size);
      if (size > largest_) {
        largest_ = size;
        best = &points[first_ + j * d];
      }
    }
    if (best)
      std::copy(best, best + d, centre_.begin());
    double const mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
    auto const middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    auto const n = medians_.size();
    bool const grows =
        sizes.empty() ? false
        : n == 0      ? largest_ > by_.uneven * mean
                      : *middle > medians_[n - std::min<std::size_t>(n, 2)] *
                                 std::pow(by_.pole_step, -by_.pole_growth * std::min(static_cast<double>(n), 2.0));
    double farthest = 0;
    for (std::size_t k = 0; k < d; ++k)
      farthest = across(k) ? std::max(farthest, reach_[k] *= by_.pole_step) : farthest;
    if (grows)
      medians_.push_back(*middle);
    close_ = farthest < by_.pole_rounded;
    open_ = grows && static_cast<int>(medians_.size()) < by_.most_pole_rounds && farthest > by_.pole_closest;
  }

  std::optional<Pole> found() const {
    auto const rounds = static_cast<int>(medians_.size());
    int const over = std::popcount(axes_);
    if (rounds < (close_ ? by_.rounded_pole_rounds : by_.pole_rounds) || (over == 1 && at_an_end()))
      return {};
    double const exponent = std::log(medians_.back() / medians_.front()) / (-std::log(by_.pole_step) * (rounds - 1));
    Pole pole{axes_, {}, std::exp2(-by_.pole_octaves * std::max(over - exponent, 0.0))};
    std::ranges::copy(centre_, &pole.centre[0]);
    return pole;
  }

private:
  bool across(std::size_t axis) const { return (axes_ >> axis & 1u) != 0; }
  /// Regions begin and end there, which suits rules.
  bool at_an_end() const {
    for (std::size_t k = 0; k < centre_.size(); ++k)
      if (across(k) && (centre_[k] < 2 * reach_[k] || 1 - centre_[k] < 2 * reach_[k]))
        return true;
    return false;
  }

  CubaturePolicy const& by_ = policy<CubaturePolicy>();
  unsigned axes_;
  EvenPoints even_;
  std::vector<double> centre_, reach_;
  int count_;
  std::size_t first_ = 0;
  double largest_ = 0;
  std::vector<double> medians_;      ///< of |f| in the rounds so far
  bool open_ = true, close_ = false; ///< whether the last round was where rounding may hide what f does
};

/// Regions this many sides from a pole are dense because of it.
constexpr double surroundings = 16;

struct Density {
  Regions regions;
  int component;
  Kokkos::Array<Pole, most_poles> known;
  int count;

  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    double volume = 1;
    for (int k = 0; k < regions.dimension; ++k)
      volume *= regions.interval(k, i).length();
    for (int j = 0; j < count; ++j)
      if (known[static_cast<std::size_t>(j)].near(regions, i, surroundings))
        return 0;
    return Kokkos::abs(regions.value(component, i)) / volume * (1 + 0x1p-40 * nearness_to_origin(i));
  }

private:
  /// Distinguishes regions of equal densities; values near 0 are not rounded.
  KOKKOS_FUNCTION double nearness_to_origin(std::uint64_t i) const {
    double sum = 0, weight = 1;
    for (int k = 0; k < regions.dimension; ++k, weight /= 3)
      sum += weight * (1 - regions.interval(k, i).centre());
    return sum;
  }
};

using Largest = Kokkos::ValLocScalar<double, std::uint64_t>;

struct FindDensest {
  Density density;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Largest& largest) const {
    double const here = density(i);
    if (here > largest.val)
      largest = {here, i};
  }
};

struct RaiseErrors {
  Regions regions;
  Pole pole;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if (!pole.near(regions, i))
      return;
    for (int c = 0; c < regions.components; ++c)
      regions.error(c, i) = Kokkos::fmax(regions.error(c, i), pole.part * Kokkos::abs(regions.value(c, i)));
  }
};

/// Whether |f| also grows towards a pole across one axis elsewhere in the region: |x - y|^-a does not.
bool spans(Pole const& pole, std::function<std::vector<double>(std::vector<double> const&)> const& values,
           std::vector<double> const& centre, std::vector<double> const& length) {
  auto const& by = policy<CubaturePolicy>();
  int const places = by.pole_places;
  constexpr std::array distances{1e-2, 1e-6};
  auto const d = static_cast<int>(centre.size());
  EvenPoints const even(d);
  std::vector<double> points;
  for (double const distance : distances)
    for (int place = 0; place < places; ++place)
      for (int k = 0; k < d; ++k) {
        auto const i = static_cast<std::size_t>(k);
        double const inwards = pole.centre[i] < 0.5 ? length[i] : -length[i];
        points.push_back(pole.across(k) ? pole.centre[i] + distance * inwards
                                        : centre[i] + (even(place + 1, k) - 0.5) * length[i]);
      }
  auto const of = values(points);
  for (int place = 0; place < places; ++place)
    if (!(of[places + place] > of[place] * std::pow(distances[0] / distances[1], by.pole_growth / 2)))
      return false;
  return true;
}

} // namespace

std::vector<Pole> find_poles(std::function<std::vector<double>(std::vector<double> const&)> const& values,
                             std::vector<double> const& centre, std::vector<double> const& length) {
  std::vector<Search> searches{{(1u << centre.size()) - 1, centre, length}};
  for (std::size_t k = 0; k < centre.size(); ++k)
    searches.emplace_back(1u << k, centre, length);
  while (std::ranges::any_of(searches, &Search::open)) {
    std::vector<double> points;
    for (Search& search : searches)
      if (search.open())
        search.place(points);
    auto const of = values(points);
    for (Search& search : searches)
      if (search.open())
        search.take(points, of);
  }
  std::vector<Pole> result;
  for (Search const& search : searches)
    if (auto const pole = search.found();
        pole && (std::popcount(pole->axes) > 1 || spans(*pole, values, centre, length)))
      result.push_back(*pole);
  return result;
}

template <class Space>
Densest densest_region(Space const& exec, Regions const& regions, std::uint64_t size, int component,
                       std::vector<Pole> const& known) {
  Largest largest{0, 0};
  Density density{regions, component, {}, static_cast<int>(known.size())};
  std::ranges::copy(known, &density.known[0]);
  Kokkos::parallel_reduce("kubature::regions::densest", range(exec, size), FindDensest{density},
                          Kokkos::MaxLoc<double, std::uint64_t>(largest));
  Densest result;
  if (!(largest.val > 0))
    return result;
  result.density = largest.val;
  for (int k = 0; k < regions.dimension; ++k) {
    Interval side;
    Kokkos::deep_copy(exec, Kokkos::View<Interval, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&side),
                      Kokkos::View<Interval, Space, Kokkos::MemoryUnmanaged>(&regions.interval(k, largest.loc)));
    exec.fence("kubature::regions::densest");
    result.centre.push_back(side.centre());
    result.length.push_back(side.length());
  }
  return result;
}

Densest densest_of_all(Communicator const& ranks, int dimension, Densest mine) {
  if (ranks.size() == 1)
    return mine;
  // Positive numbers are in the order of their bits.
  auto const most = ~ranks.least(~std::bit_cast<std::uint64_t>(mine.density));
  auto const own = static_cast<std::uint64_t>(ranks.rank());
  bool const is_mine = std::bit_cast<std::uint64_t>(mine.density) == most;
  bool const sends = ranks.least(is_mine ? own : ~std::uint64_t{0}) == own;
  std::vector<std::uint64_t> bits; // zeros except on one rank
  for (auto const& numbers : {mine.centre, mine.length})
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k)
      bits.push_back(sends && most > 0 ? std::bit_cast<std::uint64_t>(numbers[k]) : 0);
  ranks.sum(bits);
  Densest result{std::bit_cast<double>(most), {}, {}};
  for (std::size_t k = 0; k < bits.size(); ++k)
    (k < static_cast<std::size_t>(dimension) ? result.centre : result.length).push_back(std::bit_cast<double>(bits[k]));
  return result;
}

template <class Space>
void raise_errors_about(Space const& exec, Regions const& regions, std::uint64_t size, Pole const& pole) {
  Kokkos::parallel_for("kubature::regions::raise_about_pole", range(exec, size), RaiseErrors{regions, pole});
}

#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  template Densest densest_region(Space const&, Regions const&, std::uint64_t, int, std::vector<Pole> const&);         \
  template void raise_errors_about(Space const&, Regions const&, std::uint64_t, Pole const&);
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
