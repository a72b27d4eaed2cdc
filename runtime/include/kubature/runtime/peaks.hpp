#pragma once

#include <kubature/box.hpp>
#include <kubature/expressions.hpp>
#include <kubature/formula_domain.hpp>
#include <kubature/peaks.hpp>
#include <kubature/runtime/integrator.hpp>

#include <source_location>
#include <vector>

namespace kubature::runtime {

/// kubature::find_peaks for formulas known at run time: their sum of magnitudes counts. Throws InvalidArgument unless
/// the box has as many sides as the formulas have variables, at most 20.
std::vector<Peak> find_peaks(Expressions const& integrand, Box<dynamic_many> const& box, PeakOptions search = {},
                             std::source_location where = std::source_location::current());

/// As above, for a function that evaluates batches.
/// @param components number of values at a point, at least 1
std::vector<Peak> find_peaks(BatchFunction const& integrand, int components, Box<dynamic_many> const& box,
                             PeakOptions search = {}, std::source_location where = std::source_location::current());

/// As above, in a domain that is a box. Throws InvalidArgument, which names "box" or "domain", for others: their
/// coordinates have no peaks of f, but of f times a Jacobian.
std::vector<Peak> find_peaks(Expressions const& integrand, FormulaDomain const& domain, PeakOptions search = {},
                             std::source_location where = std::source_location::current());
/// As above, for a function that evaluates batches.
std::vector<Peak> find_peaks(BatchFunction const& integrand, int components, FormulaDomain const& domain,
                             PeakOptions search = {}, std::source_location where = std::source_location::current());

} // namespace kubature::runtime
