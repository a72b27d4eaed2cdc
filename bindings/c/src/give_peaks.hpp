#pragma once

#include <kubature/peaks.hpp>

#include <cstdint>
#include <vector>

namespace kubature::c {

/// Fills what kubature_find_peaks() receives.
void give(std::vector<Peak> const& peaks, std::int64_t capacity, double* at, double* log_height, double* covariance,
          double* log_integral, std::int64_t* count);

} // namespace kubature::c
