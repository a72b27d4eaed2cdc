/* A program for GSL's vegas, linked with kubature_gsl before GSL. */
#include <gsl/gsl_monte_vegas.h>

#include <math.h>
#include <stdio.h>

static double product(double* x, size_t dim, void* params) {
  double value = *(double*)params;
  for (size_t i = 0; i < dim; ++i)
    value *= 2 * x[i];
  return value;
}

int main(void) {
  enum { dim = 4 };
  double lower[dim] = {0}, upper[dim] = {1, 1, 1, 1}, scale = 3, value, error;
  gsl_monte_function f = {product, dim, &scale};
  gsl_rng* const generator = gsl_rng_alloc(gsl_rng_default);
  gsl_monte_vegas_state* const state = gsl_monte_vegas_alloc(dim);
  gsl_monte_vegas_integrate(&f, lower, upper, dim, 10000, generator, state, &value, &error); /* trains the map */
  gsl_monte_vegas_integrate(&f, lower, upper, dim, 100000, generator, state, &value, &error);
  printf("%.6f +- %.6f, chi2/dof %.2f\n", value, error, gsl_monte_vegas_chisq(state));
  gsl_monte_vegas_free(state);
  gsl_rng_free(generator);
  return !(fabs(value - scale) < 5 * error && error < 1e-3);
}
