/* What the tutorials show in C: a formula, a domain, a scan of a parameter, and several components with the error of
 * their ratio. Every integral has a known value. */
#include <kubature.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program where a call has failed. */
static void check(int returned) {
  if (returned == KUBATURE_SUCCESS)
    return;
  fprintf(stderr, "%s\n", kubature_last_error());
  exit(1);
}

/* exp(-rate x y) at many points: coordinate i of point k is x[k * d + i]. */
static int decay(int64_t n, int d, double const* x, int components, double* values, void* user) {
  double const rate = *(double const*)user;
  (void)components; /* one value at a point */
  for (int64_t k = 0; k < n; ++k)
    values[k] = exp(-rate * x[k * d] * x[k * d + 1]);
  return 0; /* anything else ends the integration */
}

/* A density that is not normalised, and the density times x. */
static int moments(int64_t n, int d, double const* x, int components, double* values, void* user) {
  (void)user;
  for (int64_t k = 0; k < n; ++k) {
    double square = 0;
    for (int i = 0; i < d; ++i)
      square += x[k * d + i] * x[k * d + i];
    values[k * components] = exp(-square);
    values[k * components + 1] = x[k * d] * exp(-square);
  }
  return 0;
}

static double first_integral(void) {
  kubature_box* box = NULL;
  kubature_integrand* f = NULL;
  kubature_integrator* integrator = NULL;
  kubature_result* result = NULL;
  double const lower[] = {0, 0}, upper[] = {1, 1};
  check(kubature_box_create(2, lower, upper, &box));
  check(kubature_integrand_expression("exp(-x*y)", NULL, &f));
  check(kubature_integrator_create("auto", NULL, &integrator));
  check(kubature_set(integrator, "relative", 1e-8));
  check(kubature_integrate(integrator, f, box, &result));
  printf("%s\n", kubature_result_text(result));
  double const value = kubature_result_value(result, 0);
  kubature_result_destroy(result);
  kubature_integrator_destroy(integrator);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
  return value;
}

static double domain(void) {
  kubature_box* triangle = NULL;
  kubature_integrand* f = NULL;
  kubature_integrator* integrator = NULL;
  kubature_result* result = NULL;
  check(kubature_box_create_text("x=0:1,y=0:x", NULL, &triangle)); /* break points in place of NULL */
  check(kubature_integrand_expression("x*y", NULL, &f));
  check(kubature_integrator_create("auto", NULL, &integrator));
  check(kubature_set(integrator, "relative", 1e-9));
  check(kubature_integrate(integrator, f, triangle, &result));
  double const value = kubature_result_value(result, 0);
  kubature_result_destroy(result);
  kubature_integrator_destroy(integrator);
  kubature_integrand_destroy(f);
  kubature_box_destroy(triangle);
  return value;
}

static double scan(void) {
  kubature_box* box = NULL;
  kubature_integrand* f = NULL;
  kubature_integrator* integrator = NULL;
  kubature_result* result = NULL;
  double const lower[] = {0, 0}, upper[] = {1, 1};
  double rate = 0, value = 0;
  check(kubature_box_create(2, lower, upper, &box));
  check(kubature_integrand_function(decay, 1, &rate, &f)); /* f reads the rate at each call */
  check(kubature_integrator_create("pagani", NULL, &integrator));
  check(kubature_set(integrator, "relative", 1e-8));
  for (rate = 4; rate > 0.25; rate /= 2) {
    check(kubature_integrate(integrator, f, box, &result));
    printf("rate %g: %s\n", rate, kubature_result_text(result));
    if (rate == 1)
      value = kubature_result_value(result, 0);
    kubature_result_destroy(result);
  }
  kubature_integrator_destroy(integrator);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
  return value;
}

static void components(double* mean, double* error) {
  kubature_box* box = NULL;
  kubature_integrand* f = NULL;
  kubature_integrator* integrator = NULL;
  kubature_result* result = NULL;
  double const lower[] = {0, 0, 0}, upper[] = {1, 1, 1};
  check(kubature_box_create(3, lower, upper, &box));
  check(kubature_integrand_function(moments, 2, NULL, &f));
  check(kubature_integrator_create("vegas+", NULL, &integrator));
  check(kubature_set(integrator, "relative", 1e-4));
  check(kubature_set(integrator, "evaluations", 1e5));
  check(kubature_set_text(integrator, "covariance", "full"));
  check(kubature_integrate(integrator, f, box, &result));
  check(kubature_result_ratio(result, 1, 0, mean, error));
  printf("<x> = %.6f +- %.6f\n", *mean, *error);
  kubature_result_destroy(result);
  kubature_integrator_destroy(integrator);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
}

int main(void) {
  double const decayed = 0.7965995992970531, x = (1 - exp(-1.0)) / (sqrt(acos(-1.0)) * erf(1.0));
  double mean = 0, error = 0;
  int wrong = !(fabs(first_integral() - decayed) < 1e-8);
  wrong += !(fabs(domain() - 0.125) < 1e-9);
  wrong += !(fabs(scan() - decayed) < 1e-8);
  components(&mean, &error);
  return wrong + !(fabs(mean - x) < 5 * error);
}
