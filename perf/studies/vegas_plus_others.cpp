#include "vegas_plus_integrands.hpp"

#include <kubature/suite/genz.hpp>

namespace kubature::perf {

void add_zmcintegral(std::vector<Integrand>& integrands) {
  add_from_suite<suite::Genz, suite::FA<6>, suite::FB<9>>(integrands);
}

void add_single_precision(std::vector<Integrand>& integrands) {
  suite::for_each<suite::Genz>([&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const& box) {
    if constexpr (std::is_same_v<F, suite::F4<5>>)
      integrands.push_back(
          {std::string(entry.name) + " fp32", D, entry.value, entry.symmetric, entry.cost, integrators(fp32, f, box)});
  });
}

} // namespace kubature::perf
