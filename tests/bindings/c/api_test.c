/* What kubature.h promises, from C. */
#include <kubature.h>

#include "check.h"
#include "other_side.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

int failures = 0;

static kubature_box* square(void) {
  double const lower[] = {0, 0}, upper[] = {1, 2};
  kubature_box* box = NULL;
  CHECK(kubature_box_create(2, lower, upper, &box) == KUBATURE_SUCCESS && box);
  return box;
}

static kubature_integrand* formula(char const* text) {
  kubature_integrand* f = NULL;
  CHECK(kubature_integrand_expression(text, NULL, &f) == KUBATURE_SUCCESS && f);
  return f;
}

static kubature_integrator* method(char const* name, char const* precision) {
  kubature_integrator* integrator = NULL;
  CHECK(kubature_integrator_create(name, precision, &integrator) == KUBATURE_SUCCESS && integrator);
  return integrator;
}

/* A call that must succeed. */
static kubature_result* integrate(kubature_integrator* integrator, kubature_integrand* f, kubature_box* box) {
  kubature_result* result = NULL;
  CHECK(kubature_integrate(integrator, f, box, &result) == KUBATURE_SUCCESS && result);
  return result;
}

/* ---- functions of the tests ------------------------------------------------------------------------------ */

struct Calls {
  int64_t points, largest, outside;
  int calls, fail_at, code;
};

/* exp(-x^2-y) where 0 < x < 1, 0 < y < 2. */
static int peak(int64_t n, int d, double const* x, int components, double* values, void* user) {
  struct Calls* calls = user;
  if (++calls->calls == calls->fail_at)
    return calls->code;
  calls->points += n;
  if (n > calls->largest)
    calls->largest = n;
  for (int64_t k = 0; k < n; ++k) {
    double const a = x[k * d], b = x[k * d + 1];
    calls->outside += d != 2 || components != 1 || !(a > 0 && a < 1 && b > 0 && b < 2);
    values[k] = exp(-a * a - b);
  }
  return 0;
}

/* The same in the memory where the library computes; these tests are built only if that is the host. */
static int device_peak(int64_t n, int d, double const* x, int components, double* values, void* stream, void* user) {
  struct Calls* calls = user;
  calls->outside += stream != NULL || d != 2 || components != 1;
  ++calls->calls;
  for (int64_t k = 0; k < n; ++k)
    values[k] = exp(-x[k] * x[k] - x[n + k]);
  return 0;
}

/* 1, x and x^2 times the first. */
static int moments(int64_t n, int d, double const* x, int components, double* values, void* user) {
  *(int*)user = components;
  for (int64_t k = 0; k < n; ++k) {
    double power = exp(-x[k * d] * x[k * d] - x[k * d + 1]);
    for (int c = 0; c < components; ++c, power *= x[k * d])
      values[k * components + c] = power;
  }
  return 0;
}

static int device_moments(int64_t n, int d, double const* x, int components, double* values, void* stream, void* user) {
  (void)stream;
  (void)user;
  (void)d;
  for (int64_t k = 0; k < n; ++k) {
    double power = exp(-x[k] * x[k] - x[n + k]);
    for (int c = 0; c < components; ++c, power *= x[k])
      values[c * n + k] = power;
  }
  return 0;
}

/* 1 / sqrt(-x) where -1 < x < 0, in all variables, and how many points are elsewhere. */
static int pole(int64_t n, int d, double const* x, int components, double* values, void* user) {
  struct Calls* calls = user;
  calls->points += n;
  for (int64_t k = 0; k < n; ++k) {
    values[k] = components;
    for (int i = 0; i < d; ++i) {
      calls->outside += !(x[k * d + i] > -1 && x[k * d + i] < 0);
      values[k] /= sqrt(-x[k * d + i]);
    }
  }
  return 0;
}

static double const peak_integral = 0.6457524772703195; /* sqrt(pi)/2 erf(1) (1 - exp(-2)) */

/* ---- tests ----------------------------------------------------------------------------------------------- */

/* max_evaluations limits a call of any method, and may change between calls. */
static void limits_of_evaluations(void) {
  kubature_box* box = square();
  kubature_integrand* f = formula("1/(1e-7+abs(x-y))");
  char const* const methods[] = {"auto", "pagani", "two-phase", "vegas+", "mcubes", "mc", "qmc", "mixed"};
  for (int i = 0; i < 8; ++i) {
    kubature_integrator* integrator = method(methods[i], NULL);
    CHECK(kubature_set(integrator, "relative", 1e-12) == 0);
    for (double limit = 1e4; limit < 1e6; limit *= 5) {
      CHECK(kubature_set(integrator, "max_evaluations", limit) == 0);
      kubature_result* result = integrate(integrator, f, box);
      CHECK(kubature_result_evaluations(result) <= (int64_t)limit);
      CHECK(kubature_result_status(result) != KUBATURE_CONVERGED);
      kubature_result_destroy(result);
    }
    kubature_integrator_destroy(integrator);
  }
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

static void expressions(void) {
  kubature_box* box = square();
  kubature_integrand* f = formula("exp(-x*x-y)");
  kubature_integrator* cubature = method("pagani", NULL);
  CHECK(kubature_set(cubature, "relative", 1e-8) == 0);
  kubature_result* result = integrate(cubature, f, box);
  CHECK(kubature_result_status(result) == KUBATURE_CONVERGED);
  CHECK(strcmp(kubature_status_name(kubature_result_status(result)), "converged") == 0);
  CHECK(fabs(kubature_result_value(result, 0) - peak_integral) < 1e-8);
  CHECK(kubature_result_error(result, 0) > 0 && kubature_result_error(result, 0) < 1e-8);
  CHECK(kubature_result_regions(result) > 0 && kubature_result_evaluations(result) > 0);
  CHECK(kubature_result_iterations(result) > 0 && kubature_result_components(result) == 1);
  CHECK(isnan(kubature_result_k_hat(result)));
  CHECK(strcmp(kubature_result_method(result), "pagani") == 0 &&
        strcmp(kubature_result_precision(result), "fp64") == 0);
  CHECK(kubature_result_backend(result)[0] != '\0' && kubature_result_seconds(result) > 0);
  CHECK(strncmp(kubature_result_text(result), "0.6457", 6) == 0 && strstr(kubature_result_text(result), "converged"));
  kubature_result_destroy(result);
  kubature_integrator_destroy(cubature);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);

  /* Infinite sides, names of variables, another precision, iterations and remarks. */
  double const lower[] = {-INFINITY, 0}, upper[] = {INFINITY, 1};
  CHECK(kubature_box_create(2, lower, upper, &box) == 0);
  CHECK(kubature_integrand_expression("exp(-t^2)", "t, u", &f) == 0);
  kubature_integrator* vegas = method("vegas+", "fp32");
  CHECK(kubature_set(vegas, "evaluations", 2e4) == 0 && kubature_set(vegas, "iterations", 6) == 0);
  CHECK(kubature_set_text(vegas, "skip", "2") == 0);
  result = integrate(vegas, f, box);
  CHECK(kubature_result_status(result) == KUBATURE_COMPLETED);
  CHECK(fabs(kubature_result_value(result, 0) - sqrt(acos(-1.0))) < 5 * kubature_result_error(result, 0));
  CHECK(kubature_result_iterations(result) == 6 && kubature_result_chi2_per_dof(result, 0) >= 0);
  CHECK(kubature_result_q_value(result, 0) >= 0 && kubature_result_non_finite(result) == 0);
  CHECK(kubature_result_k_hat(result) < 0.6);
  int64_t evaluations = 0, sum = 0;
  for (int i = 0; i < 6; ++i) {
    double value = 0, error = 0;
    int included = -1;
    CHECK(kubature_result_iteration(result, i, 0, &value, &error, &evaluations, &included) == 0);
    CHECK(included == (i >= 2) && fabs(value - 1.7724539) < 6 * error);
    sum += evaluations;
  }
  CHECK(sum > 0 && sum <= kubature_result_evaluations(result));
  CHECK(kubature_result_iteration(result, 5, 0, NULL, NULL, NULL, NULL) == 0);
  for (int i = 0; i < kubature_result_remarks(result); ++i)
    CHECK(kubature_result_remark(result, i)[0] != '\0');
  kubature_result_destroy(result);
  kubature_integrator_destroy(vegas);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

static void functions(void) {
  kubature_box* box = square();
  struct Calls calls = {0};
  kubature_integrand *f = formula("exp(-x*x-y)"), *g = NULL, *h = NULL;
  CHECK(kubature_integrand_function(peak, 1, &calls, &g) == 0);
  CHECK(kubature_integrand_device_function(device_peak, 1, &calls, &h) == 0);
  char const* const methods[] = {"vegas+", "mcubes", "mc"};
  for (int m = 0; m < 3; ++m) {
    double value[3], error[3];
    kubature_integrand* const same[] = {f, g, h};
    for (int i = 0; i < 3; ++i) {
      calls = (struct Calls){0};
      kubature_integrator* integrator = method(methods[m], "fp64");
      CHECK(kubature_set(integrator, "evaluations", 1e5) == 0 && kubature_set(integrator, "iterations", 4) == 0);
      kubature_result* result = integrate(integrator, same[i], box);
      value[i] = kubature_result_value(result, 0);
      error[i] = kubature_result_error(result, 0);
      if (i == 1)
        CHECK(calls.points >= kubature_result_evaluations(result) && calls.largest >= 4096 && calls.largest <= 65536);
      CHECK(calls.outside == 0 && (i == 0) == (calls.calls == 0));
      kubature_result_destroy(result);
      kubature_integrator_destroy(integrator);
    }
    CHECK(fabs(value[1] - peak_integral) < 5 * error[1]);
    CHECK(value[1] == value[2] && error[1] == error[2]); /* the same function at the same points */
    CHECK(fabs(value[0] - value[1]) < 1e-12);            /* but exp may round differently */
  }

  /* A function that fails, and an integrator that continues to work. */
  kubature_integrator* integrator = method("vegas+", NULL);
  kubature_result* result = NULL;
  CHECK(kubature_set(integrator, "evaluations", 1e4) == 0);
  for (int at = 1; at < 7; at += 2) {
    calls = (struct Calls){.fail_at = at, .code = 10 + at};
    REFUSED(kubature_integrate(integrator, g, box, &result), 10 + at, "the integrand returned 1");
    CHECK(result == NULL && calls.calls == at);
  }
  calls = (struct Calls){0};
  result = integrate(integrator, g, box);
  CHECK(fabs(kubature_result_value(result, 0) - peak_integral) < 5 * kubature_result_error(result, 0));
  kubature_result_destroy(result);
  result = NULL;
  kubature_integrand_destroy(g);

  /* One that throws. */
  char text[40] = "no simulation today";
  CHECK(kubature_integrand_function((kubature_function)throwing_function, 1, text, &g) == 0);
  REFUSED(kubature_integrate(integrator, g, box, &result), KUBATURE_FAILED, "no simulation today");
  text[0] = '\0';
  REFUSED(kubature_integrate(integrator, g, box, &result), KUBATURE_FAILED,
          "an exception not derived from std::exception");
  kubature_integrand_destroy(g);

  /* More values than there is room for. */
  CHECK(kubature_integrand_function(peak, 100000, &calls, &g) == 0);
  REFUSED(kubature_integrate(integrator, g, box, &result), KUBATURE_INVALID_ARGUMENT, "components = 100000: ");
  kubature_integrator_destroy(integrator);
  integrator = method("vegas+", "fp32");
  REFUSED(kubature_integrate(integrator, h, box, &result), KUBATURE_INVALID_ARGUMENT, "precision = fp32: ");
  CHECK(result == NULL);
  kubature_integrator_destroy(integrator);
  kubature_integrand_destroy(f);
  kubature_integrand_destroy(g);
  kubature_integrand_destroy(h);
  kubature_box_destroy(box);
}

static int mean(int64_t n, int d, double const* x, int components, double* values, void* user) {
  (void)components;
  (void)user;
  for (int64_t k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = 0; i < d; ++i)
      sum += x[k * d + i];
    values[k] = sum / d;
  }
  return 0;
}

/* More than 20 variables: on hosts. */
/* x^c y in component c. */
static int powers(int64_t n, int d, double const* x, int components, double* values, void* user) {
  for (int64_t k = 0; k < n; ++k)
    for (int c = 0; c < components; ++c)
      values[k * components + c] = pow(x[k * d], c) * x[k * d + 1];
  return user != NULL;
}

static void components_in_threads(void) {
  char const* const methods[] = {"vegas+", "mcubes", "mc", "qmc"};
  for (int components = 2; components < 7; components += 4)
    for (int m = 0; m < 4; ++m) {
      kubature_box* box = square();
      kubature_integrand* f = NULL;
      CHECK(kubature_integrand_function(powers, components, NULL, &f) == 0);
      CHECK(kubature_integrand_set_concurrent(f, 1) == 0);
      kubature_integrator* integrator = method(methods[m], NULL);
      CHECK(kubature_set(integrator, "evaluations", 5001) == 0);
      kubature_result* result = integrate(integrator, f, box);
      for (int c = 0; c < components; ++c)
        CHECK(fabs(kubature_result_value(result, c) - 2.0 / (c + 1)) < 5 * kubature_result_error(result, c) + 1e-12);
      kubature_result_destroy(result);
      kubature_integrator_destroy(integrator);
      kubature_integrand_destroy(f);
      kubature_box_destroy(box);
    }
}

/* Sums of weight times value, by iteration and component. */
struct Weighted {
  int iteration, without;
  double sums[50][40];
};

static int weighted_powers(int64_t n, int d, double const* x, int components, double* values, void* user) {
  struct Weighted* weighted = user;
  weighted->without += d == 2;
  for (int64_t k = 0; k < n; ++k)
    for (int c = 0; c < components; ++c) {
      values[k * components + c] = pow(x[k * d], c) * x[k * d + 1];
      if (d == 3)
        weighted->sums[weighted->iteration][c] += x[k * d + 2] * values[k * components + c];
    }
  return 0;
}

static int note_iteration(kubature_progress const* progress, void* user) {
  ((struct Weighted*)user)->iteration = progress->iteration;
  return 0;
}

/* The sum of weight times value is the estimate of each iteration, also where samples are redistributed among strata.
 * There are 1 component, some for which kernels are compiled, and more. */
static void weights(void) {
  static int const components[] = {1, 3, 40};
  for (int m = 0; m < 3; ++m) {
    struct Weighted* weighted = calloc(1, sizeof *weighted);
    kubature_box* box = square();
    kubature_integrand* f = NULL;
    CHECK(kubature_integrand_function(weighted_powers, components[m], weighted, &f) == 0);
    CHECK(kubature_integrand_set_concurrent(f, 1) == 0); /* has no effect then */
    CHECK(kubature_integrand_set_weighted(f, 1) == 0);
    kubature_integrator* integrator = method("vegas+", NULL);
    CHECK(kubature_set(integrator, "evaluations", 50001) == 0 && kubature_set(integrator, "iterations", 6) == 0);
    CHECK(kubature_set_callback(integrator, note_iteration, weighted) == 0);
    kubature_result* result = integrate(integrator, f, box);
    CHECK(kubature_result_iterations(result) == 6);
    for (int i = 0; i < 6; ++i)
      for (int c = 0; c < components[m]; ++c) {
        double value = NAN;
        CHECK(kubature_result_iteration(result, i, c, &value, NULL, NULL, NULL) == 0);
        CHECK(fabs(weighted->sums[i][c] / value - 1) < 1e-12);
      }
    kubature_result_destroy(result);
    kubature_integrator_destroy(integrator);

    weighted->without = 0;
    integrator = method("mcubes", NULL); /* tells no weights */
    CHECK(kubature_set(integrator, "evaluations", 5001) == 0);
    kubature_result_destroy(integrate(integrator, f, box));
    CHECK(weighted->without > 0);
    kubature_integrator_destroy(integrator);
    kubature_integrand_destroy(f);
    kubature_box_destroy(box);
    free(weighted);
  }
  kubature_integrand* f = formula("x*y");
  REFUSED(kubature_integrand_set_weighted(f, 1), KUBATURE_INVALID_ARGUMENT, "integrand = ");
  kubature_integrand_destroy(f);
}

static void many_integrals(void) {
  int const bad = KUBATURE_INVALID_ARGUMENT;
  double const lower[] = {0, 0}, upper[] = {1, 2}, a[] = {0.5, 1, 2}, uppers[] = {1, 2, 1, 4, 1, 6}, zeros[6] = {0};
  double value[3], error[3];
  kubature_status status[3];
  int64_t evaluations = 0;
  kubature_integrator* integrator = method("pagani", NULL);
  CHECK(kubature_set(integrator, "relative", 1e-9) == 0);
  CHECK(kubature_integrate_many(integrator, "exp(-a*x)*y", "x, y", "a", 3, a, 1, lower, upper, value, error, status,
                                &evaluations) == 0);
  for (int k = 0; k < 3; ++k) {
    CHECK(fabs(value[k] / (-2 * expm1(-a[k]) / a[k]) - 1) < 1e-9 && error[k] <= 1e-9 * value[k]);
    CHECK(status[k] == KUBATURE_CONVERGED);
  }
  CHECK(evaluations > 30);
  CHECK(kubature_integrate_many(integrator, "x*y", "x,y", NULL, 3, NULL, 3, zeros, uppers, value, NULL, NULL, NULL) ==
        0);
  for (int k = 0; k < 3; ++k)
    CHECK(fabs(value[k] - (k + 1) * (k + 1)) < 1e-7);
  REFUSED(kubature_integrate_many(integrator, "a*x", "x", "a", 3, NULL, 1, lower, upper, value, NULL, NULL, NULL), bad,
          "values = NULL: ");
  REFUSED(kubature_integrate_many(integrator, "a*x", "x", "a", 3, a, 2, lower, upper, value, NULL, NULL, NULL), bad,
          "boxes = 2: ");
  REFUSED(kubature_integrate_many(integrator, "a*x", "x", "a", 0, a, 1, lower, upper, value, NULL, NULL, NULL), bad,
          "count = 0: ");
  REFUSED(kubature_integrate_many(integrator, "b*x", "x", "a", 3, a, 1, lower, upper, value, NULL, NULL, NULL), bad,
          "expression = b*x: ");
  REFUSED(kubature_integrate_many(integrator, "a*x", NULL, "a", 3, a, 1, lower, upper, value, NULL, NULL, NULL), bad,
          "variables = NULL: ");
  kubature_integrator_destroy(integrator);

  kubature_integrand* f = formula("x + 10*y");
  double const x[] = {1, 2, 3, 4, 5, 6};
  CHECK(kubature_integrand_evaluate(f, 3, 2, x, value) == 0 && value[0] == 21 && value[2] == 65);
  CHECK(kubature_integrand_evaluate(f, 2, 3, x, value) == 0 && value[0] == 21 && value[1] == 54);
  REFUSED(kubature_integrand_evaluate(f, 2, 1, x, value), bad, "number of coordinates = 1: ");
  kubature_integrand_destroy(f);
  CHECK(kubature_integrand_function(powers, 1, NULL, &f) == 0);
  REFUSED(kubature_integrand_evaluate(f, 3, 2, x, value), bad, "integrand = ");
  kubature_integrand_destroy(f);
}

static void many_variables(void) {
  enum { d = 252 };
  double lower[d], upper[d];
  for (int i = 0; i < d; ++i) {
    lower[i] = 0;
    upper[i] = i == 0 ? 3 : 1;
  }
  kubature_box* box = NULL;
  kubature_integrand* f = NULL;
  CHECK(kubature_box_create(d, lower, upper, &box) == 0 && kubature_box_dimension(box) == d);
  CHECK(kubature_integrand_function(mean, 1, NULL, &f) == 0);
  char const* const methods[] = {"vegas+", "mcubes", "mc", "qmc"};
  for (int concurrent = 0; concurrent < 2; ++concurrent)
    for (int m = 0; m < 4; ++m) {
      CHECK(kubature_integrand_set_concurrent(f, concurrent) == 0);
      kubature_integrator* integrator = method(methods[m], NULL);
      CHECK(kubature_set(integrator, "evaluations", 4000) == 0);
      kubature_result* result = NULL;
      if (kubature_device(NULL) == KUBATURE_HOST) {
        result = integrate(integrator, f, box);
        CHECK(fabs(kubature_result_value(result, 0) - 3 * (1.5 + (d - 1) * 0.5) / d) <
              5 * kubature_result_error(result, 0) + 1e-13);
        kubature_result_destroy(result);
      } else {
        REFUSED(kubature_integrate(integrator, f, box, &result), KUBATURE_INVALID_ARGUMENT, "dimension = 252: ");
      }
      kubature_integrator_destroy(integrator);
    }
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

/* Every point that a function is given, of whatever use it is, lies strictly inside. */
static void points(void) {
  double const lower[] = {-1, -1}, upper[] = {0, 0};
  kubature_box* box = NULL;
  CHECK(kubature_box_create(2, lower, upper, &box) == 0);
  struct Calls calls = {0};
  kubature_integrand* f = NULL;
  CHECK(kubature_integrand_function(pole, 1, &calls, &f) == 0);
  char const* const methods[] = {"vegas+", "mcubes", "mc", "qmc", "pagani", "mixed", "auto"};
  for (int m = 0; m < 7; ++m) {
    calls = (struct Calls){0};
    kubature_integrator* integrator = method(methods[m], "fp64");
    CHECK(kubature_set(integrator, "evaluations", m < 4 || m == 5 ? 2e4 : 2e5) == 0);
    CHECK(kubature_set(integrator, "relative", 1e-6) == 0 && kubature_set(integrator, "seconds", 10) == 0);
    if (strcmp(methods[m], "qmc") == 0)
      CHECK(kubature_set_text(integrator, "transform", "korobov3") == 0);
    else if (m < 3)
      CHECK(kubature_set(integrator, "iterations", 8) == 0);
    kubature_result_destroy(integrate(integrator, f, box));
    CHECK(calls.points > 0 && calls.outside == 0);
    kubature_integrator_destroy(integrator);
  }
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

/* Domains that a text describes. */
static void domains(void) {
  kubature_integrator* pagani = method("pagani", NULL);
  CHECK(kubature_set(pagani, "relative", 1e-9) == 0);
  kubature_integrand* f = NULL;
  kubature_box* triangle = NULL;
  CHECK(kubature_integrand_expression("x*y", "x,y", &f) == 0);
  CHECK(kubature_box_create_text("x=0:1, y=0:x", "x=0.5", &triangle) == 0);
  CHECK(kubature_box_dimension(triangle) == 2);
  double x[2] = {0, 0};
  CHECK(kubature_box_inside(triangle, 0.5, x) == 0 && x[0] == 0.5 && x[1] == 0.25);
  kubature_result* result = integrate(pagani, f, triangle);
  CHECK(fabs(kubature_result_value(result, 0) - 0.125) < 1e-9);
  kubature_result_destroy(result);

  struct Calls calls = {0};
  kubature_integrand* function = NULL;
  CHECK(kubature_integrand_function(peak, 1, &calls, &function) == 0);
  result = integrate(pagani, function, triangle);
  CHECK(fabs(kubature_result_value(result, 0) - 0.23975301) < 1e-7 && calls.outside == 0);
  kubature_result_destroy(result);

  kubature_box* simplex = NULL;
  CHECK(kubature_box_create_text("simplex", NULL, &simplex) == 0 && kubature_box_dimension(simplex) == 0);
  result = integrate(pagani, f, simplex);
  CHECK(fabs(kubature_result_value(result, 0) - 1 / 24.0) < 1e-9);
  kubature_result_destroy(result);
  kubature_box_destroy(simplex);

  kubature_box* normal = NULL;
  CHECK(kubature_box_create_text("x~normal(1,2), y~normal(x,1)", "y=0.5", &normal) == 0);
  CHECK(kubature_box_dimension(normal) == 2);
  CHECK(kubature_set(pagani, "relative", 1e-7) == 0);
  result = integrate(pagani, f, normal);
  CHECK(fabs(kubature_result_value(result, 0) - 5) < 1e-6); /* E(x y) = E(x^2) */
  kubature_result_destroy(result);
  kubature_box_destroy(normal);
  CHECK(kubature_box_create_text("normal 0,0; 1,0.5; 0.5,1", NULL, &normal) == 0);
  result = integrate(pagani, f, normal);
  CHECK(fabs(kubature_result_value(result, 0) - 0.5) < 1e-7);
  kubature_result_destroy(result);
  kubature_box_destroy(normal);
  kubature_box_destroy(triangle);
  kubature_integrand_destroy(function);
  kubature_integrand_destroy(f);
  kubature_integrator_destroy(pagani);
  CHECK(kubature_box_dimension(NULL) == 0);
}

/* The integral of exp(i (3 x + y)) over the square, and of i y. */
static void complex_numbers(void) {
  kubature_box* box = square();
  kubature_integrand *wave = formula("cos(3*x+y); sin(3*x+y); 0; y"), *exponential = NULL;
  double const three = 3;
  CHECK(kubature_integrand_formula("exp(i*(k*x+y)); i*y", NULL, "k", &three, KUBATURE_COMPLEX, &exponential) == 0);
  char const* methods[] = {"pagani", "qmc", "auto"};
  for (int i = 0; i < 6; ++i) {
    kubature_integrator* integrator = method(methods[i / 2], NULL);
    CHECK(kubature_set(integrator, "relative", 1e-8) == 0);
    CHECK(kubature_set_text(integrator, "error_norm", "paired") == 0);
    kubature_result* result = integrate(integrator, i % 2 ? exponential : wave, box);
    CHECK(kubature_result_status(result) == KUBATURE_CONVERGED && kubature_result_components(result) == 4);
    double value[2] = {0, 0}, error[2] = {0, 0};
    CHECK(kubature_result_complex(result, 0, value, error) == 0);
    double const re = (cos(3) - cos(5) + cos(2) - 1) / 3, im = (sin(3) - sin(5) + sin(2)) / 3;
    CHECK(hypot(value[0] - re, value[1] - im) < 1e-7);
    CHECK(hypot(error[0], error[1]) <= 1e-8 * hypot(value[0], value[1]));
    CHECK(kubature_result_complex(result, 1, value, NULL) == 0 && value[0] == 0 && fabs(value[1] - 2) < 1e-7);
    REFUSED(kubature_result_complex(result, 2, value, NULL), KUBATURE_INVALID_ARGUMENT, "k = 2: there are 2 complex");
    kubature_result_destroy(result);
    kubature_integrator_destroy(integrator);
  }
  kubature_integrand_destroy(wave);
  kubature_integrand_destroy(exponential);
  kubature_box_destroy(box);
}

static void components(void) {
  int seen = 0, id = -1;
  CHECK(kubature_device(&id) == KUBATURE_HOST && id == 0 && kubature_device(NULL) == KUBATURE_HOST);
  kubature_box* box = square();
  kubature_integrand *host = NULL, *device = NULL, *formulas = formula("exp(-x*x-y); x*exp(-x*x-y); x^2*exp(-x*x-y)");
  CHECK(kubature_integrand_function(moments, 3, &seen, &host) == 0);
  CHECK(kubature_integrand_device_function(device_moments, 3, NULL, &device) == 0);
  double const exact = 0.5 * (1 - exp(-1)) * (1 - exp(-2)); /* for the second one */
  kubature_integrand* all[] = {formulas, host, device};
  for (int i = 0; i < 3; ++i) {
    kubature_integrator* vegas = method("vegas+", NULL);
    CHECK(kubature_set(vegas, "evaluations", 20000) == 0 && kubature_set_text(vegas, "covariance", "full") == 0);
    CHECK(kubature_set(vegas, "iterations", 8) == 0);
    kubature_result* result = integrate(vegas, all[i], box);
    CHECK(kubature_result_components(result) == 3 && kubature_result_iterations(result) == 8);
    CHECK(fabs(kubature_result_value(result, 0) - peak_integral) < 5 * kubature_result_error(result, 0));
    CHECK(fabs(kubature_result_value(result, 1) - exact) < 5 * kubature_result_error(result, 1));
    double const error = kubature_result_error(result, 0), other = kubature_result_error(result, 1);
    CHECK(fabs(kubature_result_covariance(result, 0, 0) / (error * error) - 1) < 1e-12);
    double const covariance = kubature_result_covariance(result, 0, 1);
    CHECK(covariance == kubature_result_covariance(result, 1, 0) && fabs(covariance) < error * other);
    CHECK(kubature_result_dof(result) == 9 && kubature_result_chi2(result) > 0); /* four iterations count */
    double matrix[9];
    CHECK(kubature_result_covariance_matrix(result, matrix) == 0);
    for (int k = 0; k < 9; ++k)
      CHECK(fabs(matrix[k] / kubature_result_covariance(result, k / 3, k % 3) - 1) < 1e-14);
    REFUSED(kubature_result_covariance_matrix(result, NULL), KUBATURE_INVALID_ARGUMENT, "matrix = NULL: ");
    double value = 0, of_value = 0, weights[] = {1, -1, 0};
    CHECK(kubature_result_ratio(result, 1, 0, &value, &of_value) == 0);
    CHECK(value == kubature_result_value(result, 1) / kubature_result_value(result, 0) && of_value > 0);
    CHECK(fabs(value - exact / peak_integral) < 5 * of_value);
    CHECK(kubature_result_linear(result, weights, &value, &of_value) == 0);
    CHECK(fabs(value - kubature_result_value(result, 0) + kubature_result_value(result, 1)) < 1e-15);
    CHECK(fabs(of_value * of_value / (error * error + other * other - 2 * covariance) - 1) < 1e-9);
    CHECK(kubature_result_iteration(result, 7, 2, &value, &of_value, NULL, NULL) == 0 && value > 0 && value < 1);
    REFUSED(kubature_result_ratio(result, 0, 3, NULL, NULL), KUBATURE_INVALID_ARGUMENT, "component = 3: ");
    REFUSED(kubature_result_linear(result, NULL, NULL, NULL), KUBATURE_INVALID_ARGUMENT, "weights = NULL: ");
    REFUSED(kubature_result_iteration(result, 0, 3, NULL, NULL, NULL, NULL), KUBATURE_INVALID_ARGUMENT,
            "component = 3: ");
    CHECK(isnan(kubature_result_covariance(result, 0, -1)) && strstr(kubature_result_text(result), "  1.000"));
    kubature_result_destroy(result);
    kubature_integrator_destroy(vegas);
  }
  CHECK(seen == 3);
  kubature_integrator* plain = method("mc", NULL); /* computes no covariances unless asked to */
  CHECK(kubature_set(plain, "evaluations", 1000) == 0 && kubature_set_text(plain, "covariance", "none") == 0);
  kubature_result* result = integrate(plain, host, box);
  CHECK(isnan(kubature_result_covariance(result, 0, 1)) && kubature_result_dof(result) == 0);
  CHECK(kubature_result_covariance_matrix(result, (double[9]){0}) == KUBATURE_INVALID_ARGUMENT);
  REFUSED(kubature_result_ratio(result, 0, 1, NULL, NULL), KUBATURE_INVALID_ARGUMENT, "");
  kubature_result_destroy(result);
  result = NULL;
  kubature_integrator_destroy(plain);
  kubature_integrand_destroy(formulas);
  kubature_integrand_destroy(host);
  kubature_integrand_destroy(device);
  kubature_box_destroy(box);
}

/* The expectation of exp(W(1)) and of W(1/4) W(1), with Brownian motion at three dates; user points to the matrix. */
static int of_path(int64_t n, int d, double const* x, int components, double* values, void* user) {
  double const* matrix = user;
  for (int64_t k = 0; k < n; ++k) {
    double z[3], w[3] = {0, 0, 0};
    if (kubature_normal_quantiles(d, x + k * d, z))
      return 1;
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j)
        w[i] += matrix[i * d + j] * z[j];
    values[k * components] = exp(w[2]);
    values[k * components + 1] = w[0] * w[2];
  }
  return 0;
}

static void paths(void) {
  double const covariance[9] = {0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.25, 0.5, 1}, zeros[3] = {0}, ones[3] = {1, 1, 1};
  double z[3] = {0, 0.975, 1}, matrix[9];
  CHECK(kubature_normal_quantiles(3, z, z) == 0 && z[0] < -37 && z[2] > 8 && z[2] < 9);
  CHECK(fabs(z[1] - 1.9599639845400545) < 1e-15);
  kubature_box* cube = NULL;
  CHECK(kubature_box_create(3, zeros, ones, &cube) == 0);
  kubature_integrator* qmc = method("qmc", NULL);
  char const* const ways[] = {"steps", "bridge", "principal"};
  for (int way = 0; way < 3; ++way) {
    CHECK(kubature_path_matrix(3, covariance, ways[way], matrix) == 0);
    for (int i = 0; i < 9; ++i) {
      double sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += matrix[i / 3 * 3 + k] * matrix[i % 3 * 3 + k];
      CHECK(fabs(sum - covariance[i]) < 1e-14);
    }
    kubature_integrand* f = NULL;
    CHECK(kubature_integrand_function(of_path, 2, matrix, &f) == 0);
    kubature_result* result = integrate(qmc, f, cube);
    for (int c = 0; c < 2; ++c) {
      double const off = kubature_result_value(result, c) - (c == 0 ? exp(0.5) : 0.25);
      CHECK(fabs(off) < 5 * kubature_result_error(result, c) && kubature_result_error(result, c) < 1e-3);
    }
    kubature_result_destroy(result);
    kubature_integrand_destroy(f);
  }
  int const bad = KUBATURE_INVALID_ARGUMENT;
  double const indefinite[4] = {1, 2, 2, 1};
  REFUSED(kubature_path_matrix(2, indefinite, "steps", matrix), bad, "least eigenvalue of the covariance = -");
  REFUSED(kubature_path_matrix(3, covariance, "pca", matrix), bad, "by = pca: ");
  REFUSED(kubature_path_matrix(0, covariance, "steps", matrix), bad, "dates = 0: ");
  REFUSED(kubature_path_matrix(3, NULL, "steps", matrix), bad, "covariance = NULL: ");
  REFUSED(kubature_normal_quantiles(1, NULL, z), bad, "p = NULL: ");
  kubature_integrator_destroy(qmc);
  kubature_box_destroy(cube);
}

static void refusals(void) {
  double const zeros[20] = {0}, ones[2] = {1, 1}, none[2] = {NAN, 0};
  int const bad = KUBATURE_INVALID_ARGUMENT;
  kubature_box *box = NULL, *other = square();
  REFUSED(kubature_box_create(2, ones, zeros, &box), bad, "Box side 1 = 1:0: ");
  REFUSED(kubature_box_create_text("x=0:q", NULL, &box), bad, "box = x=0:q: ");
  REFUSED(kubature_box_create_text("ball 0 0", NULL, &box), bad, "domain = ball 0 0: ");
  REFUSED(kubature_box_create_text("x=0:1", "x=2", &box), bad, "breaks = x=2: ");
  REFUSED(kubature_box_create_text("x~gamma(0,1)", NULL, &box), bad, "box = x~gamma(0,1): the shape must be above 0");
  REFUSED(kubature_box_create_text("x~gamma(2,1)", "x=-1", &box), bad, "breaks = x=-1: ");
  REFUSED(kubature_box_create_text(NULL, NULL, &box), bad, "text = NULL: ");
  REFUSED(kubature_box_create(2, none, ones, &box), bad, "Box side 1 = ");
  REFUSED(kubature_box_create(0, zeros, ones, &box), bad, "dimension = 0: ");
  REFUSED(kubature_box_create(1025, zeros, ones, &box), bad, "dimension = 1025: ");
  REFUSED(kubature_box_create(2, NULL, ones, &box), bad, "lower = NULL: ");
  REFUSED(kubature_box_create(2, zeros, NULL, &box), bad, "upper = NULL: ");
  REFUSED(kubature_box_create(2, zeros, ones, NULL), bad, "box = NULL: ");
  kubature_integrand *f = NULL, *three = formula("x+y+z"), *two = formula("x+y");
  REFUSED(kubature_integrand_expression("x + * y", NULL, &f), bad, "expression = x + * y: column 5: ");
  REFUSED(kubature_integrand_expression("x", "x,,y", &f), bad, "");
  REFUSED(kubature_integrand_expression(NULL, NULL, &f), bad, "formula = NULL: ");
  REFUSED(kubature_integrand_expression("x", NULL, NULL), bad, "integrand = NULL: ");
  REFUSED(kubature_integrand_formula("a*x", NULL, "a", NULL, KUBATURE_VALUE, &f), bad, "values = NULL: ");
  REFUSED(kubature_integrand_formula("a*x", NULL, "a", ones, 3, &f), bad, "what = 3: ");
  REFUSED(kubature_integrand_formula("a*x", "x", "x", ones, KUBATURE_VALUE, &f), bad, "parameter = x: ");
  REFUSED(kubature_integrand_function(NULL, 1, NULL, &f), bad, "f = NULL: ");
  REFUSED(kubature_integrand_function(peak, 0, NULL, &f), bad, "components = 0: ");
  REFUSED(kubature_integrand_device_function(device_peak, 1, NULL, NULL), bad, "integrand = NULL: ");
  kubature_integrator *integrator = NULL, *mc = method("mc", NULL), *pagani = method("pagani", NULL);
  REFUSED(kubature_integrator_create("vegas", NULL, &integrator), bad,
          "method = vegas: no such method; did you mean vegas+? The methods are vegas+");
  REFUSED(kubature_set(pagani, "epsrel", 1e-3), bad,
          "option = epsrel: pagani has no such option; did you mean relative? Its options are relative, ");
  REFUSED(kubature_set(mc, "evalutions", 1e4), bad,
          "option = evalutions: mc has no such option; did you mean evaluations? Its options are relative, ");
  CHECK(strstr(kubature_last_error(), "rule") == NULL); /* which mc does not have */
  REFUSED(kubature_integrator_create("mc", "fp8", &integrator), bad, "precision = fp8: ");
  REFUSED(kubature_integrator_create("mc", NULL, NULL), bad, "integrator = NULL: ");
  REFUSED(kubature_set(mc, "bins", 50), bad, "option = bins: ");
  REFUSED(kubature_set(mc, "evaluations", 1.5), bad, "evaluations = 1.5: ");
  REFUSED(kubature_set(mc, "evaluations", NAN), bad, "evaluations = nan: ");
  REFUSED(kubature_set_text(mc, "evaluations", "many"), bad, "evaluations = many: ");
  REFUSED(kubature_set_text(mc, "evaluations", NULL), bad, "value = NULL: ");
  REFUSED(kubature_set(NULL, "evaluations", 1), bad, "integrator = NULL: ");
  REFUSED(kubature_set(mc, NULL, 1), bad, "option = NULL: ");
  char const* value = NULL;
  CHECK(kubature_set_text(mc, "evaluations", "1e6") == 0 && kubature_get_text(mc, "evaluations", &value) == 0);
  CHECK(value && strcmp(value, "1000000") == 0);
  CHECK(kubature_set(mc, "max_evaluations", 2e6) == 0 && kubature_get_text(mc, "max_evaluations", &value) == 0);
  CHECK(value && strcmp(value, "2000000") == 0);
  REFUSED(kubature_set(mc, "max_evaluations", 0), bad, "max_evaluations = 0: ");
  REFUSED(kubature_get_text(mc, "bins", &value), bad, "option = bins: ");
  REFUSED(kubature_get_text(mc, "seed", NULL), bad, "value = NULL: ");
  kubature_result* result = NULL;
  REFUSED(kubature_integrate(mc, three, other, &result), bad, "");
  REFUSED(kubature_integrate(pagani, two, other, &result), bad, "relative = 0: ");
  REFUSED(kubature_integrate(NULL, two, other, &result), bad, "integrator = NULL: ");
  REFUSED(kubature_integrate(mc, NULL, other, &result), bad, "integrand = NULL: ");
  REFUSED(kubature_integrate(mc, two, NULL, &result), bad, "box = NULL: ");
  REFUSED(kubature_integrate(mc, two, other, NULL), bad, "result = NULL: ");
  CHECK(!box && !f && !integrator && !result);
  CHECK(isnan(kubature_result_value(NULL, 0)) && kubature_result_evaluations(NULL) == 0);
  CHECK(strcmp(kubature_result_text(NULL), "") == 0 && strcmp(kubature_result_remark(NULL, 0), "") == 0);
  CHECK(kubature_set(mc, "evaluations", 1000) == 0);
  result = integrate(mc, two, other);
  CHECK(isnan(kubature_result_value(result, 1)) && isnan(kubature_result_error(result, -1)));
  CHECK(strncmp(kubature_last_error(), "component = -1: ", 16) == 0);
  REFUSED(kubature_result_iteration(result, 99, 0, NULL, NULL, NULL, NULL), bad, "iteration = 99: ");
  CHECK(strcmp(kubature_result_remark(result, -1), "") == 0);
  CHECK(strcmp(kubature_status_name((kubature_status)77), "") == 0);
  kubature_result_destroy(result);
  kubature_box_destroy(other);
  kubature_integrand_destroy(two);
  kubature_integrand_destroy(three);
  kubature_integrator_destroy(mc);
  kubature_integrator_destroy(pagani);
  kubature_box_destroy(NULL);
  kubature_integrand_destroy(NULL);
  kubature_integrator_destroy(NULL);
  kubature_map_destroy(NULL);
  kubature_result_destroy(NULL);
}

struct Watch {
  int calls, stop_after;
  char method[20];
  double value;
};

static int watch(kubature_progress const* progress, void* user) {
  struct Watch* w = user;
  ++w->calls;
  snprintf(w->method, sizeof w->method, "%s", progress->method);
  w->value = progress->value;
  CHECK(progress->evaluations >= 0 && progress->seconds >= 0);
  return progress->iteration >= w->stop_after;
}

static void callbacks(void) {
  kubature_box* box = square();
  kubature_integrand* f = formula("exp(-x*x-y)");
  kubature_integrator* mcubes = method("mcubes", NULL);
  CHECK(kubature_set(mcubes, "evaluations", 1e4) == 0 && kubature_set(mcubes, "skip", 0) == 0);
  struct Watch w = {.stop_after = 3};
  CHECK(kubature_set_callback(mcubes, watch, &w) == 0);
  kubature_result* result = integrate(mcubes, f, box);
  CHECK(kubature_result_status(result) == KUBATURE_STOPPED && kubature_result_iterations(result) == 3);
  CHECK(w.calls >= 3 && strcmp(w.method, "mcubes") == 0 && w.value == kubature_result_value(result, 0));
  kubature_result_destroy(result);
  int const calls = w.calls;
  CHECK(kubature_set_callback(mcubes, NULL, NULL) == 0);
  result = integrate(mcubes, f, box);
  CHECK(kubature_result_status(result) == KUBATURE_COMPLETED && w.calls == calls);
  kubature_result_destroy(result);
  REFUSED(kubature_set_callback(NULL, watch, &w), KUBATURE_INVALID_ARGUMENT, "integrator = NULL: ");
  kubature_integrator_destroy(mcubes);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

/* A first call trains a map, with which others begin; options that keep it, and others that do not. */
static void maps(char const* file) {
  kubature_box* box = square();
  kubature_integrand* f = formula("1/(0.001 + (x-0.4)^2 + (y-0.4)^2)");
  kubature_integrator *first = method("vegas+", NULL), *second = method("vegas+", NULL);
  kubature_map *map = NULL, *loaded = NULL, *none = NULL;
  REFUSED(kubature_map_of(first, &map), KUBATURE_INVALID_ARGUMENT, "integrator = vegas+: ");
  CHECK(kubature_set(first, "evaluations", 2e4) == 0 && kubature_set(second, "evaluations", 2e4) == 0);
  kubature_result* result = integrate(first, f, box);
  double value = 0;
  int included = -1;
  CHECK(kubature_result_iteration(result, 0, 0, &value, NULL, NULL, &included) == 0 && included == 0);
  kubature_result_destroy(result);
  CHECK(kubature_map_of(first, &map) == 0 && kubature_map_axes(map) == 2);
  int const bins = kubature_map_bins(map);
  double const* edges = kubature_map_edges(map, 1);
  CHECK(edges && edges[0] == 0 && edges[bins] == 1 && edges[bins / 2] != 0.5);
  CHECK(kubature_map_edges(map, 2) == NULL);
  CHECK(kubature_map_save(map, file) == 0 && kubature_map_load(file, &loaded) == 0);
  CHECK(memcmp(edges, kubature_map_edges(loaded, 1), sizeof(double) * (size_t)(bins + 1)) == 0);
  REFUSED(kubature_map_load("/nonexistent/map", &none), KUBATURE_INVALID_ARGUMENT, "");
  REFUSED(kubature_map_save(map, "/nonexistent/map"), KUBATURE_INVALID_ARGUMENT, "");
  CHECK(kubature_use_map(second, loaded) == 0);
  CHECK(kubature_set(second, "iterations", 7) == 0); /* begins anew, with the map */
  CHECK(kubature_set(second, "relative", 1e-30) == 0);
  result = integrate(second, f, box);
  CHECK(kubature_result_iterations(result) == 7);
  CHECK(kubature_result_iteration(result, 0, 0, &value, NULL, NULL, &included) == 0 && included == 1);
  kubature_result_destroy(result);
  CHECK(kubature_set(first, "absolute", 1e3) == 0); /* continues with what it has learned */
  result = integrate(first, f, box);
  CHECK(kubature_result_iteration(result, 0, 0, &value, NULL, NULL, &included) == 0 && included == 1);
  kubature_result_destroy(result);
  kubature_map_destroy(map);
  kubature_map_destroy(loaded);

  double const uneven[] = {0, 0.25, 1}, falling[] = {0, 2, 1};
  CHECK(kubature_map_create(1, 2, uneven, &map) == 0 && kubature_map_edges(map, 0)[1] == 0.25);
  REFUSED(kubature_map_create(1, 2, falling, &none), KUBATURE_INVALID_ARGUMENT, "VegasMap");
  REFUSED(kubature_map_create(0, 2, uneven, &none), KUBATURE_INVALID_ARGUMENT, "axes = 0: ");
  REFUSED(kubature_map_create(1, -2, uneven, &none), KUBATURE_INVALID_ARGUMENT, "bins = -2: ");
  kubature_integrator* mc = method("mc", NULL);
  REFUSED(kubature_use_map(mc, map), KUBATURE_INVALID_ARGUMENT, "method = mc: it does not train a map");
  REFUSED(kubature_use_map(first, NULL), KUBATURE_INVALID_ARGUMENT, "map = NULL: ");
  CHECK(none == NULL);
  kubature_map_destroy(map);
  kubature_integrator_destroy(mc);
  kubature_integrator_destroy(first);
  kubature_integrator_destroy(second);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

/* A call that is stopped resumes from its checkpoint to the bits of one that was not. */
static void checkpoints(char const* file) {
  kubature_box* box = square();
  kubature_integrand* f = formula("exp(-x*x-y)");
  double values[2];
  for (int interrupted = 0; interrupted < 2; ++interrupted)
    for (int call = 0; call <= interrupted; ++call) {
      kubature_integrator* vegas = method("vegas+", NULL);
      CHECK(kubature_set(vegas, "evaluations", 1e4) == 0 && kubature_set(vegas, "iterations", 8) == 0);
      CHECK(kubature_set_text(vegas, "checkpoint", file) == 0);
      struct Watch w = {.stop_after = interrupted && call == 0 ? 4 : 1000};
      CHECK(kubature_set_callback(vegas, watch, &w) == 0);
      kubature_result* result = integrate(vegas, f, box);
      CHECK((kubature_result_status(result) == KUBATURE_STOPPED) == (w.stop_after == 4));
      values[interrupted] = kubature_result_value(result, 0);
      kubature_result_destroy(result);
      kubature_integrator_destroy(vegas);
    }
  CHECK(values[0] == values[1]);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

static void* in_thread(void* other) {
  CHECK(kubature_last_error()[0] == '\0');
  REFUSED(kubature_integrator_create(other, NULL, NULL), KUBATURE_INVALID_ARGUMENT, "integrator = NULL: ");
  kubature_integrator* integrator = NULL;
  REFUSED(kubature_integrator_create(other, NULL, &integrator), KUBATURE_INVALID_ARGUMENT, "method = other: ");
  return NULL;
}

static void threads(void) {
  kubature_integrator* integrator = NULL;
  REFUSED(kubature_integrator_create("mine", NULL, &integrator), KUBATURE_INVALID_ARGUMENT, "method = mine: ");
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, "other");
  pthread_join(thread, NULL);
  CHECK(strncmp(kubature_last_error(), "method = mine: ", 15) == 0);
}

/* Bytes of the heap in use; 0 if that is not known. */
static size_t heap(void) {
#ifdef __GLIBC__
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}

/* Everything, again and again: neither Views nor host memory leak. */
static void leaks(void) {
  size_t before = 0;
  int views_before = 0;
  for (int call = 0; call < 1000; ++call) {
    if (call == 20) { /* the first calls set up what lasts */
      before = heap();
      views_before = views();
    }
    kubature_box* box = square();
    struct Calls calls = {.fail_at = call % 3 == 0 ? 2 : 0, .code = 5};
    kubature_integrand *f = formula("x*y"), *g = NULL, *h = NULL;
    kubature_result* result = NULL;
    kubature_map* map = NULL;
    CHECK(kubature_integrand_function(peak, 1, &calls, &g) == 0);
    CHECK(kubature_integrand_expression("x*", NULL, &h) == KUBATURE_INVALID_ARGUMENT);
    kubature_integrator* vegas = method("vegas+", NULL);
    CHECK(kubature_set(vegas, "evaluations", 200) == 0 && kubature_set(vegas, "iterations", 2) == 0);
    CHECK(kubature_integrate(vegas, g, box, &result) == (call % 3 == 0 ? 5 : 0));
    kubature_result_destroy(result);
    kubature_result_destroy(integrate(vegas, f, box));
    CHECK(kubature_map_of(vegas, &map) == 0 && kubature_use_map(vegas, map) == 0);
    kubature_map_destroy(map);
    kubature_integrator_destroy(vegas);
    kubature_integrand_destroy(f);
    kubature_integrand_destroy(g);
    kubature_box_destroy(box);
  }
  size_t const after = heap();
  CHECK(views() == views_before);
  CHECK(after <= before + 4096); /* one byte per call would be 980 */
}

/* Whoever has initialised Kokkos finalises it. */
static void kokkos_of_somebody_else(void) {
  initialize_kokkos();
  count_views();
  CHECK(kubature_initialize() == 0);
  kubature_box* box = square();
  kubature_integrand* f = formula("x*y");
  kubature_integrator* mc = method("mc", NULL);
  CHECK(kubature_set(mc, "evaluations", 1000) == 0);
  kubature_result_destroy(integrate(mc, f, box));
  CHECK(kubature_finalize() == 0 && kokkos_is_initialized());
  CHECK(views() > 0);
  finalize_kokkos();
  CHECK(views() == 0); /* the integrator's have been released */
  kubature_result* result = NULL;
  kubature_integrator_destroy(mc); /* later, and no crash */
  mc = method("mc", NULL);
  REFUSED(kubature_integrate(mc, f, box, &result), KUBATURE_INVALID_ARGUMENT, "Kokkos = finalised: ");
  kubature_integrator_destroy(mc);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
  CHECK(result == NULL && kubature_finalize() == 0);
}

static void kokkos_of_our_own(void) {
  CHECK(!kokkos_is_initialized() && kubature_finalize() == 0 && !kokkos_is_finalized());
  kubature_integrator* mc = method("mc", NULL);
  CHECK(!kokkos_is_initialized()); /* nothing needs it yet */
  kubature_box* box = square();
  kubature_integrand* f = formula("x*y");
  kubature_result_destroy(integrate(mc, f, box));
  CHECK(kokkos_is_initialized());
  REFUSED(kubature_finalize(), KUBATURE_INVALID_ARGUMENT, "integrators = 1: ");
  kubature_integrator_destroy(mc);
  CHECK(kubature_finalize() == 0 && kokkos_is_finalized());
  CHECK(kubature_finalize() == 0);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

static kubature_integrator* left_over = NULL;

static void destroy_left_over(void) { kubature_integrator_destroy(left_over); }

/* Integrators in global variables end before Kokkos does, also where they are destroyed after it. */
static void integrators_left_over(void) {
  atexit(destroy_left_over);
  finalized_at_exit();
  kubature_box* box = square();
  kubature_integrand* f = formula("x*y");
  left_over = method("vegas+", NULL);
  kubature_integrator* never_destroyed = method("pagani", NULL);
  CHECK(kubature_set(never_destroyed, "relative", 1e-6) == 0);
  CHECK(kubature_initialize() == 0);
  count_views();
  kubature_result_destroy(integrate(left_over, f, box));
  kubature_result_destroy(integrate(never_destroyed, f, box));
  CHECK(views() > 0);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "left-over") == 0) {
    integrators_left_over();
    return failures > 0;
  }
  if (argc > 1 && strcmp(argv[1], "somebody-else") == 0) {
    kokkos_of_somebody_else();
    return failures > 0;
  }
  if (argc > 1 && strcmp(argv[1], "our-own") == 0) {
    kokkos_of_our_own();
    return failures > 0;
  }
  CHECK(strlen(kubature_version()) > 10 && kubature_version_number() >= 100);
  CHECK(kubature_initialize() == 0);
  count_views();
  expressions();
  limits_of_evaluations();
  functions();
  components_in_threads();
  weights();
  many_integrals();
  many_variables();
  points();
  domains();
  components();
  complex_numbers();
  paths();
  refusals();
  callbacks();
  maps("c_api_test.map");
  checkpoints("c_api_test.state");
  threads();
  leaks();
  kubature_integrator* integrator = NULL;
  int const mpi = kubature_integrator_create_mpi("mc", NULL, 0, &integrator); /* MPI is off, or not built in */
  CHECK(mpi == (strstr(kubature_version(), "MPI") ? KUBATURE_INVALID_ARGUMENT : KUBATURE_UNSUPPORTED) && !integrator);
  return failures > 0; /* Kokkos ends by itself */
}
