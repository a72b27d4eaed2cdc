/* A program for S. G. Johnson's cubature, linked with kubature_cubature in its place. */
#include <cubature.h>

#include <math.h>
#include <stdio.h>

/* exp(-sigma |x|^2), by points. */
static int gaussian(unsigned ndim, double const* x, void* fdata, unsigned fdim, double* fval) {
  double square = 0;
  for (unsigned i = 0; i < ndim; ++i)
    square += x[i] * x[i];
  for (unsigned c = 0; c < fdim; ++c)
    fval[c] = exp(-*(double*)fdata * square);
  return 0;
}

int main(void) {
  double const lower[] = {-2, -2, -2}, upper[] = {2, 2, 2};
  double sigma = 0.5, value, error;
  int const returned = hcubature(1, gaussian, &sigma, 3, lower, upper, 0, 0, 1e-8, ERROR_INDIVIDUAL, &value, &error);
  double const side = sqrt(2 * acos(-1.0)) * erf(sqrt(2.0));
  printf("%.10g +- %.1g\n", value, error);
  return returned != 0 || !(fabs(value - pow(side, 3)) < 1e-7);
}
