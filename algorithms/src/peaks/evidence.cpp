#include <kubature/evidence.hpp>

#include "peaks/map_numbers.hpp"

#include <kubature/detail/audit/tail_shape.hpp>
#include <kubature/detail/peaks/evidence_sampling.hpp>
#include <kubature/detail/peaks/peak_search.hpp>
#include <kubature/detail/policies/call_policy.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>

namespace kubature {
namespace detail {
namespace {

constexpr double no_weight = -std::numeric_limits<double>::infinity(); // the logarithm of a weight

/// The covariance of samples with these moments, and the distance of their mean.
std::pair<Matrix, std::vector<double>> shape_of(WeightedMoments const& moments) {
  auto mean = moments.first;
  auto const d = mean.size();
  for (double& distance : mean)
    distance /= moments.weight;
  Matrix covariance(d, d);
  for (std::size_t i = 0, e = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++e)
      covariance(i, j) = covariance(j, i) = moments.second[e] / moments.weight - mean[i] * mean[j];
  return {std::move(covariance), std::move(mean)};
}

/// Makes the sum of all shares 1, and none smaller than its minimum.
void normalise(Mixture& mixture) {
  auto const& by = policy<PeaksPolicy>();
  double const least = by.least_component / static_cast<double>(mixture.components.size());
  double sum = 0;
  for (auto const& component : mixture.components)
    sum += component.share;
  mixture.uniform = std::max(mixture.uniform / (mixture.uniform + sum), by.least_uniform);
  double raised = 0;
  for (auto& component : mixture.components)
    raised += component.share = std::max(component.share / sum, least);
  for (auto& component : mixture.components)
    component.share *= (1 - mixture.uniform) / raised;
}

/// Numbers of samples in proportion to the shares, to which the shares are rounded.
std::vector<std::uint64_t> counts_of(Mixture& mixture, std::uint64_t samples) {
  auto const all = static_cast<double>(samples);
  std::vector<std::uint64_t> counts{static_cast<std::uint64_t>(std::llround(mixture.uniform * all))};
  double share = mixture.uniform;
  auto made = counts[0];
  for (auto& component : mixture.components) {
    share += component.share;
    auto const last = std::min(samples, static_cast<std::uint64_t>(std::llround(share * all)));
    counts.push_back(last - made);
    made = last;
    component.share = static_cast<double>(counts.back()) / all;
  }
  counts.back() += samples - made;
  mixture.components.back().share = static_cast<double>(counts.back()) / all;
  mixture.uniform = static_cast<double>(counts[0]) / all;
  return counts;
}

} // namespace

EvidenceSampling::EvidenceSampling(MixtureSampler& sampler, int dimension, EvidenceOptions const& options,
                                   Limits const& limits)
    : sampler_(sampler), options_(options), limits_(limits),
      mixture_{dimension, policy<PeaksPolicy>().first_uniform, {}} {}

void EvidenceSampling::first_mixture(std::vector<Mode> const& modes) {
  auto const& by = policy<PeaksPolicy>();
  std::vector<std::pair<double, Mixture::Component>> found;
  for (auto const& mode : modes) {
    auto numbers = map_numbers(mode.at, mode.covariance);
    if (numbers.empty())
      continue;
    double log_mass = mode.height;
    for (std::size_t i = 0, e = mode.at.size(); i < mode.at.size(); ++i, e += i + 1)
      log_mass += std::log(numbers[e]); // the diagonal of the factor
    found.emplace_back(log_mass, Mixture::Component{1, std::move(numbers)});
  }
  std::ranges::stable_sort(found, std::ranges::greater(), [](auto const& each) { return each.first; });
  for (auto& [log_mass, component] : found) {
    double const below = found[0].first - log_mass;
    if (below > by.least_mass || mixture_.components.size() >= by.most_components)
      break;
    component.share = std::exp(-below);
    mixture_.components.push_back(std::move(component));
  }
}

EvidenceSampling::List EvidenceSampling::draw(std::uint64_t samples) {
  normalise(mixture_);
  auto const counts = counts_of(mixture_, samples);
  log_weights_ = sampler_.sample(mixture_, counts, options_.seed, lists_++);
  evaluations_ += samples;
  List list{no_weight, 0, *std::ranges::max_element(log_weights_)};
  if (std::isinf(list.log_largest))
    return list;
  auto const n = static_cast<double>(samples);
  double mean = 0;
  auto next = log_weights_.begin();
  for (auto const count : counts) {
    double sum = 0, squares = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      double const weight = std::exp(*next++ - list.log_largest);
      sum += weight;
      squares += weight * weight;
    }
    mean += sum / n;
    if (auto const m = static_cast<double>(count); m > 1)
      list.variance += std::max(0.0, squares - sum * sum / m) * m / (m - 1) / (n * n);
  }
  list.log_mean = list.log_largest + std::log(mean);
  list.variance /= mean * mean;
  return list;
}

void EvidenceSampling::adapt(List const& list) {
  auto const& by = policy<PeaksPolicy>();
  auto const moments = sampler_.moments(list.log_largest);
  auto const d = static_cast<double>(mixture_.dimension);
  double of_uniform = moments.back().square;
  for (std::size_t k = 0; k < mixture_.components.size(); ++k) {
    auto& component = mixture_.components[k];
    auto const& of = moments[k];
    of_uniform -= of.square;
    component.share = std::sqrt(component.share * of.square);
    if (!(of.weight * of.weight > by.enough_per_number * d * (d + 3) / 2 * of.square))
      continue;
    auto const [covariance, away] = shape_of(of);
    std::vector<double> centre(component.numbers.begin(), component.numbers.begin() + mixture_.dimension);
    for (std::size_t i = 0; i < centre.size(); ++i)
      centre[i] = std::clamp(centre[i] + away[i], 0.0, 1.0);
    if (auto numbers = map_numbers(std::move(centre), covariance); !numbers.empty())
      component.numbers = std::move(numbers);
  }
  mixture_.uniform = std::sqrt(std::max(0.0, mixture_.uniform * of_uniform));
}

/// Adds those of a list of the fixed mixture.
void EvidenceSampling::add_moments(List const& list) {
  if (all_.first.empty()) {
    log_scale_ = list.log_largest;
    about_ = sampler_.all_about();
  }
  auto const moments = sampler_.all_moments(log_scale_);
  all_.weight += moments.weight;
  all_.square += moments.square;
  all_.first.resize(moments.first.size());
  all_.second.resize(moments.second.size());
  std::ranges::transform(all_.first, moments.first, all_.first.begin(), std::plus());
  std::ranges::transform(all_.second, moments.second, all_.second.begin(), std::plus());
}

void EvidenceSampling::keep(Evidence& result) {
  auto const points = sampler_.points();
  result.points.insert(result.points.end(), points.begin(), points.end());
  result.log_weights.insert(result.log_weights.end(), log_weights_.begin(), log_weights_.end());
}

/// log Z and its error.
void EvidenceSampling::combine(std::vector<List> const& lists, Evidence& result) const {
  auto const n = static_cast<double>(lists.size());
  double largest = no_weight, sum = 0, variance = 0, squares = 0;
  for (auto const& list : lists)
    largest = std::max(largest, list.log_mean);
  for (auto const& list : lists) {
    double const mean = std::exp(list.log_mean - largest);
    sum += mean;
    squares += mean * mean;
    variance += list.variance * mean * mean;
  }
  result.log_evidence = largest + std::log(sum / n);
  result.error = std::sqrt(variance) / sum;
  result.dof = static_cast<int>(lists.size()) - 1;
  if (result.dof > 0) {
    result.chi2 = std::max(0.0, squares - sum * sum / n) * n / variance;
    result.q_value = chi2_survival(result.chi2, result.dof);
    result.error *= std::sqrt(std::max(1.0, result.chi2 / result.dof));
  }
}

/// What there is to tell after the last list.
void EvidenceSampling::finish(Evidence& result) const {
  std::vector<double> weights;
  for (double const log_weight : log_weights_)
    weights.push_back(std::exp(log_weight - log_scale_));
  result.k_hat = tail_shape(std::move(weights));
  result.effective = all_.weight * all_.weight / all_.square;
  if (result.k_hat >= policy<CallPolicy>().without_variance) {
    result.status = Status::no_variance;
    result.remarks.emplace_back(
        "few samples dominate: the mixture does not cover exp(L), and log Z and its error may be too small");
  }
  auto const [covariance, mean] = shape_of(all_);
  result.mean = about_;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    result.mean[i] += mean[i];
    for (std::size_t j = 0; j < mean.size(); ++j)
      result.covariance.push_back(covariance(i, j));
  }
  double const log_sum = log_scale_ + std::log(all_.weight);
  for (double& log_weight : result.log_weights)
    log_weight -= log_sum;
}

void EvidenceSampling::run(std::vector<Mode> const& modes, std::uint64_t spent, Evidence& result) {
  auto const& by = policy<PeaksPolicy>();
  first_mixture(modes);
  evaluations_ = spent;
  auto const left = [&] { return limits_.evaluations - std::min(limits_.evaluations, evaluations_); };
  if (mixture_.components.empty()) {
    result.remarks.emplace_back("the logarithm was -infinity wherever it was evaluated");
    return;
  }
  auto const late = [&] { return timer_.seconds() > limits_.seconds; };
  for (std::uint64_t k = 0; k < by.adaptations && left() >= 2 * options_.samples && !late(); ++k)
    if (auto const list = draw(std::max<std::uint64_t>(1000, options_.samples / by.adapted_by));
        std::isfinite(list.log_mean))
      adapt(list);
  std::vector<List> lists;
  result.status = Status::iteration_limit;
  for (std::uint64_t k = 0; k < options_.iterations; ++k) {
    if (left() < options_.samples && k > 0) {
      result.status = Status::evaluation_limit;
      break;
    }
    auto const list = draw(std::max<std::uint64_t>(1000, std::min(options_.samples, left())));
    if (!std::isfinite(list.log_mean)) {
      result.status = Status::no_variance;
      break;
    }
    lists.push_back(list);
    add_moments(list);
    if (options_.keep)
      keep(result);
    combine(lists, result);
    if (result.error <= options_.error) {
      result.status = Status::converged;
      break;
    }
    if (late()) {
      result.status = Status::time_limit;
      break;
    }
  }
  result.evaluations = evaluations_;
  if (!lists.empty())
    finish(result);
}

void check(EvidenceOptions const& options, Limits const& limits, std::source_location where) {
  kubature::check(limits, where);
  require(options.error > 0 && std::isfinite(options.error), "EvidenceOptions.error", options.error,
          "a tolerance must be finite and positive", where);
  require(options.search >= 1000, "EvidenceOptions.search", options.search, "a search takes at least 1000", where);
  require(options.samples >= 1000, "EvidenceOptions.samples", options.samples, "an iteration takes at least 1000",
          where);
  require(options.iterations > 0, "EvidenceOptions.iterations", options.iterations, "must be at least 1", where);
}

Evidence log_evidence(Climber& climber, MixtureSampler& sampler, Box<dynamic_many> const& box,
                      EvidenceOptions const& options, Limits const& limits) {
  Kokkos::Timer const timer;
  PeakSearch search(climber, box.dimension(), options.seed);
  auto const rounds = policy<PeaksPolicy>().rounds;
  auto const evaluations = std::min(options.search, limits.evaluations / 2);
  for (std::uint64_t k = 0; k < rounds && timer.seconds() < limits.seconds / 2; ++k)
    search.round(evaluations / rounds);
  Evidence result;
  result.peaks = peaks_in_box(search.modes(), box);
  result.evaluations = search.evaluations();
  auto left = limits;
  left.seconds -= timer.seconds();
  EvidenceSampling(sampler, box.dimension(), options, left).run(search.modes(), search.evaluations(), result);
  result.seconds = timer.seconds();
  return result;
}

} // namespace detail

std::vector<std::size_t> equally_weighted(Evidence const& evidence, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> result;
  if (evidence.log_weights.empty())
    return result;
  double const largest = *std::ranges::max_element(evidence.log_weights);
  for (std::size_t k = 0; k < evidence.log_weights.size(); ++k)
    if (static_cast<double>(random() >> 11) * 0x1p-53 < std::exp(evidence.log_weights[k] - largest))
      result.push_back(k);
  return result;
}

} // namespace kubature
