#pragma once

#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/peaks/channel_sum.hpp>
#include <kubature/detail/peaks/peak_engine.hpp>
#include <kubature/detail/peaks/peak_search.hpp>
#include <kubature/several_result.hpp>

#include <Kokkos_Timer.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace kubature {
struct Peak; // see kubature/peaks.hpp
}

namespace kubature::detail {

/// Searches for narrow peaks, and integrates about them by channels, one for each peak and one for the background (see
/// Channel): those that a converged call has missed, if they matter (docs/design/channels.md); or all, before anything
/// else.
class SecondLook {
public:
  /// What it needs of the method, for one integrand.
  struct Call {
    Climber& climber;
    /// Sets the channels.
    std::function<void(std::vector<double> numbers)> set;
    /// Integrates the part of one: 0 for the background, or the number of a peak, from 1.
    ChannelSum::Integrate integrate;
    /// Integrates without channels.
    std::function<SeveralResult(Request const& request)> whole;
    Box<dynamic_many> box;
    Request const& request;
    Communicator const& ranks;
    Kokkos::Timer const& timer; ///< since the call began
    std::uint64_t seed;
    bool on_gpu;
  };
  explicit SecondLook(Call const& call);

  /// Integrates by channels about the peaks that a search finds.
  /// @param known if there are any, about those next to these points instead: [point][axis], in the box
  SeveralResult from_the_start(std::vector<double> const& known);
  SeveralResult check(SeveralResult found);

private:
  std::vector<kubature::Peak> missed(SeveralResult const& found);
  std::vector<kubature::Peak> peaks_below(double part) const;
  void climb_from(std::vector<double> const& known, std::uint64_t affordable);
  bool set_channels(std::vector<kubature::Peak> const& peaks);
  bool late(double share) const;
  std::uint64_t left(SeveralResult const& found) const;
  /// Evaluations of the search that no result contains yet; adds them to one.
  std::uint64_t searched() const { return search_.evaluations() - counted_; }
  void count_search(SeveralResult& result);

  Call call_;
  PeakSearch search_;
  double least_missed_ = 0; ///< the smallest integral of a peak that may have been missed, and matters
  std::uint64_t counted_ = 0;
};

} // namespace kubature::detail
