#include <kubature/detail/correlated.hpp>

#include "weights.hpp"

#include <kubature/covariance.hpp>
#include <kubature/detail/symmetric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kubature::detail {
namespace {

/// Variances below this fraction of the largest one are rounding errors.
constexpr double min_eigenvalue = 1e-12;

bool all_finite(std::vector<double> const& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

double correlation(JointErrors const& of, std::size_t i, std::size_t j) {
  return i == j ? 1
                : of.correlations[static_cast<std::size_t>(
                      pair_place(static_cast<int>(std::min(i, j)), static_cast<int>(std::max(i, j))))];
}

/// The covariance of some components in these units.
Matrix covariance(JointErrors const& of, std::vector<std::size_t> const& components, std::vector<double> const& unit) {
  std::size_t const n = components.size();
  Matrix result(n, n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      auto const i = components[a], j = components[b];
      result(a, b) = correlation(of, i, j) * (of.error[i] / unit[i]) * (of.error[j] / unit[j]);
    }
  return result;
}

double trace(Matrix const& a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i)
    sum += a(i, i);
  return sum;
}

} // namespace

void forget_correlations(std::vector<double>& correlations, std::size_t c) {
  for (std::size_t j = 1, row = 0; row < correlations.size(); row += j++) { // those of j with all components before it
    if (j == c)
      std::fill_n(correlations.begin() + static_cast<std::ptrdiff_t>(row), c, 0);
    else if (j > c)
      correlations[row + c] = 0;
  }
}

/// Coordinates in which the mean covariance of the components with errors is the unit matrix.
class CorrelatedEstimates::Basis {
public:
  explicit Basis(std::vector<One const*> const& estimates) : unit_(estimates[0]->value.size()), to_(0, 0), back_(0, 0) {
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      for (auto const* e : estimates)
        unit_[i] = std::max(unit_[i], e->errors.error[i]);
      if (unit_[i] > 0)
        components_.push_back(i);
    }
    Matrix mean(components_.size(), components_.size());
    for (auto const* e : estimates) {
      auto const one = covariance(e->errors, components_, unit_);
      if (double const size = trace(one); size > 0)
        detail::add(mean, one, 1 / size);
    }
    auto const [values, vectors] = eigen(mean);
    double const most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] > min_eigenvalue * most)
        kept.push_back(k);
    to_ = Matrix(kept.size(), components_.size());
    back_ = Matrix(components_.size(), kept.size());
    for (std::size_t r = 0; r < kept.size(); ++r)
      for (std::size_t a = 0; a < components_.size(); ++a) {
        double const root = std::sqrt(values[kept[r]]);
        to_(r, a) = vectors(a, kept[r]) / root;
        back_(a, r) = vectors(a, kept[r]) * root;
      }
  }

  std::size_t rank() const { return to_.rows(); }
  std::vector<std::size_t> const& components() const { return components_; }
  std::vector<double> const& unit() const { return unit_; }

  /// value - from.
  Matrix difference(std::vector<double> const& value, std::vector<double> const& from) const {
    Matrix result(components_.size(), 1);
    for (std::size_t a = 0; a < components_.size(); ++a)
      result(a, 0) = (value[components_[a]] - from[components_[a]]) / unit_[components_[a]];
    return product(to_, result);
  }
  Matrix matrix(JointErrors const& errors) const { return congruent(to_, covariance(errors, components_, unit_)); }

  /// Adds a difference to the value, and converts a covariance to errors.
  void move(std::vector<double>& value, Matrix const& difference) const {
    auto const step = product(back_, difference);
    for (std::size_t a = 0; a < components_.size(); ++a)
      value[components_[a]] += unit_[components_[a]] * step(a, 0);
  }
  Matrix covariance_of(Matrix const& matrix) const { return congruent(back_, matrix); }

private:
  std::vector<double> unit_;
  std::vector<std::size_t> components_;
  Matrix to_, back_;
};

void CorrelatedEstimates::add(std::vector<double> value, JointErrors errors, double samples, bool adaptive,
                              bool included) {
  JointErrors of_a_sample = errors;
  for (double& error : of_a_sample.error)
    error *= std::sqrt(samples);
  if (!any_ && adaptive)
    guide_ = of_a_sample; // the first estimate has no predecessor
  any_ = true;
  if (included)
    all_.push_back({std::move(value), std::move(errors), samples, guide_});
  if (adaptive)
    guide_ = std::move(of_a_sample);
}

JointCombined CorrelatedEstimates::combine(std::span<std::vector<Estimate> const> single,
                                           std::span<Combined const> mean) const {
  std::size_t const c = mean.size(), all = all_.size();
  JointCombined result;
  for (auto const& each : mean) {
    result.value.push_back(each.value);
    result.errors.error.push_back(each.error);
  }
  result.errors.correlations.assign(static_cast<std::size_t>(pairs(static_cast<int>(c))), 0);
  std::vector<One const*> estimates;
  bool usable = all > 0, guided = true;
  for (auto const& one : all_) {
    estimates.push_back(&one);
    usable = usable && all_finite(one.value) && all_finite(one.errors.error) && all_finite(one.errors.correlations);
    guided = guided && one.guide.has_value();
  }
  if (!usable) {
    result.chi2 = std::numeric_limits<double>::quiet_NaN();
    return result;
  }

  Basis const basis(estimates);
  std::size_t const r = basis.rank();
  std::vector<Matrix> weights;
  Matrix sum(r, r);
  bool invertible = true;
  for (auto const* e : estimates) {
    Matrix weight(r, r);
    for (std::size_t i = 0; i < r; ++i)
      weight(i, i) = 1;
    if (guided && all > 1) {
      weight = basis.matrix(*e->guide);
      invertible = invertible && invert(weight);
    }
    detail::add(sum, weight, e->samples / estimates[0]->samples);
    weights.push_back(std::move(weight));
  }
  invertible = invertible && invert(sum);

  Matrix scaled(basis.components().size(), basis.components().size()); // the covariance of the mean
  if (invertible) {
    double samples = 0;
    for (auto const* e : estimates)
      samples += e->samples;
    for (auto const i :
         basis.components()) { // start from a value that satisfies the linear relations between components
      result.value[i] = 0;
      for (auto const* e : estimates)
        result.value[i] += e->samples / samples * e->value[i];
    }
    Matrix step(r, 1), matrix(r, r);
    for (std::size_t k = 0; k < all; ++k) {
      Matrix part(r, r);
      detail::add(part, product(sum, weights[k]), estimates[k]->samples / estimates[0]->samples);
      detail::add(step, product(part, basis.difference(estimates[k]->value, result.value)), 1);
      detail::add(matrix, congruent(part, basis.matrix(estimates[k]->errors)), 1);
    }
    basis.move(result.value, step);
    scaled = basis.covariance_of(matrix);
  } else {
    std::vector<std::vector<double>> parts; // for each component
    for (auto const& estimates_of : single) {
      Weights const weight(estimates_of);
      double all_weights = 0;
      for (auto const& e : estimates_of)
        all_weights += weight(e);
      parts.emplace_back();
      for (auto const& e : estimates_of)
        parts.back().push_back(weight(e) / all_weights);
    }
    for (std::size_t k = 0; k < all; ++k) {
      auto const one = covariance(estimates[k]->errors, basis.components(), basis.unit());
      for (std::size_t a = 0; a < scaled.rows(); ++a)
        for (std::size_t b = 0; b < scaled.rows(); ++b)
          scaled(a, b) += parts[basis.components()[a]][k] * parts[basis.components()[b]][k] * one(a, b);
    }
  }

  for (std::size_t a = 0; a < scaled.rows(); ++a) {
    auto const i = basis.components()[a];
    double const error = std::sqrt(std::max(0.0, scaled(a, a)));
    result.errors.error[i] = basis.unit()[i] * error;
    for (std::size_t b = 0; b < a; ++b)
      if (double const other = std::sqrt(std::max(0.0, scaled(b, b))); error > 0 && other > 0)
        result.errors.correlations[static_cast<std::size_t>(
            pair_place(static_cast<int>(basis.components()[b]), static_cast<int>(i)))] =
            std::clamp(scaled(a, b) / error / other, -1.0, 1.0);
  }

  result.dof = static_cast<int>((all - 1) * r);
  for (auto const* e : estimates) {
    auto const away = basis.difference(e->value, result.value);
    auto inverse = basis.matrix(e->errors);
    if (invert(inverse)) {
      result.chi2 += congruent(transposed(away), inverse)(0, 0);
    } else { // some of its directions have no variance
      auto const [values, vectors] = eigen(basis.matrix(e->errors));
      auto const along = product(transposed(vectors), away);
      double const least = values.empty() ? 0 : min_eigenvalue * *std::max_element(values.begin(), values.end());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (along(i, 0) != 0)
          result.chi2 += along(i, 0) * along(i, 0) / std::max(values[i], least);
    }
  }
  return result;
}

} // namespace kubature::detail
