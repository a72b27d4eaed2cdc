/* kubature_find_peaks, of formulas and functions. */
#include <kubature.h>

#include "check.h"

#include <math.h>

int failures = 0;

static double const wide = 0.02, narrow = 0.004; /* standard deviations */

static double gaussian(int d, double const* x, double centre, double width) {
  double square = 0;
  for (int i = 0; i < d; ++i)
    square += pow((x[i] - centre) / width, 2);
  return exp(-square / 2);
}

/* The sum of two Gaussians: the first is in the first component, the second, which is negative, in the last. */
static int peaks_of_rows(int64_t n, int d, double const* x, int components, double* values, void* user) {
  for (int64_t k = 0; k < n; ++k) {
    for (int c = 0; c < components; ++c)
      values[k * components + c] = 0;
    values[k * components] += 5 * gaussian(d, x + k * d, 0.3, wide);
    values[k * components + components - 1] -= 9 * gaussian(d, x + k * d, 0.7, narrow);
  }
  return user ? *(int*)user : 0;
}

static int peaks_of_columns(int64_t n, int d, double const* x, int components, double* values, void* stream,
                            void* user) {
  for (int64_t k = 0; k < n; ++k) {
    double at[20];
    for (int i = 0; i < d; ++i)
      at[i] = x[i * n + k];
    for (int c = 0; c < components; ++c)
      values[c * n + k] = 0;
    values[k] += 5 * gaussian(d, at, 0.3, wide);
    values[(components - 1) * n + k] -= 9 * gaussian(d, at, 0.7, narrow);
  }
  return user || stream ? 1 : 0;
}

static kubature_box* cube(int d) {
  double lower[32], upper[32];
  for (int i = 0; i < d; ++i) {
    lower[i] = 0;
    upper[i] = 1;
  }
  kubature_box* box = NULL;
  CHECK(kubature_box_create(d, lower, upper, &box) == KUBATURE_SUCCESS && box);
  return box;
}

/* The two peaks are found, the second of them first, with their heights, widths and Laplace's estimates. */
static void finds_both(kubature_integrand const* f) {
  enum { d = 3 };
  kubature_box* box = cube(d);
  double at[2 * d], log_height[2], covariance[2 * d * d], log_integral[2];
  int64_t count = 0;
  CHECK(kubature_find_peaks(f, box, 300000, 1, 2, at, log_height, covariance, log_integral, &count) == 0);
  CHECK(count == 2);
  double const centre[] = {0.7, 0.3}, width[] = {narrow, wide}, height[] = {9, 5};
  for (int k = 0; k < 2 && count == 2; ++k) {
    CHECK(fabs(log_height[k] - log(height[k])) < 0.5 && log_height[k] <= log(height[k]) + 1e-12);
    for (int i = 0; i < d; ++i)
      CHECK(fabs(at[k * d + i] - centre[k]) < width[k]);
    for (int i = 0; i < d * d; ++i)
      CHECK(fabs(covariance[k * d * d + i] / (width[k] * width[k]) - (i % (d + 1) == 0)) < 1e-3);
    CHECK(fabs(log_integral[k] - log_height[k] - d * log(sqrt(2 * acos(-1)) * width[k])) < 1e-3);
  }
  kubature_box_destroy(box);
}

static void of_formulas(void) {
  kubature_integrand* f = NULL;
  CHECK(kubature_integrand_expression("5*exp(-((x-0.3)^2 + (y-0.3)^2 + (z-0.3)^2)/8e-4);"
                                      "-9*exp(-((x-0.7)^2 + (y-0.7)^2 + (z-0.7)^2)/3.2e-5)",
                                      NULL, &f) == 0);
  finds_both(f);
  kubature_integrand_destroy(f);
  double const a = 5;
  CHECK(kubature_integrand_formula("a*exp(-((x-0.3)^2 + (y-0.3)^2 + (z-0.3)^2)/8e-4) + "
                                   "(a+4)*exp(-((x-0.7)^2 + (y-0.7)^2 + (z-0.7)^2)/3.2e-5)",
                                   NULL, "a", &a, KUBATURE_VALUE, &f) == 0);
  finds_both(f);
  kubature_integrand_destroy(f);
}

static void of_functions(void) {
  for (int components = 1; components <= 3; ++components) {
    kubature_integrand* f = NULL;
    CHECK(kubature_integrand_function(peaks_of_rows, components, NULL, &f) == 0);
    finds_both(f);
    CHECK(kubature_integrand_set_concurrent(f, 1) == 0);
    finds_both(f);
    kubature_integrand_destroy(f);
    if (kubature_device(NULL) == KUBATURE_HOST) {
      CHECK(kubature_integrand_device_function(peaks_of_columns, components, NULL, &f) == 0);
      finds_both(f);
      kubature_integrand_destroy(f);
    }
  }
}

/* Arrays may lack room, or be absent. */
static void with_room_for_one(void) {
  kubature_integrand* f = NULL;
  CHECK(kubature_integrand_function(peaks_of_rows, 1, NULL, &f) == 0);
  kubature_box* box = cube(2);
  double at[] = {0, 0, -1, -1}, log_height[] = {0, -1};
  int64_t count = 0;
  CHECK(kubature_find_peaks(f, box, 100000, 1, 1, at, log_height, NULL, NULL, &count) == 0);
  CHECK(count == 2 && fabs(at[0] - 0.7) < narrow && at[2] == -1 && at[3] == -1 && log_height[1] == -1);
  CHECK(kubature_find_peaks(f, box, 100000, 1, 0, NULL, NULL, NULL, NULL, &count) == 0 && count == 2);
  CHECK(kubature_find_peaks(f, box, 100000, 1, 5, NULL, NULL, NULL, NULL, NULL) == 0);
  kubature_box_destroy(box);
  kubature_integrand_destroy(f);
}

static void refusals(void) {
  int const bad = KUBATURE_INVALID_ARGUMENT;
  int64_t count = 7;
  int code = 42;
  kubature_integrand *f = NULL, *failing = NULL;
  CHECK(kubature_integrand_function(peaks_of_rows, 1, NULL, &f) == 0);
  CHECK(kubature_integrand_function(peaks_of_rows, 1, &code, &failing) == 0);
  kubature_box *box = cube(2), *large = cube(21), *triangle = NULL, *named = NULL;
  CHECK(kubature_box_create_text("x=0:1,y=0:x", NULL, &triangle) == 0);
  CHECK(kubature_box_create_text("x=0:1,y=0:1", "x=0.5", &named) == 0);
#define FIND(f, box, evaluations, capacity)                                                                            \
  kubature_find_peaks(f, box, evaluations, 0, capacity, NULL, NULL, NULL, NULL, &count)
  REFUSED(FIND(NULL, box, 1000, 0), bad, "integrand = NULL: ");
  REFUSED(FIND(f, NULL, 1000, 0), bad, "box = NULL: ");
  REFUSED(FIND(f, box, 999, 0), bad, "evaluations = 999: ");
  REFUSED(FIND(f, box, -1, 0), bad, "evaluations = -1: ");
  REFUSED(FIND(f, box, INT64_MAX, 0), bad, "evaluations = 9223372036854775807: the ascents would take about ");
  REFUSED(FIND(f, box, 1000, -1), bad, "capacity = -1: ");
  REFUSED(FIND(f, large, 1000, 0), bad, "number of variables = 21: ");
  REFUSED(FIND(f, triangle, 1000, 0), bad, "box = x=0:1,y=0:x: peaks are searched for in boxes with constant sides");
  CHECK(FIND(failing, box, 1000, 0) == 42 && count == 7);
  CHECK(FIND(f, named, 100000, 0) == 0 && count == 2); /* break points have no effect */
  kubature_integrand_destroy(f);
  kubature_integrand_destroy(failing);
  kubature_box_destroy(box);
  kubature_box_destroy(large);
  kubature_box_destroy(triangle);
  kubature_box_destroy(named);
}

int main(void) {
  of_formulas();
  of_functions();
  with_room_for_one();
  refusals();
  return failures > 0;
}
