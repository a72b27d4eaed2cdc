#pragma once

#include <vector>

namespace kubature::suite {

/// The relative tolerances of the PAGANI paper's study: 1e-3, and always a fifth of the last, down to `last`.
inline std::vector<double> ladder(double last = 1.024e-10) {
  std::vector<double> all;
  for (double inverse = 1e3; 1 / inverse >= last; inverse *= 5) // so that each is the double next to its decimal digits
    all.push_back(1 / inverse);
  return all;
}

} // namespace kubature::suite
