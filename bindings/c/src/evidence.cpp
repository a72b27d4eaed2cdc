#include "batches.hpp"
#include "give_peaks.hpp"
#include "handles.hpp"

#include <kubature/runtime/evidence.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

using namespace kubature;
using namespace kubature::c;

struct kubature_evidence {
  Evidence evidence;
  int dimension;
  std::string remarks;
};

namespace {

/// @tparam Domain Box or FormulaDomain
template <class Domain>
Evidence compute(kubature_integrand const& log_f, Domain const& box, EvidenceOptions const& options,
                 Limits const& limits) {
  check_process();
  begin_kokkos();
  Computing const computing;
  if (auto const* expression = std::get_if<Expression>(&log_f.f))
    return runtime::log_evidence(*expression, box, options, limits);
  auto const one = [](int components) {
    require(components == 1, "components", components, "the logarithm of an integrand has one component");
  };
  if (auto const* expressions = std::get_if<Expressions>(&log_f.f)) {
    one(expressions->size());
    return runtime::log_evidence(Expression::parse(expressions->text(), expressions->variables()), box, options,
                                 limits);
  }
  Rows rows;
  return with_batches(log_f, rows, [&](runtime::BatchFunction const& f, int components) {
    one(components);
    return runtime::log_evidence(f, box, options, limits);
  });
}

std::uint64_t whole(std::int64_t value, char const* name, std::int64_t least) {
  require(value >= least, name, value, "must be at least " + std::to_string(least));
  return static_cast<std::uint64_t>(value);
}

} // namespace

int kubature_log_evidence(kubature_integrand const* log_f, kubature_box const* box, double error, int64_t search,
                          int64_t samples, int64_t max_evaluations, double seconds, uint64_t seed, int keep,
                          kubature_evidence** evidence) {
  return guarded([&] {
    given(evidence, "evidence");
    auto const& over = given(box, "box");
    auto const f = given(log_f, "log_f").on(over);
    require(error > 0 && std::isfinite(error), "error", error, "a tolerance must be finite and positive");
    require(seconds >= 0, "seconds", seconds, "must not be negative");
    EvidenceOptions const options{.error = error,
                                  .search = whole(search, "search", 1000),
                                  .samples = whole(samples, "samples", 1000),
                                  .seed = seed,
                                  .keep = keep != 0};
    Limits limits;
    if (whole(max_evaluations, "max_evaluations", 0) > 0)
      limits.evaluations = static_cast<std::uint64_t>(max_evaluations);
    if (seconds > 0)
      limits.seconds = seconds;
    std::optional<FormulaDomain> domain;
    if (!over.text.empty())
      domain = FormulaDomain::parse(over.text, f.variables());
    auto found = domain ? compute(f, *domain, options, limits) : compute(f, over.box, options, limits);
    std::string remarks;
    for (auto const& remark : found.remarks)
      remarks += (remarks.empty() ? "" : "\n") + remark;
    int const d = domain ? domain->sides().dimension() : over.box.dimension();
    *evidence = new kubature_evidence{std::move(found), d, std::move(remarks)};
  });
}

void kubature_evidence_destroy(kubature_evidence* evidence) { delete evidence; }

double kubature_evidence_get(kubature_evidence const* evidence, kubature_evidence_number number) {
  return guarded(std::numeric_limits<double>::quiet_NaN(), [&] {
    auto const& of = given(evidence, "evidence").evidence;
    switch (number) {
    case KUBATURE_LOG_EVIDENCE:
      return of.log_evidence;
    case KUBATURE_LOG_EVIDENCE_ERROR:
      return of.error;
    case KUBATURE_EVIDENCE_Q_VALUE:
      return of.q_value;
    case KUBATURE_EVIDENCE_K_HAT:
      return of.k_hat;
    case KUBATURE_EVIDENCE_EFFECTIVE:
      return of.effective;
    case KUBATURE_EVIDENCE_EVALUATIONS:
      return static_cast<double>(of.evaluations);
    case KUBATURE_EVIDENCE_SECONDS:
      return of.seconds;
    }
    throw InvalidArgument("number", std::to_string(static_cast<int>(number)), "there is no such number");
  });
}

kubature_status kubature_evidence_status(kubature_evidence const* evidence) {
  return guarded(KUBATURE_NO_VARIANCE,
                 [&] { return static_cast<kubature_status>(given(evidence, "evidence").evidence.status); });
}

char const* kubature_evidence_remarks(kubature_evidence const* evidence) {
  return guarded("", [&] { return given(evidence, "evidence").remarks.c_str(); });
}

int kubature_evidence_moments(kubature_evidence const* evidence, double* mean, double* covariance) {
  return guarded([&] {
    auto const& of = given(evidence, "evidence");
    auto const give = [&](std::vector<double> const& from, double* to, int count) {
      if (to != nullptr && from.empty())
        std::fill_n(to, count, std::numeric_limits<double>::quiet_NaN());
      else if (to != nullptr)
        std::ranges::copy(from, to);
    };
    give(of.evidence.mean, mean, of.dimension);
    give(of.evidence.covariance, covariance, of.dimension * of.dimension);
  });
}

int kubature_evidence_samples(kubature_evidence const* evidence, int64_t* count, double* points, double* log_weights) {
  return guarded([&] {
    auto const& of = given(evidence, "evidence").evidence;
    if (count != nullptr)
      *count = static_cast<int64_t>(of.log_weights.size());
    if (points != nullptr)
      std::ranges::copy(of.points, points);
    if (log_weights != nullptr)
      std::ranges::copy(of.log_weights, log_weights);
  });
}

int kubature_evidence_peaks(kubature_evidence const* evidence, int64_t capacity, double* at, double* log_height,
                            double* covariance, double* log_integral, int64_t* count) {
  return guarded([&] {
    give(given(evidence, "evidence").evidence.peaks, capacity, at, log_height, covariance, log_integral, count);
  });
}
