/* kubature from C: a formula by cubature, a function of one's own by VEGAS+, and a map that the next call begins with.
 */
#include <kubature.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A Gaussian of width 0.1 around a point: many points at once, coordinate i of point k being x[k * d + i]. */
static int gaussian(int64_t n, int d, double const* x, int components, double* values, void* user) {
  double const* centre = user;
  (void)components; /* one value at a point */
  for (int64_t k = 0; k < n; ++k) {
    double square = 0;
    for (int i = 0; i < d; ++i)
      square += (x[k * d + i] - centre[i]) * (x[k * d + i] - centre[i]);
    values[k] = exp(-100 * square);
  }
  return 0; /* anything else ends the integration */
}

static int show(kubature_progress const* progress, void* user) {
  if (!isnan(progress->value)) /* the first iterations train the map and are left out */
    fprintf(user, "  iteration %2d: %.3e +- %.0e\n", progress->iteration, progress->value, progress->error);
  return 0; /* anything else ends it here */
}

/* Ends the program where a call has failed. */
static void check(int returned) {
  if (returned == KUBATURE_SUCCESS)
    return;
  fprintf(stderr, "%s\n", kubature_last_error());
  exit(1);
}

int main(void) {
  kubature_box* box = NULL;
  kubature_integrand* f = NULL;
  kubature_integrator* integrator = NULL;
  kubature_result* result = NULL;
  int wrong = 0;

  double const lower[] = {0, 0}, upper[] = {1, INFINITY};
  check(kubature_box_create(2, lower, upper, &box));
  check(kubature_integrand_expression("exp(-y*(1+x))", NULL, &f));
  check(kubature_integrator_create("pagani", NULL, &integrator));
  check(kubature_set(integrator, "relative", 1e-9));
  check(kubature_integrate(integrator, f, box, &result));
  printf("log(2) = %s\n", kubature_result_text(result));
  wrong += !(fabs(kubature_result_value(result, 0) - log(2.0)) < 1e-9);
  kubature_result_destroy(result);
  kubature_integrator_destroy(integrator);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);

  double centre[] = {0.3, 0.5, 0.5, 0.7}, truth = 1;
  double const zeros[] = {0, 0, 0, 0}, ones[] = {1, 1, 1, 1};
  for (int i = 0; i < 4; ++i)
    truth *= sqrt(acos(-1.0)) / 20 * (erf(10 * (1 - centre[i])) + erf(10 * centre[i]));
  check(kubature_box_create(4, zeros, ones, &box));
  check(kubature_integrand_function(gaussian, 1, centre, &f));
  check(kubature_integrator_create("vegas+", NULL, &integrator));
  check(kubature_set(integrator, "evaluations", 1e5));
  check(kubature_set(integrator, "relative", 1e-3));
  check(kubature_set_callback(integrator, show, stdout));
  for (int call = 0; call < 2; ++call) { /* the second one begins with the map and strata of the first */
    check(kubature_integrate(integrator, f, box, &result));
    printf("Gaussian: %s\n", kubature_result_text(result));
    wrong += kubature_result_status(result) != KUBATURE_CONVERGED ||
             fabs(kubature_result_value(result, 0) - truth) > 5 * kubature_result_error(result, 0);
    kubature_result_destroy(result);
  }
  kubature_integrator_destroy(integrator);
  kubature_integrand_destroy(f);
  kubature_box_destroy(box);
  return wrong;
}
