#include <kubature/detail/joint_mean.hpp>

#include <kubature/covariance.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace kubature::detail {
namespace {

/// Pivots below this, in a matrix with a unit diagonal, are rounding errors.
constexpr double min_diagonal = 1e-12;

std::size_t triangle(std::size_t j) { return j * (j - (j > 0)) / 2; }

/// Eight sums side by side, so that the compiler can vectorise.
double dot(double const* x, double const* y, std::size_t n) {
  double part[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (std::size_t l = 0; l < 8; ++l)
      part[l] += x[k + l] * y[k + l];
  double sum = 0;
  for (double const one : part)
    sum += one;
  for (; k < n; ++k)
    sum += x[k] * y[k];
  return sum;
}

/// |L^-1 d|^2 and the rank, where a = L L^T is factored with pivoting. a is stored as its lower triangle, row by row.
std::pair<double, int> squared_length(std::vector<std::vector<double>> const& a, std::vector<double> d) {
  std::size_t const n = d.size();
  std::vector<double> diagonal(n);
  for (std::size_t i = 0; i < n; ++i)
    diagonal[i] = a[i][i];
  std::vector<std::size_t> row(n); // in the order of the pivots
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::vector<double>> factor(n); // rows of L, by component number
  double sum = 0;
  std::size_t k = 0;
  for (; k < n; ++k) {
    auto const pivot = static_cast<std::size_t>(
        std::max_element(row.begin() + static_cast<std::ptrdiff_t>(k), row.end(),
                         [&](std::size_t i, std::size_t j) { return diagonal[i] < diagonal[j]; }) -
        row.begin());
    std::swap(row[k], row[pivot]);
    std::size_t const p = row[k];
    if (!(diagonal[p] > min_diagonal))
      break;
    double const root = std::sqrt(diagonal[p]);
    double const along = d[p] / root;
    sum += along * along;
    auto const& of_p = factor[p];
    for (std::size_t m = k + 1; m < n; ++m) {
      std::size_t const i = row[m];
      double const element = ((i > p ? a[i][p] : a[p][i]) - dot(factor[i].data(), of_p.data(), k)) / root;
      factor[i].push_back(element);
      diagonal[i] -= element * element;
      d[i] -= element * along;
    }
  }
  return {sum, static_cast<int>(k)};
}

} // namespace

void JointMean::guide_by(std::vector<double> const& error, double samples) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (!(error[i] > 0) || !std::isfinite(error[i]))
      continue;
    double const of_a_sample = error[i] * std::sqrt(samples);
    if (reference_[i] == 0)
      reference_[i] = of_a_sample;
    double const ratio = of_a_sample / reference_[i];
    sum += ratio * ratio;
    ++count;
  }
  if (count > 0 && std::isfinite(sum))
    variance_ = sum / count;
}

void JointMean::test(std::vector<double> const& value, JointErrors const& errors, double degrees) {
  std::vector<std::size_t> kept;
  std::vector<double> root, d;
  double mine = 0, others = 0; // variances, for the degrees of freedom of their sum
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (unit_[i] == 0)
      continue;
    double const e = errors.error[i] / unit_[i];
    double const before = variances_[i] / (weights_ * weights_), variance = e * e + before;
    if (!(variance > 0))
      continue;
    kept.push_back(i);
    root.push_back(std::sqrt(variance));
    d.push_back((value[i] - value_[i]) / unit_[i] / root.back());
    mine += e * e / variance;
    others += before / variance;
  }
  std::size_t const n = kept.size();
  std::vector<std::vector<double>> v(n);
  for (std::size_t a = 0; a < n; ++a) {
    v[a].resize(a + 1, 1);
    for (std::size_t b = 0; b < a; ++b) {
      std::size_t const i = kept[b], j = kept[a], pair = triangle(j) + i;
      v[a][b] = (errors.correlations[pair] * (errors.error[i] / unit_[i]) * (errors.error[j] / unit_[j]) +
                 covariances_[pair] / (weights_ * weights_)) /
                root[a] / root[b];
    }
  }
  auto const [length, rank] = squared_length(v, d);
  double const all = (mine + others) * (mine + others) /
                     std::max(mine * mine / degrees + others * others / degrees_, std::numeric_limits<double>::min());
  tested_ = tested_ && all > 2.0 * rank && std::isfinite(length);
  chi2_ += length * (all - rank - 1) / all;
  dof_ += rank;
}

void JointMean::add(std::vector<double> const& value, JointErrors const& errors, double samples, double degrees,
                    bool adaptive, bool included) {
  std::size_t const c = value.size(), of_pairs = triangle(c);
  if (reference_.empty()) {
    unit_.assign(c, 0);
    reference_.assign(c, 0);
    value_.assign(c, 0);
    variances_.assign(c, 0);
    covariances_.assign(of_pairs, 0);
  }
  if (!std::exchange(any_, true) && adaptive)
    guide_by(errors.error, samples); // the first estimate has no predecessor
  if (included) {
    for (std::size_t i = 0; i < c; ++i)
      if (unit_[i] == 0 && errors.error[i] > 0 && std::isfinite(errors.error[i]))
        unit_[i] = std::ldexp(1.0, std::ilogb(errors.error[i]));
    bool const finite = std::all_of(value.begin(), value.end(), [](double x) { return std::isfinite(x); });
    tested_ = tested_ && finite && c <= max_tested_jointly;
    if (weights_ > 0 && tested_)
      test(value, errors, degrees);
    double const weight = samples / variance_;
    weights_ += weight;
    squared_weights_ += weight * weight / degrees;
    degrees_ = weights_ * weights_ / squared_weights_;
    std::vector<double> step(c);
    for (std::size_t i = 0; i < c; ++i) {
      value_[i] += weight / weights_ * (value[i] - value_[i]);
      step[i] = unit_[i] > 0 ? weight * (errors.error[i] / unit_[i]) : 0;
      variances_[i] += step[i] * step[i];
    }
    for (std::size_t j = 1; j < c; ++j)
      for (std::size_t i = 0; i < j; ++i)
        covariances_[triangle(j) + i] += errors.correlations[triangle(j) + i] * step[i] * step[j];
  }
  if (adaptive)
    guide_by(errors.error, samples);
}

JointCombined JointMean::combined() const {
  JointCombined result{value_, {{}, covariances_}, chi2_, dof_};
  for (std::size_t i = 0; i < value_.size(); ++i)
    result.errors.error.push_back(unit_[i] * (std::sqrt(variances_[i]) / weights_));
  for (std::size_t j = 1; j < value_.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      double& correlation = result.errors.correlations[triangle(j) + i];
      double const a = std::sqrt(variances_[i]), b = std::sqrt(variances_[j]);
      correlation = a == 0 || b == 0 ? 0 : std::clamp(correlation / a / b, -1.0, 1.0);
    }
  if (!tested_) {
    result.chi2 = std::numeric_limits<double>::quiet_NaN();
    result.dof = 0;
  }
  return result;
}

} // namespace kubature::detail
