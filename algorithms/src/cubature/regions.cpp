#include <kubature/detail/cubature/regions.hpp>

#include <kubature/detail/policies/cubature_policy.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace kubature::detail {
namespace {

/// The offsets of the arrays in a block, in bytes: multiples of 16.
struct Layout {
  std::size_t intervals, values, errors, parents, nodes, leeways, marks, size;
};

Layout layout(int dimension, int components, std::uint64_t capacity) {
  auto const d = static_cast<std::uint64_t>(dimension), c = static_cast<std::uint64_t>(components);
  std::size_t end = 0;
  auto const place = [&](std::uint64_t bytes) {
    auto const begin = end;
    end += (bytes + 15) / 16 * 16;
    return begin;
  };
  Layout result{};
  result.intervals = place(d * capacity * sizeof(Interval));
  result.values = place(c * capacity * sizeof(double));
  result.errors = place(c * capacity * sizeof(double));
  result.parents = place(c * (capacity / 2) * sizeof(double));
  result.nodes = place(capacity * sizeof(std::uint32_t));
  result.leeways = place(c * capacity);
  result.marks = place(capacity);
  result.size = end;
  return result;
}

} // namespace

std::size_t bytes_of_regions(int dimension, int components, std::uint64_t capacity) {
  return layout(dimension, components, capacity).size;
}

std::uint64_t capacity_within(std::size_t bytes, int dimension, int components) {
  constexpr std::uint64_t unit = 1 << 16, most = std::uint64_t{1} << 32;
  auto capacity = std::min<std::uint64_t>(
      static_cast<std::uint64_t>(static_cast<double>(bytes) /
                                 static_cast<double>(bytes_of_regions(dimension, components, unit)) * unit),
      most);
  while (capacity > 0 && bytes_of_regions(dimension, components, capacity) > bytes)
    --capacity;
  return capacity;
}

Regions regions_at(std::byte* data, int dimension, int components, std::uint64_t capacity) {
  auto const at = layout(dimension, components, capacity);
  Regions regions;
  regions.dimension = dimension;
  regions.components = components;
  regions.capacity = capacity;
  regions.intervals = reinterpret_cast<Interval*>(data + at.intervals);
  regions.values = reinterpret_cast<double*>(data + at.values);
  regions.errors = reinterpret_cast<double*>(data + at.errors);
  regions.parents = reinterpret_cast<double*>(data + at.parents);
  regions.moves = reinterpret_cast<std::uint32_t*>(data + at.parents);
  regions.nodes = reinterpret_cast<std::uint32_t*>(data + at.nodes);
  regions.leeways = reinterpret_cast<unsigned char*>(data + at.leeways);
  regions.marks = reinterpret_cast<unsigned char*>(data + at.marks);
  return regions;
}

Grid even_grid(int dimension, int level) {
  Grid grid;
  std::fill_n(grid.levels.data(), dimension, level);
  grid.size = std::uint64_t{1} << dimension * level;
  return grid;
}

Grid published_grid(int dimension, std::uint64_t most) {
  Grid grid;
  auto const size = [&](std::uint64_t l) {
    std::uint64_t regions = 1;
    for (int k = 0; k < dimension && regions <= most; ++k)
      regions *= l;
    return regions;
  };
  // One less than the root, which may be rounded up.
  auto const root = std::floor(std::pow(static_cast<double>(most), 1.0 / dimension));
  grid.intervals = static_cast<std::uint64_t>(std::max(1.0, root - 1));
  while (size(grid.intervals + 1) <= most)
    ++grid.intervals;
  grid.size = most > 0 ? size(grid.intervals) : 0;
  std::fill_n(grid.levels.data(), dimension, static_cast<int>(std::bit_width(grid.intervals - 1)));
  return grid;
}

Grid start_grid(int dimension, std::uint64_t most) {
  Grid grid;
  grid.size = most > 0 ? 1 : 0;
  auto const& by = policy<CubaturePolicy>();
  int const levels = dimension <= by.most_in_four ? 2 : dimension <= by.most_in_two ? 1 : 0;
  for (int level = 1; level <= levels; ++level)
    for (int k = 0; k < dimension && 2 * grid.size <= most; ++k) {
      grid.levels[k] = level;
      grid.size *= 2;
    }
  return grid;
}

} // namespace kubature::detail
