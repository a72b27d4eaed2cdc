/* What a first program in C meets: one call, no options, boxes with more sides than a formula uses, and misspelt names.
 */
#include <kubature.h>

#include "check.h"

#include <math.h>
#include <stdlib.h>

int failures = 0;

static kubature_integrand* formula(char const* text) {
  kubature_integrand* f = NULL;
  CHECK(kubature_integrand_expression(text, NULL, &f) == KUBATURE_SUCCESS && f);
  return f;
}

static kubature_integrator* method(char const* name) {
  kubature_integrator* integrator = NULL;
  CHECK(kubature_integrator_create(name, NULL, &integrator) == KUBATURE_SUCCESS && integrator);
  return integrator;
}

static kubature_result* integrate(kubature_integrator* integrator, kubature_integrand* f, kubature_box* box) {
  kubature_result* result = NULL;
  CHECK(kubature_integrate(integrator, f, box, &result) == KUBATURE_SUCCESS && result);
  return result;
}

/* exp(-x^2-y) times 1, x, ..., where 0 < x < 1, 0 < y < 2; `user` is what it returns. */
static int moments(int64_t n, int d, double const* x, int components, double* values, void* user) {
  for (int64_t k = 0; k < n; ++k) {
    double power = d == 2 ? exp(-x[k * d] * x[k * d] - x[k * d + 1]) : NAN;
    for (int c = 0; c < components; ++c, power *= x[k * d])
      values[k * components + c] = power;
  }
  return user ? *(int*)user : 0;
}

static double const peak_integral = 0.6457524772703195; /* sqrt(pi)/2 erf(1) (1 - exp(-2)) */

/* A formula without names for its variables may use fewer than there are sides. */
static void more_sides_than_variables(void) {
  double const lower[] = {0, 0, 0}, upper[] = {2, 3, 5};
  struct {
    char const* text;
    double truth;
  } const formulas[] = {{"x", 30}, {"x*y", 45}, {"x1*x2", 45}, {"2", 60}, {"x; 2", 30}};
  kubature_box *box = NULL, *ball = NULL;
  CHECK(kubature_box_create(3, lower, upper, &box) == 0);
  CHECK(kubature_box_create_text("ball 0,0,0 1", NULL, &ball) == 0);
  kubature_integrator* pagani = method("pagani");
  CHECK(kubature_set(pagani, "relative", 1e-6) == 0 && kubature_set(pagani, "absolute", 1e-6) == 0);
  for (int i = 0; i < 5; ++i) {
    kubature_integrand* f = formula(formulas[i].text);
    kubature_result* result = integrate(pagani, f, box);
    CHECK(fabs(kubature_result_value(result, 0) - formulas[i].truth) < 1e-4);
    kubature_result_destroy(result);
    result = integrate(pagani, f, ball);
    CHECK(fabs(kubature_result_value(result, 0) - (i == 3 ? 8 * acos(-1.0) / 3 : 0)) < 1e-4);
    kubature_result_destroy(result);
    kubature_integrand_destroy(f);
  }
  kubature_integrand* named = NULL;
  kubature_result* result = NULL;
  CHECK(kubature_integrand_expression("x", "x,y", &named) == 0);
  REFUSED(kubature_integrate(pagani, named, box, &result), KUBATURE_INVALID_ARGUMENT,
          "dimension of the box = 3: the integrand has 2 variables");
  kubature_integrand_destroy(named);
  kubature_integrator_destroy(pagani);
  kubature_box_destroy(box);
  kubature_box_destroy(ball);
}

/* Without a method, a tolerance and a limit: auto, to 1e-6, for 10 seconds. */
static void defaults(void) {
  double const lower[] = {0, 0}, upper[] = {1, 2};
  kubature_box* box = NULL;
  CHECK(kubature_box_create(2, lower, upper, &box) == 0);
  kubature_integrand* f = formula("exp(-x*x-y)");
  kubature_integrator* any = method(NULL);
  char const* value = NULL;
  CHECK(kubature_get_text(any, "relative", &value) == 0 && strcmp(value, "1e-06") == 0);
  CHECK(kubature_get_text(any, "seconds", &value) == 0 && strcmp(value, "10") == 0);
  kubature_result* result = integrate(any, f, box);
  CHECK(kubature_result_status(result) == KUBATURE_CONVERGED);
  CHECK(fabs(kubature_result_value(result, 0) - peak_integral) < 1e-6);
  kubature_result_destroy(result);
  CHECK(kubature_set(any, "absolute", 1e-3) == 0);
  CHECK(kubature_get_text(any, "relative", &value) == 0 && strcmp(value, "0") == 0);
  CHECK(kubature_get_text(any, "seconds", &value) == 0 && strcmp(value, "inf") == 0);
  kubature_integrator_destroy(any);
  any = method(NULL);
  CHECK(kubature_set(any, "max_evaluations", 1e5) == 0);
  CHECK(kubature_get_text(any, "relative", &value) == 0 && strcmp(value, "1e-06") == 0);
  CHECK(kubature_get_text(any, "seconds", &value) == 0 && strcmp(value, "inf") == 0);
  kubature_integrator_destroy(any);
  any = method(NULL);
  CHECK(kubature_set(any, "relative", 0) == 0);
  result = NULL;
  REFUSED(kubature_integrate(any, f, box, &result), KUBATURE_INVALID_ARGUMENT, "relative = 0: ");
  kubature_integrator_destroy(any);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

static void in_one_call(void) {
  double const lower[] = {0, 0}, upper[] = {1, 2};
  int const bad = KUBATURE_INVALID_ARGUMENT;
  double value = 0, error = 0, values[3] = {0};
  int code = 42;
  kubature_status status = KUBATURE_STOPPED;
  char const* const methods[] = {NULL, "pagani", "vegas+", "qmc"};
  for (int i = 0; i < 4; ++i) {
    CHECK(kubature_integrate_once(methods[i], moments, 1, NULL, 2, lower, upper, "relative=1e-4, seconds=60", &value,
                                  &error, &status) == 0);
    CHECK(status == KUBATURE_CONVERGED && error > 0 && error < 1e-4 && fabs(value - peak_integral) < 5e-4);
  }
  CHECK(kubature_integrate_once(NULL, moments, 1, NULL, 2, lower, upper, NULL, &value, NULL, NULL) == 0);
  CHECK(fabs(value - peak_integral) < 1e-6);
  CHECK(kubature_integrate_once("pagani", moments, 3, NULL, 2, lower, upper, " relative=1e-8 ", values, NULL, NULL) ==
        0);
  CHECK(fabs(values[0] - peak_integral) < 1e-8);
  CHECK(fabs(values[1] - (1 - exp(-1.0)) / 2 * (1 - exp(-2.0))) < 1e-8);
  CHECK(kubature_integrate_once(NULL, moments, 1, &code, 2, lower, upper, NULL, &value, NULL, NULL) == 42);
  REFUSED(kubature_integrate_once("cuhre", moments, 1, NULL, 2, lower, upper, NULL, &value, NULL, NULL), bad,
          "method = cuhre: no such method; did you mean pagani?");
  REFUSED(kubature_integrate_once(NULL, moments, 1, NULL, 2, lower, upper, "fast", &value, NULL, NULL), bad,
          "options = fast: ");
  REFUSED(kubature_integrate_once(NULL, moments, 1, NULL, 2, lower, upper, "rtol=1e-3", &value, NULL, NULL), bad,
          "option = rtol: auto has no such option; did you mean relative?");
  REFUSED(kubature_integrate_once(NULL, NULL, 1, NULL, 2, lower, upper, NULL, &value, NULL, NULL), bad, "f = NULL: ");
  REFUSED(kubature_integrate_once(NULL, moments, 0, NULL, 2, lower, upper, NULL, &value, NULL, NULL), bad,
          "components = 0: ");
  REFUSED(kubature_integrate_once(NULL, moments, 1, NULL, 0, lower, upper, NULL, &value, NULL, NULL), bad,
          "dimension = 0: ");
  REFUSED(kubature_integrate_once(NULL, moments, 1, NULL, 2, NULL, upper, NULL, &value, NULL, NULL), bad,
          "lower = NULL: ");
}

int main(void) {
  in_one_call();
  defaults();
  more_sides_than_variables();
  return failures > 0;
}
