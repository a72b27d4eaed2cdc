#include "../../drop_in/handles.hpp"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_monte_miser.h>
#include <gsl/gsl_monte_plain.h>
#include <gsl/gsl_monte_vegas.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <utility>
#include <vector>

using namespace kubature::drop_in;

namespace {

/// GSL's state, and what is kept with it: the map that the calls so far have trained.
struct Vegas : gsl_monte_vegas_state {
  Map map;
};

/// The value of GSL for alpha, which stands for the choice that the method makes by itself.
constexpr double usual_alpha = 1.5;

/// The intervals of the map: with few samples as many as GSL's, as 500 would not be trained in 5 iterations.
std::string bins(std::size_t samples) { return samples < 50'000 ? "50" : "0"; }

struct Function {
  gsl_monte_function const* f;
  std::vector<double> point; ///< which f may change
  std::exception_ptr thrown = {};
};

int call(std::int64_t n, int d, double const* x, int, double* values, void* user) {
  auto& function = *static_cast<Function*>(user);
  auto const* f = function.f;
  try {
    for (std::int64_t k = 0; k < n; ++k) {
      std::copy_n(x + k * d, d, function.point.begin());
      values[k] = f->f(function.point.data(), f->dim, f->params);
    }
    return 0;
  } catch (...) {
    function.thrown = std::current_exception();
    return GSL_EBADFUNC;
  }
}

/// Reports to GSL's error handler.
int refuse(char const* reason, int code) {
  gsl_error(reason, __FILE__, __LINE__, code);
  return code;
}

int code_of(int returned) {
  switch (returned) {
  case KUBATURE_INVALID_ARGUMENT:
    return GSL_EINVAL;
  case KUBATURE_OUT_OF_MEMORY:
    return GSL_ENOMEM;
  case KUBATURE_UNSUPPORTED:
    return GSL_EUNSUP;
  default:
    return GSL_EFAILED;
  }
}

using Options = std::initializer_list<std::pair<char const*, std::string>>;

struct Nothing {
  void operator()(Integrator const&, Result const&) const {}
};

/// Integrates, and calls finish(integrator, result), which may change what is in result and abserr. The generator gives
/// the seed.
/// @param from the map that the method starts from; may be nullptr
template <class Finish = Nothing>
int integrate(char const* method, Options options, gsl_monte_function const* f, double const* lower,
              double const* upper, std::size_t dim, std::size_t dim_of_state, gsl_rng* generator, double* result,
              double* abserr, kubature_map const* from = nullptr, Finish const& finish = {}) {
  if (!f || !f->f || !lower || !upper || !generator || !result || !abserr)
    return refuse("a function, bounds, a generator and places for the result are needed", GSL_EINVAL);
  if (dim != dim_of_state || dim != f->dim)
    return refuse("the function and the state must have as many dimensions as the call", GSL_EINVAL);
  if (!std::all_of(lower, lower + dim, [](double x) { return std::isfinite(x); }) ||
      !std::all_of(upper, upper + dim, [](double x) { return std::isfinite(x); }))
    return refuse("bounds must be finite", GSL_EINVAL);
  Function function{f, {}};
  int returned = 0;
  try {
    function.point.resize(dim);
    auto const box =
        make<Box>(kubature_box_create, static_cast<int>(std::min<std::size_t>(dim, 1 << 20)), lower, upper);
    auto const integrand = make<Integrand>(kubature_integrand_function, call, 1, &function);
    auto const integrator = make<Integrator>(kubature_integrator_create, method, nullptr);
    auto const set = [&](char const* option, std::string const& value) {
      if (int const code = kubature_set_text(integrator.get(), option, value.c_str()))
        throw code;
    };
    set("seed", std::to_string(generator->type->get(generator->state)));
    set("channels", "never"); // which would take more than the evaluations asked for
    set("non_finite", "propagate");
    for (auto const& [option, value] : options)
      set(option, value);
    if (int const code = from ? kubature_use_map(integrator.get(), from) : 0)
      throw code;
    auto const found = make<Result>(kubature_integrate, integrator.get(), integrand.get(), box.get());
    *result = kubature_result_value(found.get(), 0);
    *abserr = kubature_result_error(found.get(), 0);
    finish(integrator, found);
  } catch (int code) {
    returned = code;
  } catch (std::bad_alloc const&) {
    return refuse("there is no memory", GSL_ENOMEM);
  }
  if (function.thrown)
    std::rethrow_exception(function.thrown);
  if (returned)
    return refuse(kubature_last_error(), code_of(returned));
  return std::isfinite(*result) ? GSL_SUCCESS : GSL_EBADFUNC;
}

template <class State>
State* allocated(std::size_t dim, int (*init)(State*)) {
  auto* const state = new (std::nothrow) State();
  if (!state) {
    refuse("there is no memory for the state", GSL_ENOMEM);
    return nullptr;
  }
  state->dim = dim;
  init(state);
  return state;
}

/// Adds a call to the average of those before it. Degrees of freedom are counted in `samples`.
void add(gsl_monte_vegas_state& state, double value, double error, double chi2_per_dof, int dof) {
  auto const weight = 1 / std::max(error * error, DBL_MIN);
  if (state.sum_wgts > 0) {
    auto const apart = value - state.wtd_int_sum / state.sum_wgts;
    state.chi_sum += apart * apart * weight * state.sum_wgts / (weight + state.sum_wgts);
    ++state.samples;
  }
  state.wtd_int_sum += weight * value;
  state.sum_wgts += weight;
  state.chi_sum += chi2_per_dof * dof;
  state.samples += static_cast<unsigned>(dof);
  state.chisq = state.samples ? state.chi_sum / state.samples : 0;
}

} // namespace

/* ---- plain ----------------------------------------------------------------------------------------------- */

gsl_monte_plain_state* gsl_monte_plain_alloc(size_t dim) { return allocated(dim, gsl_monte_plain_init); }
int gsl_monte_plain_init(gsl_monte_plain_state*) { return GSL_SUCCESS; }
void gsl_monte_plain_free(gsl_monte_plain_state* state) { delete state; }

int gsl_monte_plain_integrate(gsl_monte_function const* f, double const xl[], double const xu[], size_t const dim,
                              size_t const calls, gsl_rng* r, gsl_monte_plain_state* state, double* result,
                              double* abserr) {
  return integrate("mc", {{"evaluations", std::to_string(calls)}, {"iterations", "1"}}, f, xl, xu, dim, state->dim, r,
                   result, abserr);
}

/* ---- MISER ----------------------------------------------------------------------------------------------- */

gsl_monte_miser_state* gsl_monte_miser_alloc(size_t dim) { return allocated(dim, gsl_monte_miser_init); }
void gsl_monte_miser_free(gsl_monte_miser_state* state) { delete state; }

int gsl_monte_miser_init(gsl_monte_miser_state* state) {
  state->min_calls = 16 * state->dim;
  state->min_calls_per_bisection = 32 * state->min_calls;
  state->estimate_frac = 0.1;
  state->alpha = 2;
  state->dither = 0;
  return GSL_SUCCESS;
}

void gsl_monte_miser_params_get(gsl_monte_miser_state const* state, gsl_monte_miser_params* params) {
  *params = {state->estimate_frac, state->min_calls, state->min_calls_per_bisection, state->alpha, state->dither};
}

void gsl_monte_miser_params_set(gsl_monte_miser_state* state, gsl_monte_miser_params const* params) {
  state->estimate_frac = params->estimate_frac;
  state->min_calls = params->min_calls;
  state->min_calls_per_bisection = params->min_calls_per_bisection;
  state->alpha = params->alpha;
  state->dither = params->dither;
}

int gsl_monte_miser_integrate(gsl_monte_function* f, double const xl[], double const xh[], size_t dim, size_t calls,
                              gsl_rng* r, gsl_monte_miser_state* state, double* result, double* abserr) {
  // All of them together have the calls, and few calls are not divided.
  auto const iterations = std::clamp<std::size_t>(calls / 500, 1, 5);
  auto const each = calls / iterations;
  return integrate("vegas+",
                   {{"evaluations", std::to_string(each)},
                    {"iterations", std::to_string(iterations)},
                    {"skip", iterations > 2 ? "1" : "0"},
                    {"bins", bins(each)}},
                   f, xl, xh, dim, state->dim, r, result, abserr);
}

/* ---- vegas ----------------------------------------------------------------------------------------------- */

gsl_monte_vegas_state* gsl_monte_vegas_alloc(size_t dim) {
  return allocated<Vegas>(dim, [](Vegas* state) { return gsl_monte_vegas_init(state); });
}
void gsl_monte_vegas_free(gsl_monte_vegas_state* state) { delete static_cast<Vegas*>(state); }

int gsl_monte_vegas_init(gsl_monte_vegas_state* state) {
  state->stage = 0;
  state->alpha = usual_alpha;
  state->verbose = -1;
  state->iterations = 5;
  state->mode = GSL_VEGAS_MODE_IMPORTANCE;
  state->chisq = 0;
  state->ostream = stdout;
  return GSL_SUCCESS;
}

double gsl_monte_vegas_chisq(gsl_monte_vegas_state const* state) { return state->chisq; }

void gsl_monte_vegas_runval(gsl_monte_vegas_state const* state, double* result, double* sigma) {
  *result = state->result;
  *sigma = state->sigma;
}

void gsl_monte_vegas_params_get(gsl_monte_vegas_state const* state, gsl_monte_vegas_params* params) {
  *params = {state->alpha, state->iterations, state->stage, state->mode, state->verbose, state->ostream};
}

void gsl_monte_vegas_params_set(gsl_monte_vegas_state* state, gsl_monte_vegas_params const* params) {
  state->alpha = params->alpha;
  state->iterations = static_cast<unsigned>(params->iterations);
  state->stage = params->stage;
  state->mode = params->mode;
  state->verbose = params->verbose;
  state->ostream = params->ostream;
}

int gsl_monte_vegas_integrate(gsl_monte_function* f, double xl[], double xu[], size_t dim, size_t calls, gsl_rng* r,
                              gsl_monte_vegas_state* base, double* result, double* abserr) {
  auto& state = *static_cast<Vegas*>(base);
  if (state.iterations == 0)
    return refuse("at least one iteration is needed", GSL_EINVAL);
  if (state.stage <= 0)
    state.map = {};
  if (state.stage <= 1) {
    state.wtd_int_sum = state.sum_wgts = state.chi_sum = 0;
    state.samples = 0;
  }
  Options const options = {{"evaluations", std::to_string(calls)},
                           {"iterations", std::to_string(state.iterations)},
                           {"skip", "0"},
                           {"bins", bins(calls)},
                           {"alpha", state.alpha == usual_alpha ? "automatic" : std::to_string(state.alpha)}};
  return integrate(
      "vegas+", options, f, xl, xu, dim, state.dim, r, result, abserr, state.map.get(),
      [&](Integrator const& integrator, Result const& found) {
        if (state.verbose >= 0 && state.ostream)
          std::fprintf(state.ostream, "%s\n", kubature_result_text(found.get()));
        auto const iterations = kubature_result_iterations(found.get());
        kubature_result_iteration(found.get(), iterations - 1, 0, &state.result, &state.sigma, nullptr, nullptr);
        auto const chi2 = kubature_result_chi2_per_dof(found.get(), 0);
        bool const first = state.sum_wgts == 0;
        add(state, *result, *abserr, std::isfinite(chi2) ? chi2 : 0, std::isfinite(chi2) ? iterations - 1 : 0);
        if (!first) {
          *result = state.wtd_int_sum / state.sum_wgts;
          *abserr = std::sqrt(1 / state.sum_wgts);
        }
        if (std::isfinite(*result))
          state.map = make<Map>(kubature_map_of, integrator.get());
        state.stage = 1;
      });
}
