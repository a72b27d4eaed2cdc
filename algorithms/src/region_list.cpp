#include <kubature/backend.hpp>
#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/join.hpp>
#include <kubature/point.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <exception>

namespace kubature::detail {
namespace {

/// The arrays of `capacity` regions, laid out from `data` on; returns how many bytes they take.
std::size_t lay_out(Regions& regions, std::byte* data, int dimension, int components, std::uint64_t capacity) {
  auto const c = static_cast<std::uint64_t>(components);
  std::size_t bytes = 0;
  auto const place = [&](auto*& array, std::uint64_t size) {
    if (data != nullptr)
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(data + bytes);
    bytes += (size + 15) / 16 * 16;
  };
  regions.dimension = dimension;
  regions.components = components;
  regions.deep = dimension <= 3;
  regions.capacity = capacity;
  place(regions.codes, static_cast<std::uint64_t>(dimension) * capacity * (regions.deep ? 8 : 4));
  place(regions.values, c * capacity * sizeof(double));
  place(regions.errors, c * capacity * sizeof(double));
  place(regions.parents, c * (capacity / 2) * sizeof(double));
  regions.moves = reinterpret_cast<std::uint32_t*>(regions.parents);
  place(regions.axes, capacity);
  return bytes;
}

std::size_t bytes_of(int dimension, int components, std::uint64_t capacity) {
  Regions regions;
  return lay_out(regions, nullptr, dimension, components, capacity);
}

/// Every region of a grid.
struct FillGrid {
  Regions regions;
  Grid grid;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t rest = i;
    for (int k = 0; k < regions.dimension; ++k) {
      auto const parts = std::uint64_t{1} << grid.levels[k];
      regions.set_interval(k, i, {parts + rest % parts});
      rest /= parts;
    }
  }
};

struct Bisect {
  Regions regions;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    for (int c = 0; c < regions.components; ++c)
      regions.parent(c, i) = regions.value(c, i);
    regions.bisect(i, size + i);
  }
};

/// The totals of one component over a chunk of regions. The first `pairs` regions and those from `siblings` on are
/// children of the same parents: their errors are improved on the way.
template <class Space>
struct AddUp {
  Regions regions;
  Kokkos::View<RegionTotals*, Space, Kokkos::MemoryUnmanaged> partials;
  int component;
  std::uint64_t begin, end, pairs, siblings, chunk;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    auto const first = begin + static_cast<std::uint64_t>(team.league_rank()) * chunk;
    auto const count = first < end ? (end - first < chunk ? end - first : chunk) : 0;
    RegionTotals sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(count)),
        [&](int j, RegionTotals& partial) {
          auto const i = first + static_cast<unsigned>(j);
          if (i < pairs)
            improve(i, siblings + i, partial);
          else
            add(i, partial);
        },
        Join<RegionTotals>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(team.league_rank()) = sum; });
  }

private:
  KOKKOS_FUNCTION void add(std::uint64_t i, RegionTotals& partial) const {
    partial.value.add(regions.value(component, i));
    partial.error.add(regions.error(component, i));
  }
  KOKKOS_FUNCTION void improve(std::uint64_t i, std::uint64_t sibling, RegionTotals& partial) const {
    double const parent = regions.parent(component, i);
    double const change = Kokkos::abs(regions.value(component, i) + regions.value(component, sibling) - parent);
    double const own = regions.error(component, i), other = regions.error(component, sibling);
    regions.error(component, i) = two_level_error(own, other, change, regions.dimension);
    regions.error(component, sibling) = two_level_error(other, own, change, regions.dimension);
    add(i, partial);
    add(sibling, partial);
  }
};

/// Joins the chunks' totals, by one team: of what is committed, or of the list. Of the list it finds which component
/// drives the refinement, and clears the bins.
template <class Space>
struct JoinTotals {
  Kokkos::View<RegionTotals*, Space, Kokkos::MemoryUnmanaged> partials; ///< [component * chunks + chunk]
  ReportView report;
  int components, chunks;
  Tolerance tolerance;
  bool commit;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    auto& census = *report.census;
    if (!commit) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, ErrorBins::count),
                           [&](int bin) { census.settled[bin] = census.open[bin] = 0; });
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        census.reference = 0;
        census.possible = true;
      });
    }
    for (int c = 0; c < components; ++c) {
      RegionTotals sum;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, chunks),
          [&](int chunk, RegionTotals& partial) { partial.join(partials(c * chunks + chunk)); },
          Join<RegionTotals>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        if (commit)
          report.committed(c).join(sum);
        else
          drive(census, c, sum);
      });
    }
  }

private:
  KOKKOS_FUNCTION void drive(Census& census, int c, RegionTotals const& sum) const {
    report.listed(c) = sum;
    double const listed = sum.error.value(), committed = report.committed(c).error.value();
    double const value = Kokkos::abs(sum.value.value() + report.committed(c).value.value());
    double const left = Kokkos::fmax(tolerance.relative * value, tolerance.absolute) - committed;
    bool const asked = tolerance.relative > 0 || tolerance.absolute > 0;
    report.weights[c] = asked && left > 0 ? 1 / left : 1;
    census.possible = census.possible && (left > 0 || !asked || listed + committed == 0);
    double const excess = listed * report.weights[c];
    if (c == 0 || excess > census.reference) {
      census.reference = excess;
      census.driver = c;
    }
  }
};

/// Counts the regions of a chunk by the driver's error.
template <class Space>
struct CountErrors {
  using Counts = Kokkos::View<std::uint32_t*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Regions regions;
  ReportView report;
  double relative;
  std::uint64_t size, chunk;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    auto& census = *report.census;
    Selection const selection{report.weights, census.reference, 0, relative};
    constexpr int bins = ErrorBins::count;
    Counts const counts(team.team_scratch(0), 2 * bins);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 2 * bins), [&](int bin) { counts(bin) = 0; });
    team.team_barrier();
    auto const first = static_cast<std::uint64_t>(team.league_rank()) * chunk;
    auto const count = first < size ? (size - first < chunk ? size - first : chunk) : 0;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(count)), [&](int j) {
      auto const i = first + static_cast<unsigned>(j);
      Kokkos::atomic_inc(&counts((selection.settled(regions, i) ? bins : 0) + selection.bin(regions, i)));
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 2 * bins), [&](int bin) {
      if (counts(bin) > 0)
        Kokkos::atomic_add(bin < bins ? &census.open[bin] : &census.settled[bin - bins],
                           static_cast<std::uint64_t>(counts(bin)));
    });
  }
};

/// Lists the regions that stand on the wrong side of `count`: selected behind it, or not selected before it. There are
/// as many of the one as of the other, and the first half of the list are those before.
struct FindMisplaced {
  Regions regions;
  Selection selection;
  std::uint64_t size, count;
  std::uint32_t* moved;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint32_t& place, bool final) const {
    bool const misplaced = selection(regions, i) != (i < count);
    if (final && misplaced)
      regions.moves[place] = static_cast<std::uint32_t>(i);
    if (misplaced)
      ++place;
    if (final && i + 1 == size)
      *moved = place / 2;
  }
};

/// Exchanges the regions that FindMisplaced lists.
struct Exchange {
  Regions regions;
  std::uint32_t const* moved;

  KOKKOS_FUNCTION void operator()(std::uint64_t j) const {
    if (j >= *moved)
      return;
    std::uint64_t const a = regions.moves[j], b = regions.moves[j + *moved];
    for (int k = 0; k < regions.dimension; ++k) {
      auto const interval = regions.interval(k, a);
      regions.set_interval(k, a, regions.interval(k, b));
      regions.set_interval(k, b, interval);
    }
    for (int c = 0; c < regions.components; ++c) {
      Kokkos::kokkos_swap(regions.value(c, a), regions.value(c, b));
      Kokkos::kokkos_swap(regions.error(c, a), regions.error(c, b));
    }
    Kokkos::kokkos_swap(regions.axis(a), regions.axis(b));
  }
};

template <class Space>
auto range(Space const& exec, std::uint64_t end) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, end);
}

std::uint64_t ceil(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

} // namespace

Grid start_grid(int dimension, std::uint64_t most) {
  Grid grid;
  grid.size = most > 0 ? 1 : 0;
  int const levels = dimension < 5 ? 2 : dimension <= 10 ? 1 : 0;
  for (int level = 1; level <= levels; ++level)
    for (int k = 0; k < dimension && 2 * grid.size <= most; ++k) {
      grid.levels[k] = level;
      grid.size *= 2;
    }
  return grid;
}

template <class Space>
void RegionList<Space>::clear(Space const& exec, int dimension, int components, std::uint64_t count,
                              std::size_t bytes) {
  size_ = pairs_ = 0;
  auto const report = ReportView::bytes(components);
  if (report_.size() < report) {
    report_ = Memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::regions::report"), report);
    host_report_ = HostMemory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::regions::report"), report);
  }
  Kokkos::deep_copy(exec, report_, std::byte{0});
  // What memory there is serves these regions, too.
  auto const size = bytes_of(dimension, components, 1 << 16) / (1 << 16);
  lay_out(regions_, memory_.data(), dimension, components, std::min(memory_.size(), bytes) / (size + 1));
  reserve(exec, count, bytes);
}

template <class Space>
void RegionList<Space>::reserve(Space const& exec, std::uint64_t count, std::size_t bytes) {
  if (count <= capacity())
    return;
  int const d = regions_.dimension, c = regions_.components;
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  auto wanted = bytes_of(d, c, std::min(count, most));
  constexpr std::size_t small = std::size_t{1} << 25;
  if (wanted < small / 2 && bytes >= 2 * small) {
    wanted = small / 2;
  } else {
    // Old and new memory exist at the same time. Sizes that are two thirds of all, halved as often as wanted, let the
    // last growth end with two thirds of all.
    auto const all = std::min(bytes, free_memory(exec) / 16 * 15 + memory_.size());
    auto size = all / 3 * 2;
    while (size / 2 >= wanted)
      size /= 2;
    wanted = std::min(size, all - std::min(all, memory_.size()));
  }
  auto const per_region = bytes_of(d, c, 1 << 16) / (1 << 16) + 1;
  auto const capacity = std::min<std::uint64_t>(wanted / per_region, most);
  if (capacity <= regions_.capacity)
    return;
  Memory memory;
  try {
    memory = Memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::regions::list"), wanted);
  } catch (std::exception const&) { // less than the device said
    return;
  }
  Regions grown;
  lay_out(grown, memory.data(), d, c, capacity);
  auto const copy = [&](auto* to, auto const* from, std::size_t count_bytes) {
    if (count_bytes == 0)
      return;
    using Bytes = Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>;
    using ConstBytes = Kokkos::View<std::byte const*, Space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec, Bytes(reinterpret_cast<std::byte*>(to), count_bytes),
                      ConstBytes(reinterpret_cast<std::byte const*>(from), count_bytes));
  };
  std::size_t const width = regions_.deep ? 8 : 4;
  for (int k = 0; k < d; ++k)
    copy(static_cast<std::byte*>(grown.codes) + static_cast<std::size_t>(k) * capacity * width,
         static_cast<std::byte const*>(regions_.codes) + static_cast<std::size_t>(k) * regions_.capacity * width,
         size_ * width);
  for (int k = 0; k < c; ++k) {
    copy(&grown.value(k, 0), &regions_.value(k, 0), size_ * sizeof(double));
    copy(&grown.error(k, 0), &regions_.error(k, 0), size_ * sizeof(double));
  }
  copy(grown.axes, regions_.axes, size_);
  exec.fence("kubature::regions::grow");
  memory_ = memory;
  regions_ = grown;
}

template <class Space>
void RegionList<Space>::fill(Space const& exec, Grid const& grid) {
  size_ = grid.size;
  pairs_ = 0;
  Kokkos::parallel_for("kubature::regions::fill", range(exec, size_), FillGrid{regions_, grid});
}

template <class Space>
void RegionList<Space>::bisect(Space const& exec, std::uint64_t count) {
  Kokkos::parallel_for("kubature::regions::bisect", range(exec, count), Bisect{regions_, size_});
  pairs_ = count;
  size_ += count;
}

template <class Space>
void RegionList<Space>::add_up(Space const& exec, std::uint64_t begin, std::uint64_t end, std::uint64_t pairs) {
  auto const chunk = std::max(Tuning<Space>::least_regions, ceil(end - begin, Tuning<Space>::region_chunks));
  chunks_ = static_cast<int>(ceil(end - begin, chunk));
  auto const partials =
      partials_.template as<RegionTotals>(exec, static_cast<std::size_t>(regions_.components) * chunks_);
  for (int c = 0; c < regions_.components; ++c)
    Kokkos::parallel_for("kubature::regions::add_up",
                         Kokkos::TeamPolicy<Space>(exec, chunks_, Tuning<Space>::reduction_team),
                         AddUp<Space>{regions_,
                                      Kokkos::subview(partials, std::pair(c * chunks_, (c + 1) * chunks_)),
                                      c,
                                      begin,
                                      end,
                                      pairs,
                                      end,
                                      chunk});
}

template <class Space>
Census const& RegionList<Space>::survey(Space const& exec, Tolerance tolerance, double relative) {
  using Policy = Kokkos::TeamPolicy<Space>;
  auto const team = Tuning<Space>::reduction_team;
  auto const last = size_ - pairs_; // siblings come with the first
  add_up(exec, 0, last, pairs_);
  pairs_ = 0;
  auto const partials =
      partials_.template as<RegionTotals>(exec, static_cast<std::size_t>(regions_.components) * chunks_);
  Kokkos::parallel_for("kubature::regions::join", Policy(exec, 1, team),
                       JoinTotals<Space>{partials, report(), regions_.components, chunks_, tolerance, false});
  auto const chunk = std::max(Tuning<Space>::least_regions, ceil(size_, Tuning<Space>::region_chunks));
  auto const scratch = CountErrors<Space>::Counts::shmem_size(2 * ErrorBins::count);
  Kokkos::parallel_for(
      "kubature::regions::count_errors",
      Policy(exec, static_cast<int>(ceil(size_, chunk)), team).set_scratch_size(0, Kokkos::PerTeam(scratch)),
      CountErrors<Space>{regions_, report(), relative, size_, chunk});
  Kokkos::deep_copy(exec, host_report_, report_);
  exec.fence("kubature::regions::read");
  return *host_report().census;
}

template <class Space>
void RegionList<Space>::bring_forward(Space const& exec, Selection const& selection, std::uint64_t count) {
  auto* const moved = report().moved;
  Kokkos::parallel_scan("kubature::regions::find_misplaced", range(exec, size_),
                        FindMisplaced{regions_, selection, size_, count, moved});
  Kokkos::parallel_for("kubature::regions::exchange", range(exec, std::min(count, size_ - count)),
                       Exchange{regions_, moved});
}

template <class Space>
void RegionList<Space>::commit_behind(Space const& exec, std::uint64_t count) {
  add_up(exec, count, size_, 0);
  auto const partials =
      partials_.template as<RegionTotals>(exec, static_cast<std::size_t>(regions_.components) * chunks_);
  Kokkos::parallel_for(
      "kubature::regions::join", Kokkos::TeamPolicy<Space>(exec, 1, Tuning<Space>::reduction_team),
      JoinTotals<Space>{partials, report(), regions_.components, chunks_, {}, true});
  size_ = count;
}

#ifdef KOKKOS_ENABLE_SERIAL
template class RegionList<Kokkos::Serial>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template class RegionList<Kokkos::OpenMP>;
#endif
#ifdef KOKKOS_ENABLE_THREADS
template class RegionList<Kokkos::Threads>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template class RegionList<Kokkos::Cuda>;
#endif
#ifdef KOKKOS_ENABLE_HIP
template class RegionList<Kokkos::HIP>;
#endif

} // namespace kubature::detail
