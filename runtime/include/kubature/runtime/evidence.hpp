#pragma once

#include <kubature/box.hpp>
#include <kubature/evidence.hpp>
#include <kubature/expressions.hpp>
#include <kubature/formula_domain.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/tolerance.hpp>

#include <source_location>

namespace kubature::runtime {

/// kubature::log_evidence for a formula known at run time, which gives the logarithm. Throws InvalidArgument unless the
/// box has as many sides as the formula has variables, at most 20.
Evidence log_evidence(Expression const& log_f, Box<dynamic_many> const& box, EvidenceOptions const& options = {},
                      Limits const& limits = {}, std::source_location where = std::source_location::current());
/// As above, for a function that evaluates batches, with one value at a point.
Evidence log_evidence(BatchFunction const& log_f, Box<dynamic_many> const& box, EvidenceOptions const& options = {},
                      Limits const& limits = {}, std::source_location where = std::source_location::current());

/// As above, in a domain that is a box. Throws InvalidArgument, which names "box" or "domain", for others.
Evidence log_evidence(Expression const& log_f, FormulaDomain const& domain, EvidenceOptions const& options = {},
                      Limits const& limits = {}, std::source_location where = std::source_location::current());
/// As above, for a function that evaluates batches.
Evidence log_evidence(BatchFunction const& log_f, FormulaDomain const& domain, EvidenceOptions const& options = {},
                      Limits const& limits = {}, std::source_location where = std::source_location::current());

} // namespace kubature::runtime
