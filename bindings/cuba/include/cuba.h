#ifndef KUBATURE_CUBA_CUBA_H
#define KUBATURE_CUBA_CUBA_H

/**
 * \file
 * The functions of Cuba 4.2 over kubature: programs that include Cuba's header of this name compile and link unchanged
 * (docs/drop-in-cuba.md). Integrals are over the unit cube of `ndim` variables, and each of `ncomp` components is
 * computed until its error is below epsabs or below epsrel times its value.
 */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fills f[k * ncomp + c], component c at the point x[k * ndim] ... of each of nvec points. It is called with more
 * arguments than these, which it may declare and be cast to this type:
 *
 *     int f(const int* ndim, const double x[], const int* ncomp, double f[], void* userdata, const int* nvec,
 *           const int* core, const double weight[], const int* iter)   Vegas and Suave
 *                            const int* phase                          Divonne
 *
 * The functions whose names begin with ll pass nvec as a long long.
 * @returns -999 to end the integration; other values have no effect
 */
typedef int (*integrand_t)(const int* ndim, const double x[], const int* ncomp, double f[], void* userdata);

/**
 * Gives points near peaks in a region.
 * @param b the bounds of the region: lower, upper, lower, ...
 * @param n how many points x has room for; receives how many there are
 */
typedef void (*peakfinder_t)(const int* ndim, const double b[], int* n, double x[], void* userdata);

/**
 * VEGAS+.
 * @param fail receives 0: the tolerance is met; above 0: it is not; -1: ndim is out of range; -2: ncomp is; -99: the
 *             integrand returned -999; -98: a process that called it has ended; -97: anything else, for which a message
 *             is written to standard error
 * @param prob receives the probability that the errors are too small, by chi-squared; -999 where there is no test
 */
void Vegas(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const int nvec, const double epsrel,
           const double epsabs, const int flags, const int seed, const int mineval, const int maxeval, const int nstart,
           const int nincrease, const int nbatch, const int gridno, const char* statefile, void* spin, int* neval,
           int* fail, double integral[], double error[], double prob[]);
void llVegas(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const long long int nvec,
             const double epsrel, const double epsabs, const int flags, const int seed, const long long int mineval,
             const long long int maxeval, const long long int nstart, const long long int nincrease,
             const long long int nbatch, const int gridno, const char* statefile, void* spin, long long int* neval,
             int* fail, double integral[], double error[], double prob[]);

/** VEGAS+. */
void Suave(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const int nvec, const double epsrel,
           const double epsabs, const int flags, const int seed, const int mineval, const int maxeval, const int nnew,
           const int nmin, const double flatness, const char* statefile, void* spin, int* nregions, int* neval,
           int* fail, double integral[], double error[], double prob[]);
void llSuave(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const long long int nvec,
             const double epsrel, const double epsabs, const int flags, const int seed, const long long int mineval,
             const long long int maxeval, const long long int nnew, const long long int nmin, const double flatness,
             const char* statefile, void* spin, int* nregions, long long int* neval, int* fail, double integral[],
             double error[], double prob[]);

/** In up to 8 variables PAGANI; VEGAS+ where a fifth of the evaluations shows that it will not do. */
void Divonne(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const int nvec,
             const double epsrel, const double epsabs, const int flags, const int seed, const int mineval,
             const int maxeval, const int key1, const int key2, const int key3, const int maxpass, const double border,
             const double maxchisq, const double mindeviation, const int ngiven, const int ldxgiven, double xgiven[],
             const int nextra, peakfinder_t peakfinder, const char* statefile, void* spin, int* nregions, int* neval,
             int* fail, double integral[], double error[], double prob[]);
void llDivonne(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const long long int nvec,
               const double epsrel, const double epsabs, const int flags, const int seed, const long long int mineval,
               const long long int maxeval, const int key1, const int key2, const int key3, const int maxpass,
               const double border, const double maxchisq, const double mindeviation, const long long int ngiven,
               const int ldxgiven, double xgiven[], const long long int nextra, peakfinder_t peakfinder,
               const char* statefile, void* spin, int* nregions, long long int* neval, int* fail, double integral[],
               double error[], double prob[]);

/** PAGANI, with the rule of degree key. */
void Cuhre(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const int nvec, const double epsrel,
           const double epsabs, const int flags, const int mineval, const int maxeval, const int key,
           const char* statefile, void* spin, int* nregions, int* neval, int* fail, double integral[], double error[],
           double prob[]);
void llCuhre(const int ndim, const int ncomp, integrand_t integrand, void* userdata, const long long int nvec,
             const double epsrel, const double epsabs, const int flags, const long long int mineval,
             const long long int maxeval, const int key, const char* statefile, void* spin, int* nregions,
             long long int* neval, int* fail, double integral[], double error[], double prob[]);

/** Starts the workers that later calls use, and stores them in the pointer that pspin points to. */
void cubafork(void* pspin);
/** Ends them, and sets the pointer to NULL. */
void cubawait(void* pspin);

/** The number of processes that call the integrand, the caller's included, and the most points that one gets at a time,
 * in place of CUBACORES and CUBACORESMAX. */
void cubacores(const int n, const int p);
/** As above for those that get p points, in place of CUBAACCEL and CUBAACCELMAX. */
void cubaaccel(const int n, const int p);

/** A function f(arg, &core) that every process calls before it calls an integrand; NULL: none. */
void cubainit(void (*f)(), void* arg);
/** As above, afterwards. */
void cubaexit(void (*f)(), void* arg);

/** The least level of messages, 0 to 3, in place of CUBAVERBOSE. */
void cubaverbose(const int level);

#ifdef __cplusplus
}
#endif

#endif
