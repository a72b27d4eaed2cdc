#include <kubature/detail/memory/workspace.hpp>
#include <kubature/detail/spaces.hpp>

#include <mutex>
#include <optional>
#include <vector>

namespace kubature::detail {

template <class Space>
struct Workspace<Space>::Block {
  Kokkos::View<std::byte*, typename Space::memory_space> device;
  Kokkos::View<std::byte*, ReadbackSpace<Space>> host;
  int device_number;
  std::uint64_t tag = 0;
  std::optional<Space> borrower = {};
  std::optional<Space> calling_thread = {};
  Waking waking = {};

  /// The unused blocks.
  struct Pool {
    std::mutex mutex;
    std::vector<std::unique_ptr<Block>> blocks;
    bool closed = false; ///< Kokkos is being finalised, and what is returned is freed

    void close() {
      std::lock_guard const lock(mutex);
      blocks.clear();
      closed = true;
    }
  };
  static Pool& pool() {
    static auto& pool = *new Pool; // kept until the program ends: Kokkos may be finalised as it exits
    return pool;
  }
};

template <class Space>
Workspace<Space>::Workspace(Space const& exec) {
  auto& pool = Block::pool();
  int const number = device_number(exec);
  {
    std::lock_guard const lock(pool.mutex);
    for (auto& block : pool.blocks)
      if (block->device_number == number) {
        std::swap(block, pool.blocks.back());
        block_.reset(pool.blocks.back().release());
        pool.blocks.pop_back();
        block_->borrower = exec;
        return;
      }
  }
  static std::once_flag hook;
  std::call_once(hook, [] { Kokkos::push_finalize_hook([] { Block::pool().close(); }); });
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  constexpr std::size_t device_bytes = (std::size_t{1} << 21) - 1024, host_bytes = 8192; // less Kokkos's own overhead
  block_.reset(new Block{
      decltype(Block::device)(view_alloc(exec, WithoutInitializing, "kubature::workspace::device"), device_bytes),
      decltype(Block::host)(view_alloc(WithoutInitializing, "kubature::workspace::host"), host_bytes), number});
  block_->borrower = exec;
}

template <class Space>
void Workspace<Space>::Return::operator()(Block* block) const {
  std::unique_ptr<Block> owned(block);
  if (!Kokkos::is_initialized() || Kokkos::is_finalized())
    return;
  block->borrower->fence("kubature::workspace::return"); // the next borrower may compute on another instance
  block->borrower.reset();
  auto& pool = Block::pool();
  std::lock_guard const lock(pool.mutex);
  if (!pool.closed)
    pool.blocks.push_back(std::move(owned));
}

template <class Space>
std::span<std::byte> Workspace<Space>::device() const {
  return {block_->device.data(), block_->device.size()};
}

template <class Space>
std::span<std::byte> Workspace<Space>::host() const {
  return {block_->host.data(), block_->host.size()};
}

template <class Space>
Space const& Workspace<Space>::calling_thread() const {
  if (block_->borrower->concurrency() == 1)
    return *block_->borrower;
  if (!block_->calling_thread)
    block_->calling_thread.emplace(detail::calling_thread(*block_->borrower));
  return *block_->calling_thread;
}

template <class Space>
Waking& Workspace<Space>::waking() const {
  return block_->waking;
}

template <class Space>
std::uint64_t& Workspace<Space>::tag() const {
  return block_->tag;
}

#define KUBATURE_INSTANTIATE(Space) template class Workspace<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
