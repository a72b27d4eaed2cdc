#pragma once

#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/vegas/mapped_points.hpp>
#include <kubature/error.hpp>
#include <kubature/precision.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace kubature {

/// Points in a box, with weights that compensate for their density: (1/n) sum of weight * f(point) estimates the
/// integral of f, and each bin of a histogram filled with weight / n estimates the integral of 1 over that bin.
template <class Space>
struct WeightedPoints {
  /// The points, n x d.
  Kokkos::View<double**, Space> points;
  /// The weights, n: the volume that each point represents, times n.
  Kokkos::View<double*, Space> weights;
};

/// A VEGAS map: for each axis of a box, intervals into which samples fall with equal probability (Lepage 1978; 2021,
/// sec. II). It is the importance sampling that a call has learned for an integrand, as an object to examine, to save
/// in a file, to start another integration with, and to draw points from.
///
///   auto map = integrator.map();
///   map.save("peak.map");
///   other.use(kubature::VegasMap::load("peak.map"));
///   auto events = map.sample(exec, box, 1'000'000);
class VegasMap {
public:
  /// @param axes  1 (one for all variables) or the number of variables
  /// @param edges bins + 1 numbers per axis, from 0 to 1 and never decreasing, in units of the box's side
  /// Throws InvalidArgument for anything else.
  VegasMap(int axes, int bins, std::vector<double> edges, std::source_location where = std::source_location::current());

  int axes() const { return axes_; } ///< the number of axes
  /// Intervals per axis.
  int bins() const { return bins_; }
  /// The edges of an axis, bins() + 1 numbers from 0 to 1, in units of the box's side; on an infinite side, those of
  /// the variable t that is mapped onto it (see Box).
  std::span<double const> edges(int axis) const {
    auto const nodes = static_cast<std::size_t>(bins_) + 1;
    return std::span(edges_).subspan(static_cast<std::size_t>(axis) * nodes, nodes);
  }
  /// The edges of all axes, one after the other.
  std::span<double const> edges() const { return edges_; }

  /// Writes a text file, complete or not at all: a line "kubature-vegas-map 1" (format and version), a line with axes
  /// and bins, and a line of edges for each axis, with 17 digits, so that load() gives the same numbers back. Throws
  /// InvalidArgument if the file cannot be written.
  void save(std::string const& file, std::source_location where = std::source_location::current()) const;
  /// Reads such a file. Throws InvalidArgument if it cannot be read or does not hold a map.
  static VegasMap load(std::string const& file, std::source_location where = std::source_location::current());
  /// As above, by several ranks, which all make this call: the first one reads the file for all.
  static VegasMap load(Communicator const& ranks, std::string const& file,
                       std::source_location where = std::source_location::current());

  /// Draws n points from the distribution of the map, with their weights, on the device. The same seed gives the same
  /// points.
  template <class Space, int D>
  WeightedPoints<Space> sample(Space const& exec, Box<D> const& box, std::uint64_t n, std::uint64_t seed = 0,
                               std::source_location where = std::source_location::current()) const;

private:
  static VegasMap parse(std::string const& contents, std::string const& file, std::source_location where);

  int axes_, bins_;
  std::vector<double> edges_;
};

namespace detail {

/// Converts a map on the device to a VegasMap, and back.
template <class Space>
VegasMap vegas_map(Space const& exec, DeviceMap<Space> const& map) {
  auto edges = map.read(exec);
  for (double& edge : edges)
    edge /= map.bins();
  return VegasMap(map.axes(), map.bins(), std::move(edges));
}
template <class Space>
void load(Space const& exec, DeviceMap<Space>& to, VegasMap const& map) {
  std::vector<double> edges(map.edges().begin(), map.edges().end());
  for (double& edge : edges)
    edge *= map.bins();
  to.write(exec, map.axes(), map.bins(), edges);
}

/// Throws InvalidArgument unless a map of this many axes fits the number of variables.
inline void check_axes(int axes, int dimension, std::source_location where) {
  require(axes == dimension || axes == 1, "axes of the map", axes,
          "the box has " + std::to_string(dimension) + " sides: one axis for each is needed, or 1 for all", where);
}

/// Draws points one after the other from one cube, the whole box.
template <class Space, int D>
struct DrawPoints {
  using Map = MappedPoints<Space, Fp64, D>;
  Map map;
  Strata<D> whole;
  WeightedPoints<Space> to;

  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    std::uint64_t sample[Map::lanes];
    typename Map::Corner corner;
    for (int w = 0; w < Map::lanes; ++w) {
      sample[w] = static_cast<std::uint64_t>(group) * Map::lanes + static_cast<std::uint64_t>(w);
      map.place(corner, w, 0, whole);
    }
    typename Map::Points points;
    map.draw_at(sample, corner, typename Map::Table{{}, nullptr, {0, 0}}, points);
    map.template place_in_box<true>(points);
    for (int w = 0; w < Map::lanes && sample[w] < to.weights.extent(0); ++w) {
      for (int i = 0; i < map.dimension; ++i)
        to.points(sample[w], i) = points.x[w][i];
      to.weights(sample[w]) = points.jacobian[w];
    }
  }
};

} // namespace detail

template <class Space, int D>
WeightedPoints<Space> VegasMap::sample(Space const& exec, Box<D> const& box, std::uint64_t n, std::uint64_t seed,
                                       std::source_location where) const {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  detail::check_axes(axes_, box.dimension(), where);
  detail::DeviceMap<Space> map;
  detail::load(exec, map, *this);
  WeightedPoints<Space> result{
      Kokkos::View<double**, Space>(view_alloc(exec, WithoutInitializing, "kubature::vegas_map::points"), n,
                                    box.dimension()),
      Kokkos::View<double*, Space>(view_alloc(exec, WithoutInitializing, "kubature::vegas_map::point_weights"), n)};
  using Draw = detail::DrawPoints<Space, D>;
  constexpr auto lanes = static_cast<std::uint64_t>(Draw::Map::lanes);
  auto const whole = detail::Strata<D>(box.dimension(), 2);
  Draw const draw{{box, map, whole, detail::Stream(seed, 0), 0, false}, whole, result};
  Kokkos::parallel_for("kubature::vegas_map::sample",
                       detail::as_argument(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>((n + lanes - 1) / lanes))),
                       draw);
  exec.fence("kubature::vegas_map::sample");
  return result;
}

} // namespace kubature
