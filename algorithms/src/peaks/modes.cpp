#include <kubature/detail/peaks/modes.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace kubature::detail {
namespace {

using Place = std::vector<double>;

constexpr double nothing = -std::numeric_limits<double>::infinity();

using End = EndOfAscent;

/// An end in the list of those of all ascents.
struct EndInList {
  double const* at;
  double height;
};

/// Those within reach of the highest.
/// @param top the height of those known before
std::vector<EndInList> within_reach(EndsOfAscents const& ends, double top) {
  for (double const height : ends.height)
    top = std::max(top, height);
  double const least = top - policy<PeaksPolicy>().least_height;
  std::vector<EndInList> result;
  for (std::size_t k = 0; k < ends.height.size(); ++k)
    if (ends.height[k] > nothing && ends.height[k] >= least)
      result.push_back({&ends.at[k * static_cast<std::size_t>(ends.dimension)], ends.height[k]});
  return result;
}

/// The cell of a grid that a place is in, as one number.
std::uint64_t cell_of(double const* at, std::size_t dimension) {
  double const cells = policy<PeaksPolicy>().cells;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < dimension; ++i) // FNV-1a, by numbers
    hash = (hash ^ static_cast<std::uint64_t>(cells * at[i])) * 0x100000001b3;
  return hash;
}

/// Keeps the highest in each cell of a grid, and of these at most as many as are compared; the highest first.
void keep_one_of_each_cell(std::vector<EndInList>& ends, std::size_t dimension) {
  auto const most = policy<PeaksPolicy>().most_compared;
  std::unordered_set<std::uint64_t> taken;
  std::vector<EndInList> kept;
  auto const lower = [](EndInList const& a, EndInList const& b) {
    return a.height != b.height ? a.height < b.height : a.at > b.at;
  };
  std::ranges::make_heap(ends, lower);
  for (; !ends.empty() && kept.size() < most; ends.pop_back()) {
    std::ranges::pop_heap(ends, lower);
    if (taken.insert(cell_of(ends.back().at, dimension)).second)
      kept.push_back(ends.back());
  }
  ends = std::move(kept);
}

/// The lower triangle of a symmetric matrix by rows, twice what is off the diagonal: for quadratic forms.
std::vector<double> triangle_of(Matrix const& matrix) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      numbers.push_back(matrix(i, j) * (i == j ? 1 : 2));
  return numbers;
}

/// Removes the ends that are no higher than the Gaussian of the mode is there: they are on its slopes. There may be
/// hundreds of thousands.
void remove_those_below(Mode const& mode, Matrix const& precision, std::vector<EndInList>& ends) {
  auto const d = mode.at.size();
  auto const triangle = triangle_of(precision);
  std::vector<double> off(d);
  double const top = mode.height - std::log(policy<PeaksPolicy>().dip);
  std::erase_if(ends, [&](EndInList const& end) {
    double square = 0;
    double const* number = triangle.data();
    for (std::size_t i = 0; i < d; ++i) {
      off[i] = end.at[i] - mode.at[i];
      double row = 0;
      for (std::size_t j = 0; j <= i; ++j)
        row += *number++ * off[j];
      square += row * off[i];
    }
    return end.height <= top - square / 2;
  });
}

/// Removes the ends that belong to the mode of another: |f| has no dip between them. Only the highest are compared, at
/// points that are not evenly spaced, as dips may be.
void remove_those_of(End const& mode, std::vector<EndInList>& ends, Heights const& heights) {
  auto const& by = policy<PeaksPolicy>();
  auto const compared = std::min<std::size_t>(ends.size(), by.most_compared);
  auto const d = mode.at.size();
  std::vector<double> points;
  points.reserve(compared * static_cast<std::size_t>(by.segment_points) * d);
  for (std::size_t e = 0; e < compared; ++e)
    for (int k = 1; k <= by.segment_points; ++k) {
      double const golden = (std::sqrt(5.0) - 1) / 2 * k, share = golden - std::floor(golden);
      for (std::size_t i = 0; i < d; ++i)
        points.push_back(ends[e].at[i] + share * (mode.at[i] - ends[e].at[i]));
    }
  auto const found = heights(points);
  auto const n = static_cast<std::size_t>(by.segment_points);
  std::vector<EndInList> left;
  for (std::size_t e = 0; e < ends.size(); ++e) {
    auto const first = found.begin() + static_cast<std::ptrdiff_t>(std::min(e, compared) * n);
    double const lower = std::min(ends[e].height, mode.height);
    if (e >= compared || *std::min_element(first, first + static_cast<std::ptrdiff_t>(n)) < lower + std::log(by.dip))
      left.push_back(ends[e]);
  }
  ends = std::move(left);
}

/// The curvature of log |f| about a point, by differences.
class Curvature {
public:
  Curvature(End const& top, Heights const& heights) : top_(top), heights_(heights), step_(top.at.size()) {
    find_steps();
    differentiate();
  }

  Matrix minus_hessian{0, 0};
  Place gradient;

private:
  std::size_t dimension() const { return top_.at.size(); }
  Place moved(std::size_t i, double by_i, std::size_t j = 0, double by_j = 0) const {
    auto result = top_.at;
    result[i] += by_i;
    result[j] += by_j;
    return result;
  }

  /// log |f| at one step from the top along each axis to either side, less its value at the top: the lower of the two.
  /// @param steps [several of each axis][axis]
  std::vector<double> falls(std::vector<double> const& steps) const {
    std::vector<double> points;
    for (std::size_t k = 0; k < steps.size(); ++k)
      for (double const side : {-1.0, 1.0}) {
        auto const point = moved(k % dimension(), side * steps[k]);
        points.insert(points.end(), point.begin(), point.end());
      }
    auto const found = heights_(points);
    std::vector<double> result;
    for (std::size_t k = 0; k < steps.size(); ++k)
      result.push_back(std::min(found[2 * k], found[2 * k + 1]) - top_.height);
    return result;
  }

  /// Steps along all axes at once, over which |f| falls as far as it should on the lower side: first those of a ladder,
  /// each half of the one before, of which one fits a parabola; then each is halved or doubled until it fits.
  void find_steps() {
    auto const& by = policy<PeaksPolicy>();
    auto const d = dimension();
    double const low = std::log(by.least_fall), high = std::log(by.most_fall);
    std::vector<double> least(d, 0), most(d), now(d), rungs;
    for (std::size_t i = 0; i < d; ++i)
      most[i] = 0.5 * std::min(top_.at[i], 1 - top_.at[i]); // within the cube, also for pairs of steps
    for (int k = 0; k < by.most_tried / 2; ++k)
      for (std::size_t i = 0; i < d; ++i)
        rungs.push_back(std::ldexp(most[i], -k));
    auto const ladder = falls(rungs);
    bool all = true;
    for (std::size_t i = 0; i < d; ++i) {
      std::size_t k = i;
      for (; k + d < rungs.size() && !(ladder[k] >= low); k += d)
        most[i] = rungs[k];
      now[i] = rungs[k];
      all = all && (ladder[k] <= high || k == i);
    }
    for (int k = 0; k < by.most_tried && !all; ++k) {
      auto const found = falls(now);
      bool changed = false;
      for (std::size_t i = 0; i < d; ++i) {
        double const fall = found[i];
        if (fall > high && now[i] < most[i]) {
          least[i] = now[i];
          now[i] = most[i] < 2 * now[i] ? (now[i] + most[i]) / 2 : 2 * now[i];
        } else if (!(fall >= low)) {
          most[i] = now[i];
          now[i] = least[i] > 0 ? (least[i] + now[i]) / 2 : now[i] / 4;
        } else {
          continue;
        }
        changed = changed || most[i] - least[i] > 1e-6 * most[i];
      }
      if (!changed)
        break;
    }
    step_ = now;
  }

  void differentiate() {
    auto const d = dimension();
    std::vector<double> points;
    auto const add = [&](Place const& point) { points.insert(points.end(), point.begin(), point.end()); };
    for (std::size_t i = 0; i < d; ++i) {
      add(moved(i, -step_[i]));
      add(moved(i, step_[i]));
    }
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j)
        for (double const a : {-0.5, 0.5})
          for (double const b : {-0.5, 0.5})
            add(moved(i, a * step_[i], j, b * step_[j]));
    auto const found = heights_(points);
    auto const at = [&](std::size_t k) { return std::max(found[k], top_.height - 700) - top_.height; };
    minus_hessian = Matrix(d, d);
    gradient.resize(d);
    for (std::size_t i = 0; i < d; ++i) {
      minus_hessian(i, i) = -(at(2 * i) + at(2 * i + 1)) / (step_[i] * step_[i]);
      gradient[i] = (at(2 * i + 1) - at(2 * i)) / (2 * step_[i]);
    }
    std::size_t k = 2 * d;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j, k += 4)
        minus_hessian(i, j) = minus_hessian(j, i) =
            -(at(k) - at(k + 1) - at(k + 2) + at(k + 3)) / (step_[i] * step_[j]);
  }

  End const& top_;
  Heights const& heights_;
  Place step_;
};

/// The inverse, with variances of at least 0 and at most that of a uniform density over the cube along every principal
/// axis of the matrix scaled to a diagonal of ones: a ridge or a flat top has no curvature.
Matrix covariance_of(Matrix const& minus_hessian) {
  auto const d = minus_hessian.rows();
  constexpr double widest = 1.0 / 12;
  std::vector<double> scale(d);
  for (std::size_t i = 0; i < d; ++i)
    scale[i] = std::sqrt(std::max(minus_hessian(i, i), 1 / widest));
  Matrix scaled(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      scaled(i, j) = i == j ? 1 : minus_hessian(i, j) / (scale[i] * scale[j]);
  auto const [values, vectors] = eigen(scaled);
  Matrix result(d, d);
  for (std::size_t k = 0; k < d; ++k) {
    double tallest = 0; // the variance along this axis would exceed that of the cube with a smaller eigenvalue
    for (std::size_t i = 0; i < d; ++i)
      tallest = std::max(tallest, std::pow(vectors(i, k) / scale[i], 2));
    double const value = std::max(values[k], tallest / widest);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        result(i, j) += vectors(i, k) * vectors(j, k) / (value * (scale[i] * scale[j]));
  }
  return result;
}

/// The top that Newton's step leads to, if it is higher.
End improved(End top, Curvature const& curvature, Matrix const& covariance, Heights const& heights) {
  auto to = top.at;
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t j = 0; j < to.size(); ++j)
      to[i] += covariance(i, j) * curvature.gradient[j];
    if (!(to[i] > 0 && to[i] < 1))
      return top;
  }
  double const height = heights(to)[0];
  return height > top.height ? End{to, height} : top;
}

/// The mode about an end: three steps of Newton's method.
Mode mode_about(End top, Heights const& heights) {
  Matrix covariance(0, 0);
  for (int k = 0; k < 3; ++k) {
    Curvature const curvature(top, heights);
    covariance = covariance_of(curvature.minus_hessian);
    auto const next = improved(top, curvature, covariance, heights);
    if (!(next.height > top.height + policy<PeaksPolicy>().better))
      break;
    top = next;
  }
  return {top.at, top.height, covariance};
}

/// The inverse of a mode's covariance, of which only the variances are kept if it has none in double precision.
Matrix precision_of(Mode& mode) {
  auto precision = mode.covariance;
  if (invert(precision))
    return precision;
  auto const d = mode.at.size();
  precision = Matrix(d, d);
  for (std::size_t i = 0; i < d; ++i)
    precision(i, i) = 1 / mode.covariance(i, i);
  auto const full = std::exchange(mode.covariance, Matrix(d, d));
  for (std::size_t i = 0; i < d; ++i)
    mode.covariance(i, i) = full(i, i);
  return precision;
}

} // namespace

void Modes::add(EndsOfAscents const& ends, Heights const& heights, std::uint64_t most) {
  if (ends.height.empty())
    return;
  auto const& by = policy<PeaksPolicy>();
  std::uint64_t made = 0;
  Heights const counted = [&](std::vector<double> const& points) {
    made += points.size() / static_cast<std::size_t>(ends.dimension);
    return heights(points);
  };
  auto const d = static_cast<std::size_t>(ends.dimension);
  auto left = within_reach(ends, modes_.empty() ? nothing : modes_.front().height);
  for (std::size_t m = 0; m < modes_.size(); ++m)
    remove_those_below(modes_[m], precisions_[m], left);
  bool thinned = false; // not before most ends are gone
  while (!left.empty() && modes_.size() < by.most_modes && made < most) {
    // The highest one that is left is compared first, alone.
    auto const first = thinned ? left.front() : *std::ranges::max_element(left, {}, &EndInList::height);
    End const highest{Place(first.at, first.at + d), first.height};
    std::size_t m = 0;
    for (; m < started_.size(); ++m) {
      std::vector<EndInList> one{first};
      remove_those_of(started_[m], one, counted);
      if (one.empty())
        break;
    }
    bool const is_new = m == started_.size();
    if (is_new || highest.height > modes_[m].height + by.better) {
      auto mode = mode_about({highest.at, counted(highest.at)[0]}, counted);
      auto precision = precision_of(mode);
      if (is_new) {
        started_.push_back(highest);
        modes_.push_back(std::move(mode));
        precisions_.push_back(std::move(precision));
      } else {
        started_[m] = highest;
        modes_[m] = std::move(mode);
        precisions_[m] = std::move(precision);
      }
      remove_those_below(modes_[m], precisions_[m], left);
    }
    if (!std::exchange(thinned, true))
      keep_one_of_each_cell(left, d);
    remove_those_of(started_[m], left, counted);
  }
  std::vector<std::size_t> order(modes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t m) { return modes_[m].height; });
  auto const sort = [&](auto& list) {
    auto const before = std::exchange(list, {});
    for (auto const m : order)
      list.push_back(before[m]);
  };
  sort(modes_);
  sort(precisions_);
  sort(started_);
}

std::vector<double> Modes::gaussians() const {
  std::vector<double> numbers;
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    numbers.push_back(modes_[m].height);
    numbers.insert(numbers.end(), modes_[m].at.begin(), modes_[m].at.end());
    auto const triangle = triangle_of(precisions_[m]);
    numbers.insert(numbers.end(), triangle.begin(), triangle.end());
  }
  return numbers;
}

} // namespace kubature::detail
