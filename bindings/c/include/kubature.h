#ifndef KUBATURE_H
#define KUBATURE_H

#include <stddef.h>
#include <stdint.h>

/**
 * \file
 * Integrals of functions of 1 to 1024 variables over boxes, from C and languages that call C. Methods, precisions and
 * options are given by name, as `kubature list` prints them.
 *
 *     kubature_integrator* integrator = NULL;
 *     kubature_integrand* f = NULL;
 *     kubature_box* box = NULL;
 *     kubature_result* result = NULL;
 *     double const lower[] = {0, 0}, upper[] = {1, INFINITY};
 *     if (kubature_box_create(2, lower, upper, &box) || kubature_integrand_expression("exp(-x*y-y)", NULL, &f) ||
 *         kubature_integrator_create("vegas+", NULL, &integrator) || kubature_set(integrator, "relative", 1e-4) ||
 *         kubature_integrate(integrator, f, box, &result))
 *       fprintf(stderr, "%s\n", kubature_last_error());
 *     else
 *       printf("%s\n", kubature_result_text(result));
 *
 * Functions that can fail return a kubature_error, and kubature_last_error() gives the message. Functions that make an
 * object leave the pointer unchanged if they fail. Objects are independent of each other and of the arguments that they
 * were made from; each is destroyed by its own kubature_..._destroy(), which also accepts NULL. An object must not be
 * used by two threads at the same time; threads that integrate concurrently need integrators of their own.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** The return value of a function: 0, one of these negative numbers, or what the integrand returned. */
typedef enum kubature_error {
  KUBATURE_SUCCESS = 0,
  KUBATURE_INVALID_ARGUMENT = -1, /**< invalid input; the message names the argument and its value */
  KUBATURE_OUT_OF_MEMORY = -2,    /**< no memory on the host; for the device see KUBATURE_MEMORY_EXHAUSTED */
  KUBATURE_UNSUPPORTED = -3, /**< this build, machine or process lacks something: MPI, a device, Kokkos's threads */
  KUBATURE_FAILED = -4       /**< anything else */
} kubature_error;

/** Why an integration ended. Failure to reach the tolerance is not an error. */
typedef enum kubature_status {
  KUBATURE_CONVERGED = 0,        /**< the tolerance is met */
  KUBATURE_COMPLETED = 1,        /**< no tolerance was requested, and all the work that the options specify is done */
  KUBATURE_EVALUATION_LIMIT = 2, /**< the limit on evaluations is reached */
  KUBATURE_ITERATION_LIMIT = 3,  /**< the limit on iterations is reached */
  KUBATURE_TIME_LIMIT = 4,       /**< the limit on seconds is reached */
  KUBATURE_PRECISION_LIMIT = 5,  /**< rounding keeps the error above the tolerance */
  KUBATURE_MEMORY_EXHAUSTED = 6, /**< the device's memory, or the option bytes, is used up */
  KUBATURE_NON_FINITE = 7,       /**< the integrand returned NaN or infinity */
  KUBATURE_NO_VARIANCE = 8,      /**< all values drawn were zero, or equal within each stratum: no error estimate */
  KUBATURE_STOPPED = 9           /**< the callback requested it */
} kubature_status;

typedef struct kubature_box kubature_box;               /**< the domain: sides, or what a text describes */
typedef struct kubature_integrand kubature_integrand;   /**< what is integrated */
typedef struct kubature_integrator kubature_integrator; /**< a method with its options and the state that it keeps */
typedef struct kubature_map kubature_map;               /**< a map of a VEGAS method */
typedef struct kubature_result kubature_result;         /**< the result of an integration */

/* ---- the library ----------------------------------------------------------------------------------------- */

/** One line: "0.2.0, commit 0123456789ab, Kokkos 5.2.2 (OpenMP, Serial), MPI, GCC 16.1.0". */
char const* kubature_version(void);
/** For comparisons: major * 10000 + minor * 100 + patch. */
int kubature_version_number(void);

/** The message of the last call in this thread that failed; empty if none has. It is valid until the next one fails. */
char const* kubature_last_error(void);

/**
 * Initialises Kokkos unless it already is. Functions that need Kokkos do so themselves: call this to do it at a
 * particular time. Environment variables such as KOKKOS_NUM_THREADS and KOKKOS_DEVICE_ID are respected. A process that
 * is forked afterwards has neither the threads nor the device of Kokkos: there, functions that need them return
 * KUBATURE_UNSUPPORTED. (With a single thread on a host it works.)
 */
int kubature_initialize(void);
/**
 * Finalises Kokkos if this library has initialised it, and otherwise does nothing. It fails while integrators exist.
 * Kokkos cannot be initialised again in the same process. Without this call Kokkos is finalised when the program exits,
 * unless a thread is integrating then. Whoever finalises Kokkos, integrators that are left release their memory first;
 * they can only be destroyed afterwards.
 */
int kubature_finalize(void);

/** Where a kubature_device_function finds its points, numbered as in DLPack. */
typedef enum kubature_device_kind {
  KUBATURE_HOST = 1, /**< pointers are ordinary ones */
  KUBATURE_CUDA = 2, /**< the memory of an NVIDIA GPU */
  KUBATURE_HIP = 10, /**< the memory of an AMD GPU, called ROCm in DLPack */
  KUBATURE_SYCL = 14 /**< the memory of a oneAPI device */
} kubature_device_kind;

/**
 * The device that the library computes on.
 * @param id receives its number, as the backend counts; 0 on a host, and before Kokkos is initialised. May be NULL.
 */
kubature_device_kind kubature_device(int* id);

/* ---- boxes ----------------------------------------------------------------------------------------------- */

/**
 * The product of the sides lower[i] < x_i < upper[i].
 * @param dimension 1 to 1024; above 20 for "mc", "mcubes", "vegas+", "qmc" and "auto", in fp64, on hosts
 * @param lower     `dimension` numbers, as are those of upper; -INFINITY and INFINITY are allowed
 */
int kubature_box_create(int dimension, double const* lower, double const* upper, kubature_box** box);
/**
 * A domain that a text describes: sides with names, whose bounds may be formulas of earlier variables, "x=0:1, y=0:x";
 * sides without names; or a shape, "ball 0,0,0 1" (docs/guide/domains.md). Functions get points of the domain, and
 * their values are multiplied by the Jacobian.
 * @param text   what the program takes as --box or --domain
 * @param breaks points at which sides are cut, "x=0.3,0.7"; NULL: none
 */
int kubature_box_create_text(char const* text, char const* breaks, kubature_box** box);
/** The number of variables; 0 where it is that of the integrand ("simplex"), and for NULL. */
int kubature_box_dimension(kubature_box const* box);
/**
 * A point inside.
 * @param part where it is between the ends of each side, 0 to 1
 * @param x    receives kubature_box_dimension() coordinates
 */
int kubature_box_inside(kubature_box const* box, double part, double* x);
/** Destroys a box; NULL is ignored. */
void kubature_box_destroy(kubature_box* box);

/* ---- paths ----------------------------------------------------------------------------------------------- */

/**
 * The quantiles of the standard normal distribution: z[k] is the value below which it has probability p[k]. They turn
 * points of the unit cube into independent normal numbers.
 * @param p numbers; at 0 and 1, and beyond, as near to these as numbers are
 * @param z receives `count` numbers; it may be p
 */
int kubature_normal_quantiles(int64_t count, double const* p, double* z);
/**
 * A matrix A with A A^T = covariance: for independent normal numbers z, A z is a path of the Gaussian process with this
 * covariance at its dates. Time is of the order of dates^3.
 * @param covariance dates x dates numbers, symmetric and positive semidefinite
 * @param by         which part of the path z_1, z_2, ... decide, the most important first for "bridge" (the last date,
 *                   then the middles of ever shorter gaps) and "principal" (the principal components); "steps": the
 *                   dates in their order
 * @param matrix     receives A by rows
 */
int kubature_path_matrix(int dates, double const* covariance, char const* by, double* matrix);

/* ---- integrands ------------------------------------------------------------------------------------------ */

/**
 * A function of many points, called on the host by the thread that integrates, or by several threads at once if
 * kubature_integrand_set_concurrent allows it.
 *
 * @param n          number of points, at most 65536; some may repeat others, and their values are not used
 * @param d          number of variables; one more with kubature_integrand_set_weighted
 * @param x          n x d: coordinate i of point k is x[k * d + i], in the coordinates of the box
 * @param components number of values at a point
 * @param values     n x components, to be filled: component c at point k is values[k * components + c]
 * @param user       the pointer given with the function
 * @returns 0; any other number ends the integration, and kubature_integrate returns it
 */
typedef int (*kubature_function)(int64_t n, int d, double const* x, int components, double* values, void* user);

/**
 * As above, in the memory of the device that the library computes on: pointers are device pointers, and batches have
 * any size. The same coordinate of all points is contiguous, as the threads of a device read it.
 *
 * @param x      d x n: coordinate i of point k is x[i * n + k]
 * @param values components x n: component c at point k is values[c * n + k]
 * @param stream the queue for the function's work, which need not be complete when it returns: a cudaStream_t or
 *               hipStream_t; a sycl::queue*; NULL on a host, whose pointers are ordinary ones
 */
typedef int (*kubature_device_function)(int64_t n, int d, double const* x, int components, double* values, void* stream,
                                        void* user);

/**
 * A formula, evaluated on the device that the library computes on: "sin(x*y) + exp(-z)" (docs/expressions.md). Several
 * formulas, separated by semicolons, are the components of one integrand: "exp(-x*y); x*exp(-x*y)".
 * @param variables names in the order of the box's sides, separated by commas, whether the formula uses them all or
 *                  not; NULL: x1 to x1024, or x, y, z, w, v, u, t, s. The box has at least as many sides as the highest
 *                  that the formula uses
 */
int kubature_integrand_expression(char const* formula, char const* variables, kubature_integrand** integrand);
/** What is integrated of a formula with parameters (docs/complex-and-derivatives.md). */
enum kubature_formula {
  KUBATURE_VALUE = 0,       /**< the formula */
  KUBATURE_DERIVATIVES = 1, /**< the formula, and its derivatives with respect to each parameter: further components */
  KUBATURE_COMPLEX = 2      /**< the real and the imaginary part of a complex formula: two components */
};
/**
 * A formula as above in which names stand for numbers: "exp(-a*x)".
 * @param parameters these names, separated by commas; NULL: none
 * @param values     [one for each name] the numbers
 * @param what       one of enum kubature_formula; of several formulas, the components of one follow those of another
 */
int kubature_integrand_formula(char const* formula, char const* variables, char const* parameters, double const* values,
                               int what, kubature_integrand** integrand);
/**
 * An integrand that calls a function on the host.
 * @param components number of values at a point, at least 1; how many are possible depends on the method
 * @param user       passed to f; must outlive the integrand
 */
int kubature_integrand_function(kubature_function f, int components, void* user, kubature_integrand** integrand);
/**
 * Allows threads to call a kubature_function at the same time, each with other points, if the library computes on the
 * host. With several threads most functions then take less time. Results are the same.
 * @param concurrent 0: one call at a time, which is the default
 */
int kubature_integrand_set_concurrent(kubature_integrand* integrand, int concurrent);
/**
 * Gives a kubature_function the weights of the samples of VEGAS+ over a box: d is then one more than the number of
 * variables, and the weight of point k is x[k * d + d - 1]. The sum of weight times value over the points of an
 * iteration is the iteration's estimate, or over those with an observable in a bin the estimate of a histogram's.
 * Points that repeat others have the weight 0, and those that belong to no estimate, as in searches for peaks, none.
 * The function is called by one thread.
 * @param weighted 0: no weights, which is the default
 */
int kubature_integrand_set_weighted(kubature_integrand* integrand, int weighted);
/** A function of many points in the memory of the device; see kubature_device_function. */
int kubature_integrand_device_function(kubature_device_function f, int components, void* user,
                                       kubature_integrand** integrand);
/**
 * The values of a single formula at points, computed on the host in double precision; for tables and plots.
 * @param n      number of points
 * @param d      number of variables, at least as many as the formula uses
 * @param x      n x d: coordinate i of point k is x[k * d + i]
 * @param values receives n numbers
 */
int kubature_integrand_evaluate(kubature_integrand const* integrand, int64_t n, int d, double const* x, double* values);
/** Destroys an integrand; NULL is ignored. */
void kubature_integrand_destroy(kubature_integrand* integrand);

/* ---- integrators ----------------------------------------------------------------------------------------- */

/**
 * A method with its options and the state that it keeps from call to call: maps, strata, buffers.
 * @param method    "vegas+", "mcubes", "mc", "pagani", ...; NULL: "auto", which chooses a method, and stops at a
 *                  relative error of 1e-6, or after 10 seconds, if neither a tolerance nor a limit is set
 * @param precision "fp64", "fp32", "adaptive", ...; NULL: the method's default
 */
int kubature_integrator_create(char const* method, char const* precision, kubature_integrator** integrator);
/**
 * As above, for the ranks of an MPI communicator, each with a device: all ranks make the same calls and get the same
 * result. The communicator is duplicated; the integrator must be destroyed before MPI_Finalize.
 * @param communicator its Fortran handle: MPI_Comm_c2f(comm)
 * @returns KUBATURE_UNSUPPORTED if the library was built without MPI
 */
int kubature_integrator_create_mpi(char const* method, char const* precision, int communicator,
                                   kubature_integrator** integrator);
/** Destroys an integrator with everything it keeps; NULL is ignored. */
void kubature_integrator_destroy(kubature_integrator* integrator);

/**
 * Sets an option of the method, a tolerance ("relative", "absolute") or a limit ("max_evaluations", "iterations",
 * "seconds", "bytes") by name; flags are 0 or 1. "max_evaluations" limits the evaluations of a call in all, for every
 * method; what "evaluations" means depends on the method (docs/methods/index.md). Tolerances, seconds, bytes and
 * max_evaluations may change at any time. After any other change the next call starts afresh, from the map of
 * kubature_use_map if there is one.
 */
int kubature_set(kubature_integrator* integrator, char const* option, double value);
/** As above, with the value as text: "1e6", "true", "discard", a file name, "1,2,4". Whole numbers of any size are
 * exact. */
int kubature_set_text(kubature_integrator* integrator, char const* option, char const* value);
/** The value that a call uses. The text is valid until the next kubature_get_text on this integrator. */
int kubature_get_text(kubature_integrator* integrator, char const* option, char const** value);

/** The state of a call in progress, for a callback. Later versions may add members at the end. */
typedef struct kubature_progress {
  char const* method;  /**< the method's name */
  int iteration;       /**< iterations done so far */
  int64_t evaluations; /**< evaluations of the integrand so far */
  double value;        /**< the estimate of the first component so far; NaN while no iteration is included */
  double error;        /**< the error of value */
  double seconds;      /**< since the call began */
} kubature_progress;

/**
 * Called by the thread that integrates, after each iteration and about ten times a second during a long one.
 * @returns 0 to continue; any other number ends the integration with the estimate so far and KUBATURE_STOPPED
 */
typedef int (*kubature_callback)(kubature_progress const* progress, void* user);
/** Sets the callback of the calls that follow; NULL: none. */
int kubature_set_callback(kubature_integrator* integrator, kubature_callback callback, void* user);

/**
 * Integrates until a tolerance is met or a limit is reached (see kubature_result_status). Initialises Kokkos if
 * necessary. A callback or an integrand must not use the same integrator.
 */
int kubature_integrate(kubature_integrator* integrator, kubature_integrand const* integrand, kubature_box const* box,
                       kubature_result** result);
/**
 * All of the above in one call: integrates a function over a box by a method that keeps nothing.
 *
 *     double value, error;
 *     if (kubature_integrate_once("pagani", f, 1, NULL, 2, lower, upper, "relative=1e-8", &value, &error, NULL))
 *       fprintf(stderr, "%s\n", kubature_last_error());
 *
 * @param method     as in kubature_integrator_create
 * @param f          see kubature_function; it is called by one thread at a time
 * @param components number of values at a point, at least 1
 * @param user       passed to f
 * @param dimension  number of variables
 * @param lower      `dimension` bounds, as are those of upper
 * @param options    what kubature_set_text sets, separated by spaces: "relative=1e-6 max_evaluations=1e7"; NULL: none
 * @param value      [components] receives the estimates
 * @param error      [components] receives their errors; may be NULL, as may value and status
 * @param status     receives why the call ended
 */
int kubature_integrate_once(char const* method, kubature_function f, int components, void* user, int dimension,
                            double const* lower, double const* upper, char const* options, double* value, double* error,
                            kubature_status* status);

/* ---- many integrals -------------------------------------------------------------------------------------- */

/**
 * Computes many integrals of one formula in up to 20 variables, parameters included, at many values of its parameters
 * and over one box or many, in a few launches. Thousands of small integrals take about as long as one call of
 * kubature_integrate().
 * @param integrator  by "auto", "pagani", which needs a tolerance, or "vegas+"; its tolerance is that of each integral,
 * its limits are of all together, and callbacks are told the number of finished integrals as `iteration`
 * @param formula     "exp(-a*x*y)"
 * @param variables   the names of the variables of integration, separated by commas, in the order of the boxes' sides
 * @param parameters  the names of the others; NULL: none
 * @param count       number of integrals
 * @param values      count x parameters: those of one integral side by side; NULL if there are none
 * @param boxes       1, or count
 * @param lower       boxes x variables, as are those of upper; -INFINITY and INFINITY are allowed
 * @param value       receives count numbers, as do error and status; each of these, and evaluations, may be NULL. An
 *                    integral that a limit left out has that limit as its status and NaN as its value
 * @param evaluations receives the evaluations of all together
 */
int kubature_integrate_many(kubature_integrator* integrator, char const* formula, char const* variables,
                            char const* parameters, int64_t count, double const* values, int64_t boxes,
                            double const* lower, double const* upper, double* value, double* error,
                            kubature_status* status, int64_t* evaluations);

/* ---- peaks ----------------------------------------------------------------------------------------------- */

/** The largest number of peaks that a search finds. */
enum { KUBATURE_MOST_PEAKS = 64 };

/**
 * Searches for peaks, the local maxima of |f| in a box of 1 to 20 constant sides, by thousands of ascents at once
 * (docs/guide/peaks.md). Of several components the sum of the magnitudes counts. Initialises Kokkos if necessary. The
 * highest peak comes first. Any of the pointers that receive something may be NULL.
 * @param box          break points have no effect
 * @param evaluations  of the ascents, at least 1000, such as 1200000; telling peaks apart takes up to as many again
 * @param seed         of the random numbers
 * @param capacity     the number of peaks for which there is room, such as KUBATURE_MOST_PEAKS
 * @param at           capacity x d: receives where they are, in the coordinates of the box, one peak after the other
 * @param log_height   [capacity] receives log |f| there
 * @param covariance   capacity x d x d: receives the covariances, by rows, of Gaussians with the curvatures of log |f|
 * @param log_integral [capacity] receives the logarithms of Laplace's estimates, the integrals of these Gaussians
 * @param count        receives the number of peaks found, which may exceed the capacity
 */
int kubature_find_peaks(kubature_integrand const* integrand, kubature_box const* box, int64_t evaluations,
                        uint64_t seed, int64_t capacity, double* at, double* log_height, double* covariance,
                        double* log_integral, int64_t* count);

/* ---- evidence -------------------------------------------------------------------------------------------- */

/** The integral Z of exp(L), with samples from exp(L) / Z. */
typedef struct kubature_evidence kubature_evidence;

/** Numbers of an evidence: log Z and its standard deviation; the agreement of the iterations; the shape of the tail of
 * the weights and their effective number (docs/guide/evidence.md); the cost. */
typedef enum kubature_evidence_number {
  KUBATURE_LOG_EVIDENCE,
  KUBATURE_LOG_EVIDENCE_ERROR,
  KUBATURE_EVIDENCE_Q_VALUE,
  KUBATURE_EVIDENCE_K_HAT,
  KUBATURE_EVIDENCE_EFFECTIVE,
  KUBATURE_EVIDENCE_EVALUATIONS,
  KUBATURE_EVIDENCE_SECONDS
} kubature_evidence_number;

/**
 * Computes the logarithm of the integral of exp(L) over a box of 1 to 20 constant sides, where the integrand is L, of
 * any magnitude; NaN and infinity count as -infinity (docs/guide/evidence.md). Initialises Kokkos if necessary.
 * @param log_f           L, with one component
 * @param box             break points have no effect
 * @param error           the tolerance, a standard deviation of log Z, such as 0.01
 * @param search          evaluations of the search for peaks, at least 1000, such as 1200000
 * @param samples         evaluations of an iteration, at least 1000, such as 100000
 * @param max_evaluations of the call; 0: no limit
 * @param seconds         of the call; 0: no limit
 * @param seed            of the random numbers
 * @param keep            whether samples are kept, for kubature_evidence_samples()
 * @param evidence        receives the result, to be destroyed
 */
int kubature_log_evidence(kubature_integrand const* log_f, kubature_box const* box, double error, int64_t search,
                          int64_t samples, int64_t max_evaluations, double seconds, uint64_t seed, int keep,
                          kubature_evidence** evidence);
/** Does nothing for NULL. */
void kubature_evidence_destroy(kubature_evidence* evidence);

/** NaN where there is nothing to tell, as the Q value of one iteration; also for NULL. */
double kubature_evidence_get(kubature_evidence const* evidence, kubature_evidence_number number);
/** Why the call ended. */
kubature_status kubature_evidence_status(kubature_evidence const* evidence);
/** Remarks, one in each line; valid as long as the evidence. */
char const* kubature_evidence_remarks(kubature_evidence const* evidence);
/** The mean and the covariance of the d coordinates under exp(L) / Z; NaN if there is none. Either pointer may be NULL.
 * @param mean       [d]
 * @param covariance d x d, by rows */
int kubature_evidence_moments(kubature_evidence const* evidence, double* mean, double* covariance);
/** The samples. Any pointer may be NULL.
 * @param count       receives their number, 0 unless they were kept
 * @param points      count x d: receives them, one after the other
 * @param log_weights [count] receives the logarithms of their weights, whose sum is 1 */
int kubature_evidence_samples(kubature_evidence const* evidence, int64_t* count, double* points, double* log_weights);
/** The peaks of exp(L), as of kubature_find_peaks(). */
int kubature_evidence_peaks(kubature_evidence const* evidence, int64_t capacity, double* at, double* log_height,
                            double* covariance, double* log_integral, int64_t* count);

/* ---- results --------------------------------------------------------------------------------------------- */

/* For NULL, or for a component that does not exist, these functions return NaN, 0 or an empty text, and set
 * kubature_last_error(). Texts are valid as long as the result. */

/** Why the call ended. */
kubature_status kubature_result_status(kubature_result const* result);
/** "converged", "evaluation_limit", ... */
char const* kubature_status_name(kubature_status status);
/** The number of components of the integrand. */
int kubature_result_components(kubature_result const* result);
/** The estimate of a component, counted from 0. */
double kubature_result_value(kubature_result const* result, int component);
/** The error of a component: one standard deviation for Monte Carlo methods, an error estimate for cubature. */
double kubature_result_error(kubature_result const* result, int component);
/** Complex number k, counted from 0: the components 2 k and 2 k + 1 are its real and its imaginary part, as in C's
 * `double complex`. Its error consists of theirs. Either pointer may be NULL. */
int kubature_result_complex(kubature_result const* result, int k, double value[2], double error[2]);
/** The agreement between iterations, for a component; NaN where there is nothing to compare. */
double kubature_result_chi2_per_dof(kubature_result const* result, int component);
/** The probability of a chi2 as large or larger; NaN if there is none. */
double kubature_result_q_value(kubature_result const* result, int component);
/** The agreement between iterations in all components together; NaN if correlations are unknown: see
 * kubature_result_covariance. */
double kubature_result_chi2(kubature_result const* result);
/** The degrees of freedom of chi2; 0 if correlations are unknown. */
int kubature_result_dof(kubature_result const* result);
/** The covariance of the errors of components i and j. With several components it is known only with the option
 * covariance = full; otherwise it is NaN, and the three functions below fail. */
double kubature_result_covariance(kubature_result const* result, int i, int j);
/** The whole covariance matrix: components x components numbers, to be filled. */
int kubature_result_covariance_matrix(kubature_result const* result, double* matrix);
/** Value i over value j, with the error to first order, which is small if their errors are positively correlated. Here
 * and below, either pointer may be NULL. */
int kubature_result_ratio(kubature_result const* result, int i, int j, double* value, double* error);
/** The sum of the values, each times its weight; there are as many weights as components. */
int kubature_result_linear(kubature_result const* result, double const* weights, double* value, double* error);
/** Evaluations of the integrand, including those that only train or probe. */
int64_t kubature_result_evaluations(kubature_result const* result);
/** The number of regions, for a cubature method. */
int64_t kubature_result_regions(kubature_result const* result);
/** How many values of the integrand were NaN or infinite. */
int64_t kubature_result_non_finite(kubature_result const* result);
/** The shape parameter of the Pareto tail of the weights: up to 0.5 their variance exists; above 0.7 errors are
 * unreliable (docs/trust.md). NaN for cubature and where it is not known. */
double kubature_result_k_hat(kubature_result const* result);
/** How long the call took, in seconds. */
double kubature_result_seconds(kubature_result const* result);
/** The method's name. */
char const* kubature_result_method(kubature_result const* result);
/** The name of the precision that was used. */
char const* kubature_result_precision(kubature_result const* result);
/** The name of the execution space, such as `OpenMP`. */
char const* kubature_result_backend(kubature_result const* result);
/** The number of iterations, for a Monte Carlo method. */
int kubature_result_iterations(kubature_result const* result);
/** The estimate of a component by iteration i, from 0; `included` receives whether the value of the result includes it.
 * Any pointer may be NULL. */
int kubature_result_iteration(kubature_result const* result, int i, int component, double* value, double* error,
                              int64_t* evaluations, int* included);
/** The number of remarks: sentences on anything else that the caller should know. */
int kubature_result_remarks(kubature_result const* result);
/** Remark i, from 0; empty if there is no such remark. */
char const* kubature_result_remark(kubature_result const* result, int i);
/** The number of parts of the integrand whose precision was chosen by `adaptive` or by the method `mixed`: terms,
 * regions, or the whole; 0 if none was. */
int kubature_result_parts(kubature_result const* result);
/** Part i, from 0: its name, such as "[0,0.25]x[0.5,1]" for a region; the precision chosen, such as "fp32"; its share
 * of the box's volume. Any pointer may be NULL; texts are valid as long as the result. */
int kubature_result_part(kubature_result const* result, int i, char const** name, char const** precision,
                         double* share);
/** "0.85131(4)  converged after 9 iterations, chi2/dof 1.02, 9,000,000 evaluations, 3.1 ms by vegas+", followed by the
 * remarks, each on a line of its own. */
char const* kubature_result_text(kubature_result const* result);
/** Destroys a result; NULL is ignored. */
void kubature_result_destroy(kubature_result* result);

/* ---- maps ------------------------------------------------------------------------------------------------ */

/* A VEGAS map, trained on an integrand, which can be kept in a file and from which others can start. For a state from
 * which interrupted calls resume, see the option "checkpoint" (docs/files.md). */

/**
 * A map with given edges.
 * @param axes  1 (one for all variables) or the number of variables
 * @param bins  number of bins per axis
 * @param edges axes x (bins + 1) numbers, ascending from 0 to 1 along each axis, in units of the box's side; adjacent
 *              edges may be equal
 */
int kubature_map_create(int axes, int bins, double const* edges, kubature_map** map);
/** A copy of the map that the calls so far have trained. */
int kubature_map_of(kubature_integrator const* integrator, kubature_map** map);
/** Reads a map from a file. */
int kubature_map_load(char const* file, kubature_map** map);
/** Writes a map to a file, replacing it atomically. */
int kubature_map_save(kubature_map const* map, char const* file);
/** The number of axes. */
int kubature_map_axes(kubature_map const* map);
/** The number of bins of each axis. */
int kubature_map_bins(kubature_map const* map);
/** The bins + 1 edges of an axis, from 0; they are valid as long as the map. NULL if there is no such axis. */
double const* kubature_map_edges(kubature_map const* map, int axis);
/** Destroys a map; NULL is ignored. */
void kubature_map_destroy(kubature_map* map);
/** Starts the calls that follow from this map, which is copied, with its number of bins. */
int kubature_use_map(kubature_integrator* integrator, kubature_map const* map);

#ifdef __cplusplus
}
#endif

#endif
