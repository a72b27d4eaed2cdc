#include "published_rules.hpp"

#include <kubature/cubature_rule.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <algorithm>
#include <cmath>

namespace kubature {
namespace {

using published::Generator;

Rule choose(Rule rule, int d) {
  if (rule != Rule::automatic)
    return rule;
  return d == 1 ? Rule::gauss_kronrod : d == 2 ? Rule::degree_13 : d == 3 ? Rule::degree_11 : Rule::degree_9;
}

bool serves(Rule rule, int d) {
  switch (rule) {
  case Rule::gauss_kronrod:
    return d == 1;
  case Rule::degree_7:
  case Rule::degree_9:
    return d >= 2;
  case Rule::degree_11:
    return d == 3;
  case Rule::degree_13:
    return d == 2;
  case Rule::automatic:
    return true;
  }
  return false;
}

/// All permutations of the coordinates with all signs, except that the first nonzero coordinate stays positive.
std::vector<std::vector<double>> expand(Generator point, int d) {
  std::vector<std::vector<double>> result;
  point.resize(static_cast<std::size_t>(d), 0); // a generator omits its zeros
  std::sort(point.begin(), point.end(), std::greater<>());
  do {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < point.size(); ++i)
      if (point[i] != 0)
        places.push_back(i);
    for (std::uint64_t signs = 0; signs < std::uint64_t{1} << (places.size() - 1); ++signs) {
      result.push_back(point);
      for (std::size_t k = 1; k < places.size(); ++k)
        if (signs >> (k - 1) & 1)
          result.back()[places[k]] *= -1;
    }
  } while (std::prev_permutation(point.begin(), point.end()));
  return result;
}

/// The number of points of an orbit: twice those that expand() makes, or 1 for the centre.
std::uint64_t count(Generator const& generator, int d) {
  if (generator.empty())
    return 1;
  std::uint64_t points = 1;
  std::uint64_t same = 1;
  for (std::size_t k = 0; k < generator.size(); ++k) {
    same = k > 0 && generator[k] == generator[k - 1] ? same + 1 : 1;
    points = points * 2 * (static_cast<std::uint64_t>(d) - k) / same; // exact: a multinomial coefficient grows
  }
  return points;
}

} // namespace

std::string to_string(Rule rule) {
  switch (rule) {
  case Rule::automatic:
    return "automatic";
  case Rule::gauss_kronrod:
    return "gauss_kronrod";
  case Rule::degree_7:
    return "degree_7";
  case Rule::degree_9:
    return "degree_9";
  case Rule::degree_11:
    return "degree_11";
  case Rule::degree_13:
    return "degree_13";
  }
  return "unknown";
}

CubatureRule::CubatureRule(Rule rule, int d, std::source_location where) : name_(choose(rule, d)), dimension_(d) {
  require(d >= 1 && d <= max_dimension, "dimension", d, "rules support 1 to 20 variables", where);
  require(serves(name_, d), "rule", to_string(name_),
          "does not support " + std::to_string(d) + (d == 1 ? " variable" : " variables"), where);
  auto const add = [&](Generator const& generator, std::array<double, rules> const& weight, std::uint64_t points) {
    orbits_.push_back({generator, weight, points, {}, {}});
    points_ += points;
  };
  auto const add_all = [&](std::vector<published::FixedOrbit> const& orbits) {
    for (auto const& orbit : orbits)
      add(orbit.generator, orbit.weight, count(orbit.generator, d));
  };
  auto const add_for_dimension = [&](std::vector<published::Orbit> const& orbits) {
    for (auto const& orbit : orbits) {
      bool const corners = &orbit == &orbits.back();
      auto const points = corners ? std::uint64_t{1} << d : count(orbit.generator, d);
      if (points == 0) // more coordinates than variables
        continue;
      std::array<double, rules> weight;
      for (int r = 0; r < rules; ++r)
        weight[r] = orbit.weight[r](d) / (corners ? static_cast<double>(points) : 1);
      add(corners ? Generator(static_cast<std::size_t>(d), orbit.generator[0]) : orbit.generator, weight, points);
    }
  };
  switch (name_) {
  case Rule::degree_7:
    degree_ = 7;
    error_coefficients_ = {5, 1, 5};
    add_for_dimension(published::degree_7());
    break;
  case Rule::degree_9:
    degree_ = 9;
    error_coefficients_ = {5, 1, 5};
    add_for_dimension(published::degree_9());
    break;
  case Rule::degree_11:
    degree_ = 11;
    error_coefficients_ = {4, 0.5, 3};
    add_all(published::degree_11());
    break;
  case Rule::degree_13:
    degree_ = 13;
    error_coefficients_ = {10, 1, 5};
    add_all(published::degree_13());
    break;
  default:
    degree_ = 23;
    error_coefficients_ = {5, 1, 5};
    add_all(published::gauss_kronrod());
  }
  // With the published digits, sums of weights are off by about 1e-15, which null rules would show as an error.
  for (std::size_t r = 0; r < rules; ++r) {
    long double sum = r == 0 ? -1 : 0;
    for (auto const& orbit : orbits_)
      sum += static_cast<long double>(orbit.points) * orbit.weight[r];
    orbits_[0].weight[r] -= static_cast<double>(sum);
  }
  for (auto& s : orbits_)
    for (std::size_t r = 0; r < null_rules - 1; ++r) {
      auto const high = s.weight[r + 1], low = s.weight[r + 2];
      s.scale[r] = high == 0 ? 100 : -low / high;
      double norm = 0;
      for (auto const& other : orbits_)
        norm += static_cast<double>(other.points) * std::abs(other.weight[r + 2] + s.scale[r] * other.weight[r + 1]);
      s.norm[r] = 1 / norm;
    }
}

double CubatureRule::norm() const {
  double sum = 0;
  for (auto const& orbit : orbits_)
    sum += static_cast<double>(orbit.points) * std::abs(orbit.weight[0]);
  return sum;
}

double CubatureRule::stretch_of_mean() const {
  // In two variables the regions along a jump often all miss it by the same fraction of their sides.
  double const stretch = dimension_ == 2 ? 7.5 : error_coefficients_[2];
  return std::max(stretch, 3 * std::sqrt(norm()));
}

double CubatureRule::rounding() const { return 4 * norm() * (1 + static_cast<double>(points_) / (1 << 14)); }

double CubatureRule::noise() const {
  double worst = 0;
  for (std::size_t r = 0; r < null_rules - 1; ++r) {
    double high = 0, low = 0;
    for (auto const& orbit : orbits_) {
      high += static_cast<double>(orbit.points) * std::abs(orbit.weight[r + 1]);
      low += static_cast<double>(orbit.points) * std::abs(orbit.weight[r + 2]);
    }
    for (auto const& orbit : orbits_)
      worst = std::max(worst, orbit.norm[r] * (low + std::abs(orbit.scale[r]) * high));
  }
  return error_coefficients_[2] * worst;
}

std::vector<std::vector<double>> CubatureRule::half_orbit(Orbit const& orbit) const {
  return orbit.generator.empty() ? std::vector<std::vector<double>>{} : expand(orbit.generator, dimension_);
}

} // namespace kubature
