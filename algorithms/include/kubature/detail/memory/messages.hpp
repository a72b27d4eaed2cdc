#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Sends device memory from rank to rank: directly if the transport accepts it, otherwise by way of the host.
template <class Space>
class Messages {
public:
  explicit Messages(std::string label) : label_(std::move(label)) {}

  /// Queued for the next exchange; messages between two ranks arrive in the order of these calls.
  void send(int to, std::span<std::byte> bytes) { out_.push_back({to, bytes}); }
  void receive(int from, std::span<std::byte> bytes) { in_.push_back({from, bytes}); }

  /// Returns when everything has arrived.
  void exchange(Space const& exec, Communicator const& ranks);

  void exchange(Space const& exec, Communicator const& ranks, bool straight);

private:
  using Message = Communicator::Message;
  using Here = Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>;
  using There = Kokkos::View<std::byte*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged>;

  /// Data for several ranks are copied to the host once.
  void by_way_of_host(Space const& exec, Communicator const& ranks, std::vector<Message> const& out,
                      std::vector<Message> const& in);

  /// The message's place on the host, behind the part in use.
  Message on_host(Message const& message, std::size_t& used) const {
    std::byte* const place = host_.data() + used;
    used += message.bytes.size();
    return {message.rank, {place, message.bytes.size()}};
  }

  template <class View>
  static View view(Message const& message) {
    return View(message.bytes.data(), message.bytes.size());
  }

  using Host = Kokkos::View<std::byte*, ReadbackSpace<Space>>;
  std::string label_;
  std::vector<Message> out_, in_;
  Host host_;
};

/// The bytes of elements in device memory.
template <class T>
std::span<std::byte> memory_of(T* data, std::uint64_t count) {
  return {reinterpret_cast<std::byte*>(data), count * sizeof(T)};
}

} // namespace kubature::detail
