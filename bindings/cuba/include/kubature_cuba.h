#ifndef KUBATURE_CUBA_KUBATURE_CUBA_H
#define KUBATURE_CUBA_KUBATURE_CUBA_H

#include <kubature.h>

/**
 * \file
 * The routines of cuba.h for integrands that evaluate batches of points where the library computes, such as kernels of
 * a GPU: see kubature_device_function in kubature.h. Arguments are those of cuba.h, without the ones that concern calls
 * of single points and processes. A function that returns anything but 0 ends the integration.
 */

#ifdef __cplusplus
extern "C" {
#endif

void kubature_cuba_vegas(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                         int flags, int seed, long long mineval, long long maxeval, long long nstart, int gridno,
                         long long* neval, int* fail, double* integral, double* error, double* prob);
void kubature_cuba_suave(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                         int flags, int seed, long long mineval, long long maxeval, long long nnew, int* nregions,
                         long long* neval, int* fail, double* integral, double* error, double* prob);
void kubature_cuba_divonne(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                           int flags, int seed, long long mineval, long long maxeval, long long ngiven, int ldxgiven,
                           double const* xgiven, int* nregions, long long* neval, int* fail, double* integral,
                           double* error, double* prob);
void kubature_cuba_cuhre(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                         int flags, long long mineval, long long maxeval, int key, int* nregions, long long* neval,
                         int* fail, double* integral, double* error, double* prob);

#ifdef __cplusplus
}
#endif

#endif
