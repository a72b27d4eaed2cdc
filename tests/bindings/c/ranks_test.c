/* Several processes by the Fortran handle of their communicator: the result of one, to the bit, and one that gives up
 * ends the call on all. */
#include <kubature.h>

#include "check.h"

#include <math.h>
#include <mpi.h>
#include <string.h>

int failures = 0;

static int rank = 0, fail = 0;

static int product(int64_t n, int d, double const* x, int components, double* values, void* user) {
  (void)components, (void)user;
  for (int64_t k = 0; k < n; ++k)
    values[k] = exp(-3 * x[k * d] * x[k * d + 1]);
  return fail && rank == 1 ? 42 : 0;
}

static int integrate(kubature_integrator* integrator, kubature_integrand* f, kubature_box* box, double* value) {
  kubature_result* result = NULL;
  CHECK(kubature_set(integrator, "evaluations", 1e5) == 0 && kubature_set(integrator, "iterations", 4) == 0);
  int const returned = kubature_integrate(integrator, f, box, &result);
  *value = returned == 0 ? kubature_result_value(result, 0) : -1;
  kubature_result_destroy(result);
  return returned;
}

int main(int argc, char** argv) {
  kubature_integrator *alone = NULL, *together = NULL;
  CHECK(kubature_integrator_create_mpi("mc", NULL, 0, &alone) == KUBATURE_INVALID_ARGUMENT && !alone);
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  kubature_box* box = NULL;
  kubature_integrand *f = NULL, *g = NULL;
  double const lower[] = {0, 0}, upper[] = {1, 1};
  CHECK(kubature_box_create(2, lower, upper, &box) == 0);
  CHECK(kubature_integrand_function(product, 1, NULL, &f) == 0);
  CHECK(kubature_integrand_expression("exp(-3*x*y)", NULL, &g) == 0);
  CHECK(kubature_integrator_create_mpi("vegas+", NULL, MPI_Comm_c2f(MPI_COMM_WORLD), &together) == 0);
  CHECK(kubature_integrator_create("vegas+", NULL, &alone) == 0);
  kubature_integrand* const both[] = {f, g};
  for (int i = 0; i < 2; ++i) {
    double one = 0, all = 1;
    CHECK(integrate(together, both[i], box, &all) == 0);
    CHECK(integrate(alone, both[i], box, &one) == 0);
    CHECK(one == all && one > 0);
  }
  fail = 1;
  double value = 0;
  int const returned = integrate(together, f, box, &value);
  CHECK(size == 1 ? returned == 0 : returned == (rank == 1 ? 42 : KUBATURE_FAILED));
  kubature_integrator_destroy(alone);
  kubature_integrator_destroy(together);
  kubature_integrand_destroy(f);
  kubature_integrand_destroy(g);
  kubature_box_destroy(box);
  int all_failures = 0;
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_failures > 0;
}
