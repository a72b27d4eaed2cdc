#include "vegas_plus_integrands.hpp"

#include <kubature/suite/cuvegas.hpp>

namespace kubature::perf {

void add_cuvegas(std::vector<Integrand>& integrands) {
  using namespace suite;
  add_from_suite<CuVegas, Linear<10>, RoosArnold<10>, Gaussian<4>, Ridge<4>, FeynmanPath<8>>(integrands);
}

} // namespace kubature::perf
