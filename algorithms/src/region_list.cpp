#include <kubature/backend.hpp>
#include <kubature/detail/chunks.hpp>
#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/join.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/detail/spaces.hpp>
#include <kubature/point.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>
#include <utility>

namespace kubature::detail {
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
  regions.capacity = capacity;
  place(regions.intervals, static_cast<std::uint64_t>(dimension) * capacity * sizeof(Interval));
  place(regions.values, c * capacity * sizeof(double));
  place(regions.errors, c * capacity * sizeof(double));
  place(regions.parents, c * (capacity / 2) * sizeof(double));
  regions.moves = reinterpret_cast<std::uint32_t*>(regions.parents);
  place(regions.nodes, capacity * sizeof(std::uint32_t));
  place(regions.marks, capacity);
  return bytes;
}

namespace {

std::size_t bytes_of(int dimension, int components, std::uint64_t capacity) {
  Regions regions;
  return lay_out(regions, nullptr, dimension, components, capacity);
}

/// How many regions fit.
std::uint64_t capacity_of(int dimension, int components, std::size_t bytes) {
  constexpr std::uint64_t unit = 1 << 16, most = std::uint64_t{1} << 32;
  auto capacity = std::min<std::uint64_t>(
      static_cast<std::uint64_t>(static_cast<double>(bytes) /
                                 static_cast<double>(bytes_of(dimension, components, unit)) * unit),
      most);
  while (capacity > 0 && bytes_of(dimension, components, capacity) > bytes)
    --capacity;
  return capacity;
}

template <class Space>
using Member = typename Kokkos::TeamPolicy<Space>::member_type;
template <class Space>
using Partials = Kokkos::View<RegionTotals*, Space, Kokkos::MemoryUnmanaged>;

template <class Space>
auto bytes_at(void* data, std::size_t size) {
  return Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>(static_cast<std::byte*>(data), size);
}

/// Empty where the device has less than it said.
template <class Space>
auto memory_if_any(Space const& exec, std::string const& label, std::size_t bytes) {
  using Memory = Kokkos::View<std::byte*, typename Space::memory_space>;
  try {
    return Memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), bytes);
  } catch (std::exception const&) {
    return Memory();
  }
}

template <class Word>
struct Clear {
  Word* words;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { words[i] = 0; }
};

/// Of the regions of a grid, so many from one on; and the first nodes of the tree where there is one.
struct FillGrid {
  Regions regions;
  Grid grid;
  std::uint64_t first, size;
  BisectionTree tree;

  KOKKOS_FUNCTION void operator()(std::uint64_t part) const {
    if (tree.halves != nullptr)
      tree.halves[part] = 0;
    std::uint64_t const i = part - first;
    if (part < first || i >= size)
      return;
    regions.nodes[i] = static_cast<std::uint32_t>(part);
    std::uint64_t rest = part;
    for (int k = 0; k < regions.dimension; ++k) {
      auto const parts = std::uint64_t{1} << grid.levels[k];
      regions.interval(k, i) = {parts + rest % parts};
      rest /= parts;
    }
  }
};

struct Bisect {
  Regions regions;
  std::uint64_t size;
  BisectionTree tree;
  std::uint64_t node; ///< of the tree, from which on those of the halves lie

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if (tree.halves != nullptr) {
      auto const lower = static_cast<std::uint32_t>(node + 2 * i);
      tree.bisect(tree.bisection_of(regions, i), lower);
      regions.nodes[i] = lower;
      regions.nodes[size + i] = lower + 1;
    } else
      regions.nodes[size + i] = 0; // moves with the region, and means nothing
    for (int c = 0; c < regions.components; ++c)
      regions.parent(c, i) = regions.value(c, i);
    regions.bisect(i, size + i);
  }
};

/// Lists what will be bisected, for other processes; and adds to the tree what all of them will.
struct ListBisections {
  Regions regions;
  std::uint32_t* bisections;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { bisections[i] = BisectionTree::bisection_of(regions, i); }
};

struct AddBisections {
  BisectionTree tree;
  std::uint32_t const* bisections;
  std::uint64_t nodes; ///< of the tree

  KOKKOS_FUNCTION void operator()(std::uint64_t j) const {
    tree.bisect(bisections[j], static_cast<std::uint32_t>(nodes + 2 * j));
  }
};

struct NoteLeaves {
  Regions regions;
  BisectionTree tree;
  double const* weights;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { tree.note(regions, i, weights); }
};

/// The totals of a chunk of regions. The first `pairs` regions and those from `siblings` on are children of the same
/// parents: their errors are improved on the way.
template <class Space>
struct AddUp {
  Regions regions;
  Partials<Space> partials; ///< [component * chunks + chunk]
  std::uint64_t begin, end, pairs, siblings, chunk;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
    auto const first = begin + static_cast<std::uint64_t>(team.league_rank()) * chunk;
    auto const count = static_cast<int>(end - first < chunk ? end - first : chunk);
    for (int c = 0; c < regions.components; ++c) {
      RegionTotals sum;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, count),
          [&](int j, RegionTotals& partial) { add(c, first + static_cast<unsigned>(j), partial); },
          Join<RegionTotals>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&] { partials(c * team.league_size() + team.league_rank()) = sum; });
    }
  }

private:
  KOKKOS_FUNCTION void add(int c, std::uint64_t i, RegionTotals& partial) const {
    partial.value.add(regions.value(c, i));
    if (i < pairs) {
      regions.improve_errors(c, i, siblings + i, regions.parent(c, i));
      partial.value.add(regions.value(c, siblings + i));
      partial.error.add(regions.error(c, siblings + i));
    }
    partial.error.add(regions.error(c, i));
  }
};

/// Joins the chunks' totals, by one team: of what is committed, or of the list. Of the list it finds which component
/// drives the refinement, and clears the bins.
template <class Space>
struct JoinTotals {
  Partials<Space> partials;
  ReportView report;
  int components, chunks;
  Tolerance tolerance;
  bool commit;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
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

  static constexpr double least_allowed = 1e-304;

  KOKKOS_FUNCTION void drive(Census& census, int c, RegionTotals const& sum) const {
    report.listed(c) = sum;
    double const listed = sum.error.value(), committed = report.committed(c).error.value();
    double const value = Kokkos::abs(sum.value.value() + report.committed(c).value.value());
    double const allowed = Kokkos::fmax(tolerance.relative * value, tolerance.absolute), left = allowed - committed;
    bool const asked = tolerance.relative > 0 || tolerance.absolute > 0;
    census.possible = census.possible && (left > 0 || !asked || committed == 0);
    // Nothing is known yet of what is allowed where the value is zero, or so small that its inverse overflows: the
    // errors are then compared with each other.
    if (!asked)
      report.weights[c] = 1;
    else if (left > least_allowed)
      report.weights[c] = 1 / left;
    else
      report.weights[c] = listed > least_allowed ? 2 / listed : 0;
    double const excess = listed * report.weights[c];
    if (c == 0 || excess > census.reference) {
      census.reference = excess;
      census.driver = c;
    }
  }
};

/// Counts the regions of a chunk by the size that Selection gives their errors: those that it settles, and the others.
template <class Space>
struct CountErrors {
  using Counts = Kokkos::View<std::uint32_t*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Regions regions;
  ReportView report;
  double relative;
  std::uint64_t size, chunk;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
    auto& census = *report.census;
    Selection const selection{report.weights, census.reference, 0, relative};
    constexpr int bins = ErrorBins::count;
    Counts const counts(team.team_scratch(0), 2 * bins);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 2 * bins), [&](int bin) { counts(bin) = 0; });
    team.team_barrier();
    auto const first = static_cast<std::uint64_t>(team.league_rank()) * chunk;
    auto const count = static_cast<int>(size - first < chunk ? size - first : chunk);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int j) {
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
    for (int k = 0; k < regions.dimension; ++k)
      Kokkos::kokkos_swap(regions.interval(k, a), regions.interval(k, b));
    for (int c = 0; c < regions.components; ++c) {
      Kokkos::kokkos_swap(regions.value(c, a), regions.value(c, b));
      Kokkos::kokkos_swap(regions.error(c, a), regions.error(c, b));
    }
    Kokkos::kokkos_swap(regions.nodes[a], regions.nodes[b]);
    Kokkos::kokkos_swap(regions.marks[a], regions.marks[b]);
  }
};

/// All of a survey by one team, for short lists, which leaves the report where the host reads it.
template <class Space>
struct SurveyShort {
  AddUp<Space> add_up;
  JoinTotals<Space> join;
  CountErrors<Space> count_errors;
  std::uint64_t* host_report;
  int words;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
    add_up(team);
    team.team_barrier();
    join(team);
    team.team_barrier();
    count_errors(team);
    team.team_barrier();
    auto const* report = reinterpret_cast<std::uint64_t const*>(join.report.census);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, words), [&](int k) { host_report[k] = report[k]; });
  }
};

/// Brings regions forward and bisects the first of them by one team, for short lists.
template <class Space>
struct RefineShort {
  FindMisplaced find;
  Exchange exchange;
  Bisect bisect;
  std::uint64_t bisected;

  KOKKOS_FUNCTION void operator()(Member<Space> const& team) const {
    auto const size = static_cast<int>(find.size), selected = static_cast<int>(find.count);
    if (selected < size) {
      Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, size), [&](int i, std::uint32_t& place, bool final) {
        find(static_cast<unsigned>(i), place, final);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Kokkos::min(selected, size - selected)),
                           [&](int j) { exchange(static_cast<unsigned>(j)); });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(bisected)),
                         [&](int i) { bisect(static_cast<unsigned>(i)); });
  }
};

template <class Space>
auto range(Space const& exec, std::uint64_t end) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, end);
}

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
void RegionList<Space>::clear(Space const& exec, int dimension, int components, std::uint64_t count, std::size_t bytes,
                              std::span<std::byte> device, std::span<std::byte> host) {
  size_ = total_ = pairs_ = nodes_ = 0;
  sharers_ = static_cast<unsigned>(sharers(exec, ranks_));
  auto const take = [&](std::size_t size, Buffer<Space>& more) {
    if (size > device.size() / 2)
      return more.template as<std::byte>(exec, size).data();
    auto* const taken = device.data();
    device = device.subspan((size + 255) / 256 * 256);
    return taken;
  };
  auto const report_size = ReportView::bytes(components);
  report_ = take(report_size, more_report_);
  auto const partials = static_cast<std::size_t>(components) * Tuning<Space>::region_chunks * sizeof(RegionTotals);
  partials_ = reinterpret_cast<RegionTotals*>(take(partials, more_partials_));
  first_tree_ = take(small_tree * BisectionTree::node_bytes, more_tree_);
  first_scratch_ = take(small_scratch * sizeof(std::uint32_t), more_scratch_);
  most_bytes_ = bytes;
  if (report_size > host.size() && report_size > more_host_report_.size())
    more_host_report_ =
        HostMemory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::regions::host_report"), report_size);
  host_report_ = report_size > host.size() ? more_host_report_.data() : host.data();
  Kokkos::parallel_for("kubature::regions::clear", range(exec, report_size / sizeof(std::uint64_t)),
                       Clear<std::uint64_t>{reinterpret_cast<std::uint64_t*>(report_)});
  // What memory there is serves these regions, too.
  auto const first = memory_.size() > device.size() ? std::span(memory_.data(), memory_.size()) : device;
  lay_out(regions_, first.data(), dimension, components,
          capacity_of(dimension, components, std::min(first.size(), bytes)));
  reserve(exec, count, bytes);
}

template <class Space>
void RegionList<Space>::reserve(Space const& exec, std::uint64_t count, std::size_t bytes) {
  if (count <= capacity())
    return;
  bytes -= std::min(bytes, tree_memory_.size() + scratch_.size());
  int const d = regions_.dimension, c = regions_.components;
  auto size = bytes_of(d, c, count);
  // The first sizes grow fast, and are small enough to ask nobody.
  constexpr std::size_t small = std::size_t{1} << 24;
  if (size <= small && bytes >= 16 * small) {
    size *= 8;
  } else {
    // Old and new memory exist at the same time. Sizes that are two thirds of all, halved as often as wanted, let the
    // last growth end with two thirds of all.
    auto const all = std::min(bytes, free_memory(exec) / sharers_ / 16 * 15 + memory_.size());
    auto const wanted = size;
    size = all / 3 * 2;
    while (size / 2 >= wanted)
      size /= 2;
    size = std::min(size, all - std::min(all, memory_.size()));
  }
  auto const capacity = capacity_of(d, c, size);
  if (capacity <= regions_.capacity)
    return;
  auto const memory = memory_if_any<Space>(exec, "kubature::regions::list", size);
  if (memory.size() == 0)
    return;
  Regions grown;
  lay_out(grown, memory.data(), d, c, capacity);
  auto const copy = [&](auto* to, auto* from, std::size_t length) {
    Kokkos::deep_copy(exec, bytes_at<Space>(to, length), bytes_at<Space>(from, length));
  };
  for (int k = 0; k < d; ++k)
    copy(&grown.interval(k, 0), &regions_.interval(k, 0), size_ * sizeof(Interval));
  for (int k = 0; k < c; ++k) {
    copy(&grown.value(k, 0), &regions_.value(k, 0), size_ * sizeof(double));
    copy(&grown.error(k, 0), &regions_.error(k, 0), size_ * sizeof(double));
  }
  copy(grown.nodes, regions_.nodes, size_ * sizeof(std::uint32_t));
  copy(grown.marks, regions_.marks, size_);
  exec.fence("kubature::regions::grow");
  memory_ = memory;
  regions_ = grown;
}

template <class Space>
void RegionList<Space>::fill(Space const& exec, Grid const& grid) {
  std::uint64_t first = 0;
  for (int r = 0; r < ranks_.rank(); ++r)
    first += share(grid.size, r);
  size_ = share(grid.size);
  total_ = grid.size;
  pairs_ = 0;
  tree_ = {};
  nodes_ = most_nodes_ = 0;
  grow_tree(exec, grid.size);
  tree_.dimension = regions_.dimension;
  for (int k = 0; k < regions_.dimension; ++k)
    tree_.grid[k] = static_cast<unsigned char>(grid.levels[k]);
  Kokkos::parallel_for("kubature::regions::fill", range(exec, grid.size),
                       FillGrid{regions_, grid, first, size_, tree_});
}

template <class Space>
void RegionList<Space>::grow_tree(Space const& exec, std::uint64_t more) {
  constexpr auto node = BisectionTree::node_bytes;
  auto const known = nodes_;
  if (known > 0 && tree_.halves == nullptr)
    return;
  nodes_ += more;
  if (nodes_ <= most_nodes_)
    return;
  auto const before = tree_;
  auto memory = tree_memory_;
  if (nodes_ <= small_tree && memory.size() == 0) {
    most_nodes_ = small_tree;
    tree_.lay_out(first_tree_, most_nodes_);
  } else {
    auto const wanted = 4 * nodes_ * node;
    if (nodes_ * node > memory.size())
      memory = 4 * nodes_ <= BisectionTree::most_nodes && memory_.size() + wanted <= most_bytes_
                   ? memory_if_any<Space>(exec, "kubature::regions::tree", wanted)
                   : Memory();
    if (ranks_.any(memory.size() == 0))
      memory = Memory();
    most_nodes_ = memory.size() / node;
    tree_.lay_out(memory.data(), most_nodes_);
    if (memory.size() == 0)
      tree_.halves = nullptr;
  }
  if (known > 0 && tree_.halves != nullptr) {
    auto const bytes = known * sizeof(std::uint32_t);
    Kokkos::deep_copy(exec, bytes_at<Space>(tree_.halves, bytes), bytes_at<Space>(before.halves, bytes));
    exec.fence("kubature::regions::grow_tree");
  }
  tree_memory_ = memory;
}

template <class Space>
std::uint64_t RegionList<Space>::add_to_tree(Space const& exec, std::vector<std::uint64_t> const& counts) {
  auto const nodes = nodes_;
  auto const before = [&](int rank) {
    return std::accumulate(counts.begin(), counts.begin() + rank, std::uint64_t{0});
  };
  auto const all = before(ranks_.size());
  grow_tree(exec, 2 * all);
  if (ranks_.size() == 1 || tree_.halves == nullptr)
    return nodes;
  auto const list = scratch(exec, all);
  if (list.size() == 0) {
    tree_.halves = nullptr;
    return nodes;
  }
  int const me = ranks_.rank();
  auto* const mine = list.data() + before(me);
  Kokkos::parallel_for("kubature::regions::list_bisections", range(exec, counts[me]), ListBisections{regions_, mine});
  for (int r = 0; r < ranks_.size(); ++r)
    if (r != me) {
      parcels_.send(r, memory_of(mine, counts[me]));
      parcels_.receive(r, memory_of(list.data() + before(r), counts[r]));
    }
  parcels_.exchange(exec, ranks_);
  Kokkos::parallel_for("kubature::regions::add_bisections", range(exec, all), AddBisections{tree_, list.data(), nodes});
  return nodes + 2 * before(me);
}

template <class Space>
BisectionTree RegionList<Space>::tree(Space const& exec) {
  if (tree_.halves != nullptr) {
    Words const sizes(tree_.sizes, nodes_);
    if (ranks_.size() > 1)
      Kokkos::parallel_for("kubature::regions::clear", range(exec, nodes_), Clear<std::uint32_t>{sizes.data()});
    Kokkos::parallel_for("kubature::regions::note_leaves", range(exec, size_), NoteLeaves{regions_, tree_, weights()});
    join_words(exec, sizes);
  }
  return tree_;
}

template <class Space>
auto RegionList<Space>::scratch(Space const& exec, std::uint64_t words) -> Words {
  if (words <= small_scratch)
    return Words(reinterpret_cast<std::uint32_t*>(first_scratch_), words);
  Words result;
  if (memory_.size() + tree_memory_.size() + words * sizeof(std::uint32_t) <= most_bytes_)
    try {
      result = scratch_.template as<std::uint32_t>(exec, words);
    } catch (std::exception const&) { // less than the device said
    }
  return ranks_.any(result.size() == 0) ? Words() : result;
}

template <class Space>
auto RegionList<Space>::zeros_of_nodes(Space const& exec, std::uint64_t each) -> Words {
  if (tree_.halves == nullptr)
    return {};
  auto const words = scratch(exec, each * nodes_);
  if (words.size() > 0)
    Kokkos::parallel_for("kubature::regions::clear", range(exec, words.size()), Clear<std::uint32_t>{words.data()});
  return words;
}

template <class Space>
void RegionList<Space>::join_words(Space const& exec, Words const& words) {
  if (ranks_.size() == 1)
    return;
  auto const bytes = words.size() * sizeof(std::uint32_t);
  if (bytes > host_words_.size())
    host_words_ = HostMemory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::regions::host_words"), bytes);
  auto const there = bytes_at<ReadbackSpace<Space>>(host_words_.data(), bytes);
  auto const here = bytes_at<Space>(words.data(), bytes);
  Kokkos::deep_copy(exec, there, here);
  exec.fence("kubature::regions::join_words");
  ranks_.largest({reinterpret_cast<std::uint32_t*>(host_words_.data()), words.size()});
  Kokkos::deep_copy(exec, here, there);
}

template <class Space>
int RegionList<Space>::chunk_count(std::uint64_t regions, std::uint64_t& chunk) const {
  chunk = regions <= Tuning<Space>::short_list
              ? Tuning<Space>::short_list
              : std::max(Tuning<Space>::least_regions, Chunks::ceil(regions, Tuning<Space>::region_chunks));
  return static_cast<int>(Chunks::ceil(regions, chunk));
}

template <class Space>
Census const& RegionList<Space>::survey(Space const& exec, Tolerance tolerance, double relative) {
  using Policy = Kokkos::TeamPolicy<Space>;
  auto const team = Tuning<Space>::reduction_team;
  int const c = regions_.components;
  total_ = size_;
  auto const pairs = std::exchange(pairs_, 0), last = size_ - pairs; // siblings come with the first
  std::uint64_t chunk = 0, count_chunk = 0;
  int const chunks = chunk_count(last, chunk), count_chunks = chunk_count(size_, count_chunk);
  Partials<Space> const partials(partials_, static_cast<std::size_t>(c * chunks));
  AddUp<Space> const add_up{regions_, partials, 0, last, pairs, last, chunk};
  JoinTotals<Space> const join{partials, report(), c, chunks, tolerance, false};
  CountErrors<Space> const count_errors{regions_, report(), relative, size_, count_chunk};
  auto const scratch = Kokkos::PerTeam(CountErrors<Space>::Counts::shmem_size(2 * ErrorBins::count));
  if (count_chunks == 1 && ranks_.size() == 1) {
    Kokkos::parallel_for("kubature::regions::survey",
                         as_argument(Policy(exec, 1, Tuning<Space>::short_list_team).set_scratch_size(0, scratch)),
                         SurveyShort<Space>{add_up, join, count_errors, reinterpret_cast<std::uint64_t*>(host_report_),
                                            static_cast<int>(ReportView::bytes(c) / sizeof(std::uint64_t))});
  } else {
    if (chunks > 0)
      Kokkos::parallel_for("kubature::regions::add_up", Policy(exec, chunks, team), add_up);
    Kokkos::parallel_for("kubature::regions::join", Policy(exec, 1, team), join);
    if (ranks_.size() > 1)
      share_totals(exec, tolerance);
    if (count_chunks > 0)
      Kokkos::parallel_for("kubature::regions::count_errors",
                           Policy(exec, count_chunks, team).set_scratch_size(0, scratch), count_errors);
    read_report(exec);
  }
  exec.fence("kubature::regions::read");
  if (ranks_.size() > 1)
    share_counts();
  return *host_report().census;
}

template <class Space>
void RegionList<Space>::bring_forward(Space const& exec, Selection const& selection, std::uint64_t selected) {
  if (selected == size_)
    return;
  Kokkos::parallel_scan("kubature::regions::find_misplaced", range(exec, size_),
                        FindMisplaced{regions_, selection, size_, selected, report().moved});
  Kokkos::parallel_for("kubature::regions::exchange", range(exec, std::min(selected, size_ - selected)),
                       Exchange{regions_, report().moved});
}

template <class Space>
void RegionList<Space>::bisect(Space const& exec, Selection const& selection, std::uint64_t selected,
                               std::uint64_t count) {
  bool const alone = ranks_.size() == 1, short_list = alone && size_ <= Tuning<Space>::short_refined_list;
  if (!short_list)
    bring_forward(exec, selection, selected);
  // Who else bisects what goes into the tree as well.
  auto const node = add_to_tree(exec, alone ? std::vector{count} : gather(count));
  Bisect const bisect{regions_, size_, tree_, node};
  if (short_list) {
    Kokkos::parallel_for(
        "kubature::regions::refine", as_argument(Kokkos::TeamPolicy<Space>(exec, 1, Tuning<Space>::short_list_team)),
        RefineShort<Space>{
            {regions_, selection, size_, selected, report().moved}, {regions_, report().moved}, bisect, count});
  } else {
    Kokkos::parallel_for("kubature::regions::bisect", range(exec, count), bisect);
  }
  pairs_ = count;
  size_ += count;
}

template <class Space>
void RegionList<Space>::commit_behind(Space const& exec, std::uint64_t count, int last_bin) {
  tree_.halves = nullptr; // its leaves would be without regions
  using Policy = Kokkos::TeamPolicy<Space>;
  auto const team = Tuning<Space>::reduction_team;
  std::uint64_t chunk = 0;
  int const chunks = chunk_count(size_ - count, chunk), c = regions_.components;
  Partials<Space> const partials(partials_, static_cast<std::size_t>(c * chunks));
  auto const all = host_report();
  if (ranks_.rank() > 0) { // what was committed before counts once
    for (int k = 0; k < c; ++k)
      all.committed(k) = {};
    write_totals(exec);
  }
  if (chunks > 0)
    Kokkos::parallel_for("kubature::regions::add_up", Policy(exec, chunks, team),
                         AddUp<Space>{regions_, partials, count, size_, 0, 0, chunk});
  Kokkos::parallel_for("kubature::regions::join", Policy(exec, 1, team),
                       JoinTotals<Space>{partials, report(), c, chunks, {}, true});
  size_ = count;
  if (ranks_.size() == 1) {
    total_ = size_;
    return;
  }
  read_report(exec);
  exec.fence("kubature::regions::read");
  for (int k = 0; k < c; ++k)
    all.committed(k) = everyones(all.committed(k));
  write_totals(exec);
  sizes_ = gather(size_);
  total_ = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
  std::fill(std::begin(open_) + last_bin + 1, std::end(open_), 0);
}

template <class Space>
std::vector<std::uint64_t> RegionList<Space>::gather(std::uint64_t mine) const {
  std::vector<std::uint64_t> result(static_cast<std::size_t>(ranks_.size()));
  std::vector<std::size_t> begins(result.size() + 1);
  std::iota(begins.begin(), begins.end(), std::size_t{0});
  result[ranks_.rank()] = mine;
  ranks_.gather(result, begins);
  return result;
}

template <class Space>
RegionTotals RegionList<Space>::everyones(RegionTotals const& mine) const {
  RegionTotals result;
  std::vector<std::uint64_t> parts[4];
  double const words[4] = {mine.value.sum, mine.value.rest, mine.error.sum, mine.error.rest};
  for (int k = 0; k < 4; ++k)
    parts[k] = gather(Kokkos::bit_cast<std::uint64_t>(words[k]));
  auto const part = [&](int k, int r) { return Kokkos::bit_cast<double>(parts[k][r]); };
  for (int r = 0; r < ranks_.size(); ++r)
    result.join({{part(0, r), part(1, r)}, {part(2, r), part(3, r)}});
  return result;
}

template <class Space>
void RegionList<Space>::read_report(Space const& exec) {
  auto const size = ReportView::bytes(regions_.components);
  Kokkos::deep_copy(exec, bytes_at<ReadbackSpace<Space>>(host_report_, size), bytes_at<Space>(report_, size));
}

template <class Space>
void RegionList<Space>::write_totals(Space const& exec) {
  auto const size = 2 * sizeof(RegionTotals) * static_cast<std::size_t>(regions_.components);
  Kokkos::deep_copy(exec, bytes_at<Space>(report().totals, size),
                    bytes_at<ReadbackSpace<Space>>(host_report().totals, size));
  exec.fence("kubature::regions::write");
}

template <class Space>
void RegionList<Space>::share_totals(Space const& exec, Tolerance tolerance) {
  read_report(exec);
  exec.fence("kubature::regions::read");
  auto const all = host_report();
  JoinTotals<Space> const join{{}, all, regions_.components, 0, tolerance, false};
  all.census->reference = 0;
  all.census->possible = true;
  for (int c = 0; c < regions_.components; ++c)
    join.drive(*all.census, c, everyones(all.listed(c)));
  auto const size = ReportView::bytes(regions_.components);
  Kokkos::deep_copy(exec, bytes_at<Space>(report_, size), bytes_at<ReadbackSpace<Space>>(host_report_, size));
  sizes_ = gather(size_);
  total_ = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
}

template <class Space>
void RegionList<Space>::share_counts() {
  auto& census = *host_report().census;
  std::copy(std::begin(census.open), std::end(census.open), std::begin(open_));
  ranks_.sum({reinterpret_cast<std::uint64_t*>(&census.counters), sizeof(Counters) / sizeof(std::uint64_t)});
  ranks_.sum(census.open);
  ranks_.sum(census.settled);
}

template <class Space>
auto RegionList<Space>::part_of(std::uint64_t count, int last_bin, std::uint64_t room) const -> Part {
  auto const selected = std::accumulate(std::begin(open_), std::begin(open_) + last_bin + 1, std::uint64_t{0});
  auto const possible = gather(std::min(selected, room));
  Part part{selected, 0, 0};
  for (int r = 0; r < ranks_.size(); ++r) {
    auto const taken = std::min(possible[r], count - part.all);
    part.all += taken;
    if (r == ranks_.rank())
      part.taken = taken;
  }
  return part;
}

template <class Space>
bool RegionList<Space>::rebalance(Space const& exec, std::size_t bytes) {
  constexpr std::uint64_t few = 64; // not worth it
  auto const size = static_cast<std::uint64_t>(ranks_.size());
  if (size == 1 || 4 * *std::max_element(sizes_.begin(), sizes_.end()) <= 5 * Chunks::ceil(total_, size) + 4 * few)
    return false;
  reserve(exec, share(total_), bytes);
  if (ranks_.any(capacity() < share(total_)))
    return false;

  // The ends of the lists that are too long go, in the order of processes, to those that are too short.
  auto const each_array = [&](std::uint64_t first, std::uint64_t count, auto const& parcel) {
    for (int k = 0; k < regions_.dimension; ++k)
      parcel(memory_of(&regions_.interval(k, first), count));
    for (int k = 0; k < regions_.components; ++k) {
      parcel(memory_of(&regions_.value(k, first), count));
      parcel(memory_of(&regions_.error(k, first), count));
    }
    parcel(memory_of(regions_.nodes + first, count));
    parcel(memory_of(regions_.marks + first, count));
  };
  int const me = ranks_.rank();
  auto left = sizes_;
  int to = 0;
  for (int from = 0; from < ranks_.size(); ++from)
    while (left[from] > share(total_, from)) {
      while (left[to] >= share(total_, to))
        ++to;
      auto const count = std::min(left[from] - share(total_, from), share(total_, to) - left[to]);
      left[from] -= count;
      if (from == me)
        each_array(left[from], count, [&](auto array) { parcels_.send(to, array); });
      if (to == me)
        each_array(left[to], count, [&](auto array) { parcels_.receive(from, array); });
      left[to] += count;
    }
  parcels_.exchange(exec, ranks_);
  size_ = share(total_);
  return true;
}

#define KUBATURE_INSTANTIATE(Space) template class RegionList<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
