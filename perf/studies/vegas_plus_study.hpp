#pragma once

#include "iteration_times.hpp"
#include "record.hpp"
#include "vegas_plus_integrands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

/// What the sections of the study vegas-plus share: the integrands, and timed calls.
namespace kubature::perf {

using Names = std::vector<std::string>;

/// The names of the methods that are measured on an integrand: one map for all axes suits symmetric integrands only.
inline Names methods(Integrand const& integrand) {
  return integrand.symmetric ? Names{"vegas+", "mcubes", "mcubes-1d"} : Names{"vegas+", "mcubes"};
}

class Study {
public:
  double scale = on_host ? 0.01 : 1;
  double seconds = 2;
  std::string section = "all";

  void prepare() {
    add_genz(integrands_);
    add_zmcintegral(integrands_);
    add_cuvegas(integrands_);
    add_linear(integrands_);
    add_single_precision(integrands_);
  }

  Integrand const& operator[](std::string const& name) const {
    auto const same = [&](Integrand const& integrand) { return integrand.name == name; };
    auto const found = std::find_if(integrands_.begin(), integrands_.end(), same);
    if (found == integrands_.end())
      throw std::invalid_argument("no integrand is called " + name);
    return *found;
  }

  double evaluations(double number) const { return std::max(1000.0, std::round(number * scale)); }
  int seeds(int number) const { return std::max(3, static_cast<int>(number * scale)); }

private:
  std::vector<Integrand> integrands_;
};

/// The beginning of a row.
inline Json row(Integrand const& integrand, Method const& method) {
  return {{"integrand", integrand.name},
          {"dimension", integrand.dimension},
          {"method", method.name},
          {"evaluations", method.evaluations}};
}

/// Prints the beginning of a line, which is that of a row.
inline void print(Integrand const& integrand, Method const& method) {
  std::fprintf(stderr, "%-14s %-9s %7.1e  ", integrand.name.c_str(), method.name.c_str(), method.evaluations);
}

inline double milliseconds(Kokkos::Timer const& timer) { return 1e3 * timer.seconds(); }

struct Timed {
  Result<> result;
  double milliseconds;
};

/// A call with a fresh integrator, including allocation, set-up and result.
inline Timed timed(Integrand const& integrand, Method const& method, Tolerance tolerance = {}, Limits limits = {}) {
  Kokkos::fence();
  Kokkos::Timer const timer;
  auto const result = integrand.integrator(method)(tolerance, limits, {});
  return {result, milliseconds(timer)};
}

/// A short call, so that the kernels are loaded before time is measured.
inline void load_kernels(Integrand const& integrand, Method method) {
  method.evaluations = 1000;
  timed(integrand, method);
}

/// The same call repeated several times: its result and the median of its times.
inline Timed timed_often(Integrand const& integrand, Method const& method, int repeat) {
  load_kernels(integrand, method);
  std::vector<double> times;
  Result<> result;
  for (int k = 0; k < repeat; ++k) {
    auto const call = timed(integrand, method);
    result = call.result;
    times.push_back(call.milliseconds);
  }
  return {result, median(times)};
}

} // namespace kubature::perf
