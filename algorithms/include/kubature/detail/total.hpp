#pragma once

#include <kubature/backend.hpp>
#include <kubature/detail/join.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace kubature::detail {

/// The total of all chunks' partial results, read by the host: the one small transfer of an iteration.
template <class Space>
class Total {
public:
  explicit Total(std::string label) : label_(std::move(label)) {}

  /// Joins the partials and waits for the result. T is trivially copyable and small.
  template <class T>
  T join(Space const& exec, std::string const& label, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> partials) {
    if (sizeof(T) > memory_.size())
      memory_ = Memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label_), sizeof(T));
    using Cell = Kokkos::View<T, ReadbackSpace<Space>, Kokkos::MemoryUnmanaged>;
    Cell const cell(reinterpret_cast<T*>(memory_.data()));
    using Parts = Kokkos::View<T const*, Space, Kokkos::MemoryUnmanaged>;
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Space>(exec, 1, Tuning<Space>::reduction_team),
                         JoinChunks<Space, Parts, Cell>{partials, cell});
    exec.fence("kubature::total::read");
    return cell();
  }

private:
  using Memory = Kokkos::View<std::byte*, ReadbackSpace<Space>>;
  std::string label_;
  Memory memory_;
};

} // namespace kubature::detail
