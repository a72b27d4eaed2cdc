#include "vegas_plus_integrands.hpp"

#include <kubature/suite/genz.hpp>

namespace kubature::perf {

void add_genz(std::vector<Integrand>& integrands) {
  using namespace suite;
  add_from_suite<Genz, F1<5>, F2<6>, F3<3>, F4<5>, F5<8>, F6<6>>(integrands);
}

} // namespace kubature::perf
