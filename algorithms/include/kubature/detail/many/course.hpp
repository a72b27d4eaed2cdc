#pragma once

#include <kubature/integrand.hpp>
#include <kubature/many_results.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace kubature::detail {

/// The integrals that a rank computes: numbers first ... first + size - 1 of `total` that share the limits.
struct ManyRows {
  std::uint64_t first = 0, size = 0, total = 0;
};

/// Results of this many integrals of which nothing is known yet.
template <class Value>
ManyResults<Value> unknown_results(std::size_t count, std::string_view method, std::string_view backend,
                                   std::string_view precision) {
  using Traits = ValueTraits<Value>;
  Value none;
  for (int c = 0; c < Traits::components; ++c)
    Traits::get(none, c) = std::numeric_limits<double>::quiet_NaN();
  ManyResults<Value> results;
  results.value.assign(count, none);
  results.error.assign(count, none);
  results.non_finite.assign(count, 0);
  results.status.assign(count, Status::memory_exhausted);
  results.method = method;
  results.backend = backend;
  results.precision = precision;
  return results;
}

/// What a callback receives: the number of integrals that have ended.
template <class Value>
Progress progress(ManyResults<Value> const& results, std::size_t ended, double seconds) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  return {results.method, static_cast<int>(ended), results.evaluations, nan, nan, seconds};
}

} // namespace kubature::detail
