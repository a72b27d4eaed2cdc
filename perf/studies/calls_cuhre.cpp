#include "calls.hpp"
#include "record.hpp"

#include <kubature/suite/genz.hpp>
#include <kubature/suite/two_phase.hpp>

#include <algorithm>

namespace kubature::perf {
namespace {

template <class F>
std::vector<CuhreRung> descend(oracle::Cuhre<F>& cuhre, std::vector<double> const& tolerances, CuhreLimits limits) {
  std::vector<CuhreRung> rungs;
  Kokkos::Timer const timer;
  cuhre.start();
  for (double const tolerance : tolerances) {
    CuhreRung rung{tolerance};
    std::uint64_t limit = 0;
    do { // looks at the clock now and then
      limit = std::min(limits.evaluations, rung.result.evaluations + rung.result.evaluations / 10 + 100'000);
      rung.result = cuhre.go_on(tolerance, 0, limit);
    } while (!rung.result.converged && limit < limits.evaluations && timer.seconds() < limits.seconds);
    rung.seconds = timer.seconds();
    rungs.push_back(rung);
    if (!rung.result.converged)
      break;
  }
  return rungs;
}

/// The times of what a fraction of a second suffices for are medians of several.
template <int D, class F>
Cuhre cuhre(F const& f) {
  return [f](std::vector<double> const& tolerances, CuhreLimits limits) {
    CubatureRule const rule(Rule::automatic, D);
    oracle::Cuhre cuhre(oracle::on_coordinates<D>(f), rule);
    auto rungs = descend(cuhre, tolerances, limits);
    std::vector<std::vector<double>> seconds(rungs.size());
    for (int k = 0; k < 4; ++k) {
      auto const again = descend(cuhre, tolerances, {limits.evaluations, std::min(limits.seconds, 0.05)});
      for (std::size_t i = 0; i < std::min(again.size(), rungs.size()) && again[i].result.converged; ++i)
        seconds[i].push_back(again[i].seconds);
    }
    for (std::size_t i = 0; i < rungs.size(); ++i)
      if (!seconds[i].empty())
        rungs[i].seconds = median(seconds[i]);
    return rungs;
  };
}

template <template <int> class F, int... D>
void add(std::map<std::string, Cuhre, std::less<>>& to, std::string const& name) {
  (to.emplace(name + '-' + std::to_string(D) + 'd', cuhre<D>(F<D>{})), ...);
}

} // namespace

std::map<std::string, Cuhre, std::less<>> sequential_cuhre() {
  std::map<std::string, Cuhre, std::less<>> all;
  auto const visit = [&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const&) {
    if (entry.side.lower == 0 && entry.side.upper == 1)
      all.emplace(entry.name, cuhre<D>(f));
  };
  suite::for_each<suite::Genz>(visit);
  suite::for_each<suite::TwoPhase>(visit);
  add<suite::TwoPhaseF1, 3, 4>(all, "two-phase-f1");
  add<suite::TwoPhaseF2, 3, 4>(all, "two-phase-f2");
  add<suite::TwoPhaseF3, 4>(all, "two-phase-f3");
  add<suite::TwoPhaseF4, 4, 5>(all, "two-phase-f4");
  add<suite::TwoPhaseF5, 6, 7>(all, "two-phase-f5");
  return all;
}

} // namespace kubature::perf
