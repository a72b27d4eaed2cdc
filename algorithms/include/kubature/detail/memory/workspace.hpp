#pragma once

#include <kubature/backend.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/waking.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace kubature::detail {

/// Two megabytes on the device, and a page where kernels write what the host reads, lent to one Integrator at a time.
/// Returned workspaces are kept until Kokkos is finalised: allocating costs ten times as much as a small integral.
template <class Space>
class Workspace {
public:
  explicit Workspace(Space const& exec);

  std::span<std::byte> device() const;
  std::span<std::byte> host() const;
  /// Identifies what the last borrower left at the beginning of the device's part; 0: nothing. Set by every writer.
  std::uint64_t& tag() const;
  /// See detail::calling_thread; kept here because creating an instance takes time.
  Space const& calling_thread() const;
  /// Measurements of the other threads in earlier calls.
  Waking& waking() const;

private:
  struct Block;
  struct Return {
    void operator()(Block* block) const;
  };
  std::unique_ptr<Block, Return> block_;
};

/// Hands out a workspace piece by piece. A request for more than half of the rest gets a buffer of its own.
template <class Space>
struct Arena {
  Space exec;
  std::span<std::byte> rest;

  std::byte* take(std::size_t size, Buffer<Space>& otherwise) {
    if (size > rest.size() / 2)
      return otherwise.template as<std::byte>(exec, size).data();
    auto* const taken = rest.data();
    rest = rest.subspan((size + 255) / 256 * 256);
    return taken;
  }
};

} // namespace kubature::detail
