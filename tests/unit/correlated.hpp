#pragma once

#include <kubature/integrate.hpp>

#include <cstdint>

/// Methods that estimate covariances.
namespace correlated_methods {

using namespace kubature;

/// A method with a covariance; mixed precision by regions.
template <class Method>
Method correlated(std::uint64_t evaluations) {
  Method method;
  method.evaluations = evaluations;
  method.covariance = Covariance::full;
  if constexpr (requires { method.strategy; })
    method.strategy = Strategy::region;
  return method;
}

} // namespace correlated_methods
