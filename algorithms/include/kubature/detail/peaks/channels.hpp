#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/channel.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/peaks/modes.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {
struct Peak; // see kubature/peaks.hpp
}

namespace kubature::detail {

/// The numbers of Channel for peaks in a box.
/// @param relative the tolerance
/// @returns nothing if a covariance has no Cholesky factor
std::vector<double> channel_numbers(std::vector<kubature::Peak> const& peaks, Box<dynamic_many> const& box,
                                    double relative);

/// Those numbers where kernels read them.
template <class Space>
class PeakChannels {
public:
  /// No channel of earlier numbers may be in use.
  void set(Space const& exec, std::vector<double> numbers) {
    host_ = std::move(numbers);
    if constexpr (on_device_of_its_own<Space>) {
      auto const to = memory_.template as<double>(exec, host_.size());
      upload(exec, to, host_);
      exec.fence("kubature::peaks::channels");
      device_ = to.data();
    } else {
      device_ = host_.data();
    }
  }
  /// 0 for the background, or the number of a peak, from 1.
  Channel operator[](int which) const { return {host_.data(), device_, which}; }

private:
  std::vector<double> host_;
  double const* device_ = nullptr;
  Buffer<Space> memory_{"kubature::peaks::channels"};
};

} // namespace kubature::detail
