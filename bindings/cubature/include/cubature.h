#ifndef CUBATURE_H
#define CUBATURE_H

#include <stdlib.h>

/**
 * \file
 * The interface of S. G. Johnson's cubature over kubature: programs that call it link kubature_cubature in its place.
 * docs/drop-ins.md says what differs.
 */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A function of one point.
 * @param ndim  number of variables
 * @param x     [ndim] the point
 * @param fdata the pointer given with the function
 * @param fdim  number of components
 * @param fval  [fdim] receives the values
 * @returns 0; any other number ends the integration
 */
typedef int (*integrand)(unsigned ndim, double const* x, void* fdata, unsigned fdim, double* fval);
/**
 * A function of many points.
 * @param npts number of points, at most 65536
 * @param x    npts x ndim: coordinate i of point k is x[k * ndim + i]
 * @param fval npts x fdim: receives component c at point k in fval[k * fdim + c]
 */
typedef int (*integrand_v)(unsigned ndim, size_t npts, double const* x, void* fdata, unsigned fdim, double* fval);

/** What the tolerances compare: the errors of components with their values, or norms of these. */
typedef enum {
  ERROR_INDIVIDUAL = 0, /**< each component */
  ERROR_PAIRED,         /**< the Euclidean norms of components 1 and 2, of 3 and 4, ...: complex numbers */
  ERROR_L2,             /**< the Euclidean norms of all components */
  ERROR_L1,             /**< the sums of magnitudes */
  ERROR_LINF            /**< the largest magnitudes */
} error_norm;

/**
 * Integrates f over the box by adaptive cubature, until the error is at most reqAbsError, or at most reqRelError times
 * the value. f is called by the calling thread.
 * @param fdim        number of components
 * @param fdata       passed to f
 * @param dim         number of variables, 0 to 20; 0: the value of f itself
 * @param xmin        [dim] lower bounds, finite as those of xmax; where one is above that of xmax, the sign changes
 * @param maxEval     limit on evaluations, which one region may exceed; 0: none
 * @param reqAbsError ignored unless it is above 0, as is reqRelError; without both, until rounding dominates
 * @param norm        ignored for one component
 * @param val         [fdim] receives the integrals, and err the estimates of their errors
 * @returns 0 if the tolerance is met; 2 if not, with estimates in val and err; 1, with NaN in both, if an argument is
 *          invalid, f returned another number than 0, or values are not finite
 */
int hcubature(unsigned fdim, integrand f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
              size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err);
/** As above, of a function of many points. */
int hcubature_v(unsigned fdim, integrand_v f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
                size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err);
/** The same as hcubature(). */
int pcubature(unsigned fdim, integrand f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
              size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err);
/** The same as hcubature_v(). */
int pcubature_v(unsigned fdim, integrand_v f, void* fdata, unsigned dim, double const* xmin, double const* xmax,
                size_t maxEval, double reqAbsError, double reqRelError, error_norm norm, double* val, double* err);

#ifdef __cplusplus
}
#endif

#endif
