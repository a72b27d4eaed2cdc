/* GSL's Monte Carlo functions, argument by argument, in a program that links the drop-in before GSL. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_monte_miser.h>
#include <gsl/gsl_monte_plain.h>
#include <gsl/gsl_monte_vegas.h>
#include <kubature.h>

#include "../c/check.h"

#include <math.h>
#include <stdlib.h>

int failures = 0;

static int reported; /* codes that GSL's error handler was called with */

static void handler(char const* reason, char const* file, int line, int code) {
  CHECK(*reason && *file && line > 0);
  reported = code;
}

static long calls_of_f;

/* params times a Gaussian, whose integral over the unit cube is 1, but for 1e-11; it spoils its argument. */
static double gaussian(double* x, size_t dim, void* params) {
  double square = 0;
  for (size_t i = 0; i < dim; ++i) {
    square += (x[i] - 0.5) * (x[i] - 0.5) / 0.005;
    x[i] = NAN;
  }
  ++calls_of_f;
  return *(double*)params * pow(0.005 * 2 * acos(-1), -0.5 * (double)dim) * exp(-square / 2);
}

static double chosen(double* x, size_t dim, void* params) {
  (void)x;
  (void)dim;
  return *(double*)params;
}

static double lower[] = {0, 0, 0, 0, 0, 0}, upper[] = {1, 1, 1, 1, 1, 1};
static double scale = 3;

/* The generators of GSL serve, each with its own numbers, and a seed gives the same bits. */
static void values(void) {
  gsl_rng_type const* types[] = {gsl_rng_mt19937, gsl_rng_ranlxd2, gsl_rng_taus, gsl_rng_rand};
  enum { most = 4 };
  double seen[3 * most];
  for (int t = 0; t < most; ++t)
    for (int again = 0; again < 2; ++again)
      for (size_t dim = 1; dim <= 5; dim += 2) {
        gsl_rng* r = gsl_rng_alloc(types[t]);
        gsl_rng_set(r, 7);
        gsl_monte_function f = {gaussian, dim, &scale};
        double value[3], error[3];
        gsl_monte_plain_state* plain = gsl_monte_plain_alloc(dim);
        gsl_monte_miser_state* miser = gsl_monte_miser_alloc(dim);
        gsl_monte_vegas_state* vegas = gsl_monte_vegas_alloc(dim);
        CHECK(gsl_monte_plain_init(plain) == 0 && gsl_monte_miser_init(miser) == 0 && gsl_monte_vegas_init(vegas) == 0);
        calls_of_f = 0;
        CHECK(gsl_monte_plain_integrate(&f, lower, upper, dim, 50000, r, plain, &value[0], &error[0]) == 0);
        CHECK(calls_of_f >= 50000 && calls_of_f < 52000);
        calls_of_f = 0;
        CHECK(gsl_monte_miser_integrate(&f, lower, upper, dim, 50000, r, miser, &value[1], &error[1]) == 0);
        CHECK(calls_of_f >= 45000 && calls_of_f < 56000);
        calls_of_f = 0;
        CHECK(gsl_monte_vegas_integrate(&f, lower, upper, dim, 10000, r, vegas, &value[2], &error[2]) == 0);
        CHECK(calls_of_f >= 45000 && calls_of_f < 58000);
        for (int m = 0; m < 3; ++m) {
          CHECK(error[m] > 0 && fabs(value[m] - scale) < 5 * error[m]);
          if (dim == 3 && again)
            CHECK(seen[3 * t + m] == value[m]);
          if (dim == 3)
            seen[3 * t + m] = value[m];
        }
        CHECK(error[2] < error[0] && error[1] < error[0]);
        gsl_monte_plain_free(plain);
        gsl_monte_miser_free(miser);
        gsl_monte_vegas_free(vegas);
        gsl_rng_free(r);
      }
  for (int m = 0; m < 3; ++m)
    CHECK(seen[m] != seen[3 + m] && seen[m] != seen[6 + m] && seen[m] != seen[9 + m]);
}

/* Stage 0 forgets, 1 keeps the map, 2 and 3 keep the average as well. */
static void stages(void) {
  enum { dim = 6 };
  gsl_rng* r = gsl_rng_alloc(gsl_rng_default);
  gsl_monte_function f = {gaussian, dim, &scale};
  gsl_monte_vegas_state* s = gsl_monte_vegas_alloc(dim);
  CHECK(s->stage == 0 && s->iterations == 5 && s->alpha == 1.5 && s->mode == GSL_VEGAS_MODE_IMPORTANCE &&
        s->verbose < 0 && s->ostream == stdout && s->chisq == 0 && s->dim == dim);
  double fresh, kept, v[3], e[3], raw, sigma;
  CHECK(gsl_monte_vegas_integrate(&f, lower, upper, dim, 5000, r, s, &v[0], &fresh) == 0);
  CHECK(s->stage == 1);
  gsl_monte_vegas_params params;
  gsl_monte_vegas_params_get(s, &params);
  CHECK(params.stage == 1 && params.iterations == 5 && params.alpha == 1.5 && params.verbose == -1);
  params.iterations = 3;
  gsl_monte_vegas_params_set(s, &params);
  CHECK(s->iterations == 3);
  CHECK(gsl_monte_vegas_integrate(&f, lower, upper, dim, 5000, r, s, &v[1], &kept) == 0);
  CHECK(kept < fresh && fabs(v[1] - scale) < 5 * kept);
  e[0] = kept;
  v[0] = v[1];
  for (int stage = 2; stage <= 3; ++stage) {
    double const sum = v[0] / (e[0] * e[0]), weight = 1 / (e[0] * e[0]), chi2 = gsl_monte_vegas_chisq(s);
    s->stage = stage;
    CHECK(gsl_monte_vegas_integrate(&f, lower, upper, dim, 5000, r, s, &v[1], &e[1]) == 0);
    CHECK(s->stage == 1 && e[1] < e[0] && fabs(v[1] - scale) < 5 * e[1]);
    CHECK(e[1] > 0.2 * e[0] && fabs(v[1] / (e[1] * e[1]) - sum) < 20 * (1 / (e[1] * e[1]) - weight));
    CHECK(chi2 > 0 && gsl_monte_vegas_chisq(s) > 0 && gsl_monte_vegas_chisq(s) < 10 && s->chisq != chi2);
    gsl_monte_vegas_runval(s, &raw, &sigma);
    CHECK(sigma > e[1] && fabs(raw - scale) < 5 * sigma && raw == s->result && sigma == s->sigma);
    e[0] = e[1];
    v[0] = v[1];
  }
  s->stage = 0;
  CHECK(gsl_monte_vegas_integrate(&f, lower, upper, dim, 5000, r, s, &v[1], &e[1]) == 0);
  CHECK(e[1] > 2 * kept);
  s->iterations = 1;
  CHECK(gsl_monte_vegas_integrate(&f, lower, upper, dim, 5000, r, s, &v[1], &e[1]) == 0);
  gsl_monte_vegas_runval(s, &raw, &sigma);
  CHECK(s->chisq == 0 && raw == v[1] && sigma == e[1]);

  /* A narrower map than the integrand deserves with a larger alpha; what is printed goes to ostream. */
  FILE* printed = tmpfile();
  CHECK(printed != NULL);
  s->verbose = 0;
  s->ostream = printed;
  s->alpha = 0.5;
  s->iterations = 5;
  s->stage = 0;
  CHECK(gsl_monte_vegas_integrate(&f, lower, upper, dim, 5000, r, s, &v[2], &e[2]) == 0);
  CHECK(ftell(printed) > 0);
  fclose(printed);
  CHECK(gsl_monte_vegas_init(s) == 0 && s->alpha == 1.5 && s->iterations == 5 && s->stage == 0 && s->ostream == stdout);
  gsl_monte_vegas_free(s);
  gsl_rng_free(r);
}

static void parameters_of_miser(void) {
  gsl_monte_miser_state* s = gsl_monte_miser_alloc(4);
  gsl_monte_miser_params params;
  gsl_monte_miser_params_get(s, &params);
  CHECK(params.estimate_frac == 0.1 && params.min_calls == 64 && params.min_calls_per_bisection == 2048);
  CHECK(params.alpha == 2 && params.dither == 0);
  gsl_monte_miser_params const others = {0.2, 10, 20, 1, 0.1};
  gsl_monte_miser_params_set(s, &others);
  gsl_monte_miser_params_get(s, &params);
  CHECK(params.estimate_frac == 0.2 && params.min_calls == 10 && params.min_calls_per_bisection == 20);
  CHECK(params.alpha == 1 && params.dither == 0.1 && s->alpha == 1);
  gsl_monte_miser_free(s);
}

static int plain(gsl_monte_function* f, double* xl, double* xu, size_t dim, size_t calls, gsl_rng* r, void* s,
                 double* result, double* abserr) {
  return gsl_monte_plain_integrate(f, xl, xu, dim, calls, r, s, result, abserr);
}
static int miser(gsl_monte_function* f, double* xl, double* xu, size_t dim, size_t calls, gsl_rng* r, void* s,
                 double* result, double* abserr) {
  return gsl_monte_miser_integrate(f, xl, xu, dim, calls, r, s, result, abserr);
}
static int vegas(gsl_monte_function* f, double* xl, double* xu, size_t dim, size_t calls, gsl_rng* r, void* s,
                 double* result, double* abserr) {
  return gsl_monte_vegas_integrate(f, xl, xu, dim, calls, r, s, result, abserr);
}
static int (*const integrators[])(gsl_monte_function*, double*, double*, size_t, size_t, gsl_rng*, void*, double*,
                                  double*) = {plain, miser, vegas};

static void hostile(void) {
  double const numbers[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, 1e-3};
  double number = 1, value, error;
  gsl_rng* r = gsl_rng_alloc(gsl_rng_default);
  int calls = 0, refusals = 0;
  for (int m = 0; m < 3; ++m) {
    void* state = m == 0   ? (void*)gsl_monte_plain_alloc(2)
                  : m == 1 ? (void*)gsl_monte_miser_alloc(2)
                           : (void*)gsl_monte_vegas_alloc(2);
    gsl_monte_function f = {chosen, 2, &number};
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b, ++calls) { /* bounds */
        double xl[] = {numbers[a], 0}, xu[] = {numbers[b], 1};
        int const proper = isfinite(xl[0]) && isfinite(xu[0]) && xl[0] < xu[0];
        reported = 0;
        value = 7;
        int const returned = integrators[m](&f, xl, xu, 2, 1000, r, state, &value, &error);
        if (proper && xu[0] > 1)
          CHECK(returned == (isfinite(value) ? 0 : GSL_EBADFUNC)); /* sums may overflow */
        else if (proper)
          CHECK(returned == 0 && fabs(value - xu[0] + xl[0]) <= 5 * error + 1e-9);
        else
          CHECK(returned == GSL_EINVAL && reported == GSL_EINVAL && value == 7);
        refusals += returned != 0;
      }
    for (int i = 0; i < 8; ++i, ++calls) { /* values */
      number = numbers[i];
      int const returned = integrators[m](&f, lower, upper, 2, 1000, r, state, &value, &error);
      CHECK(returned == (isfinite(value) ? 0 : GSL_EBADFUNC));
      CHECK(isfinite(number) ? number > 1 || fabs(value - number) <= 5 * error + 1e-9 : !isfinite(value));
    }
    number = 1;
    if (m == 2)
      gsl_monte_vegas_init(state);
    for (size_t n = 2; n <= 20; ++n, ++calls) { /* few calls */
      CHECK(integrators[m](&f, lower, upper, 2, n, r, state, &value, &error) == 0);
      CHECK(fabs(value - 1) < 0.5);
    }
    CHECK(integrators[m](&f, lower, upper, 2, 1, r, state, &value, &error) == GSL_EINVAL);
    CHECK(integrators[m](&f, lower, upper, 2, 0, r, state, &value, &error) == GSL_EINVAL);
    CHECK(integrators[m](&f, lower, upper, 3, 1000, r, state, &value, &error) == GSL_EINVAL);
    f.dim = 3;
    CHECK(integrators[m](&f, lower, upper, 2, 1000, r, state, &value, &error) == GSL_EINVAL);
    f.dim = 2;
    CHECK(integrators[m](&f, lower, upper, 2, 1000, NULL, state, &value, &error) == GSL_EINVAL);
    CHECK(integrators[m](NULL, lower, upper, 2, 1000, r, state, &value, &error) == GSL_EINVAL);
    CHECK(integrators[m](&f, NULL, upper, 2, 1000, r, state, &value, &error) == GSL_EINVAL);
    CHECK(integrators[m](&f, lower, NULL, 2, 1000, r, state, &value, &error) == GSL_EINVAL);
    calls += 8;
    if (m == 2) {
      gsl_monte_vegas_state* const s = state;
      s->iterations = 0;
      CHECK(vegas(&f, lower, upper, 2, 1000, r, s, &value, &error) == GSL_EINVAL);
      s->iterations = 5;
      s->alpha = -1;
      CHECK(vegas(&f, lower, upper, 2, 1000, r, s, &value, &error) == GSL_EINVAL);
      s->alpha = NAN;
      CHECK(vegas(&f, lower, upper, 2, 1000, r, s, &value, &error) == GSL_EINVAL);
      gsl_monte_vegas_free(s);
    } else if (m == 1) {
      gsl_monte_miser_free(state);
    } else {
      gsl_monte_plain_free(state);
    }
  }
  gsl_monte_plain_state* const empty = gsl_monte_plain_alloc(0);
  gsl_monte_function const none = {chosen, 0, &number};
  CHECK(gsl_monte_plain_integrate(&none, lower, upper, 0, 1000, r, empty, &value, &error) == GSL_EINVAL);
  gsl_monte_plain_free(empty);
  gsl_monte_plain_free(NULL);
  gsl_monte_miser_free(NULL);
  gsl_monte_vegas_free(NULL);
  gsl_rng_free(r);
  CHECK(calls >= 200 && refusals > 50);
}

/* The rest of GSL is GSL's: its generators, and its error handler, which the drop-in calls. */
int main(void) {
  gsl_set_error_handler(handler);
  values();
  stages();
  parameters_of_miser();
  hostile();
  return failures;
}
