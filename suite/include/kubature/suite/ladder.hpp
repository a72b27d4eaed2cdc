#pragma once

#include <vector>

namespace kubature::suite {

/// The relative tolerances of the study in the PAGANI paper: 1e-3, then a fifth of the previous one each time, down to
/// `last`.
inline std::vector<double> ladder(double last = 1.024e-10) {
  std::vector<double> all;
  for (double inverse = 1e3; 1 / inverse >= last; inverse *= 5) // each is the double nearest to its decimal digits
    all.push_back(1 / inverse);
  return all;
}

} // namespace kubature::suite
