#ifndef KUBATURE_H
#define KUBATURE_H

#include <stddef.h>
#include <stdint.h>

/**
 * \file
 * Integrals of functions of 1 to 20 variables over boxes, from C and what calls C: methods, precisions and options by
 * their names, as `kubature list` prints them.
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
 * Functions that can fail return a kubature_error; kubature_last_error() has the sentence. Those that make an object
 * leave the pointer alone where they fail. Objects are independent of each other and of the arguments that they were
 * made from; each ends by its own kubature_..._destroy(), which takes NULL, too. One object serves one thread at a
 * time; threads that integrate at once have integrators of their own.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** What a call returns: 0; a number below zero, which is one of these; or what the integrand returned. */
typedef enum kubature_error {
  KUBATURE_SUCCESS = 0,
  KUBATURE_INVALID_ARGUMENT = -1, /**< bad input; the sentence names the argument and its value */
  KUBATURE_OUT_OF_MEMORY = -2,    /**< of the host; without memory on the device a result says so by its status */
  KUBATURE_UNSUPPORTED = -3,      /**< what this build or this machine lacks: MPI, a device */
  KUBATURE_FAILED = -4            /**< anything else */
} kubature_error;

/** How an integration ended. Not reaching the tolerance is no error. */
typedef enum kubature_status {
  KUBATURE_CONVERGED = 0,        /**< the tolerance is met */
  KUBATURE_COMPLETED = 1,        /**< no tolerance was asked for, and all work that the options name is done */
  KUBATURE_EVALUATION_LIMIT = 2, /**< the evaluations are used up */
  KUBATURE_ITERATION_LIMIT = 3,  /**< the iterations are used up */
  KUBATURE_TIME_LIMIT = 4,       /**< the seconds are used up */
  KUBATURE_PRECISION_LIMIT = 5,  /**< rounding keeps the error above the tolerance */
  KUBATURE_MEMORY_EXHAUSTED = 6, /**< no more memory on the device, or the option bytes */
  KUBATURE_NON_FINITE = 7,       /**< the integrand returned NaN or infinity */
  KUBATURE_NO_VARIANCE = 8,      /**< all values drawn were zero, or alike within each stratum: no estimate */
  KUBATURE_STOPPED = 9           /**< the callback asked to stop */
} kubature_status;

typedef struct kubature_box kubature_box;               /**< the domain: a product of intervals */
typedef struct kubature_integrand kubature_integrand;   /**< what is integrated */
typedef struct kubature_integrator kubature_integrator; /**< a method with its options and what it keeps */
typedef struct kubature_map kubature_map;               /**< a map of a VEGAS method */
typedef struct kubature_result kubature_result;         /**< what an integration returns */

/* ---- the library ----------------------------------------------------------------------------------------- */

/** In one line: "0.2.0, commit 0123456789ab, Kokkos 5.2.2 (OpenMP, Serial), MPI, GCC 16.1.0". */
char const* kubature_version(void);
/** For comparisons: major * 10000 + minor * 100 + patch. */
int kubature_version_number(void);

/** The sentence of the last call in this thread that failed; empty where none has. It lasts until the next one fails.
 */
char const* kubature_last_error(void);

/**
 * Initialises Kokkos, unless somebody has. What needs Kokkos does so by itself: this is for those who want it done at
 * a certain time. Environment variables such as KOKKOS_NUM_THREADS and KOKKOS_DEVICE_ID are heeded.
 */
int kubature_initialize(void);
/**
 * Finalises Kokkos if this library has initialised it, and does nothing otherwise; refused while there are integrators.
 * Kokkos cannot be initialised again in the same process. Without this call Kokkos is finalised as the program exits,
 * if no integrator is left then.
 */
int kubature_finalize(void);

/** Where a kubature_device_function finds its points, in DLPack's numbers. */
typedef enum kubature_device_kind {
  KUBATURE_HOST = 1, /**< pointers are ordinary ones */
  KUBATURE_CUDA = 2, /**< of the memory of an NVIDIA GPU */
  KUBATURE_HIP = 10, /**< of an AMD GPU, ROCm in DLPack */
  KUBATURE_SYCL = 14 /**< of oneAPI */
} kubature_device_kind;

/**
 * @param id the number of this process's device, as the backend counts; 0 on a host, and before Kokkos is initialised.
 *           May be NULL.
 */
kubature_device_kind kubature_device(int* id);

/* ---- boxes ----------------------------------------------------------------------------------------------- */

/**
 * The product of the sides lower[i] < x_i < upper[i].
 * @param dimension 1 to 20
 * @param lower     `dimension` numbers, as are those of upper; -INFINITY and INFINITY are mapped
 */
int kubature_box_create(int dimension, double const* lower, double const* upper, kubature_box** box);
/** Ends a box; NULL is ignored. */
void kubature_box_destroy(kubature_box* box);

/* ---- integrands ------------------------------------------------------------------------------------------ */

/**
 * A function of many points, called on the host by the thread that integrates, or by several at once where
 * kubature_integrand_set_concurrent allows it.
 *
 * @param n          points, at most 65536; some may repeat others, and what they give is not used
 * @param d          variables
 * @param x          n x d: coordinate i of point k is x[k * d + i], in the coordinates of the box
 * @param components values at a point
 * @param values     n x components, to be filled: component c at point k is values[k * components + c]
 * @param user       as it was given with the function
 * @returns 0; anything else ends the integration, and kubature_integrate returns the same number
 */
typedef int (*kubature_function)(int64_t n, int d, double const* x, int components, double* values, void* user);

/**
 * The same where the library computes: pointers are those of its device, and a batch is as large as it comes.
 * Coordinates of all points lie side by side, as the threads of a device read them.
 *
 * @param x      d x n: coordinate i of point k is x[i * n + k]
 * @param values components x n: component c at point k is values[c * n + k]
 * @param stream where the function puts its work, which need not be done as it returns: a cudaStream_t or hipStream_t;
 *               a sycl::queue*; NULL on a host, whose pointers are ordinary ones
 */
typedef int (*kubature_device_function)(int64_t n, int d, double const* x, int components, double* values, void* stream,
                                        void* user);

/**
 * A formula, evaluated where the library computes: "sin(x*y) + exp(-z)" (docs/expressions.md). Several, separated by
 * semicolons, are the components of one integrand: "exp(-x*y); x*exp(-x*y)".
 * @param variables names in the order of the box's sides, separated by commas, whether the formula uses them all or
 *                  not; NULL: x1 to x20, or x, y, z, w, v, u, t, s, up to the highest of them that it uses
 */
int kubature_integrand_expression(char const* formula, char const* variables, kubature_integrand** integrand);
/**
 * @param components values at a point, 1 or more; kubature_integrate says how many it can serve
 * @param user       handed on to f; it outlives the integrand
 */
int kubature_integrand_function(kubature_function f, int components, void* user, kubature_integrand** integrand);
/**
 * Allows threads to call a kubature_function at the same time, each with other points, where the library computes on
 * the host: with several threads most functions take less time so. Results are the same.
 * @param concurrent 0: one call at a time, as it is without this
 */
int kubature_integrand_set_concurrent(kubature_integrand* integrand, int concurrent);
/** A function of many points in the memory of the device; see kubature_device_function. */
int kubature_integrand_device_function(kubature_device_function f, int components, void* user,
                                       kubature_integrand** integrand);
/** Ends an integrand; NULL is ignored. */
void kubature_integrand_destroy(kubature_integrand* integrand);

/* ---- integrators ----------------------------------------------------------------------------------------- */

/**
 * A method with its options and with what it keeps from call to call: maps, strata, buffers.
 * @param method    "vegas+", "mcubes", "mc", "pagani", ...
 * @param precision "fp64", "fp32", "adaptive", ...; NULL: the method's default
 */
int kubature_integrator_create(char const* method, char const* precision, kubature_integrator** integrator);
/**
 * The same for the processes of an MPI communicator, a device each: all of them make the same calls and get the same
 * result. The communicator is duplicated; the integrator ends before MPI_Finalize.
 * @param communicator its Fortran handle: MPI_Comm_c2f(comm)
 * Returns KUBATURE_UNSUPPORTED where the library was built without MPI.
 */
int kubature_integrator_create_mpi(char const* method, char const* precision, int communicator,
                                   kubature_integrator** integrator);
/** Ends an integrator with all that it keeps; NULL is ignored. */
void kubature_integrator_destroy(kubature_integrator* integrator);

/**
 * An option of the method, a tolerance ("relative", "absolute") or a limit ("evaluations", "iterations", "seconds",
 * "bytes") by its name; flags are 0 or 1. Tolerances, seconds and bytes change at any time. With any other option the
 * next call begins anew, with the map of kubature_use_map if there is one.
 */
int kubature_set(kubature_integrator* integrator, char const* option, double value);
/** The same as text: "1e6", "true", "discard", a file's name, "1,2,4". Whole numbers of any size are exact. */
int kubature_set_text(kubature_integrator* integrator, char const* option, char const* value);
/** The value that a call takes. The text lasts until the next kubature_get_text of this integrator. */
int kubature_get_text(kubature_integrator* integrator, char const* option, char const** value);

/** What a callback is told. Later versions may add members at the end. */
typedef struct kubature_progress {
  char const* method;  /**< its name */
  int iteration;       /**< iterations done so far */
  int64_t evaluations; /**< calls of the integrand so far */
  double value;        /**< the estimate so far, of the first component; NaN while iterations are left out */
  double error;        /**< its error, likewise */
  double seconds;      /**< since the call began */
} kubature_progress;

/**
 * Called after each iteration, and about ten times a second while one takes long, by the thread that integrates.
 * @returns 0 to go on; anything else ends the integration with the estimate so far and KUBATURE_STOPPED
 */
typedef int (*kubature_callback)(kubature_progress const* progress, void* user);
/** From the next call on; NULL: none any more. */
int kubature_set_callback(kubature_integrator* integrator, kubature_callback callback, void* user);

/**
 * Integrates until a tolerance is met or a limit is reached; kubature_result_status says which. Begins Kokkos if need
 * be. A callback or an integrand must not call back with the same integrator.
 */
int kubature_integrate(kubature_integrator* integrator, kubature_integrand const* integrand, kubature_box const* box,
                       kubature_result** result);

/* ---- results --------------------------------------------------------------------------------------------- */

/* Of NULL, and of a component that there is none of, these return NaN, 0 or an empty text, and kubature_last_error()
 * says so. Texts last as long as the result. */

/** Why the call ended. */
kubature_status kubature_result_status(kubature_result const* result);
/** "converged", "evaluation_limit", ... */
char const* kubature_status_name(kubature_status status);
/** How many values the integrand has at a point. */
int kubature_result_components(kubature_result const* result);
/** The estimate of a component, from 0. */
double kubature_result_value(kubature_result const* result, int component);
/** One standard deviation for Monte Carlo methods, an error estimate for cubature. */
double kubature_result_error(kubature_result const* result, int component);
/** Agreement between the iterations; NaN where there is nothing to compare. */
double kubature_result_chi2_per_dof(kubature_result const* result, int component);
/** The probability of a chi2 as large or larger; NaN where there is none. */
double kubature_result_q_value(kubature_result const* result, int component);
/** Agreement between the iterations in all components together. NaN where nothing is known of correlations: see
 * kubature_result_covariance. */
double kubature_result_chi2(kubature_result const* result);
/** The degrees of freedom of chi2; 0 where nothing is known of correlations. */
int kubature_result_dof(kubature_result const* result);
/** Of the errors of components i and j. Of several components it is known with the option covariance = full alone; NaN
 * otherwise, and the three functions below then refuse. */
double kubature_result_covariance(kubature_result const* result, int i, int j);
/** All of it: components x components numbers, to be filled. */
int kubature_result_covariance_matrix(kubature_result const* result, double* matrix);
/** Value i over value j, with the error to first order: small where the two rise and fall together. Any of the two
 * pointers may be NULL here and below. */
int kubature_result_ratio(kubature_result const* result, int i, int j, double* value, double* error);
/** The sum of the values, each times its weight; as many weights as components. */
int kubature_result_linear(kubature_result const* result, double const* weights, double* value, double* error);
/** Calls of the integrand, those that only train or probe included. */
int64_t kubature_result_evaluations(kubature_result const* result);
/** Regions of a cubature method. */
int64_t kubature_result_regions(kubature_result const* result);
/** How many values of the integrand were NaN or infinite. */
int64_t kubature_result_non_finite(kubature_result const* result);
/** How long the call took, seconds. */
double kubature_result_seconds(kubature_result const* result);
/** The method's name. */
char const* kubature_result_method(kubature_result const* result);
/** The precision's name, as it was computed. */
char const* kubature_result_precision(kubature_result const* result);
/** Where it was computed, such as `OpenMP`. */
char const* kubature_result_backend(kubature_result const* result);
/** Iterations of a Monte Carlo method. */
int kubature_result_iterations(kubature_result const* result);
/** The estimate of iteration i, from 0, of a component; `included`: whether the result's value includes it. Any
 * pointer may be NULL. */
int kubature_result_iteration(kubature_result const* result, int i, int component, double* value, double* error,
                              int64_t* evaluations, int* included);
/** What else the caller should know: so many sentences. */
int kubature_result_remarks(kubature_result const* result);
/** Remark i, from 0: a sentence; empty where there is no such remark. */
char const* kubature_result_remark(kubature_result const* result, int i);
/** Parts of the integrand whose precision was chosen, of `adaptive` and of the method `mixed`: terms, regions, or the
 * whole; 0 where nothing was. */
int kubature_result_parts(kubature_result const* result);
/** Part i, from 0: its name, "[0,0.25]x[0.5,1]" of a region; the precision chosen, "fp32"; the share of the box's
 * volume that it is. Any pointer may be NULL; texts last as long as the result. */
int kubature_result_part(kubature_result const* result, int i, char const** name, char const** precision,
                         double* share);
/** "0.85131(4)  converged after 9 iterations, chi2/dof 1.02, 9.0e+06 evaluations, 3.1 ms", and the remarks, each on a
 * line of its own. */
char const* kubature_result_text(kubature_result const* result);
/** Ends a result; NULL is ignored. */
void kubature_result_destroy(kubature_result* result);

/* ---- maps ------------------------------------------------------------------------------------------------ */

/* A VEGAS map: what an integrator has learned of an integrand, to keep in a file and to begin others with. A state that
 * calls go on from after an interruption is the option "checkpoint" (docs/files.md). */

/**
 * @param axes  1 (one for all variables) or the number of variables
 * @param bins  intervals an axis
 * @param edges axes x (bins + 1) numbers, for each axis from 0 to 1 and never falling, in units of the box's side
 */
int kubature_map_create(int axes, int bins, double const* edges, kubature_map** map);
/** A copy of what the calls so far have learned. */
int kubature_map_of(kubature_integrator const* integrator, kubature_map** map);
/** Reads a map from a file. */
int kubature_map_load(char const* file, kubature_map** map);
/** Writes a map to a file, which takes its place at once. */
int kubature_map_save(kubature_map const* map, char const* file);
/** The number of axes. */
int kubature_map_axes(kubature_map const* map);
/** The number of bins of each axis. */
int kubature_map_bins(kubature_map const* map);
/** The bins + 1 edges of an axis, from 0; they last as long as the map. NULL where there is no such axis. */
double const* kubature_map_edges(kubature_map const* map, int axis);
/** Ends a map; NULL is ignored. */
void kubature_map_destroy(kubature_map* map);
/** Calls from now on start from this map, which is copied, and keep its number of intervals. */
int kubature_use_map(kubature_integrator* integrator, kubature_map const* map);

#ifdef __cplusplus
}
#endif

#endif
