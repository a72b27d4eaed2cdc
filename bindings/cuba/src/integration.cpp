#include "integration.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace kubature::cuba {
namespace {

using drop_in::Box, drop_in::Integrator, drop_in::Map;
using Function = drop_in::Integrand;

constexpr long long fewest = 64, usual = 1000; ///< evaluations of an iteration
constexpr int most_in_halves = 10;             ///< variables in which PAGANI halves the cube along each axis

/// drop_in::make, with the message of the library.
template <class Handle, class Create, class... Args>
Handle made(Create const& create, Args... args) {
  try {
    return drop_in::make<Handle>(create, args...);
  } catch (int code) {
    throw Failed(code);
  }
}

Grid copied(kubature_map const* map) {
  Grid grid{kubature_map_axes(map), kubature_map_bins(map), {}};
  for (int axis = 0; axis < grid.axes; ++axis) {
    auto const* const edges = kubature_map_edges(map, axis);
    grid.edges.insert(grid.edges.end(), edges, edges + grid.bins + 1);
  }
  return grid;
}

void add(Estimate& to, double value, double error, double prob) {
  to.value.push_back(value);
  to.error.push_back(error);
  to.prob.push_back(std::isnan(prob) ? -999 : prob);
}

/// Evaluations of a rule of Cuhre's, by its degree; 0: PAGANI's choice. Above 1 variable.
long long points_of_rule(long long n, int degree) {
  if (degree == 13 || (degree == 0 && n == 2))
    return 65;
  if (degree == 11 || (degree == 0 && n == 3))
    return 127;
  long long const both = 1 + 2 * n * (n - 1) + (1LL << n); // centre, pairs of axes, corners
  return degree == 7 ? both + 6 * n : both + 8 * n + 4 * n * (n - 1) + 4 * n * (n - 1) * (n - 2) / 3;
}

/// Integrators with PAGANI that no call uses, by their rules.
thread_local std::map<int, Integrator> idle;

} // namespace

Integration::Integration(Call const& call, State* state, Grid const& grid, Workers* workers, int verbosity)
    : call_(call), evaluation_(call, workers, state), grid_(grid), verbosity_(verbosity) {
  std::vector<double> const zeros(static_cast<std::size_t>(call.ndim), 0.0), ones(zeros.size(), 1.0);
  box_ = made<Box>(kubature_box_create, call.ndim, zeros.data(), ones.data());
  function_ = call.kernel ? made<Function>(kubature_integrand_device_function, call.kernel, call.ncomp, call.user)
                          : made<Function>(kubature_integrand_function, &Evaluation::call, call.ncomp,
                                           static_cast<void*>(&evaluation_));
  if (call.weighted())
    check(kubature_integrand_set_weighted(function_.get(), 1));
}

void Integration::run() {
  switch (call_.routine) {
  case Routine::vegas:
  case Routine::suave:
    return sample(limit());
  case Routine::cuhre:
    return refine(limit());
  case Routine::divonne:
    if (few_variables(call_)) {
      glance_ = limit() / 5;
      refine(limit());
      glance_ = LLONG_MAX;
    }
    if (!met() || neval_ < call_.mineval)
      sample(limit() - neval_);
  }
}

void Integration::give(Returned& returned) const {
  std::ranges::copy(best_.value, returned.integral);
  std::ranges::copy(best_.error, returned.error);
  std::ranges::copy(best_.prob, returned.prob);
  returned.neval = neval_;
  returned.nregions = static_cast<int>(std::clamp<std::int64_t>(regions_, 1, INT_MAX));
  if (met() && neval_ >= call_.mineval)
    return;
  returned.fail = 1;
  double const missing = std::min(static_cast<double>(neval_) * (distance(best_) * distance(best_) - 1), 2e9);
  if (call_.routine == Routine::divonne && missing > 1)
    returned.fail = static_cast<int>(missing);
}

void Integration::know(double const* points, long long n) {
  for (long long k = 0; k < n; ++k) {
    auto const* const x = points + k * call_.ldxgiven;
    if (!std::all_of(x, x + call_.ndim, [](double coordinate) { return coordinate >= 0 && coordinate <= 1; }))
      continue;
    for (int i = 0; i < call_.ndim; ++i) {
      char text[32];
      auto const end = std::to_chars(text, text + sizeof text, x[i]).ptr;
      known_.append(known_.empty() ? "" : ",").append(text, end);
    }
  }
}

void Integration::ask() {
  int n = static_cast<int>(std::min<long long>(call_.nextra, INT_MAX));
  std::vector<double> bounds, points(static_cast<std::size_t>(n) * static_cast<std::size_t>(call_.ldxgiven));
  for (int i = 0; i < call_.ndim; ++i)
    bounds.insert(bounds.end(), {0.0, 1.0});
  int const room = n;
  call_.peakfinder(&call_.ndim, bounds.data(), &n, points.data(), call_.user);
  know(points.data(), std::clamp(n, 0, room));
}

long long Integration::limit() const { return std::max(call_.maxeval, 1LL); }
double Integration::epsabs() const { return std::max(call_.epsabs, 0x1p-104); }
double Integration::epsrel() const { return std::max(call_.epsrel, 0.0); }

double Integration::distance(Estimate const& of) const {
  double largest = of.value.empty() ? INFINITY : 0;
  for (std::size_t c = 0; c < of.value.size(); ++c) {
    double const each = of.error[c] / std::max(epsabs(), epsrel() * std::abs(of.value[c]));
    largest = each <= largest ? largest : std::isnan(each) ? INFINITY : each;
  }
  return largest;
}

void Integration::take(Estimate const& found) {
  if (best_.value.empty() || distance(found) < distance(best_))
    best_ = found;
}

Integrator Integration::integrator(char const* method) const {
  auto made = cuba::made<Integrator>(kubature_integrator_create, method, static_cast<char const*>(nullptr));
  check(kubature_set_callback(made.get(), &progress, const_cast<Integration*>(this)));
  if (!known_.empty())
    check(kubature_set_text(made.get(), "known", known_.c_str()));
  return made;
}

Integration::Result Integration::integrate(kubature_integrator* integrator, double part, long long most) {
  check(kubature_set(integrator, "relative", epsrel() * part));
  check(kubature_set(integrator, "absolute", epsabs() * part));
  check(kubature_set_text(integrator, "max_evaluations", std::to_string(std::max(most, 2LL)).c_str()));
  iterations_before_ += std::exchange(iterations_, 0);
  evaluation_.iteration(iterations_before_ + 1);
  auto result = made<Result>(kubature_integrate, integrator, function_.get(), box_.get());
  neval_ += kubature_result_evaluations(result.get());
  regions_ = std::max(regions_, kubature_result_regions(result.get()));
  Estimate found;
  for (int c = 0; c < call_.ncomp; ++c)
    add(found, kubature_result_value(result.get(), c), kubature_result_error(result.get(), c),
        1 - kubature_result_q_value(result.get(), c));
  take(found);
  for (int i = 0; verbosity_ >= 3 && i < kubature_result_remarks(result.get()); ++i)
    say("%s\n", kubature_result_remark(result.get(), i));
  return result;
}

template <class Once>
void Integration::until_enough(long long most, Once const& once) {
  auto const end = neval_ + most;
  for (double part = 1; part > 1e-12; part /= 4) {
    once(part, end - neval_);
    if (neval_ >= call_.mineval || !met() || end - neval_ < fewest)
      return;
  }
}

void Integration::refine(long long most) {
  bool const has_rule = call_.ndim > 1 && (call_.key == 7 || call_.key == 9 || (call_.key == 11 && call_.ndim == 3) ||
                                           (call_.key == 13 && call_.ndim == 2));
  int const rule = has_rule ? call_.key : 0;
  auto pagani = pagani_with(rule);
  auto const end = neval_ + most;
  if (call_.routine == Routine::cuhre && !call_.kernel && call_.ndim > 1 && call_.ndim <= most_in_halves)
    try_two(pagani.get(), points_of_rule(call_.ndim, rule), most);
  if (!met() || neval_ < call_.mineval)
    until_enough(end - neval_, [&](double part, long long left) { integrate(pagani.get(), part, left); });
  if (known_.empty() && neval_ <= 1'000'000) // otherwise it has much memory
    idle[rule] = std::move(pagani);
}

/// That of a call before, if there was any: making one takes longer than many a call.
/// @param rule its degree; 0: the method's choice
Integrator Integration::pagani_with(int rule) const {
  if (known_.empty() && idle[rule]) {
    auto pagani = std::exchange(idle[rule], nullptr);
    check(kubature_set_callback(pagani.get(), &progress, const_cast<Integration*>(this)));
    return pagani;
  }
  auto pagani = integrator("pagani");
  if (rule > 0)
    check(kubature_set(pagani.get(), "rule", rule));
  return pagani;
}

/// Tries two regions, as Cuhre does: PAGANI begins with as many as the limit allows. The estimate counts if values at
/// further points are like those that it is made of, so that peaks between these are noticed.
/// @param points of the rule
void Integration::try_two(kubature_integrator* pagani, long long points, long long most) {
  long long const checks = 1 + 6LL * call_.ndim, further = 2 * points;
  if (8 * points > most)
    return;
  evaluation_.watch();
  integrate(pagani, 1, 2 * (points + checks));
  if (met()) {
    neval_ += further;
    bool alike = false;
    check(evaluation_.compare(further, alike));
    if (!alike)
      best_ = {};
  }
  evaluation_.watch_no_longer();
}

/// Cuba's errors are cautious but for those of Vegas with a seed: two standard deviations are to be within the
/// tolerance then.
void Integration::sample(long long most) {
  auto const vegas = integrator("vegas+");
  check(kubature_set_text(vegas.get(), "evaluations",
                          std::to_string(call_.samples > 0 ? std::max(call_.samples, fewest) : usual).c_str()));
  check(kubature_set_text(vegas.get(), "seed", std::to_string(static_cast<unsigned>(call_.seed)).c_str()));
  check(kubature_set_text(vegas.get(), "iterations", "1000000"));
  use_grid(vegas.get());
  bool const last_alone = call_.routine == Routine::vegas && (call_.flags & 4);
  bool const cautious = (call_.seed == 0 || call_.routine != Routine::vegas) && !last_alone;
  double const of_tolerance = cautious ? 0.5 : 1;
  if (cautious)
    check(kubature_set(vegas.get(), "skip", 3)); // fewer, as errors are small
  auto const end = neval_ + most;
  Result last;
  until_enough(most, [&](double part, long long left) { last = integrate(vegas.get(), part * of_tolerance, left); });
  auto const map = made<Map>(kubature_map_of, static_cast<kubature_integrator const*>(vegas.get()));
  grid_ = copied(map.get());
  if (last_alone)
    sample_once(std::move(last), end);
}

/// Takes the last iteration alone, or further ones with more samples until one is good enough.
void Integration::sample_once(Result last, long long end) {
  for (unsigned long long seed = static_cast<unsigned>(call_.seed);;) {
    best_ = {};
    std::int64_t evaluations = 0;
    take(iteration(last.get(), evaluations));
    auto const left = end - neval_;
    if (met() || left < fewest)
      return;
    auto const needed = static_cast<double>(evaluations) * std::pow(1.1 * distance(best_), 2);
    auto const vegas = integrator("vegas+");
    check(kubature_set(vegas.get(), "evaluations", std::floor(std::min(needed, static_cast<double>(left)))));
    check(kubature_set(vegas.get(), "iterations", 1));
    check(kubature_set(vegas.get(), "skip", 0));
    check(kubature_set_text(vegas.get(), "seed", std::to_string(++seed).c_str()));
    use_grid(vegas.get());
    last = integrate(vegas.get(), 0, left);
  }
}

Estimate Integration::iteration(kubature_result const* of, std::int64_t& evaluations) const {
  Estimate found;
  for (int c = 0; c < call_.ncomp; ++c) {
    double value = NAN, error = NAN;
    check(kubature_result_iteration(of, kubature_result_iterations(of) - 1, c, &value, &error, &evaluations, nullptr));
    add(found, value, error, -999);
  }
  return found;
}

void Integration::use_grid(kubature_integrator* vegas) const {
  if (grid_.bins == 0)
    return;
  auto const map = made<Map>(kubature_map_create, grid_.axes, grid_.bins, grid_.edges.data());
  check(kubature_use_map(vegas, map.get()));
}

/// Called after each iteration, and at any time.
int Integration::progress(kubature_progress const& at) {
  if (at.iteration <= iterations_)
    return 0;
  iterations_ = at.iteration;
  int const number = iterations_before_ + iterations_;
  evaluation_.iteration(number + 1);
  if (verbosity_ >= 1) {
    say("\nIteration %d:  %lld integrand evaluations so far\n", number,
        static_cast<long long>(neval_ + at.evaluations));
    if (!std::isnan(at.value)) // in iterations that train there is none yet
      say("[1] %g +- %g\n", at.value, at.error);
  }
  // Cubature that is still far from the tolerance hardly gets there.
  double const allowed = std::max(epsabs(), epsrel() * std::abs(at.value));
  return at.evaluations >= glance_ && !(at.error <= 4 * allowed);
}

} // namespace kubature::cuba
