/* cubature.h, argument by argument, and 200 calls that no caller should make. */
#include <cubature.h>
#include <kubature.h>

#include "../c/check.h"

#include <math.h>
#include <pthread.h>

int failures = 0;

static double const zeros[1024], ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

typedef struct {
  long points, calls;
  int returns;
} Counts;

/* Component c is (c + 1) exp(x_1 + ... + x_n) over 1, or (e - 1)^n times c + 1. */
static int exponential(unsigned ndim, double const* x, void* fdata, unsigned fdim, double* fval) {
  Counts* const counts = fdata;
  double sum = 0;
  for (unsigned i = 0; i < ndim; ++i)
    sum += x[i];
  for (unsigned c = 0; c < fdim; ++c)
    fval[c] = (c + 1) * exp(sum);
  ++counts->points;
  ++counts->calls;
  return counts->returns;
}

static int exponential_v(unsigned ndim, size_t npts, double const* x, void* fdata, unsigned fdim, double* fval) {
  Counts* const counts = fdata;
  long const calls = counts->calls;
  int returned = 0;
  for (size_t k = 0; k < npts && returned == 0; ++k)
    returned = exponential(ndim, x + k * ndim, fdata, fdim, fval + k * fdim);
  counts->calls = calls + 1;
  return returned;
}

/* Of 1, the indicator of a disc, and a small oscillation. */
static int mixed(unsigned ndim, double const* x, void* fdata, unsigned fdim, double* fval) {
  (void)ndim;
  ++*(long*)fdata;
  double const values[] = {1, x[0] * x[0] + x[1] * x[1] < 0.5, 1e-6 * sin(40 * x[0] * x[1])};
  for (unsigned c = 0; c < fdim; ++c)
    fval[c] = values[c % 3];
  return 0;
}

static double power(double base, unsigned n) { return pow(base, n); }

static void values(void) {
  double const base = exp(1) - 1;
  for (unsigned dim = 1; dim <= 6; ++dim)
    for (unsigned fdim = 1; fdim <= 70; fdim += 23) {
      Counts one = {0}, many = {0};
      double val[70], err[70], v[70], e[70];
      CHECK(hcubature(fdim, exponential, &one, dim, zeros, ones, 0, 0, 1e-6, ERROR_INDIVIDUAL, val, err) == 0);
      CHECK(hcubature_v(fdim, exponential_v, &many, dim, zeros, ones, 0, 0, 1e-6, ERROR_INDIVIDUAL, v, e) == 0);
      CHECK(one.calls == one.points && one.points == many.points && many.calls < many.points / 8);
      for (unsigned c = 0; c < fdim; ++c) {
        CHECK(err[c] <= 1e-6 * val[c] && fabs(val[c] - (c + 1) * power(base, dim)) <= err[c] + 1e-14 * val[c]);
        CHECK(val[c] == v[c] && err[c] == e[c]);
      }
      CHECK(pcubature(fdim, exponential, &one, dim, zeros, ones, 0, 0, 1e-6, ERROR_L2, val, err) == 0);
      CHECK(pcubature_v(fdim, exponential_v, &many, dim, zeros, ones, 0, 0, 1e-6, ERROR_L2, v, e) == 0);
      for (unsigned c = 0; c < fdim; ++c)
        CHECK(fabs(val[c] / ((c + 1) * power(base, dim)) - 1) < 1e-6 && val[c] == v[c]);
    }
}

static void bounds(void) {
  Counts counts = {0};
  double val = 0, err = 0;
  double const lower[] = {1, 0}, upper[] = {0, 1}, same[] = {1, 1};
  CHECK(hcubature(1, exponential, &counts, 2, lower, upper, 0, 0, 1e-9, ERROR_L1, &val, &err) == 0);
  CHECK(fabs(val + power(exp(1) - 1, 2)) < 1e-8 && err > 0);
  CHECK(hcubature(1, exponential, &counts, 2, upper, lower, 0, 0, 1e-9, ERROR_L1, &val, &err) == 0);
  CHECK(fabs(val + power(exp(1) - 1, 2)) < 1e-8);
  counts.points = 0;
  CHECK(hcubature(1, exponential, &counts, 2, lower, same, 0, 0, 1e-9, ERROR_L1, &val, &err) == 0);
  CHECK(val == 0 && err == 0 && counts.points == 1);
  CHECK(pcubature(1, exponential, &counts, 0, NULL, NULL, 0, 0, 1e-9, ERROR_L1, &val, &err) == 0);
  CHECK(val == 1 && err == 0 && counts.points == 2);
  CHECK(hcubature(0, exponential, &counts, 2, zeros, ones, 0, 0, 1e-9, ERROR_L1, NULL, NULL) == 0);
  counts.returns = 3;
  CHECK(hcubature(1, exponential, &counts, 2, lower, same, 0, 0, 1e-9, ERROR_L1, &val, &err) == 1);
  CHECK(isnan(val) && isnan(err));
}

/* Another number than 0 ends the call at once. */
static void stops(void) {
  Counts counts = {.returns = -1};
  double val[2] = {0}, err[2] = {0};
  CHECK(hcubature(2, exponential, &counts, 3, zeros, ones, 0, 0, 1e-9, ERROR_L1, val, err) == 1);
  CHECK(counts.points == 1 && isnan(val[0]) && isnan(val[1]) && isnan(err[0]) && isnan(err[1]));
  CHECK(pcubature_v(2, exponential_v, &counts, 3, zeros, ones, 0, 0, 1e-9, ERROR_L1, val, err) == 1);
  CHECK(counts.points == 2);
}

/* A tolerance that is not met is not success. */
static void limits(void) {
  double val, err;
  for (size_t most = 1; most <= 1000000; most *= 10) {
    long points = 0;
    CHECK(hcubature(1, mixed, &points, 2, zeros, ones, most, 0, 1e-12, ERROR_L1, &val, &err) == 0);
    CHECK(val == 1 && points > 0 && (points <= 130 || (size_t)points <= most));
    Counts counts = {0};
    CHECK(hcubature(1, exponential, &counts, 5, zeros, ones, most, 0, 1e-15, ERROR_L1, &val, &err) == 2);
    CHECK(isfinite(val) && err > 1e-15 * val && counts.points > 0);
    CHECK(most < 1000 || (size_t)counts.points <= most);
  }
  Counts counts = {0};
  CHECK(hcubature(1, exponential, &counts, 1, zeros, ones, 0, 0, 0, ERROR_L1, &val, &err) == 2);
  CHECK(fabs(val - exp(1) + 1) < 1e-14 && err < 1e-12);
  CHECK(hcubature(1, exponential, &counts, 1, zeros, ones, 0, -1, 1e-3, ERROR_L1, &val, &err) == 0);
  CHECK(hcubature(1, exponential, &counts, 1, zeros, ones, 0, 1e-3, NAN, ERROR_L1, &val, &err) == 0);
  CHECK(hcubature(1, exponential, &counts, 1, zeros, ones, 0, INFINITY, 0, ERROR_L1, &val, &err) == 0);
}

static double size_of(error_norm norm, unsigned n, double const* v) {
  double sum = 0, squares = 0, largest = 0;
  for (unsigned i = 0; i < n; ++i) {
    sum += fabs(v[i]);
    squares += v[i] * v[i];
    largest = fmax(largest, fabs(v[i]));
  }
  return norm == ERROR_L1 ? sum : norm == ERROR_LINF ? largest : sqrt(squares);
}

/* 0 is returned where the norm of errors is within the tolerance, and 2 elsewhere. */
static void norms(void) {
  long evaluations[5];
  for (int norm = ERROR_INDIVIDUAL; norm <= ERROR_LINF; ++norm)
    for (int limited = 0; limited < 2; ++limited)
      for (unsigned fdim = 3; fdim <= 39; fdim += 36) {
        double val[39], err[39];
        double const absolute = 1e-9, relative = 2e-3;
        long points = 0;
        int const returned = hcubature(fdim, mixed, &points, 2, zeros, ones, limited ? 5000 : 0, absolute, relative,
                                       (error_norm)norm, val, err);
        CHECK(returned == (limited ? 2 : 0));
        int within = 1;
        unsigned const together = norm == ERROR_INDIVIDUAL ? 1 : norm == ERROR_PAIRED ? 2 : fdim;
        for (unsigned first = 0; first < fdim; first += together) {
          unsigned const n = first + together > fdim ? fdim - first : together;
          within &= size_of((error_norm)norm, n, err + first) <=
                    fmax(absolute, relative * size_of((error_norm)norm, n, val + first)) * (1 + 1e-14);
        }
        CHECK(within == (returned == 0));
        for (unsigned c = 0; c < fdim; ++c)
          CHECK(limited || fabs(val[c] - (c % 3 == 0 ? 1 : c % 3 == 1 ? acos(-1) / 8 : val[2])) < 4e-3);
        if (fdim == 3)
          evaluations[norm] = limited ? evaluations[norm] : points;
      }
  CHECK(evaluations[ERROR_INDIVIDUAL] >= evaluations[ERROR_PAIRED]);
  CHECK(evaluations[ERROR_PAIRED] > evaluations[ERROR_LINF]);
  double val[2], err[2];
  Counts counts = {0};
  CHECK(hcubature(1, exponential, &counts, 1, zeros, ones, 0, 0, 1e-3, (error_norm)7, val, err) == 0);
  CHECK(hcubature(2, exponential, &counts, 1, zeros, ones, 0, 0, 1e-3, (error_norm)7, val, err) == 1);
}

/* x_1 times the integral of exp(x) over 1. */
static int with_inner(unsigned ndim, double const* x, void* fdata, unsigned fdim, double* fval) {
  double err;
  int const returned = hcubature(fdim, exponential, fdata, ndim, zeros, ones, 0, 0, 1e-9, ERROR_L1, fval, &err);
  fval[0] *= x[0];
  return returned;
}

static void* nested(void* result) {
  Counts counts = {0};
  double err;
  if (hcubature(1, with_inner, &counts, 1, zeros, ones, 0, 0, 1e-9, ERROR_L1, result, &err))
    *(double*)result = NAN;
  return NULL;
}

static void nested_in_threads(void) {
  pthread_t threads[4];
  double results[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, nested, &results[i]) == 0);
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(fabs(results[i] - (exp(1) - 1) / 2) < 1e-8);
  }
}

static int hostile_values(unsigned ndim, double const* x, void* fdata, unsigned fdim, double* fval) {
  (void)ndim;
  double const chosen[] = {NAN, INFINITY, -INFINITY, 1e308, 1 / x[0], 0};
  for (unsigned c = 0; c < fdim; ++c)
    fval[c] = chosen[*(int*)fdata];
  return 0;
}

static void hostile(void) {
  double const numbers[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-320};
  enum { count = sizeof numbers / sizeof *numbers };
  int calls = 0, answered[3] = {0};
  double val[4], err[4];
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) { /* bounds and tolerances */
      Counts counts = {0};
      double const lower[] = {numbers[a], 0}, upper[] = {numbers[b], 1};
      int const finite = isfinite(numbers[a]) && isfinite(numbers[b]);
      int returned = hcubature(2, exponential, &counts, 2, lower, upper, 2000, 0, 1e-3, ERROR_L2, val, err);
      CHECK(finite ? returned == 0 || returned == 1 || returned == 2 : returned == 1);
      CHECK((returned == 1) == isnan(val[0]) && (returned == 1) == isnan(err[1]));
      ++answered[returned];
      returned = pcubature(1, exponential, &counts, 2, zeros, ones, 2000, numbers[a], numbers[b], ERROR_L2, val, err);
      CHECK(returned == 0 || returned == 2);
      CHECK((returned == 0) == (err[0] <= numbers[a] || err[0] <= numbers[b] * val[0]));
      ++answered[returned];
      calls += 2;
    }
  for (int which = 0; which < 6; ++which)
    for (unsigned dim = 1; dim <= 5; ++dim) { /* values */
      int const returned = hcubature(1, hostile_values, &which, dim, zeros, ones, 2000, 0, 1e-3, ERROR_L2, val, err);
      CHECK(which < 3 ? returned == 1 : which == 4 ? returned == 2 : returned == 0 || which == 3);
      ++answered[returned];
      ++calls;
    }
  Counts counts = {0};
  for (unsigned dim = 21; dim <= 1001; dim += 98, ++calls) { /* too many variables */
    double upper[1024];
    for (unsigned i = 0; i < dim; ++i)
      upper[i] = 1;
    CHECK(hcubature(1, exponential, &counts, dim, zeros, upper, 0, 0, 1e-3, ERROR_L1, val, err) == 1 && isnan(*val));
    CHECK(strstr(kubature_last_error(), "20"));
  }
  CHECK(hcubature(1, NULL, NULL, 1, zeros, ones, 0, 0, 1e-3, ERROR_L1, val, err) == 1);
  CHECK(hcubature_v(1, NULL, NULL, 1, zeros, ones, 0, 0, 1e-3, ERROR_L1, val, err) == 1);
  CHECK(hcubature(1, exponential, &counts, 1, NULL, ones, 0, 0, 1e-3, ERROR_L1, val, err) == 1);
  CHECK(hcubature(1, exponential, &counts, 1, zeros, NULL, 0, 0, 1e-3, ERROR_L1, val, err) == 1);
  CHECK(hcubature(1, exponential, &counts, 1, zeros, ones, 0, 0, 1e-3, ERROR_L1, NULL, err) == 1);
  CHECK(hcubature(1, exponential, &counts, 1, zeros, ones, 0, 0, 1e-3, ERROR_L1, val, NULL) == 1);
  CHECK(hcubature(2, exponential, &counts, 1, zeros, ones, 0, 0, 1e-3, (error_norm)-1, val, err) == 1);
  calls += 7;
  CHECK(calls >= 200 && answered[0] > 10 && answered[1] > 10 && answered[2] > 10);
}

int main(void) {
  values();
  bounds();
  stops();
  limits();
  norms();
  nested_in_threads();
  hostile();
  return failures;
}
