#include <kubature/detail/cubature/threshold.hpp>

namespace kubature::detail {

Threshold threshold_by_error(ErrorCounts const& counts, double allowance) {
  Threshold threshold{ErrorBins::count - 1, 0};
  double below = 0;
  for (; threshold.last_bin >= 1; --threshold.last_bin) { // the errors of bin 0 have no bound
    double const more = static_cast<double>(counts[threshold.last_bin]) * ErrorBins::bound(threshold.last_bin);
    if (below + more > allowance)
      break;
    below += more;
  }
  for (int bin = 0; bin <= threshold.last_bin; ++bin)
    threshold.above += counts[bin];
  return threshold;
}

Threshold threshold_by_count(ErrorCounts const& counts, std::uint64_t count) {
  Threshold threshold;
  while (threshold.last_bin + 1 < ErrorBins::count && threshold.above < count)
    threshold.above += counts[++threshold.last_bin];
  return threshold;
}

double sum_of_errors(ErrorCounts const& counts) {
  double sum = 0;
  for (int bin = ErrorBins::count - 1; bin >= 0; --bin)
    sum += static_cast<double>(counts[bin]) * ErrorBins::bound(bin);
  return sum;
}

} // namespace kubature::detail
