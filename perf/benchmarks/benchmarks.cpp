// The cost of an iteration on the default execution space, by method, dimension and size, and the cost of the
// expression interpreter compared to the same formula compiled.
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <benchmark/benchmark.h>

namespace {

using namespace kubature;
using Space = Kokkos::DefaultExecutionSpace;

/// One iteration per pass, with a warm integrator.
template <class Method, class F, int D>
void iterate(benchmark::State& state, Method method, F const& f, Box<D> const& box) {
  method.evaluations = static_cast<std::uint64_t>(state.range(0));
  method.iterations = 1;
  Integrator integrator(Space(), method);
  integrator.integrate(f, box);
  std::uint64_t evaluations = 0;
  for (auto _ : state)
    evaluations += integrator.integrate(f, box).evaluations;
  state.counters["evaluations"] = benchmark::Counter(static_cast<double>(evaluations), benchmark::Counter::kIsRate);
}

void plain(benchmark::State& state) { iterate(state, PlainMonteCarlo{}, suite::F4<5>{}, Box<5>{}); }
void mcubes_refined(benchmark::State& state) {
  iterate(state, MCubes{.adapt = 1, .skip = 0}, suite::F4<5>{}, Box<5>{});
}
template <int D>
void mcubes_frozen(benchmark::State& state) {
  iterate(state, MCubes{.adapt = 0, .skip = 0}, suite::F4<D>{}, Box<D>{});
}
void mcubes_expression(benchmark::State& state) {
  auto const f = Expression::parse("exp(-625*((x1-0.5)^2+(x2-0.5)^2+(x3-0.5)^2+(x4-0.5)^2+(x5-0.5)^2))");
  iterate(state, MCubes{.adapt = 0, .skip = 0}, f, Box<5>{});
}

constexpr std::int64_t small = 1 << 14, large = 1 << 20;
BENCHMARK(plain)->Arg(small)->Arg(large)->UseRealTime();
BENCHMARK(mcubes_refined)->Arg(small)->Arg(large)->UseRealTime();
BENCHMARK(mcubes_frozen<2>)->Arg(large)->UseRealTime();
BENCHMARK(mcubes_frozen<5>)->Arg(small)->Arg(large)->UseRealTime();
BENCHMARK(mcubes_frozen<10>)->Arg(large)->UseRealTime();
BENCHMARK(mcubes_expression)->Arg(large)->UseRealTime();

} // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  Kokkos::ScopeGuard const guard(settings);
  benchmark::RunSpecifiedBenchmarks();
}
