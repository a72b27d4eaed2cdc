#include <kubature/several_result.hpp>

namespace kubature {
namespace {

detail::JointValues joint(SeveralResult const& of, std::source_location where) {
  return {of.value, of.error, of.correlations, where};
}

} // namespace

double SeveralResult::correlation(int i, int j, std::source_location where) const {
  return joint(*this, where).correlation(i, j);
}
double SeveralResult::covariance(int i, int j, std::source_location where) const {
  return joint(*this, where).covariance(i, j);
}
ValueAndError SeveralResult::ratio(int i, int j, std::source_location where) const {
  return joint(*this, where).ratio(i, j);
}
ValueAndError SeveralResult::linear(std::span<double const> weights, std::source_location where) const {
  return joint(*this, where).linear(weights);
}
ValueAndError SeveralResult::sum(std::source_location where) const {
  return joint(*this, where).linear(std::vector<double>(value.size(), 1.0));
}

std::ostream& operator<<(std::ostream& out, SeveralResult const& result) {
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t c = 0; c < result.value.size(); ++c) {
    out << format(result.value[c], result.error[c]) << "  ";
    chi2 = std::fmax(chi2, result.chi2_per_dof[c]);
  }
  out << detail::describe(result.status, result.iterations.size(), result.dof > 0 ? result.chi2 / result.dof : chi2,
                          result.evaluations, result.regions, result.non_finite, result.seconds)
      << detail::correlation_table(result.components(), result.correlations);
  for (auto const& remark : result.remarks)
    out << "\n  " << remark;
  return out;
}

} // namespace kubature
