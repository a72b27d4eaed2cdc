#include "memory/device_bytes.hpp"

#include <kubature/detail/cubature/bisection_record.hpp>
#include <kubature/detail/cubature/region_distribution.hpp>
#include <kubature/detail/spaces.hpp>

#include <exception>
#include <numeric>

namespace kubature::detail {
namespace {

/// Lists the bisections of this rank for the others.
struct ListBisections {
  Regions regions;
  std::uint32_t* bisections;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { bisections[i] = BisectionTree::bisection_of(regions, i); }
};

/// Adds the bisections of all ranks to the tree.
struct AddBisections {
  BisectionTree tree;
  std::uint32_t const* bisections;
  std::uint64_t nodes; ///< in the tree so far

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

} // namespace

template <class Space>
void BisectionRecord<Space>::clear(Arena<Space>& arena) {
  tree_ = {};
  nodes_ = capacity_ = 0;
  first_memory_ = arena.take(small_tree * BisectionTree::node_bytes, more_tree_);
  first_scratch_ = arena.take(small_scratch * sizeof(std::uint32_t), more_scratch_);
}

template <class Space>
void BisectionRecord<Space>::start(Space const& exec, Grid const& grid, int dimension, std::size_t left) {
  tree_ = {};
  nodes_ = capacity_ = 0;
  grow(exec, grid.size, left);
  tree_.dimension = dimension;
  for (int k = 0; k < dimension; ++k)
    tree_.grid[k] = static_cast<unsigned char>(grid.levels[k]);
}

template <class Space>
void BisectionRecord<Space>::grow(Space const& exec, std::uint64_t more, std::size_t left) {
  auto const known = nodes_;
  if (known > 0 && !tree_.known())
    return;
  nodes_ += more;
  if (nodes_ <= capacity_)
    return;
  auto const before = tree_;
  auto memory = memory_;
  if (nodes_ <= small_tree && memory.size() == 0) {
    capacity_ = small_tree;
    tree_.lay_out(first_memory_, capacity_);
  } else {
    memory = memory_of_nodes(exec, left);
    capacity_ = memory.size() / BisectionTree::node_bytes;
    if (memory.size() > 0)
      tree_.lay_out(memory.data(), capacity_);
    else
      forget();
  }
  if (known > 0 && tree_.known()) {
    auto const bytes = known * sizeof(std::uint32_t);
    Kokkos::deep_copy(exec, bytes_at<Space>(tree_.halves, bytes), bytes_at<Space>(before.halves, bytes));
    exec.fence("kubature::regions::grow_tree");
  }
  memory_ = memory;
}

template <class Space>
auto BisectionRecord<Space>::memory_of_nodes(Space const& exec, std::size_t left) const -> Memory {
  auto memory = memory_;
  if (nodes_ * BisectionTree::node_bytes > memory.size()) {
    auto const wanted = 4 * nodes_;
    bool const allowed = wanted <= BisectionTree::most_nodes && wanted * BisectionTree::node_bytes <= left;
    memory =
        allowed ? allocate_if_possible(exec, "kubature::regions::tree", wanted * BisectionTree::node_bytes) : Memory();
  }
  return ranks_.any(memory.size() == 0) ? Memory() : memory;
}

template <class Space>
std::uint64_t BisectionRecord<Space>::add(Space const& exec, Regions const& regions, std::uint64_t count,
                                          std::size_t left) {
  auto const nodes = nodes_;
  if (ranks_.size() == 1) {
    grow(exec, 2 * count, left);
    return nodes;
  }
  auto const counts = gather(ranks_, count);
  auto const before = [&](int rank) {
    return std::accumulate(counts.begin(), counts.begin() + rank, std::uint64_t{0});
  };
  auto const all = before(ranks_.size());
  grow(exec, 2 * all, left);
  if (!tree_.known())
    return nodes;
  auto const list = scratch(exec, all, left);
  if (list.size() == 0) {
    forget();
    return nodes;
  }
  int const me = ranks_.rank();
  auto* const mine = list.data() + before(me);
  Kokkos::parallel_for("kubature::regions::list_bisections", range(exec, count), ListBisections{regions, mine});
  for (int r = 0; r < ranks_.size(); ++r)
    if (r != me) {
      messages_.send(r, memory_of(mine, count));
      messages_.receive(r, memory_of(list.data() + before(r), counts[r]));
    }
  messages_.exchange(exec, ranks_);
  Kokkos::parallel_for("kubature::regions::add_bisections", range(exec, all), AddBisections{tree_, list.data(), nodes});
  return nodes + 2 * before(me);
}

template <class Space>
void BisectionRecord<Space>::note_leaves(Space const& exec, Regions const& regions, std::uint64_t size,
                                         double const* weights) {
  if (!tree_.known())
    return;
  Words const sizes(tree_.sizes, nodes_);
  if (ranks_.size() > 1)
    Kokkos::parallel_for("kubature::regions::clear", range(exec, nodes_), SetToZero<std::uint32_t>{sizes.data()});
  Kokkos::parallel_for("kubature::regions::note_leaves", range(exec, size), NoteLeaves{regions, tree_, weights});
  maximum_over_ranks(exec, sizes);
}

template <class Space>
auto BisectionRecord<Space>::scratch(Space const& exec, std::uint64_t words, std::size_t left) -> Words {
  if (words <= small_scratch)
    return Words(reinterpret_cast<std::uint32_t*>(first_scratch_), words);
  Words result;
  if (memory_.size() + words * sizeof(std::uint32_t) <= left)
    try {
      result = scratch_.template as<std::uint32_t>(exec, words);
    } catch (std::exception const&) {
      result = {}; // less memory is free than the device reported
    }
  return ranks_.any(result.size() == 0) ? Words() : result;
}

template <class Space>
auto BisectionRecord<Space>::zeros_of_nodes(Space const& exec, std::uint64_t each, std::size_t left) -> Words {
  if (!tree_.known())
    return {};
  auto const words = scratch(exec, each * nodes_, left);
  if (words.size() > 0)
    Kokkos::parallel_for("kubature::regions::clear", range(exec, words.size()), SetToZero<std::uint32_t>{words.data()});
  return words;
}

template <class Space>
void BisectionRecord<Space>::maximum_over_ranks(Space const& exec, Words const& words) {
  if (ranks_.size() == 1)
    return;
  auto const bytes = words.size() * sizeof(std::uint32_t);
  if (bytes > host_words_.size())
    host_words_ =
        decltype(host_words_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::regions::host_words"), bytes);
  auto const there = bytes_at<ReadbackSpace<Space>>(host_words_.data(), bytes);
  auto const here = bytes_at<Space>(words.data(), bytes);
  Kokkos::deep_copy(exec, there, here);
  exec.fence("kubature::regions::maximum_over_ranks");
  ranks_.largest({reinterpret_cast<std::uint32_t*>(host_words_.data()), words.size()});
  Kokkos::deep_copy(exec, here, there);
}

#define KUBATURE_INSTANTIATE(Space) template class BisectionRecord<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
