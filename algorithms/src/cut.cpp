#include <kubature/detail/cubature/cut.hpp>

namespace kubature::detail {

Cut cut_by_error(ErrorCounts const& counts, double allowance) {
  Cut cut{ErrorBins::count - 1, 0};
  double left = 0;
  for (; cut.last_bin >= 1; --cut.last_bin) { // the errors of bin 0 have no bound
    double const more = static_cast<double>(counts[cut.last_bin]) * ErrorBins::bound(cut.last_bin);
    if (left + more > allowance)
      break;
    left += more;
  }
  for (int bin = 0; bin <= cut.last_bin; ++bin)
    cut.count += counts[bin];
  return cut;
}

Cut cut_by_count(ErrorCounts const& counts, std::uint64_t count) {
  Cut cut;
  while (cut.last_bin + 1 < ErrorBins::count && cut.count < count)
    cut.count += counts[++cut.last_bin];
  return cut;
}

double sum_of_errors(ErrorCounts const& counts) {
  double sum = 0;
  for (int bin = ErrorBins::count - 1; bin >= 0; --bin)
    sum += static_cast<double>(counts[bin]) * ErrorBins::bound(bin);
  return sum;
}

} // namespace kubature::detail
