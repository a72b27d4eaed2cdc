/* kubature_log_evidence, of formulas and functions. */
#include <kubature.h>

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int failures = 0;

enum { d = 3 };
static double const width = 0.01, top = -1e5;

/* The logarithm of a Gaussian about 0.4; with a user, it fails. */
static int log_normal(int64_t n, int dimension, double const* x, int components, double* values, void* user) {
  for (int64_t k = 0; k < n; ++k) {
    values[k * components] = top;
    for (int i = 0; i < dimension; ++i)
      values[k * components] -= pow((x[k * dimension + i] - 0.4) / width, 2) / 2;
  }
  return user ? 7 : 0;
}

static kubature_box* cube(void) {
  double const lower[d] = {0, 0, 0}, upper[d] = {1, 1, 1};
  kubature_box* box = NULL;
  CHECK(kubature_box_create(d, lower, upper, &box) == KUBATURE_SUCCESS && box);
  return box;
}

static kubature_evidence* computed(kubature_integrand const* f, int keep) {
  kubature_box* box = cube();
  kubature_evidence* evidence = NULL;
  CHECK(kubature_log_evidence(f, box, 0.01, 50000, 20000, 0, 0, 3, keep, &evidence) == KUBATURE_SUCCESS);
  kubature_box_destroy(box);
  return evidence;
}

static void is_right(kubature_evidence const* evidence) {
  double const pi = 3.141592653589793, truth = top + d * log(width * sqrt(2 * pi));
  double const error = kubature_evidence_get(evidence, KUBATURE_LOG_EVIDENCE_ERROR);
  CHECK(error > 0 && error <= 0.01);
  CHECK(fabs(kubature_evidence_get(evidence, KUBATURE_LOG_EVIDENCE) - truth) < 5 * error);
  CHECK(kubature_evidence_status(evidence) == KUBATURE_CONVERGED);
  CHECK(kubature_evidence_get(evidence, KUBATURE_EVIDENCE_K_HAT) < 0.5);
  CHECK(kubature_evidence_get(evidence, KUBATURE_EVIDENCE_EVALUATIONS) > 70000);
  CHECK(strcmp(kubature_evidence_remarks(evidence), "") == 0);
  double mean[d], covariance[d * d];
  CHECK(kubature_evidence_moments(evidence, mean, covariance) == KUBATURE_SUCCESS);
  for (int i = 0; i < d; ++i) {
    CHECK(fabs(mean[i] - 0.4) < 0.1 * width);
    CHECK(fabs(sqrt(covariance[i * (d + 1)]) / width - 1) < 0.1);
  }
  double at[d], log_height;
  int64_t count = 0;
  CHECK(kubature_evidence_peaks(evidence, 1, at, &log_height, NULL, NULL, &count) == KUBATURE_SUCCESS);
  CHECK(count == 1 && fabs(at[0] - 0.4) < width && fabs(log_height - top) < 0.1);
}

static void has_samples(kubature_evidence const* evidence) {
  int64_t count = 0;
  CHECK(kubature_evidence_samples(evidence, &count, NULL, NULL) == KUBATURE_SUCCESS);
  CHECK(count >= 20000);
  double* points = malloc(sizeof(double) * (size_t)count * d);
  double* log_weights = malloc(sizeof(double) * (size_t)count);
  CHECK(kubature_evidence_samples(evidence, NULL, points, log_weights) == KUBATURE_SUCCESS);
  double sum = 0, mean = 0, wanted[d];
  for (int64_t k = 0; k < count; ++k) {
    sum += exp(log_weights[k]);
    mean += exp(log_weights[k]) * points[k * d];
  }
  CHECK(kubature_evidence_moments(evidence, wanted, NULL) == KUBATURE_SUCCESS);
  CHECK(fabs(sum - 1) < 1e-9 && fabs(mean - wanted[0]) < 1e-9);
  free(points);
  free(log_weights);
}

static void refuses(kubature_integrand const* f) {
  kubature_box* box = cube();
  kubature_evidence* evidence = NULL;
  CHECK(kubature_log_evidence(f, box, 0, 1000, 1000, 0, 0, 0, 0, &evidence) == KUBATURE_INVALID_ARGUMENT);
  CHECK(strstr(kubature_last_error(), "error = 0"));
  CHECK(kubature_log_evidence(f, box, 0.1, -1, 1000, 0, 0, 0, 0, &evidence) == KUBATURE_INVALID_ARGUMENT);
  CHECK(strstr(kubature_last_error(), "search = -1"));
  CHECK(kubature_log_evidence(f, box, 0.1, 1000, 1000, 0, -1, 0, 0, &evidence) == KUBATURE_INVALID_ARGUMENT);
  CHECK(strstr(kubature_last_error(), "seconds = -1"));
  CHECK(kubature_log_evidence(NULL, box, 0.1, 1000, 1000, 0, 0, 0, 0, &evidence) == KUBATURE_INVALID_ARGUMENT);
  CHECK(kubature_log_evidence(f, box, 0.1, 1000, 1000, 0, 0, 0, 0, NULL) == KUBATURE_INVALID_ARGUMENT);
  CHECK(evidence == NULL);
  CHECK(isnan(kubature_evidence_get(NULL, KUBATURE_LOG_EVIDENCE)));
  kubature_evidence_destroy(NULL);
  int user = 0;
  kubature_integrand *failing = NULL, *two = NULL;
  CHECK(kubature_integrand_function(log_normal, 1, &user, &failing) == KUBATURE_SUCCESS);
  CHECK(kubature_log_evidence(failing, box, 0.1, 1000, 1000, 0, 0, 0, 0, &evidence) == 7);
  CHECK(kubature_integrand_function(log_normal, 2, NULL, &two) == KUBATURE_SUCCESS);
  CHECK(kubature_log_evidence(two, box, 0.1, 1000, 1000, 0, 0, 0, 0, &evidence) == KUBATURE_INVALID_ARGUMENT);
  CHECK(strstr(kubature_last_error(), "components = 2"));
  kubature_integrand_destroy(failing);
  kubature_integrand_destroy(two);
  kubature_box_destroy(box);
}

int main(void) {
  kubature_integrand *formula = NULL, *function = NULL;
  CHECK(kubature_integrand_formula("-1e5 - ((x - 0.4)^2 + (y - 0.4)^2 + (z - 0.4)^2)/(2*0.01^2)", NULL, NULL, NULL,
                                   KUBATURE_VALUE, &formula) == KUBATURE_SUCCESS);
  CHECK(kubature_integrand_function(log_normal, 1, NULL, &function) == KUBATURE_SUCCESS);
  kubature_evidence* one = computed(formula, 0);
  kubature_evidence* other = computed(function, 1);
  is_right(one);
  is_right(other);
  has_samples(other);
  CHECK(fabs(kubature_evidence_get(one, KUBATURE_LOG_EVIDENCE) - kubature_evidence_get(other, KUBATURE_LOG_EVIDENCE)) <
        1e-6);
  int64_t count = -1;
  CHECK(kubature_evidence_samples(one, &count, NULL, NULL) == KUBATURE_SUCCESS && count == 0);
  refuses(function);
  kubature_evidence_destroy(one);
  kubature_evidence_destroy(other);
  kubature_integrand_destroy(formula);
  kubature_integrand_destroy(function);
  CHECK(kubature_finalize() == KUBATURE_SUCCESS);
  return failures > 0;
}
