#include "call.hpp"

#include <cuba.h>
#include <kubature_cuba.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

using namespace kubature::cuba;

namespace {

std::string text(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  return digits;
}
std::string text(long long number) { return std::to_string(number); }
std::string text(int number) { return std::to_string(number); }

template <class Number>
Call common(Routine routine, int ndim, int ncomp, integrand_t f, void* user, Number nvec, double epsrel, double epsabs,
            int flags, Number mineval, Number maxeval, char const* statefile, void* spin) {
  return {.routine = routine,
          .ndim = ndim,
          .ncomp = ncomp,
          .f = reinterpret_cast<Integrand>(f),
          .user = user,
          .nvec = nvec,
          .wide = std::is_same_v<Number, long long>,
          .epsrel = epsrel,
          .epsabs = epsabs,
          .flags = flags,
          .mineval = mineval,
          .maxeval = maxeval,
          .statefile = statefile,
          .spin = spin};
}

Call of_kernel(Routine routine, int ndim, int ncomp, kubature_device_function f, void* user, double epsrel,
               double epsabs, int flags, long long mineval, long long maxeval) {
  auto call = common<long long>(routine, ndim, ncomp, nullptr, user, 1, epsrel, epsabs, flags, mineval, maxeval,
                                nullptr, nullptr);
  call.kernel = f;
  return call;
}

template <class Number>
void give(Number* to, std::type_identity_t<long long> value) {
  if (to)
    *to = static_cast<Number>(std::min<long long>(value, std::is_same_v<Number, int> ? INT_MAX : LLONG_MAX));
}

template <class Number>
void done(Call const& call, int* nregions, Number* neval, int* fail, double* integral, double* error, double* prob) {
  Returned returned{.integral = integral, .error = error, .prob = prob};
  run(call, returned);
  give(nregions, returned.nregions);
  give(neval, returned.neval);
  give(fail, returned.fail);
}

} // namespace

#define NUMBER int
#define NAMED(ROUTINE) ROUTINE
#include "routines.inc"
#undef NUMBER
#undef NAMED
#define NUMBER long long
#define NAMED(ROUTINE) ll##ROUTINE
#include "routines.inc"

// Fortran passes addresses, and behind them the length of the file's name, in which blanks at the end do not count.

namespace {

template <class T>
T argument(void* passed, [[maybe_unused]] char const* statefile) {
  if constexpr (std::is_same_v<T, char const*>)
    return statefile;
  else if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(passed);
  else
    return *static_cast<T*>(passed);
}

template <class... T>
void from_fortran(void (*routine)(T...), void* const (&passed)[sizeof...(T)], std::size_t length) {
  constexpr std::size_t place = [] {
    bool const is_text[] = {std::is_same_v<T, char const*>...};
    return static_cast<std::size_t>(std::find(std::begin(is_text), std::end(is_text), true) - is_text);
  }();
  auto const* const characters = static_cast<char const*>(passed[place]);
  std::string statefile(characters ? characters : "", characters ? length : 0);
  statefile.erase(statefile.find_last_not_of(' ') + 1);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    routine(argument<T>(passed[I], statefile.c_str())...);
  }(std::index_sequence_for<T...>());
}

} // namespace

#define KUBATURE_19(T) T a, T b, T c, T d, T e, T f, T g, T h, T i, T j, T k, T l, T m, T n, T o, T p, T q, T r, T s
#define KUBATURE_22(T) KUBATURE_19(T), T t, T u, T v
#define KUBATURE_31(T) KUBATURE_22(T), T w, T x, T y, T z, T a2, T b2, T c2, T d2, T e2
#define KUBATURE_FORTRAN(NAME, ROUTINE, ARGUMENTS)                                                                     \
  extern "C" void NAME(ARGUMENTS(void*), std::size_t length) { from_fortran(ROUTINE, {ARGUMENTS()}, length); }

KUBATURE_FORTRAN(vegas, Vegas, KUBATURE_22)
KUBATURE_FORTRAN(vegas_, Vegas, KUBATURE_22)
KUBATURE_FORTRAN(llvegas, llVegas, KUBATURE_22)
KUBATURE_FORTRAN(llvegas_, llVegas, KUBATURE_22)
KUBATURE_FORTRAN(suave, Suave, KUBATURE_22)
KUBATURE_FORTRAN(suave_, Suave, KUBATURE_22)
KUBATURE_FORTRAN(llsuave, llSuave, KUBATURE_22)
KUBATURE_FORTRAN(llsuave_, llSuave, KUBATURE_22)
KUBATURE_FORTRAN(divonne, Divonne, KUBATURE_31)
KUBATURE_FORTRAN(divonne_, Divonne, KUBATURE_31)
KUBATURE_FORTRAN(lldivonne, llDivonne, KUBATURE_31)
KUBATURE_FORTRAN(lldivonne_, llDivonne, KUBATURE_31)
KUBATURE_FORTRAN(cuhre, Cuhre, KUBATURE_19)
KUBATURE_FORTRAN(cuhre_, Cuhre, KUBATURE_19)
KUBATURE_FORTRAN(llcuhre, llCuhre, KUBATURE_19)
KUBATURE_FORTRAN(llcuhre_, llCuhre, KUBATURE_19)

// What belongs to no routine. Without an underscore, cubacores, cubaaccel and cubaverbose are those of C.

extern "C" {

void cubafork(void* pspin) { fork_workers(pspin); }
void cubafork_(void* pspin) { fork_workers(pspin); }
void cubawait(void* pspin) { end_workers(pspin); }
void cubawait_(void* pspin) { end_workers(pspin); }

void cubacores(int n, int p) { choose_cores(n, p); }
void cubacores_(int const* n, int const* p) { choose_cores(*n, *p); }
void cubaaccel(int n, int p) { choose_accelerators(n, p); }
void cubaaccel_(int const* n, int const* p) { choose_accelerators(*n, *p); }

void cubainit(void (*f)(), void* arg) { before_work() = {f, arg}; }
void cubainit_(void (*f)(), void* arg) { before_work() = {f, arg}; }
void cubaexit(void (*f)(), void* arg) { after_work() = {f, arg}; }
void cubaexit_(void (*f)(), void* arg) { after_work() = {f, arg}; }

void cubaverbose(int level) { choose_verbosity(level); }
void cubaverbose_(int const* level) { choose_verbosity(*level); }

void kubature_cuba_vegas(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                         int flags, int seed, long long mineval, long long maxeval, long long nstart, int gridno,
                         long long* neval, int* fail, double* integral, double* error, double* prob) {
  auto call = of_kernel(Routine::vegas, ndim, ncomp, f, user, epsrel, epsabs, flags, mineval, maxeval);
  call.seed = seed;
  call.samples = nstart;
  call.gridno = gridno;
  done(call, nullptr, neval, fail, integral, error, prob);
}

void kubature_cuba_suave(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                         int flags, int seed, long long mineval, long long maxeval, long long nnew, int* nregions,
                         long long* neval, int* fail, double* integral, double* error, double* prob) {
  auto call = of_kernel(Routine::suave, ndim, ncomp, f, user, epsrel, epsabs, flags, mineval, maxeval);
  call.seed = seed;
  call.samples = nnew;
  done(call, nregions, neval, fail, integral, error, prob);
}

void kubature_cuba_divonne(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                           int flags, int seed, long long mineval, long long maxeval, long long ngiven, int ldxgiven,
                           double const* xgiven, int* nregions, long long* neval, int* fail, double* integral,
                           double* error, double* prob) {
  auto call = of_kernel(Routine::divonne, ndim, ncomp, f, user, epsrel, epsabs, flags, mineval, maxeval);
  call.seed = seed;
  call.ngiven = ngiven;
  call.ldxgiven = ldxgiven;
  call.xgiven = xgiven;
  done(call, nregions, neval, fail, integral, error, prob);
}

void kubature_cuba_cuhre(int ndim, int ncomp, kubature_device_function f, void* user, double epsrel, double epsabs,
                         int flags, long long mineval, long long maxeval, int key, int* nregions, long long* neval,
                         int* fail, double* integral, double* error, double* prob) {
  auto call = of_kernel(Routine::cuhre, ndim, ncomp, f, user, epsrel, epsabs, flags, mineval, maxeval);
  call.key = key;
  done(call, nregions, neval, fail, integral, error, prob);
}

} // extern "C"
