#pragma once

#include <kubature/box.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <utility>

namespace kubature::detail {

/// A call of a method that may pause between its iterations, whatever the method and the integrand: what uses one has
/// no kernels of its own.
template <class Value>
class AnyCourse {
public:
  /// Tells whether to pause, from the result so far and the number of evaluations that would come next.
  using Pause = std::function<bool(Result<Value> const&, std::uint64_t)>;

  virtual ~AnyCourse() = default;
  /// @param pause never, if it is empty
  /// @returns whether the call has ended
  virtual bool go_on(Pause const& pause) = 0;
  /// Leaves at most so many evaluations to the call, those that it has made included.
  virtual void limit(std::uint64_t evaluations) = 0;
  /// The result of a call that has paused.
  virtual Result<Value> so_far() = 0;
  /// The result of a call that has ended.
  virtual Result<Value> finish() = 0;
};

template <class Value, class Course>
class CourseOf final : public AnyCourse<Value> {
public:
  template <class Solver, class... More>
  explicit CourseOf(Solver& solver, More&&... more) : course_(solver, std::forward<More>(more)...) {}

  bool go_on(typename AnyCourse<Value>::Pause const& pause) override {
    return course_.go_on([&](auto const& run, std::uint64_t next) { return pause && pause(run.so_far(), next); });
  }
  void limit(std::uint64_t evaluations) override { course_.limit(evaluations); }
  Result<Value> so_far() override { return course_.so_far(); }
  Result<Value> finish() override { return course_.finish(); }

private:
  Course course_;
};

/// Makes a Course of the solver. A function of its own, so that a program can compile it once, in another file.
/// @param integrand in its form on the device
/// @param more what else the method's Course takes
template <class Value, class Solver, class F, int D, class... More>
std::unique_ptr<AnyCourse<Value>> make_course(Solver& solver, F const& integrand, Box<D> const& box,
                                              Tolerance tolerance, Limits limits, Callback const& callback,
                                              std::source_location where, More... more) {
  using Course = typename Solver::template Course<F, D>;
  return std::make_unique<CourseOf<Value, Course>>(solver, integrand, box, tolerance, limits, callback, where, more...);
}

} // namespace kubature::detail
