// The tables of vector functions for the instructions that the including file names, by its macros KUBATURE_VECTOR,
// KUBATURE_DOUBLE, KUBATURE_FLOAT and KUBATURE_BYTES. Nothing here may be called elsewhere, as processors without these
// instructions run the library, too.

#include "tables.hpp"

#include <cstring>

/// SLEEF's functions within 1 ulp, or 1.5 (u15), that are faster than the C library's on every set of instructions
/// (docs/design/interpreter.md). sinh and cosh overflow too early, asinh and acosh lose large arguments, tgamma and
/// lgamma negative ones.
#define KUBATURE_VECTOR_ONE(X)                                                                                         \
  X(exp, u10)                                                                                                          \
  X(exp2, u10)                                                                                                         \
  X(log, u10)                                                                                                          \
  X(log2, u10)                                                                                                         \
  X(log10, u10)                                                                                                        \
  X(log1p, u10)                                                                                                        \
  X(cbrt, u10)                                                                                                         \
  X(sin, u10)                                                                                                          \
  X(cos, u10)                                                                                                          \
  X(tan, u10)                                                                                                          \
  X(asin, u10)                                                                                                         \
  X(acos, u10)                                                                                                         \
  X(atan, u10)                                                                                                         \
  X(tanh, u10)                                                                                                         \
  X(atanh, u10)                                                                                                        \
  X(erf, u10)                                                                                                          \
  X(erfc, u15)
#define KUBATURE_VECTOR_TWO(X)                                                                                         \
  X(pow, u10)                                                                                                          \
  X(atan2, u10)                                                                                                        \
  X(hypot, u05)

namespace kubature::detail::expression {
namespace {

template <class Real>
using Vector [[gnu::vector_size(KUBATURE_BYTES)]] = Real;

/// Calls body(begin, end) for each vector of n numbers; the last may be shorter.
template <class Real, class Function>
void over(Real* left, Real const* right, int n, Function const& function) {
  constexpr int width = KUBATURE_BYTES / sizeof(Real);
  for (int begin = 0; begin < n; begin += width) {
    int const size = n - begin < width ? n - begin : width;
    Vector<Real> a, b;
    if (size == width) {
      std::memcpy(&a, left + begin, sizeof a);
      std::memcpy(&b, right + begin, sizeof b);
    } else {
      for (int i = 0; i < width; ++i) { // numbers that are there anyway: they raise no further exception
        a[i] = left[begin + (i < size ? i : 0)];
        b[i] = right[begin + (i < size ? i : 0)];
      }
    }
    Vector<Real> const value = function(a, b);
    if (size == width)
      std::memcpy(left + begin, &value, sizeof value);
    else
      for (int i = 0; i < size; ++i)
        left[begin + i] = value[i];
  }
}

#define KUBATURE_CASE(name, accuracy)                                                                                  \
  void name##_of(double* left, double const* right, int n) {                                                           \
    over(left, right, n,                                                                                               \
         [](Vector<double> a, Vector<double>) -> Vector<double> { return KUBATURE_DOUBLE(name, accuracy)(a); });       \
  }                                                                                                                    \
  void name##_of(float* left, float const* right, int n) {                                                             \
    over(left, right, n,                                                                                               \
         [](Vector<float> a, Vector<float>) -> Vector<float> { return KUBATURE_FLOAT(name, accuracy)(a); });           \
  }
KUBATURE_VECTOR_ONE(KUBATURE_CASE)
#undef KUBATURE_CASE
#define KUBATURE_CASE(name, accuracy)                                                                                  \
  void name##_of(double* left, double const* right, int n) {                                                           \
    over(left, right, n,                                                                                               \
         [](Vector<double> a, Vector<double> b) -> Vector<double> { return KUBATURE_DOUBLE(name, accuracy)(a, b); });  \
  }                                                                                                                    \
  void name##_of(float* left, float const* right, int n) {                                                             \
    over(left, right, n,                                                                                               \
         [](Vector<float> a, Vector<float> b) -> Vector<float> { return KUBATURE_FLOAT(name, accuracy)(a, b); });      \
  }
KUBATURE_VECTOR_TWO(KUBATURE_CASE)
#undef KUBATURE_CASE

constexpr VectorFunctions all() {
  VectorFunctions result{};
#define KUBATURE_CASE(name, accuracy)                                                                                  \
  result.of_double[static_cast<int>(Opcode::name)] = name##_of;                                                        \
  result.of_float[static_cast<int>(Opcode::name)] = name##_of;
  KUBATURE_VECTOR_ONE(KUBATURE_CASE)
  KUBATURE_VECTOR_TWO(KUBATURE_CASE)
#undef KUBATURE_CASE
  return result;
}

} // namespace

constinit VectorFunctions const KUBATURE_VECTOR(functions) = all();

} // namespace kubature::detail::expression
