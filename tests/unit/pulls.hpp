#pragma once

#include <kubature/integrate.hpp>

#include <cmath>
#include <cstdint>

/// Mean and spread of (value - truth) / error over the seeds, and the mean of chi^2 / dof.
struct Pulls {
  double mean = 0, deviation = 0, chi2_per_dof = 0;
};

template <class Method, class F, int D>
Pulls pulls(Method method, F const& f, kubature::Box<D> const& box, double truth, int seeds) {
  double sum = 0, squares = 0, chi2 = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = kubature::integrate(method, f, box);
    double const pull = (result.value - truth) / result.error;
    sum += pull;
    squares += pull * pull;
    chi2 += result.chi2_per_dof;
  }
  double const mean = sum / seeds;
  return {mean, std::sqrt((squares - seeds * mean * mean) / (seeds - 1)), chi2 / seeds};
}
