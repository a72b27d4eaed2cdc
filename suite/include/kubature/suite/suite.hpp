#pragma once

#include <kubature/suite/cuvegas.hpp>
#include <kubature/suite/genz.hpp>
#include <kubature/suite/mixed.hpp>
#include <kubature/suite/two_phase.hpp>

/// \file
/// The integrals of the papers that the library implements, with their true values.

namespace kubature::suite {

/// Calls visit(Entry const&, integrand, Box<D>) for each reference integral. To compile a part of them at a
/// time, use the for_each of Genz, CuVegas, TwoPhase or Mixed.
template <class Visitor>
void for_each(Visitor&& visit) {
  Genz::for_each(visit);
  CuVegas::for_each(visit);
  TwoPhase::for_each(visit);
  Mixed::for_each(visit);
}

} // namespace kubature::suite
