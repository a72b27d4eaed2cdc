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

/// Memory of the device that goes from process to process: straight from there where the transport takes it, and else
/// by way of the host.
template <class Space>
class Parcels {
public:
  explicit Parcels(std::string label) : label_(std::move(label)) {}

  /// For the next exchange; what goes from one process to another arrives in the order in which it was said.
  void send(int to, std::span<std::byte> bytes) { out_.push_back({to, bytes}); }
  void receive(int from, std::span<std::byte> bytes) { in_.push_back({from, bytes}); }

  /// Returns with everything where it belongs.
  void exchange(Space const& exec, Communicator const& ranks) {
    exchange(exec, ranks,
             Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible ||
                 ranks.device_buffers());
  }

  void exchange(Space const& exec, Communicator const& ranks, bool straight) {
    if (straight) {
      exec.fence("kubature::parcels::before");
      ranks.exchange(out_, in_);
    } else {
      by_way_of_host(exec, ranks);
    }
    out_.clear();
    in_.clear();
  }

private:
  using Parcel = Communicator::Parcel;
  using Here = Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>;
  using There = Kokkos::View<std::byte*, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged>;

  /// What goes to several processes lies on the host once.
  void by_way_of_host(Space const& exec, Communicator const& ranks) {
    std::size_t size = 0;
    for (auto const* parcels : {&out_, &in_})
      for (Parcel const& parcel : *parcels)
        size += parcel.bytes.size();
    if (size > host_.size())
      host_ = Host(Kokkos::view_alloc(Kokkos::WithoutInitializing, label_), size);

    std::size_t used = 0;
    std::vector<Parcel> out, in;
    for (std::size_t k = 0; k < out_.size(); ++k) {
      bool const again =
          k > 0 && out_[k].bytes.data() == out_[k - 1].bytes.data() && out_[k].bytes.size() == out_[k - 1].bytes.size();
      out.push_back(again ? Parcel{out_[k].rank, out[k - 1].bytes} : on_host(out_[k], used));
      if (!again)
        Kokkos::deep_copy(exec, view<There>(out[k]), view<Here>(out_[k]));
    }
    for (Parcel const& parcel : in_)
      in.push_back(on_host(parcel, used));
    exec.fence("kubature::parcels::read");
    ranks.exchange(out, in);
    for (std::size_t k = 0; k < in.size(); ++k)
      Kokkos::deep_copy(exec, view<Here>(in_[k]), view<There>(in[k]));
    exec.fence("kubature::parcels::write");
  }

  /// The parcel's place on the host, behind what is used.
  Parcel on_host(Parcel const& parcel, std::size_t& used) const {
    std::byte* const place = host_.data() + used;
    used += parcel.bytes.size();
    return {parcel.rank, {place, parcel.bytes.size()}};
  }

  template <class View>
  static View view(Parcel const& parcel) {
    return View(parcel.bytes.data(), parcel.bytes.size());
  }

  using Host = Kokkos::View<std::byte*, ReadbackSpace<Space>>;
  std::string label_;
  std::vector<Parcel> out_, in_;
  Host host_;
};

/// The bytes of some elements in memory of the device.
template <class T>
std::span<std::byte> memory_of(T* data, std::uint64_t count) {
  return {reinterpret_cast<std::byte*>(data), count * sizeof(T)};
}

} // namespace kubature::detail
