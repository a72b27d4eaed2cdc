#include "vegas_plus_integrands.hpp"

#include <kubature/suite/cuvegas.hpp>

namespace kubature::perf {
namespace {

template <int D>
Integrand linear() {
  return {"linear-" + std::to_string(D), D, D / 2.0, true, 1, integrators(fp64, suite::Linear<D>{}, Box<D>{})};
}

} // namespace

void add_linear(std::vector<Integrand>& integrands) {
  for (auto const& integrand : {linear<2>(), linear<4>(), linear<6>(), linear<8>(), linear<14>(), linear<20>()})
    integrands.push_back(integrand);
}

} // namespace kubature::perf
