#include <kubature/detail/memory/messages.hpp>
#include <kubature/detail/spaces.hpp>

namespace kubature::detail {

template <class Space>
void Messages<Space>::exchange(Space const& exec, Communicator const& ranks) {
  exchange(exec, ranks,
           Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible ||
               ranks.device_buffers());
}

template <class Space>
void Messages<Space>::exchange(Space const& exec, Communicator const& ranks, bool straight) {
  auto const out = std::exchange(out_, {}), in = std::exchange(in_, {}); // nothing is left if this throws
  if (straight) {
    exec.fence("kubature::messages::before");
    ranks.exchange(out, in);
  } else {
    by_way_of_host(exec, ranks, out, in);
  }
}

template <class Space>
void Messages<Space>::by_way_of_host(Space const& exec, Communicator const& ranks, std::vector<Message> const& out,
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

#define KUBATURE_INSTANTIATE(Space) template class Messages<Space>;
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
