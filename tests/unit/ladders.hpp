#pragma once

#include "cubatures.hpp"
#include "tools.hpp"

#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

/// What the tests of PAGANI and of TwoPhase on the reference integrals share.
namespace ladders {

using namespace kubature;

inline constexpr auto no_limit = Limits{}.evaluations;

/// Tolerances for an integral of the suite. If there is a budget of evaluations, it may be used up.
struct Ladder {
  std::string_view name;
  double relative[3];
  std::uint64_t budget = no_limit;
};

/// Calls visit(entry, integrand, box) for each integral of the suite in D variables, for each D.
template <int... D, class Visitor>
void for_each_in(Visitor&& visit) {
  (suite::for_each_by_dimension<D, D>(visit), ...);
}

/// Climbs the ladder of each reference integral that has one.
template <class Space, class Method, std::size_t N>
struct Climb {
  Space const& exec;
  Method method;
  Ladder const (&ladders)[N];
  bool only_cancelling = false;
  std::size_t climbed = 0;

  template <class F, int D>
  void operator()(suite::Entry const& entry, F const& f, Box<D> const& box) {
    auto const ladder = std::find_if(std::begin(ladders), std::end(ladders),
                                     [&](Ladder const& candidate) { return candidate.name == entry.name; });
    if (ladder == std::end(ladders) || (only_cancelling && !entry.cancels))
      return;
    ++climbed;
    Integrator integrator(exec, method);
    std::span<double const> const tolerances(ladder->relative);
    for (double const relative : tools::watched() ? tolerances.first(1) : tolerances) {
      SCOPED_TRACE(std::string(entry.name) + " to " + std::to_string(relative));
      Tolerance const tolerance{.relative = relative};
      auto const result = integrator.integrate(f, box, tolerance, {.evaluations = ladder->budget});
      cubatures::expect_honest(result, entry.value, tolerance);
      EXPECT_LE(result.evaluations, ladder->budget);
      EXPECT_TRUE(result.status == Status::converged ||
                  (ladder->budget < no_limit && result.status == Status::evaluation_limit))
          << result;
      EXPECT_TRUE(result.remarks.empty() || result.method == "two-phase" || cubatures::unconfirmed(result)) << result;
    }
  }
};

/// An integral of the suite by its name, in D variables, with the same kernels as Climb.
template <int D, class Space, class Method>
Result<> integrate_named(std::string_view name, Space const& exec, Method const& method, Tolerance tolerance) {
  Result<> result;
  for_each_in<D>([&](suite::Entry const& entry, auto const& f, auto const& box) {
    if (entry.name == name)
      result = Integrator(exec, method).integrate(f, box, tolerance);
  });
  return result;
}

template <class Space>
struct Work {
  Space const& exec;

  template <int D, class Method>
  void expect(Method method, std::string_view name, double relative, double evaluations) const {
    method.channels = Channels::never;
    auto const result = integrate_named<D>(name, exec, method, {.relative = relative});
    EXPECT_EQ(result.status, Status::converged) << name << ' ' << result;
    EXPECT_NEAR(static_cast<double>(result.evaluations), evaluations, 0.2 * evaluations) << name << ' ' << result;
  }
};

} // namespace ladders
