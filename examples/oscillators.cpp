// An integrand that is a simulation with kernels of its own: the mean position of a damped oscillator after some time,
// over what is not known of it. Each batch of points is a batch of oscillators that all take their steps together, a
// kernel per step.
#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>

#include <cmath>
#include <iostream>

using Space = Kokkos::DefaultExecutionSpace;
using Points = kubature::BatchPoints<Space>;
using Values = kubature::BatchValues<Space>;

// x'' = -stiffness x - 2 damping x', x(0) = start, x'(0) = 0, by Runge and Kutta's method of fourth order.
struct Oscillators {
  static constexpr double end = 6;
  static constexpr int steps = 200;

  struct State {
    double x, v;
  };
  using States = Kokkos::View<State*, Space>;

  struct Start {
    Points points;
    States states;
    KOKKOS_FUNCTION void operator()(int k) const { states(k) = {points(k, 0), 0}; }
  };

  struct Step {
    Points points;
    States states;
    KOKKOS_FUNCTION void operator()(int k) const {
      double const h = end / steps, stiffness = points(k, 1), damping = points(k, 2);
      auto const slope = [=](State s) { return State{s.v, -stiffness * s.x - 2 * damping * s.v}; };
      auto const ahead = [](State s, State by, double t) { return State{s.x + t * by.x, s.v + t * by.v}; };
      State const s = states(k), a = slope(s), b = slope(ahead(s, a, h / 2)), c = slope(ahead(s, b, h / 2)),
                  d = slope(ahead(s, c, h));
      states(k) = {s.x + h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x), s.v + h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v)};
    }
  };

  struct End {
    States states;
    Values values;
    KOKKOS_FUNCTION void operator()(int k) const { values(k, 0) = states(k).x; }
  };

  void operator()(Space const& exec, Points const& points, Values const& values) const {
    using Policy = Kokkos::RangePolicy<Space>;
    States const states(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "oscillators::states"), points.extent(0));
    Policy const all(exec, 0, static_cast<int>(points.extent(0)));
    Kokkos::parallel_for("oscillators::start", all, Start{points, states});
    for (int i = 0; i < steps; ++i)
      Kokkos::parallel_for("oscillators::step", all, Step{points, states});
    Kokkos::parallel_for("oscillators::end", all, End{states, values});
  }
};

// The same in closed form, for comparison.
struct ClosedForm {
  KOKKOS_FUNCTION double operator()(kubature::Point<double, 3> const& p) const {
    double const t = Oscillators::end, damping = p[2], omega = Kokkos::sqrt(p[1] - damping * damping);
    return p[0] * Kokkos::exp(-damping * t) * (Kokkos::cos(omega * t) + damping / omega * Kokkos::sin(omega * t));
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  kubature::Box<3> const box{{0.5, 1.5}, {1, 4}, {0.05, 0.2}}; // start, stiffness, damping
  kubature::VegasPlus const method{.evaluations = 20'000};
  auto const simulated = kubature::integrate(method, kubature::batched(Oscillators{}), box, {.relative = 2e-3});
  auto const expected = kubature::integrate(kubature::Pagani{}, ClosedForm{}, box, {.relative = 1e-6});
  std::cout << "simulated    " << simulated << "\nclosed form  " << expected << '\n';
  return std::abs(simulated.value - expected.value) < 5 * (simulated.error + expected.error) ? 0 : 1;
}
