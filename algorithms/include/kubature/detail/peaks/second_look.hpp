#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/peaks/peak_engine.hpp>
#include <kubature/progress.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Timer.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace kubature {
struct Peak; // see kubature/peaks.hpp
}

namespace kubature::detail {

/// Searches for narrow peaks that a converged call has missed. If there are any that matter, the integral is computed
/// a second time as the sum of those over channels, one for each peak and one for the background (see Channel); where
/// the two differ, that is the result (docs/design/channels.md).
class SecondLook {
public:
  /// What it needs of the method, for one integrand.
  struct Call {
    Climber& climber;
    /// Sets the channels.
    std::function<void(std::vector<double> numbers)> set;
    /// Integrates one.
    std::function<SeveralResult(int which, Request const& request)> integrate;
    Box<dynamic_many> box;
    Request const& request;
    std::uint64_t seed;
    bool on_gpu;
  };
  explicit SecondLook(Call const& call) : call_(call) {}

  SeveralResult check(SeveralResult found);

private:
  struct Part {
    std::vector<double> value, error;
    Status status = Status::evaluation_limit;
  };
  struct Sum {
    std::vector<double> value, error;
    Status status = Status::iteration_limit; ///< of the parts
    bool finished = false;                   ///< it meets the tolerance
  };
  std::vector<kubature::Peak> missed(SeveralResult const& found);
  Sum by_channels(SeveralResult const& found, std::uint64_t most_of_part);
  Part part(int which, double allowed, std::uint64_t most, SeveralResult const& found);
  std::uint64_t left(SeveralResult const& found) const;

  Call call_;
  std::vector<Part> parts_; ///< of the background and of each peak, so far
  double least_missed_ = 0; ///< the smallest integral of a peak that may have been missed, and matters
  std::uint64_t spent_ = 0;
  Kokkos::Timer timer_;
};

} // namespace kubature::detail
