#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/call_state.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/several_result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace kubature::detail {

/// A call of a method that may pause between its iterations and then continue as if it had not, for any method and
/// integrand: its users have no kernels of their own.
class PausableCall {
public:
  /// pause(call, n) returns whether to pause before an iteration of about n evaluations; the same on all ranks.
  using Pause = std::function<bool(CallState const& call, std::uint64_t next)>;

  virtual ~PausableCall() = default;
  /// @returns whether the call has ended
  virtual bool go_on(Pause const& pause) = 0;
  /// Limits the call to this many evaluations, including those made so far.
  virtual void limit(std::uint64_t evaluations) = 0;
  virtual SeveralResult so_far() = 0; ///< of a call that has paused
  virtual SeveralResult finish() = 0; ///< of a call that has ended
};

/// A Course of a Solver as such a call.
template <class Course>
class PausableCourse final : public PausableCall {
public:
  template <class Solver, class... More>
  explicit PausableCourse(Solver& solver, More&&... more) : course_(solver, std::forward<More>(more)...) {}

  bool go_on(Pause const& pause) override { return course_.go_on(pause); }
  void limit(std::uint64_t evaluations) override { course_.limit(evaluations); }
  SeveralResult so_far() override { return course_.so_far(); }
  SeveralResult finish() override { return course_.finish(); }

private:
  Course course_;
};

/// Makes a Course of the solver. A function of its own, so that a program can compile it once, in another file.
/// @param integrand in its form on the device
/// @param more further arguments of the method's Course
template <class Solver, class F, int D, class... More>
std::unique_ptr<PausableCall> make_course(Solver& solver, F const& integrand, Box<D> const& box, Request const& request,
                                          More... more) {
  using Course = typename Solver::template Course<F, D>;
  return std::make_unique<PausableCourse<Course>>(solver, integrand, box, request, more...);
}

} // namespace kubature::detail
