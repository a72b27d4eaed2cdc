/* What cuba.h promises, argument by argument. */
#define _GNU_SOURCE
#include <cuba.h>
#include <kubature_cuba.h>

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                  \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

enum { vegas, suave, divonne, cuhre };

/* The arguments of a call, with the values that most tests have, and what it returns. */
typedef struct {
  int ndim, ncomp;
  integrand_t f;
  void* user;
  int nvec;
  double epsrel, epsabs;
  int flags, seed, mineval, maxeval, samples, gridno, key;
  double border;
  int ngiven, ldxgiven;
  double* xgiven;
  int nextra;
  peakfinder_t peakfinder;
  char const* statefile;
  void* spin;
  int nregions, neval, fail;
  double integral[40], error[40], prob[40];
} call;

static void run(int routine, call* a) {
  a->fail = a->neval = 12345;
  if (routine == vegas)
    Vegas(a->ndim, a->ncomp, a->f, a->user, a->nvec, a->epsrel, a->epsabs, a->flags, a->seed, a->mineval, a->maxeval,
          a->samples, 500, 1000, a->gridno, a->statefile, a->spin, &a->neval, &a->fail, a->integral, a->error, a->prob);
  else if (routine == suave)
    Suave(a->ndim, a->ncomp, a->f, a->user, a->nvec, a->epsrel, a->epsabs, a->flags, a->seed, a->mineval, a->maxeval,
          a->samples, 2, 25, a->statefile, a->spin, &a->nregions, &a->neval, &a->fail, a->integral, a->error, a->prob);
  else if (routine == divonne)
    Divonne(a->ndim, a->ncomp, a->f, a->user, a->nvec, a->epsrel, a->epsabs, a->flags, a->seed, a->mineval, a->maxeval,
            47, 1, 1, 5, a->border, 10, 0.25, a->ngiven, a->ldxgiven, a->xgiven, a->nextra, a->peakfinder, a->statefile,
            a->spin, &a->nregions, &a->neval, &a->fail, a->integral, a->error, a->prob);
  else
    Cuhre(a->ndim, a->ncomp, a->f, a->user, a->nvec, a->epsrel, a->epsabs, a->flags, a->mineval, a->maxeval, a->key,
          a->statefile, a->spin, &a->nregions, &a->neval, &a->fail, a->integral, a->error, a->prob);
}

/* What integrands see, in memory that workers share. */
typedef struct {
  long points;
  int most, least_core, largest_core, first_iteration, last_iteration, phase, outside, ended, processes;
  long stop_after; /* points, where an integrand is to stop */
  pid_t process[16];
  double lowest, highest;
} seen;
static seen* log_of; /* one for all calls */
static int wait_for_both;

static void forget(void) {
  long const stop = log_of->stop_after;
  memset(log_of, 0, sizeof *log_of);
  log_of->stop_after = stop;
  log_of->least_core = INT_MAX;
  log_of->largest_core = INT_MIN;
  log_of->lowest = 1;
}

static void note(int n, int core, int ndim, double const* x) {
  int known = 0;
  log_of->points += n;
  if (n > log_of->most)
    log_of->most = n;
  if (core < log_of->least_core)
    log_of->least_core = core;
  if (core > log_of->largest_core)
    log_of->largest_core = core;
  for (int k = 0; k < n * ndim; ++k) {
    log_of->outside += !(x[k] >= 0 && x[k] <= 1);
    log_of->lowest = fmin(log_of->lowest, x[k]);
    log_of->highest = fmax(log_of->highest, x[k]);
  }
  for (int i = 0; i < log_of->processes; ++i)
    known |= log_of->process[i] == getpid();
  if (!known && log_of->processes < 16)
    log_of->process[log_of->processes++] = getpid();
}

/* The integral of x y z ... is 2^-ndim, and component c is c + 1 times as much. */
static void products(int ndim, double const* x, int ncomp, double* f, int n) {
  for (int k = 0; k < n; ++k) {
    double product = 1;
    for (int i = 0; i < ndim; ++i)
      product *= x[k * ndim + i];
    for (int c = 0; c < ncomp; ++c)
      f[k * ncomp + c] = (c + 1) * product;
  }
}

static int plain(int const* ndim, double const* x, int const* ncomp, double* f, void* user) {
  (void)user;
  products(*ndim, x, *ncomp, f, 1);
  return 5; /* has no effect */
}

static int noting(int const* ndim, double const* x, int const* ncomp, double* f, void* user, int const* nvec,
                  int const* core, double const* weight, int const* iteration) {
  (void)user;
  note(*nvec, *core, *ndim, x);
  if (wait_for_both && log_of->processes < 2)
    usleep(1000); /* so that the other process gets some points */
  products(*ndim, x, *ncomp, f, *nvec);
  for (int k = 0; k < *nvec; ++k)
    CHECK(weight[k] >= 0);
  if (log_of->first_iteration == 0)
    log_of->first_iteration = *iteration;
  log_of->last_iteration = *iteration;
  return 0;
}

/* Sums of weight times value and of weights, by process and iteration, in memory that workers share. */
enum { most_iterations = 1000 };
typedef struct {
  int iterations;
  double first[most_iterations], last[most_iterations], one[most_iterations];
} weighed;
static weighed* sums_of; /* [2] */

static int weighing(int const* ndim, double const* x, int const* ncomp, double* f, void* user, int const* nvec,
                    int const* core, double const* weight, int const* iteration) {
  weighed* const to = sums_of + (*core == 0);
  (void)user;
  products(*ndim, x, *ncomp, f, *nvec);
  to->iterations = *iteration;
  for (int k = 0; k < *nvec && *iteration < most_iterations; ++k) {
    to->first[*iteration] += weight[k] * f[k * *ncomp];
    to->last[*iteration] += weight[k] * f[(k + 1) * *ncomp - 1];
    to->one[*iteration] += weight[k];
  }
  if (wait_for_both && *core == 32768 && sums_of[1].iterations == 0)
    usleep(1000);
  return 0;
}

static int noting_phase(int const* ndim, double const* x, int const* ncomp, double* f, void* user, int const* nvec,
                        int const* core, int const* phase) {
  (void)user;
  note(*nvec, *core, *ndim, x);
  products(*ndim, x, *ncomp, f, *nvec);
  log_of->phase = *phase;
  return 0;
}

static int noting_wide(int const* ndim, double const* x, int const* ncomp, double* f, void* user, long long const* nvec,
                       int const* core) {
  (void)user;
  note((int)*nvec, *core, *ndim, x);
  products(*ndim, x, *ncomp, f, (int)*nvec);
  return 0;
}

static int stopping(int const* ndim, double const* x, int const* ncomp, double* f, void* user) {
  plain(ndim, x, ncomp, f, user);
  return ++log_of->points > log_of->stop_after ? -999 : 0;
}

static int dying(int const* ndim, double const* x, int const* ncomp, double* f, void* user, int const* nvec,
                 int const* core) {
  (void)nvec;
  plain(ndim, x, ncomp, f, user);
  if (*core == 0) {
    log_of->ended = 1;
    raise(SIGKILL);
  }
  if (!log_of->ended)
    usleep(1000); /* so that the worker gets a point */
  return 0;
}

/* A ridge, which takes all routines a while. */
static int ridge(int const* ndim, double const* x, int const* ncomp, double* f, void* user) {
  (void)ndim, (void)user;
  double const at = x[0] + x[1] - 0.9;
  for (int c = 0; c < *ncomp; ++c)
    f[c] = 1 / (at * at + 0.003);
  ++log_of->points;
  return log_of->stop_after && log_of->points > log_of->stop_after ? raise(SIGKILL) : 0;
}

/* A Gaussian of width 1e-3, whose integral is 1. */
static int peak(int const* ndim, double const* x, int const* ncomp, double* f, void* user) {
  double const* const at = (double const*)user;
  double sum = 0;
  (void)ncomp;
  for (int i = 0; i < *ndim; ++i)
    sum += (x[i] - at[i]) * (x[i] - at[i]);
  f[0] = exp(-sum / 2e-6) / pow(2e-6 * M_PI, *ndim / 2.0);
  ++log_of->points;
  return 0;
}

/* A Gaussian of width 0.05 on a background, whose integrals are 1. */
static int background(int const* ndim, double const* x, int const* ncomp, double* f, void* user) {
  double sum = 0;
  (void)ncomp, (void)user;
  for (int i = 0; i < *ndim; ++i)
    sum += (x[i] - 0.35) * (x[i] - 0.35);
  f[0] = 1 + exp(-sum / 5e-3) / pow(5e-3 * M_PI, *ndim / 2.0);
  return 0;
}

static int not_a_number(int const* ndim, double const* x, int const* ncomp, double* f, void* user) {
  (void)ndim, (void)ncomp, (void)user;
  f[0] = sqrt(x[0] - 0.5);
  return 0;
}

static void find(int const* ndim, double const* b, int* n, double* x, void* user) {
  CHECK(*ndim == 2 && *n == 3);
  CHECK(b[0] == 0 && b[1] == 1 && b[2] == 0 && b[3] == 1);
  memcpy(x, user, 2 * sizeof *x);
  x[2] = x[3] = NAN;
  *n = 2;
}

static void begin(void* arg, int const* core) {
  ++*(int*)arg;
  CHECK(*core == 32768 || (*core >= -1 && *core < 2));
}

static call usual(integrand_t f) {
  call a = {.ndim = 3,
            .ncomp = 1,
            .f = f,
            .nvec = 1,
            .epsrel = 1e-3,
            .epsabs = 1e-12,
            .maxeval = 50000,
            .samples = 1000,
            .ldxgiven = 3};
  forget();
  return a;
}

static void right(call const* a, double value) {
  CHECK(a->fail == 0);
  for (int c = 0; c < a->ncomp; ++c) {
    CHECK(fabs(a->integral[c] - (c + 1) * value) <= 2e-3 * (c + 1) * value);
    CHECK(a->error[c] <= 1e-3 * a->integral[c]);
    CHECK(a->prob[c] == -999 || (a->prob[c] >= 0 && a->prob[c] <= 1));
  }
}

static void test_arguments(void) {
  integrand_t const hidden[] = {(integrand_t)noting, (integrand_t)noting, (integrand_t)noting_phase,
                                (integrand_t)noting_phase};
  for (int r = vegas; r <= cuhre; ++r) {
    call a = usual(plain);
    run(r, &a);
    right(&a, 0.125);
    CHECK(a.neval > 0 && a.neval <= a.maxeval);
    a.ncomp = 3;
    run(r, &a);
    right(&a, 0.125);
    CHECK(r == vegas || a.nregions >= 1);

    a = usual(r == cuhre ? plain : hidden[r]);
    a.nvec = 7;
    run(r, &a);
    if (r == cuhre)
      continue;
    right(&a, 0.125);
    CHECK(log_of->most == 7 && log_of->points >= a.neval && log_of->outside == 0);
    CHECK(log_of->least_core == 32768 && log_of->largest_core == 32768);
    if (r == divonne)
      CHECK(log_of->phase == 2);
    else
      CHECK(log_of->first_iteration == 1 && log_of->last_iteration > 2);

    a = usual(plain);
    a.mineval = 30000;
    run(r, &a);
    right(&a, 0.125);
    CHECK(a.neval >= 30000 && a.neval <= a.maxeval);

    a = usual(ridge);
    a.epsrel = 1e-9;
    a.maxeval = 20000;
    run(r, &a);
    CHECK(a.fail > 0 && a.neval <= 20000 && a.neval > 10000 && log_of->points >= a.neval);
    CHECK(r == divonne ? a.fail > 20000 : a.fail == 1);

    a.epsabs = 1e9;
    run(r, &a);
    CHECK(a.fail == 0);
  }

  call a = usual(plain), b = usual(plain);
  a.seed = b.seed = 5;
  run(vegas, &a);
  run(vegas, &b);
  CHECK(a.integral[0] == b.integral[0] && a.error[0] == b.error[0] && a.neval == b.neval);
  b.seed = 6;
  run(vegas, &b);
  CHECK(a.integral[0] != b.integral[0]);
  b.flags = 4; /* the last samples alone */
  b.maxeval = 200000;
  run(vegas, &b);
  right(&b, 0.125);
  CHECK(b.prob[0] == -999);

  int neval_of[14] = {0};
  for (int key = 7; key <= 13; key += 2) {
    a = usual(ridge);
    a.ndim = key == 13 ? 2 : 3;
    a.maxeval = 200000;
    a.key = key;
    run(cuhre, &a);
    CHECK(a.fail == 0);
    b = a;
    b.key = 0;
    run(cuhre, &b);
    neval_of[key] = a.neval;
    CHECK(fabs(a.integral[0] - b.integral[0]) <= 2e-3 * b.integral[0]);
  }
  CHECK(neval_of[7] != neval_of[9] && neval_of[9] != neval_of[11] && neval_of[11] != neval_of[7]);

  long long neval;
  int fail, nregions;
  double integral, error, prob;
  forget();
  llCuhre(3, 1, (integrand_t)noting_wide, NULL, 9, 1e-3, 0, 0, 0, 50000, 0, NULL, NULL, &nregions, &neval, &fail,
          &integral, &error, &prob);
  CHECK(fail == 0 && fabs(integral - 0.125) < 1e-4 && log_of->most == 9 && neval > 0);
  llVegas(3, 1, (integrand_t)noting_wide, NULL, 9, 1e-3, 0, 0, 0, 0, 50000, 1000, 0, 0, 0, NULL, NULL, &neval, &fail,
          &integral, &error, &prob);
  CHECK(fail == 0 && fabs(integral - 0.125) < 3e-4);
  llSuave(3, 1, (integrand_t)noting_wide, NULL, 9, 1e-3, 0, 0, 0, 0, 50000, 1000, 2, 25, NULL, NULL, &nregions, &neval,
          &fail, &integral, &error, &prob);
  CHECK(fail == 0 && fabs(integral - 0.125) < 3e-4);
  llDivonne(3, 1, (integrand_t)noting_wide, NULL, 9, 1e-3, 0, 0, 0, 0, 50000, 47, 1, 1, 5, 0, 10, 0.25, 0, 3, NULL, 0,
            NULL, NULL, NULL, &nregions, &neval, &fail, &integral, &error, &prob);
  CHECK(fail == 0 && fabs(integral - 0.125) < 3e-4);
}

static double of_both(double const* of_caller, double const* of_worker, int iteration) {
  return of_caller[iteration] + of_worker[iteration];
}

/* Over an iteration the sum of weight times value is its estimate, and that of weights the volume. */
static void test_weights(void) {
  static int const components[] = {1, 2, 40};
  sums_of = mmap(NULL, 2 * sizeof *sums_of, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  weighed const *const own = sums_of, *const workers = sums_of + 1;
  for (int r = vegas; r <= suave; ++r)
    for (int processes = 0; processes <= 2; processes += 2)
      for (int m = 0; m < 3; ++m) {
        cubacores(processes, 10000);
        wait_for_both = processes == 2;
        memset(sums_of, 0, 2 * sizeof *sums_of);
        call a = usual((integrand_t)weighing);
        a.nvec = m == 1 ? 7 : 1;
        a.ncomp = components[m];
        a.flags = r == vegas ? 4 : 0; /* the last iteration is the result */
        a.maxeval = 500000;
        a.seed = 3;
        run(r, &a);
        right(&a, 0.125);
        int last = most_iterations - 1; /* those behind it have points of the search for peaks */
        while (last > 0 && of_both(own->one, workers->one, last) == 0)
          --last;
        CHECK(last > 2);
        CHECK((processes == 2) == (workers->iterations > 0));
        for (int i = 1; i <= last; ++i) {
          CHECK(fabs(of_both(own->one, workers->one, i) - 1) < 0.1);
          CHECK(fabs(of_both(own->first, workers->first, i) - 0.125) < 0.0125);
        }
        if (r == vegas) {
          CHECK(fabs(of_both(own->first, workers->first, last) / a.integral[0] - 1) < 1e-12);
          CHECK(fabs(of_both(own->last, workers->last, last) / a.integral[a.ncomp - 1] - 1) < 1e-12);
        }
      }
  cubacores(0, 0);
  wait_for_both = 0;
}

static void test_peaks(void) {
  double at[] = {0.7123, 0.2345};
  call a = usual(peak);
  a.ndim = 2;
  a.user = at;
  a.epsrel = 1e-2;
  a.maxeval = 1000000;
  a.ngiven = 1;
  a.ldxgiven = 2;
  a.xgiven = at;
  run(divonne, &a);
  CHECK(a.fail == 0 && fabs(a.integral[0] - 1) < 0.02);
  a.ngiven = 0;
  a.nextra = 3;
  a.peakfinder = find;
  run(divonne, &a);
  CHECK(a.fail == 0 && fabs(a.integral[0] - 1) < 0.02);

  a = usual(background);
  a.maxeval = 1000000;
  run(cuhre, &a);
  CHECK(a.fail == 0 && fabs(a.integral[0] - 2) < 2e-3);
  a = usual(plain); /* needs two regions and twice as many points as one has */
  run(cuhre, &a);
  CHECK(a.neval < 5 * 127);
  a = usual(stopping); /* at one of these points */
  log_of->stop_after = 400;
  run(cuhre, &a);
  CHECK(a.fail == -99);
  log_of->stop_after = 0;

  a = usual((integrand_t)noting_phase);
  a.border = 0.125;
  run(divonne, &a);
  CHECK(log_of->lowest == 0.125 && log_of->highest == 0.875);
}

static void test_grids(void) {
  call fresh = usual(ridge), kept = usual(ridge), again = usual(ridge), flushed = usual(ridge), other = usual(ridge);
  run(vegas, &fresh);
  kept.gridno = again.gridno = other.gridno = 3;
  flushed.gridno = -3;
  run(vegas, &kept);
  run(vegas, &again);
  CHECK(kept.integral[0] == fresh.integral[0] && again.integral[0] != fresh.integral[0]);
  other.ndim = 2; /* for which the grid is of no use */
  run(vegas, &other);
  CHECK(other.fail == 0);
  run(vegas, &kept);
  CHECK(kept.integral[0] == fresh.integral[0]);
  run(vegas, &flushed);
  CHECK(flushed.integral[0] == fresh.integral[0]);
}

static char* output(int routine, call* a) {
  static char text[100000];
  FILE* const file = tmpfile();
  fflush(stdout);
  int const out = dup(1);
  dup2(fileno(file), 1);
  run(routine, a);
  fflush(stdout);
  dup2(out, 1);
  close(out);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

static void test_messages(void) {
  call a = usual(plain);
  CHECK(*output(vegas, &a) == 0);
  a.flags = 1;
  char const* said = output(vegas, &a);
  CHECK(strstr(said, "Iteration 1:") && strstr(said, "[1] ") && !strstr(said, "input parameters"));
  a.flags = 2;
  said = output(vegas, &a);
  CHECK(strstr(said, "Vegas input parameters:") && strstr(said, "nstart 1000") && strstr(said, "Iteration 1:"));
  CHECK(strstr(output(divonne, &a), "maxchisq 10"));
  a.flags = 0;
  setenv("CUBAVERBOSE", "1", 1);
  CHECK(strstr(output(suave, &a), "Iteration 1:"));
  unsetenv("CUBAVERBOSE");
  cubaverbose(1);
  CHECK(strstr(output(suave, &a), "Iteration 1:"));
  cubaverbose(0);
  CHECK(*output(cuhre, &a) == 0);
}

static int exists(char const* file) {
  struct stat found;
  return stat(file, &found) == 0;
}

static void test_states(char const* file) {
  for (int r = vegas; r <= cuhre; ++r) {
    call whole = usual(ridge), resumed = usual(ridge), again = usual(ridge);
    whole.maxeval = resumed.maxeval = again.maxeval = 400000;
    whole.seed = resumed.seed = again.seed = 1;
    unlink(file);
    run(r, &whole);
    long const all = log_of->points;
    CHECK(whole.fail == 0);

    forget();
    resumed.statefile = file;
    resumed.flags = 16;
    log_of->stop_after = all / 2;
    pid_t const killed = fork();
    if (killed == 0) {
      run(r, &resumed);
      _exit(0);
    }
    int status = 0;
    waitpid(killed, &status, 0);
    CHECK(WIFSIGNALED(status) && exists(file));
    log_of->stop_after = 0;
    forget();
    run(r, &resumed);
    CHECK(log_of->points < all);
    CHECK(resumed.integral[0] == whole.integral[0] && resumed.error[0] == whole.error[0]);
    CHECK(resumed.neval == whole.neval && resumed.fail == 0);
    CHECK(exists(file)); /* as bit 4 asks for */

    forget();
    again.statefile = file;
    run(r, &again);
    CHECK(log_of->points == 0 && again.integral[0] == whole.integral[0] && !exists(file));
  }
  call a = usual(plain), b = usual(plain);
  a.statefile = b.statefile = file; /* of another call: it is replaced */
  a.flags = 16;
  run(suave, &a);
  run(vegas, &b);
  right(&b, 0.125);
  CHECK(!exists(file));

  FILE* const other = fopen(file, "w"); /* of another program: it stays as it is */
  fputs("a text that somebody wrote by hand, and that has nothing to do with integrals", other);
  fclose(other);
  struct stat before, after;
  stat(file, &before);
  char const* said = output(vegas, &a);
  CHECK(a.fail == 0 && strstr(said, "No state from"));
  stat(file, &after);
  CHECK(before.st_size == after.st_size);
  unlink(file);

  a.statefile = "/";
  CHECK(strstr(output(cuhre, &a), "No state from /"));
  CHECK(a.fail == 0);
}

static void test_workers(void) {
  call alone = usual((integrand_t)noting), together = usual((integrand_t)noting);
  run(vegas, &alone);
  cubacores(2, 10000);
  wait_for_both = 1;
  forget();
  run(vegas, &together);
  right(&together, 0.125);
  CHECK(together.integral[0] == alone.integral[0] && together.error[0] == alone.error[0]);
  CHECK(log_of->least_core == 0 && log_of->largest_core == 32768 && log_of->processes == 2);
  CHECK(waitpid(-1, NULL, WNOHANG) < 0); /* none is left */

  call a = usual((integrand_t)noting);
  int naive = -1;
  a.spin = &naive;
  run(vegas, &a);
  right(&a, 0.125);
  CHECK(naive == -1);
  void* spin = NULL;
  forget();
  a.spin = &spin;
  run(vegas, &a);
  CHECK(spin && waitpid(-1, NULL, WNOHANG) == 0);
  a.ndim = 4; /* the same workers for another integral */
  a.ncomp = 2;
  run(suave, &a);
  right(&a, 0.0625);
  CHECK(log_of->processes == 2);
  cubawait(&spin);
  CHECK(!spin && waitpid(-1, NULL, WNOHANG) < 0);
  cubafork(&spin);
  CHECK(spin);
  forget();
  run(vegas, &a);
  CHECK(log_of->processes == 2);
  cubawait(&spin);
  wait_for_both = 0;

  int* const calls = mmap(NULL, 2 * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  a = usual(plain);
  cubainit((void (*)())begin, calls);
  cubaexit((void (*)())begin, calls + 1);
  run(cuhre, &a);
  CHECK(calls[0] == 2 && calls[1] == 2);
  cubacores(0, 0);
  run(cuhre, &a);
  CHECK(calls[0] == 3 && calls[1] == 3);
  cubainit(NULL, NULL);
  cubaexit(NULL, NULL);

  cubaaccel(1, 50);
  a = usual((integrand_t)noting);
  a.nvec = 1000;
  run(vegas, &a);
  right(&a, 0.125);
  CHECK(log_of->least_core == -1 && log_of->largest_core == -1 && log_of->most == 50);
  cubaaccel(0, 0);

  for (int cores = 0; cores <= 2; cores += 2) {
    cubacores(cores, 10000);
    for (int r = vegas; r <= cuhre; ++r) {
      a = usual(stopping);
      log_of->stop_after = 200;
      run(r, &a);
      CHECK(a.fail == -99);
      if (cores == 0)
        CHECK(log_of->points == 201);
      if (cores > 0) {
        a = usual((integrand_t)dying);
        run(r, &a);
        CHECK(a.fail == -98 && waitpid(-1, NULL, WNOHANG) < 0);
      }
      log_of->stop_after = 0;
    }
  }
  cubacores(0, 0);
}

static pthread_t threads[2];
static int in_thread(int const* ndim, double const* x, int const* ncomp, double* f, void* user, int const* nvec,
                     int const* core) {
  (void)user, (void)nvec;
  threads[*core == 32768] = pthread_self();
  if (!threads[0] || !threads[1])
    usleep(1000);
  products(*ndim, x, *ncomp, f, 1);
  return 0;
}

static void test_threads(void) {
  call alone = usual(plain), a = usual((integrand_t)in_thread);
  run(vegas, &alone);
  setenv("KUBATURE_CUBA_THREADS", "2", 1);
  run(vegas, &a);
  CHECK(a.integral[0] == alone.integral[0]);
  CHECK(threads[0] && threads[1] && !pthread_equal(threads[0], threads[1]));
  CHECK(pthread_equal(threads[1], pthread_self()));
  unsetenv("KUBATURE_CUBA_THREADS");
}

static int kernel(int64_t n, int d, double const* x, int components, double* values, void* stream, void* user) {
  (void)stream;
  for (int64_t k = 0; k < n; ++k) {
    values[k] = *(double const*)user;
    for (int i = 0; i < d; ++i)
      values[k] *= x[i * n + k];
  }
  return components == 1 ? 0 : 1;
}

static void test_kernels(void) {
  int const on_host = kubature_device(NULL) == KUBATURE_HOST; /* as this function is */
  double factor = 8, integral, error, prob;
  long long neval;
  int fail = 1, nregions;
  if (!on_host)
    return;
  kubature_cuba_vegas(3, 1, kernel, &factor, 1e-3, 0, 0, 1, 0, 100000, 1000, 0, &neval, &fail, &integral, &error,
                      &prob);
  CHECK(fail == 0 && fabs(integral - 1) < 4e-3);
  kubature_cuba_suave(3, 1, kernel, &factor, 1e-3, 0, 0, 1, 0, 100000, 1000, &nregions, &neval, &fail, &integral,
                      &error, &prob);
  CHECK(fail == 0 && fabs(integral - 1) < 4e-3);
  kubature_cuba_divonne(3, 1, kernel, &factor, 1e-3, 0, 0, 1, 0, 100000, 0, 3, NULL, &nregions, &neval, &fail,
                        &integral, &error, &prob);
  CHECK(fail == 0 && fabs(integral - 1) < 1e-3);
  kubature_cuba_cuhre(3, 1, kernel, &factor, 1e-3, 0, 0, 0, 100000, 0, &nregions, &neval, &fail, &integral, &error,
                      &prob);
  CHECK(fail == 0 && fabs(integral - 1) < 1e-3);
  kubature_cuba_cuhre(3, 2, kernel, &factor, 1e-3, 0, 0, 0, 100000, 0, &nregions, &neval, &fail, (double[2]){0},
                      (double[2]){0}, (double[2]){0});
  CHECK(fail == -99);
}

static void test_hostile(void) {
  for (int r = vegas; r <= cuhre; ++r) {
    int const wrong[] = {0, -1, INT_MIN, INT_MAX, r == cuhre ? 21 : 1025};
    for (int i = 0; i < 5; ++i) {
      call a = usual(plain);
      a.ndim = wrong[i];
      run(r, &a);
      CHECK(a.fail == -1 && a.neval == 0);
      if (i == 4)
        continue;
      a = usual(plain);
      a.ncomp = wrong[i];
      run(r, &a);
      CHECK(a.fail == -2 && a.neval == 0);
    }
    call a = usual(NULL);
    run(r, &a);
    CHECK(a.fail == -97);
    a = usual(not_a_number);
    run(r, &a);
    CHECK(a.fail > 0 && isnan(a.integral[0]));
    a = usual(plain);
    a.epsrel = NAN;
    run(r, &a);
    CHECK(a.fail == -97);
    a = usual(plain);
    a.epsrel = a.epsabs = -1;
    run(r, &a);
    CHECK(a.fail > 0 || a.error[0] == 0);
    int const odd[] = {INT_MIN, -1, 0, 1};
    for (int i = 0; i < 4; ++i) {
      a = usual(plain);
      a.maxeval = 200000;
      a.nvec = a.seed = a.mineval = a.samples = a.gridno = a.key = a.ngiven = a.nextra = a.ldxgiven = odd[i];
      if (odd[i] == 1)
        a.ngiven = a.nextra = 0;
      run(r, &a);
      CHECK(a.fail == 0);
      a.maxeval = odd[i];
      run(r, &a);
      CHECK(a.fail > 0 && a.neval <= 10);
    }
    a = usual(r < divonne ? (integrand_t)noting : (integrand_t)noting_phase);
    if (r == cuhre)
      continue;
    a.nvec = INT_MAX;
    run(r, &a);
    right(&a, 0.125);
    CHECK(log_of->most > 100);
  }
  double given[] = {0.5, 0.5, 0.5};
  call a = usual(plain);
  a.ngiven = 1;
  a.xgiven = given;
  a.ldxgiven = 2;
  run(divonne, &a);
  CHECK(a.fail == -97);
}

int main(int argc, char** argv) {
  char file[200];
  snprintf(file, sizeof file, "%s/kubature-cuba-state-%d", argc > 1 ? argv[1] : ".", (int)getpid());
  cubacores(0, 0);
  log_of = mmap(NULL, sizeof *log_of, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  test_workers();
  test_arguments();
  test_weights();
  test_peaks();
  test_grids();
  test_messages();
  test_states(file);
  test_threads();
  test_kernels();
  test_hostile();
  return failures > 0;
}
