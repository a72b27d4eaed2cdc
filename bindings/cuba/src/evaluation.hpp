#pragma once

#include "call.hpp"
#include "state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

namespace kubature::cuba {

/// What the integrand returns to the library to end a call.
enum Code { abort_code = 1, died_code = 2 };

/// Evaluates batches of points by the integrand, or takes their values from the state file.
///
/// Forking takes about a millisecond. The caller evaluates alone for as long first, unless there are functions to be
/// called before and after work.
class Evaluation {
public:
  /// @param workers those that the caller keeps; nullptr: there are none, and they are started where that pays
  Evaluation(Call const& call, Workers* workers, State* state)
      : job_{call.f, call.user, call.ndim, call.ncomp, call.nvec, call.wide, call.weighted() ? 0 : 2, 1},
        border_(call.border), workers_(workers), started_(workers != nullptr), state_(state) {}
  ~Evaluation() {
    if (begun_)
      after_work()(master);
  }
  Evaluation(Evaluation const&) = delete;

  void iteration(int number) { job_.iteration = number; }

  /// @param d coordinates of a point: `ndim`, or one more if they are followed by its weight
  int operator()(std::int64_t n, int d, double const* x, double* f) {
    auto const points = d > job_.ndim ? apart(n, x) : Points{n, x, takes_weights() ? none(n) : nullptr};
    int const code = state_ && state_->restored() ? evaluate_missing(points, f) : evaluate(points, f);
    for (std::size_t k = 0; !ranges_.empty() && k < static_cast<std::size_t>(n * job_.ncomp); ++k)
      ranges_[k % ranges_.size()].add(f[k]);
    return code;
  }

  /// Notes the range of each component's values from now on.
  void watch() { ranges_.assign(static_cast<std::size_t>(job_.ncomp), {}); }
  void watch_no_longer() { ranges_.clear(); }
  /// Evaluates n points that fill the cube evenly.
  /// @param alike whether their values are within the ranges noted, or beyond them by at most half of their width, and
  ///              not all are zero
  int compare(std::int64_t n, bool& alike) {
    auto const ranges = ranges_;
    auto const d = job_.ndim;
    double root = 2; // of x^(d + 1) = x + 1, whose powers are the steps from point to point
    for (int k = 0; k < 60; ++k)
      root = std::pow(1 + root, 1.0 / (d + 1));
    std::vector<double> x, f(static_cast<std::size_t>(n * job_.ncomp));
    for (std::int64_t k = 1; k <= n; ++k)
      for (int i = 1; i <= d; ++i)
        x.push_back(std::fmod(0.5 + static_cast<double>(k) * std::pow(root, -i), 1));
    int const code = (*this)(n, d, x.data(), f.data());
    alike = true;
    for (std::size_t c = 0; c < ranges.size(); ++c) {
      auto const [lowest, highest] = ranges[c];
      double const margin = (highest - lowest) / 2;
      alike = alike && ranges_[c].lowest >= lowest - margin && ranges_[c].highest <= highest + margin &&
              (ranges_[c].lowest != 0 || ranges_[c].highest != 0);
    }
    return code;
  }

  static int call(std::int64_t n, int d, double const* x, int, double* values, void* evaluation) {
    return (*static_cast<Evaluation*>(evaluation))(n, d, x, values);
  }

private:
  bool takes_weights() const { return job_.phase == 0; }

  /// Points that are followed by their weights.
  Points apart(std::int64_t n, double const* x) {
    auto const d = job_.ndim;
    x_.resize(static_cast<std::size_t>(n * d));
    weights_.resize(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k, x += d + 1) {
      std::copy_n(x, d, &x_[static_cast<std::size_t>(k * d)]);
      weights_[static_cast<std::size_t>(k)] = x[d];
    }
    return {n, x_.data(), weights_.data()};
  }
  /// The weights of points that belong to no estimate.
  double const* none(std::int64_t n) {
    weights_.assign(static_cast<std::size_t>(n), 0);
    return weights_.data();
  }

  int evaluate(Points const& points, double* f) {
    Points at = points;
    if (border_ > 0) {
      inside_.assign(points.x, points.x + points.n * job_.ndim);
      for (double& coordinate : inside_)
        coordinate = std::clamp(coordinate, border_, 1 - border_);
      at.x = inside_.data();
    }
    auto const ending = evaluate_together(at, f);
    if (ending != Ending::done)
      return ending == Ending::aborted ? abort_code : died_code;
    if (state_)
      state_->keep(points.n, points.x, f);
    return 0;
  }

  Ending evaluate_together(Points const& points, double* f) {
    for (std::int64_t done = 0; done < points.n;) {
      auto rest = points.part(done, points.n - done, job_.ndim);
      auto* const helpers = rest.n >= Workers::fewest ? workers() : nullptr;
      if (!begun_ && (!helpers || helpers->caller_helps())) {
        before_work()(master);
        begun_ = true;
      }
      auto* const to = f + done * job_.ncomp;
      if (helpers)
        return helpers->evaluate(job_, rest, to);
      if (!started_)
        rest.n = std::min(rest.n, std::max(job_.nvec, Workers::fewest));
      auto const begin = Clock::now();
      if (!cuba::evaluate(job_, rest, to, master))
        return Ending::aborted;
      alone_ += Clock::now() - begin;
      done += rest.n;
    }
    return Ending::done;
  }

  /// The workers, once they pay; nullptr if the caller evaluates alone.
  Workers* workers() {
    if (!started_ && (alone_ > pays || before_work().f || after_work().f || crew().cores == 0)) {
      started_ = true;
      own_ = Workers::start();
      workers_ = own_.get();
    }
    return workers_;
  }

  /// Takes values from the state file where it has them.
  int evaluate_missing(Points const& points, double* f) {
    std::vector<std::int64_t> missing;
    std::vector<double> x, weights;
    for (std::int64_t k = 0; k < points.n; ++k)
      if (auto const one = points.part(k, 1, job_.ndim); !state_->find(one.x, f + k * job_.ncomp)) {
        missing.push_back(k);
        x.insert(x.end(), one.x, one.x + job_.ndim);
        if (one.weights)
          weights.push_back(*one.weights);
      }
    std::vector<double> values(missing.size() * static_cast<std::size_t>(job_.ncomp));
    Points const left{std::ssize(missing), x.data(), points.weights ? weights.data() : nullptr};
    int const code = missing.empty() ? 0 : evaluate(left, values.data());
    for (std::size_t k = 0; k < missing.size(); ++k)
      std::copy_n(&values[k * static_cast<std::size_t>(job_.ncomp)], job_.ncomp, f + missing[k] * job_.ncomp);
    return code;
  }

  Job job_;
  double border_;
  using Clock = std::chrono::steady_clock;
  static constexpr auto pays = std::chrono::milliseconds(1);
  Clock::duration alone_{}; ///< time of evaluations without workers
  std::unique_ptr<Workers> own_;
  Workers* workers_;
  bool started_; ///< whether there are workers, or there are to be none
  State* state_;
  std::vector<double> x_, weights_, inside_;
  struct Range {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    void add(double value) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  };
  std::vector<Range> ranges_; ///< by component; empty: not watched
  bool begun_ = false;
};

} // namespace kubature::cuba
