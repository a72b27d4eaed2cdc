#include "batches.hpp"
#include "give_peaks.hpp"
#include "handles.hpp"

#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/runtime/peaks.hpp>

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

using namespace kubature;
using namespace kubature::c;

namespace {

static_assert(KUBATURE_MOST_PEAKS == kubature::detail::PeaksPolicy().most_modes);

/// @tparam Domain Box or FormulaDomain
template <class Domain>
std::vector<Peak> find(kubature_integrand const& integrand, Domain const& box, PeakOptions search) {
  check_process();
  begin_kokkos();
  Computing const computing;
  if (auto const* expression = std::get_if<Expression>(&integrand.f))
    return runtime::find_peaks(Expressions::parse(expression->text(), expression->variables()), box, search);
  if (auto const* expressions = std::get_if<Expressions>(&integrand.f))
    return runtime::find_peaks(*expressions, box, search);
  Rows rows;
  return with_batches(integrand, rows, [&](runtime::BatchFunction const& f, int components) {
    return runtime::find_peaks(f, components, box, search);
  });
}

} // namespace

void kubature::c::give(std::vector<Peak> const& peaks, int64_t capacity, double* at, double* log_height,
                       double* covariance, double* log_integral, int64_t* count) {
  require(capacity >= 0, "capacity", capacity, "must not be negative");
  auto const shown = std::min(peaks.size(), static_cast<std::size_t>(capacity));
  for (std::size_t k = 0; k < shown; ++k) {
    auto const& peak = peaks[k];
    if (at)
      at = std::ranges::copy(peak.at, at).out;
    if (log_height)
      log_height[k] = peak.log_height;
    if (covariance)
      covariance = std::ranges::copy(peak.covariance, covariance).out;
    if (log_integral)
      log_integral[k] = kubature::log_integral(peak);
  }
  if (count)
    *count = static_cast<int64_t>(peaks.size());
}

int kubature_find_peaks(kubature_integrand const* integrand, kubature_box const* box, int64_t evaluations,
                        uint64_t seed, int64_t capacity, double* at, double* log_height, double* covariance,
                        double* log_integral, int64_t* count) {
  return guarded([&] {
    auto const& over = given(box, "box");
    auto const f = given(integrand, "integrand").on(over);
    require(evaluations >= 1000, "evaluations", evaluations, "a search takes at least 1000");
    PeakOptions const search{.evaluations = static_cast<std::uint64_t>(evaluations), .seed = seed};
    auto const peaks =
        over.text.empty() ? find(f, over.box, search) : find(f, FormulaDomain::parse(over.text, f.variables()), search);
    give(peaks, capacity, at, log_height, covariance, log_integral, count);
  });
}
