#include "calls.hpp"

#include <kubature/suite/genz.hpp>
#include <kubature/suite/two_phase.hpp>

namespace kubature::perf {
namespace {

template <int D, class F>
Cuhre cuhre(F const& f) {
  return [f](double relative, std::uint64_t evaluations) {
    CubatureRule const rule(Rule::automatic, D);
    return oracle::Cuhre(oracle::on_coordinates<D>(f), rule)(relative, 0, evaluations);
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
