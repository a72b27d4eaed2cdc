#include <kubature/runtime/evidence.hpp>

#include "search_box.hpp"
#include "several.hpp"

#include <kubature/batched.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::runtime {

Evidence log_evidence(BatchFunction const& log_f, Box<dynamic_many> const& box, EvidenceOptions const& options,
                      Limits const& limits, std::source_location where) {
  kubature::detail::check_kokkos(where);
  require(static_cast<bool>(log_f), "log_f", "empty", "give a function", where);
  require(box.dimension() <= max_dimension, "number of variables", box.dimension(),
          "an evidence is computed in up to 20 variables", where);
  detail::check_lengths(box, where);
  return kubature::log_evidence(Kokkos::DefaultExecutionSpace(), batched(log_f), Box<dynamic>(box), options, limits,
                                where);
}

Evidence log_evidence(Expression const& log_f, Box<dynamic_many> const& box, EvidenceOptions const& options,
                      Limits const& limits, std::source_location where) {
  kubature::detail::check_kokkos(where);
  detail::check_dimension(log_f.dimension(), box, where);
  return log_evidence(detail::in_batches(Expressions::parse(log_f.text(), log_f.variables(), where)), box, options,
                      limits, where);
}

Evidence log_evidence(Expression const& log_f, FormulaDomain const& domain, EvidenceOptions const& options,
                      Limits const& limits, std::source_location where) {
  return log_evidence(log_f, detail::sides_of(domain, where), options, limits, where);
}

Evidence log_evidence(BatchFunction const& log_f, FormulaDomain const& domain, EvidenceOptions const& options,
                      Limits const& limits, std::source_location where) {
  return log_evidence(log_f, detail::sides_of(domain, where), options, limits, where);
}

} // namespace kubature::runtime
