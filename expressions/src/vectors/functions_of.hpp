// The tables of vector functions for the instructions that the including file names, by its macros KUBATURE_VECTOR,
// KUBATURE_DOUBLE, KUBATURE_FLOAT and KUBATURE_BYTES. Nothing here may be called elsewhere, as processors without these
// instructions run the library, too.

#include "tables.hpp"

#include <cstring>

/// SLEEF's functions within 1 ulp, or 1.5 (u15), that are faster than the C library's on every set of instructions
/// (docs/design/interpreter.md). sinh and cosh overflow too early, asinh and acosh lose large arguments, tgamma and
/// lgamma negative ones.
#define KUBATURE_VECTOR_FUNCTIONS(X)                                                                                   \
  X(exp, u10, (a))                                                                                                     \
  X(exp2, u10, (a))                                                                                                    \
  X(log, u10, (a))                                                                                                     \
  X(log2, u10, (a))                                                                                                    \
  X(log10, u10, (a))                                                                                                   \
  X(log1p, u10, (a))                                                                                                   \
  X(cbrt, u10, (a))                                                                                                    \
  X(sin, u10, (a))                                                                                                     \
  X(cos, u10, (a))                                                                                                     \
  X(tan, u10, (a))                                                                                                     \
  X(asin, u10, (a))                                                                                                    \
  X(acos, u10, (a))                                                                                                    \
  X(atan, u10, (a))                                                                                                    \
  X(tanh, u10, (a))                                                                                                    \
  X(atanh, u10, (a))                                                                                                   \
  X(erf, u10, (a))                                                                                                     \
  X(erfc, u15, (a))                                                                                                    \
  X(pow, u10, (a, b))                                                                                                  \
  X(atan2, u10, (a, b))                                                                                                \
  X(hypot, u05, (a, b))

namespace kubature::detail::expression {
namespace {

template <class Real>
using Vector [[gnu::vector_size(KUBATURE_BYTES)]] = Real;

/// Replaces n numbers by a function of vectors of them, of which the last may be shorter.
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

#define KUBATURE_CASE(name, accuracy, arguments)                                                                       \
  void name##_of(double* left, double const* right, int n) {                                                           \
    over(left, right, n, [](Vector<double> a, [[maybe_unused]] Vector<double> b) -> Vector<double> {                   \
      return KUBATURE_DOUBLE(name, accuracy) arguments;                                                                \
    });                                                                                                                \
  }                                                                                                                    \
  void name##_of(float* left, float const* right, int n) {                                                             \
    over(left, right, n, [](Vector<float> a, [[maybe_unused]] Vector<float> b) -> Vector<float> {                      \
      return KUBATURE_FLOAT(name, accuracy) arguments;                                                                 \
    });                                                                                                                \
  }
KUBATURE_VECTOR_FUNCTIONS(KUBATURE_CASE)
#undef KUBATURE_CASE

constexpr VectorFunctions all() {
  VectorFunctions result{};
#define KUBATURE_CASE(name, accuracy, arguments)                                                                       \
  result.of_double[static_cast<int>(Opcode::name)] = name##_of;                                                        \
  result.of_float[static_cast<int>(Opcode::name)] = name##_of;
  KUBATURE_VECTOR_FUNCTIONS(KUBATURE_CASE)
#undef KUBATURE_CASE
  return result;
}

} // namespace

constinit VectorFunctions const KUBATURE_VECTOR(functions) = all();

} // namespace kubature::detail::expression
