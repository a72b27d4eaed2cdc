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

/// Sends device memory from process to process: directly if the transport accepts it, otherwise by way of the host.
template <class Space>
class Messages {
public:
  explicit Messages(std::string label) : label_(std::move(label)) {}

  /// Prepared for the next exchange; what goes from one process to another arrives in the order of these calls.
  void send(int to, std::span<std::byte> bytes) { out_.push_back({to, bytes}); }
  void receive(int from, std::span<std::byte> bytes) { in_.push_back({from, bytes}); }

  /// Returns when everything has arrived.
  void exchange(Space const& exec, Communicator const& ranks) {
    exchange(exec, ranks,
             Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible ||
                 ranks.device_buffers());
  }

  void exchange(Space const& exec, Communicator const& ranks, bool straight) {
    auto const out = std::exchange(out_, {}), in = std::exchange(in_, {}); // nothing is left if this throws
    if (straight) {
      exec.fence("kubature::messages::before");
      ranks.exchange(out, in);
    } else {
      by_way_of_host(exec, ranks, out, in);
    }
  }

private:
  using Message = Communicator::Message;
  using Here = Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>;
  using There = Kokkos::View<std::byte*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged>;

  /// What goes to several processes is copied to the host once.
  void by_way_of_host(Space const& exec, Communicator const& ranks, std::vector<Message> const& out,
                      std::vector<Message> const& in) {
    std::size_t size = 0;
    for (auto const* messages : {&out, &in})
      for (Message const& message : *messages)
        size += message.bytes.size();
    if (size > host_.size())
      host_ = Host(Kokkos::view_alloc(Kokkos::WithoutInitializing, label_), size);

    std::size_t used = 0;
    std::vector<Message> leaving, arriving;
    for (std::size_t k = 0; k < out.size(); ++k) {
      bool const again =
          k > 0 && out[k].bytes.data() == out[k - 1].bytes.data() && out[k].bytes.size() == out[k - 1].bytes.size();
      leaving.push_back(again ? Message{out[k].rank, leaving[k - 1].bytes} : on_host(out[k], used));
      if (!again)
        Kokkos::deep_copy(exec, view<There>(leaving[k]), view<Here>(out[k]));
    }
    for (Message const& message : in)
      arriving.push_back(on_host(message, used));
    exec.fence("kubature::messages::read");
    ranks.exchange(leaving, arriving);
    for (std::size_t k = 0; k < in.size(); ++k)
      Kokkos::deep_copy(exec, view<Here>(in[k]), view<There>(arriving[k]));
    exec.fence("kubature::messages::write");
  }

  /// The message's place on the host, behind what is in use.
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
