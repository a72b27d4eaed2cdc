#pragma once

#include "call.hpp"
#include "state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace kubature::cuba {

/// What the integrand returns to the library to end a call.
enum Code { abort_code = 1, died_code = 2 };

/// Evaluates batches of points by the integrand, or takes their values from the state file.
class Evaluation {
public:
  Evaluation(Call const& call, Workers* workers, State* state)
      : job_{call.f, call.user, call.ndim, call.ncomp, call.nvec, call.wide, call.routine == Routine::divonne ? 2 : 0,
             1},
        border_(call.border), workers_(workers), state_(state) {}
  ~Evaluation() {
    if (begun_)
      after_work()(master);
  }
  Evaluation(Evaluation const&) = delete;

  void iteration(int number) { job_.iteration = number; }

  int operator()(std::int64_t n, double const* x, double* f) {
    if (state_ && state_->restored())
      return evaluate_missing(n, x, f);
    return evaluate(n, x, f);
  }

  static int call(std::int64_t n, int, double const* x, int, double* values, void* evaluation) {
    return (*static_cast<Evaluation*>(evaluation))(n, x, values);
  }

private:
  int evaluate(std::int64_t n, double const* x, double* f) {
    double const* at = x;
    if (border_ > 0) {
      inside_.assign(x, x + n * job_.ndim);
      for (double& coordinate : inside_)
        coordinate = std::clamp(coordinate, border_, 1 - border_);
      at = inside_.data();
    }
    auto const ending = evaluate_together(n, at, f);
    if (ending != Ending::done)
      return ending == Ending::aborted ? abort_code : died_code;
    if (state_)
      state_->keep(n, x, f);
    return 0;
  }

  Ending evaluate_together(std::int64_t n, double const* x, double* f) {
    bool const together = workers_ && n >= Workers::fewest;
    if (!begun_ && (!together || workers_->caller_helps())) {
      before_work()(master);
      begun_ = true;
    }
    if (together)
      return workers_->evaluate(job_, n, x, f);
    return cuba::evaluate(job_, n, x, f, master) ? Ending::done : Ending::aborted;
  }

  /// Takes values from the state file where it has them.
  int evaluate_missing(std::int64_t n, double const* x, double* f) {
    std::vector<std::int64_t> missing;
    std::vector<double> points;
    for (std::int64_t k = 0; k < n; ++k)
      if (!state_->find(x + k * job_.ndim, f + k * job_.ncomp)) {
        missing.push_back(k);
        points.insert(points.end(), x + k * job_.ndim, x + (k + 1) * job_.ndim);
      }
    std::vector<double> values(missing.size() * static_cast<std::size_t>(job_.ncomp));
    int const code = missing.empty() ? 0 : evaluate(std::ssize(missing), points.data(), values.data());
    for (std::size_t k = 0; k < missing.size(); ++k)
      std::copy_n(&values[k * static_cast<std::size_t>(job_.ncomp)], job_.ncomp, f + missing[k] * job_.ncomp);
    return code;
  }

  Job job_;
  double border_;
  Workers* workers_;
  State* state_;
  std::vector<double> inside_;
  bool begun_ = false;
};

} // namespace kubature::cuba
