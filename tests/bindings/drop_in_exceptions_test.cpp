// What an integrand throws passes through the functions of drop-ins, and later calls work.
#include <cubature.h>

#ifdef WITH_GSL
#include <gsl/gsl_monte_plain.h>
#endif

#include <cmath>

namespace {

int square(unsigned, double const* x, void* thrown, unsigned, double* value) {
  if (thrown)
    throw *static_cast<int*>(thrown);
  *value = x[0] * x[0];
  return 0;
}

double square_of_gsl(double* x, std::size_t, void* thrown) {
  double value = 0;
  square(1, x, thrown, 1, &value);
  return value;
}

/// Whether integrate(&code) throws code, and integrate(nullptr) then gives 1/3.
template <class Integrate>
bool passes(Integrate const& integrate) {
  int code = 7, caught = 0;
  try {
    integrate(&code);
  } catch (int thrown) {
    caught = thrown;
  }
  return caught == code && std::abs(integrate(nullptr) - 1. / 3) < 0.1;
}

} // namespace

int main() {
  double lower = 0, upper = 1;
  bool good = passes([&](int* thrown) {
    double value = 0, error = 0;
    hcubature(1, square, thrown, 1, &lower, &upper, 0, 0, 1e-6, ERROR_L1, &value, &error);
    return value;
  });
#ifdef WITH_GSL
  auto* const generator = gsl_rng_alloc(gsl_rng_default);
  auto* const state = gsl_monte_plain_alloc(1);
  good = good && passes([&](int* thrown) {
           double value = 0, error = 0;
           gsl_monte_function const f{square_of_gsl, 1, thrown};
           gsl_monte_plain_integrate(&f, &lower, &upper, 1, 1000, generator, state, &value, &error);
           return value;
         });
  gsl_monte_plain_free(state);
  gsl_rng_free(generator);
#endif
  return !good;
}
