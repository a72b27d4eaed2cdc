#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/progress.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Timer.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature::detail {

/// One call of a method: the request, the result as it grows, and why it ends.
class CallState {
public:
  /// @param components of the integrand
  CallState(std::string_view method, int components, Request const& request, Communicator const& ranks = {});

  int components() const { return result_.components(); }
  /// Iterations so far.
  int done() const { return static_cast<int>(result_.iterations.size()); }
  bool ended() const { return ended_; }
  Status status() const { return result_.status; }

  /// Ends the call. Always false.
  bool end(Status status);

  /// Changes the limit on evaluations, to one not below those made so far.
  void limit(std::uint64_t evaluations) { limits_.evaluations = evaluations; }

  /// Ends the call if its time is up on any rank.
  void keep_time();
  /// Grants additional seconds for as long as a method has no estimate at all.
  void grant(double seconds) { grace_ = seconds; }
  double seconds_left() const { return limits_.seconds - timer_.seconds(); }
  /// Seconds since the call began.
  double seconds() const { return timer_.seconds(); }

  /// Whether the call has a time limit.
  bool timed() const { return limits_.seconds < Limits{}.seconds; }
  /// Whether anything may end the call during an iteration.
  bool watched() const { return timed() || callback_; }

  /// Called between the slices of a long iteration (see Slices): checks the clock and, ten times a second, asks the
  /// callback, unless the iteration is done and will be reported anyway.
  /// @returns whether to continue; the same on all ranks
  bool look(bool done);

  /// Adds a remark to the result; the same sentence only once.
  void remark(std::string const& sentence);

  /// Counts values that were not finite, some of which may matter (harmless_values.hpp).
  void count_non_finite(std::uint64_t all, std::uint64_t serious);

  /// Makes a call that ends with Status::non_finite report where.
  /// @param locate locate(n) examines n points
  void locate_by(std::function<std::vector<double>(std::uint64_t)> locate) { locate_ = std::move(locate); }

  /// Ends the call without an estimate: out of memory, or an integrand that is not finite.
  void give_up(Status status);

  /// The result so far, of a call that will continue.
  SeveralResult so_far() const;

  SeveralResult finish();

protected:
  /// Whether a limit or the callback ended the call.
  bool cut_short() const;

  /// Reports progress to the callback, and ends the call if the callback asks for it, on any rank.
  void report();

  Tolerance tolerance_;
  Limits limits_;
  SeveralResult result_;

private:
  bool call_back();

  std::string_view method_;
  Callback const& callback_;
  Communicator ranks_;
  Kokkos::Timer timer_;
  std::uint64_t serious_ = 0;
  std::function<std::vector<double>(std::uint64_t)> locate_;
  double reported_ = 0, grace_ = 0;
  bool ended_ = false, stop_ = false;
};

} // namespace kubature::detail
