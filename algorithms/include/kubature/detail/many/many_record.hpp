#pragma once

#include <kubature/many_results.hpp>
#include <kubature/progress.hpp>
#include <kubature/result.hpp>
#include <kubature/several_result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The integrals that a rank computes: numbers first ... first + size - 1 of `total` that share the limits.
struct ManyRows {
  std::uint64_t first = 0, size = 0, total = 0;
};

/// The results of many integrals, with as many components as they have.
struct ManyRecord : ManyResults<std::vector<double>> {
  /// Unknown results of this many integrals.
  ManyRecord(std::size_t count, int components, std::string_view method_name);

  /// Sets the status of these integrals.
  void end(std::span<std::uint32_t const> which, Status status);
  /// The argument of a callback: the number of integrals that have ended.
  Progress progress(std::size_t ended, double seconds_so_far) const;
};

/// The same in the type that the integrand requires.
template <class Value>
ManyResults<Value> to_many(ManyRecord record, std::string_view backend, std::string_view precision) {
  ManyResults<Value> results;
  for (std::size_t i = 0; i < record.size(); ++i) {
    results.value.push_back(to_value<Value>(record.value[i]));
    results.error.push_back(to_value<Value>(record.error[i]));
  }
  results.status = std::move(record.status);
  results.non_finite = std::move(record.non_finite);
  results.evaluations = record.evaluations;
  results.seconds = record.seconds;
  results.method = record.method;
  results.backend = backend;
  results.precision = precision;
  return results;
}

} // namespace kubature::detail
