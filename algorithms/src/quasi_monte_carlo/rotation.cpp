#include <kubature/detail/quasi_monte_carlo/rotation.hpp>

#include <kubature/detail/policies/qmc_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

namespace kubature::detail {
namespace {

/// A symmetric matrix that Jacobi rotations make diagonal, and the product of these rotations.
class Diagonalization {
public:
  Diagonalization(std::vector<double> matrix, std::size_t d) : a_(std::move(matrix)), v_(d * d), d_(d) {
    for (std::size_t i = 0; i < d; ++i)
      v_[i * (d + 1)] = 1;
    for (int sweep = 0; sweep < most_sweeps && outside() > 1e-28 * inside(); ++sweep)
      for (std::size_t p = 0; p + 1 < d; ++p)
        for (std::size_t q = p + 1; q < d; ++q)
          annihilate(p, q);
  }

  double value(std::size_t k) const { return a_[k * (d_ + 1)]; }
  double component(std::size_t i, std::size_t k) const { return v_[i * d_ + k]; }

private:
  static constexpr int most_sweeps = 30;

  double inside() const {
    double sum = 0;
    for (std::size_t i = 0; i < d_; ++i)
      sum += value(i) * value(i);
    return sum;
  }
  double outside() const {
    double sum = 0;
    for (std::size_t i = 0; i < d_; ++i)
      for (std::size_t j = 0; j < i; ++j)
        sum += 2 * a_[i * d_ + j] * a_[i * d_ + j];
    return sum;
  }

  /// Makes an element outside of the diagonal zero (Golub and Van Loan, "Matrix Computations", algorithm 8.5.1).
  void annihilate(std::size_t p, std::size_t q) {
    double const apq = a_[p * d_ + q];
    if (apq == 0)
      return;
    double const tau = (value(q) - value(p)) / (2 * apq);
    double const t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
    double const c = 1 / std::sqrt(1 + t * t), s = t * c;
    auto const turn = [c, s](double& x, double& y) {
      double const old = x;
      x = c * old - s * y;
      y = s * old + c * y;
    };
    for (std::size_t k = 0; k < d_; ++k)
      turn(a_[k * d_ + p], a_[k * d_ + q]);
    for (std::size_t k = 0; k < d_; ++k)
      turn(a_[p * d_ + k], a_[q * d_ + k]);
    for (std::size_t k = 0; k < d_; ++k)
      turn(v_[k * d_ + p], v_[k * d_ + q]);
  }

  std::vector<double> a_, v_;
  std::size_t d_;
};

/// What is left of some variances without the largest few, as a part of all.
double rest(std::vector<double> variances, std::size_t few) {
  std::sort(variances.begin(), variances.end(), std::greater<>());
  auto const end = variances.end();
  double const all = std::accumulate(variances.begin(), end, 0.0);
  return all > 0 ? std::accumulate(variances.begin() + static_cast<std::ptrdiff_t>(few), end, 0.0) / all : 0;
}

} // namespace

Directions principal_directions(std::vector<double> const& products, int d) {
  auto const axes = static_cast<std::size_t>(d);
  Diagonalization const found(products, axes);
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return found.value(i) > found.value(j); });
  Directions result{std::vector<double>(axes * axes), std::vector<double>(axes)};
  for (std::size_t k = 0; k < axes; ++k) {
    result.variances[k] = found.value(order[k]);
    for (std::size_t i = 0; i < axes; ++i)
      result.matrix[i * axes + k] = found.component(i, order[k]);
  }
  return result;
}

bool few_directions(std::vector<double> const& products, std::vector<double> const& variances) {
  auto const& by = policy<QmcPolicy>();
  auto const few = static_cast<std::size_t>(by.few_directions);
  auto const axes = variances.size();
  if (axes <= few)
    return false;
  std::vector<double> along_axes;
  for (std::size_t i = 0; i < axes; ++i)
    along_axes.push_back(products[i * (axes + 1)]);
  return rest(variances, few) <= by.most_left && rest(along_axes, few) >= by.least_left_by_axes;
}

} // namespace kubature::detail
