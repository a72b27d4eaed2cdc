/* A program for Cuba, which libkubature_cuba runs as it is: a cosine and a peak, the components of one integrand. */
#include <cuba.h>

#include <math.h>
#include <stdio.h>

static int integrand(const int* ndim, const double x[], const int* ncomp, double f[], void* userdata) {
  double const width = *(double*)userdata;
  (void)ndim, (void)ncomp;
  f[0] = cos(x[0] * x[1]);
  f[1] = exp(-((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5)) / (2 * width * width));
  return 0;
}

int main(void) {
  double width = 0.05, integral[2], error[2], prob[2];
  int nregions, neval, fail;
  Cuhre(2, 2, integrand, &width, 1, 1e-6, 0, 0, 0, 1000000, 0, NULL, NULL, &nregions, &neval, &fail, integral, error,
        prob);
  for (int c = 0; c < 2; ++c)
    printf("%.9f +- %.1e\n", integral[c], error[c]);
  double const peak = 2 * acos(-1) * width * width;
  return fail == 0 && fabs(integral[0] - 0.94608307) < 1e-5 && fabs(integral[1] - peak) < 1e-5 * peak ? 0 : 1;
}
