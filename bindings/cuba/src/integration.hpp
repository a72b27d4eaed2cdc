#pragma once

#include "../../drop_in/handles.hpp"
#include "call.hpp"
#include "evaluation.hpp"
#include "state.hpp"
#include "workers.hpp"

#include <climits>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace kubature::cuba {

/// Thrown where a function of the library fails.
class Failed : public std::runtime_error {
public:
  explicit Failed(int returned) : std::runtime_error(kubature_last_error()), code(returned) {}
  int code;
};

inline void check(int returned) {
  if (returned != KUBATURE_SUCCESS)
    throw Failed(returned);
}

template <class... Values>
void say(char const* format, Values... values) {
  std::printf(format, values...);
  std::fflush(stdout);
}

/// Whether cubature is likely to pay, so that Divonne begins with it.
inline bool few_variables(Call const& call) { return call.ndim <= 8; }

/// The estimate of one or more calls of the library.
struct Estimate {
  std::vector<double> value, error, prob;
};

/// A call of a routine as one or more calls of the library.
class Integration {
public:
  /// @param verbosity the level of messages
  Integration(Call const& call, State* state, Grid const& grid, Workers* workers, int verbosity);

  void run();
  void give(Returned& returned) const;
  Grid const& grid() const { return grid_; }

  /// Points near peaks. Those outside of the cube are left out.
  void know(double const* points, long long n);
  /// As above, those that the caller's function finds in the whole cube.
  void ask();

private:
  using Result = drop_in::Result;

  long long limit() const;
  double epsabs() const;
  double epsrel() const;
  /// The largest error in units of what the caller allows; infinite if there is no estimate.
  double distance(Estimate const& of) const;
  bool met() const { return distance(best_) <= 1; }
  void take(Estimate const& found);

  drop_in::Integrator integrator(char const* method) const;
  drop_in::Integrator pagani_with(int rule) const;
  /// Integrates once; the better estimate counts.
  /// @param part of the tolerance
  Result integrate(kubature_integrator* integrator, double part, long long most);
  /// Repeats a method with smaller tolerances while there are too few evaluations.
  template <class Once>
  void until_enough(long long most, Once const& once);

  void refine(long long most);
  void try_two(kubature_integrator* pagani, long long points, long long most);
  void sample(long long most);
  void sample_once(Result last, long long end);
  Estimate iteration(kubature_result const* of, std::int64_t& evaluations) const;
  void use_grid(kubature_integrator* vegas) const;

  static int progress(kubature_progress const* at, void* of) { return static_cast<Integration*>(of)->progress(*at); }
  int progress(kubature_progress const& at);

  Call const& call_;
  Evaluation evaluation_;
  Grid grid_;
  int verbosity_;
  drop_in::Box box_;
  drop_in::Integrand function_;
  std::string known_;
  Estimate best_;
  long long neval_ = 0;
  std::int64_t regions_ = 0;
  long long glance_ = LLONG_MAX;               ///< evaluations after which a call that is far from the tolerance ends
  int iterations_ = 0, iterations_before_ = 0; ///< of this call of the library, and of those before it
};

} // namespace kubature::cuba
