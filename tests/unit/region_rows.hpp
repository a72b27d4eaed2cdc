#pragma once

#include <kubature/detail/cubature/region_list.hpp>

#include <Kokkos_Core.hpp>

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

/// Regions of a list as tests read them on the host, and the small kernels that read and write them.
namespace rows {

using kubature::detail::Grid;
using kubature::detail::Interval;
using kubature::detail::RegionList;
using kubature::detail::Regions;

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// One region.
struct Row {
  std::vector<std::uint64_t> codes;
  std::vector<double> values, errors;
  int axis;

  Interval interval(int k) const { return {codes[static_cast<std::size_t>(k)]}; }
  double volume() const {
    double product = 1;
    for (auto const code : codes)
      product *= Interval{code}.length();
    return product;
  }
  auto operator<=>(Row const&) const = default;
};

template <class Space>
struct Read {
  Regions regions;
  Kokkos::View<std::uint64_t**, Space> codes;
  Kokkos::View<double**, Space> numbers; ///< values, errors, axis

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    for (int k = 0; k < regions.dimension; ++k)
      codes(i, k) = regions.interval(k, i).code;
    for (int c = 0; c < regions.components; ++c) {
      numbers(i, 2 * c) = regions.value(c, i);
      numbers(i, 2 * c + 1) = regions.error(c, i);
    }
    numbers(i, 2 * regions.components) = regions.axis(i);
  }
};

template <class Space>
std::vector<Row> read(Space const& exec, RegionList<Space> const& list) {
  auto const& regions = list.regions();
  auto const d = static_cast<std::size_t>(regions.dimension), c = static_cast<std::size_t>(regions.components);
  Kokkos::View<std::uint64_t**, Space> const codes("test::codes", list.size(), d);
  Kokkos::View<double**, Space> const numbers("test::numbers", list.size(), 2 * c + 1);
  Kokkos::parallel_for("test::read", Kokkos::RangePolicy<Space>(exec, 0, list.size()),
                       Read<Space>{regions, codes, numbers});
  exec.fence("test::read");
  auto const host_codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  auto const host_numbers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
  std::vector<Row> result(list.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    Row& row = result[i];
    for (std::size_t k = 0; k < d; ++k)
      row.codes.push_back(host_codes(i, k));
    for (std::size_t k = 0; k < c; ++k) {
      row.values.push_back(host_numbers(i, 2 * k));
      row.errors.push_back(host_numbers(i, 2 * k + 1));
    }
    row.axis = static_cast<int>(host_numbers(i, 2 * c));
  }
  return result;
}

/// Calls write(regions, i), a device functor, for every region.
template <class Write>
struct WriteAll {
  Regions regions;
  Write write;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { write(regions, i); }
};

template <class Space, class Write>
void write(Space const& exec, RegionList<Space> const& list, Write const& write) {
  Kokkos::parallel_for("test::write", Kokkos::RangePolicy<Space>(exec, 0, list.size()),
                       WriteAll<Write>{list.regions(), write});
  exec.fence("test::write");
}

/// The grid of 2^levels parts per axis.
inline Grid grid(std::vector<int> const& levels) {
  Grid result;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    result.levels[k] = levels[k];
    result.size <<= levels[k];
  }
  return result;
}

} // namespace rows
