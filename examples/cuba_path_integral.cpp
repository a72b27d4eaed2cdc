// A path integral by kubature_cuba.h, with an integrand that is a kernel of CUDA where nvcc compiles this file, and a
// loop elsewhere: the propagator <0|exp(-HT)|0> of the harmonic oscillator on eight time slices (Lepage, "Lattice QCD
// for novices", 1998). The action is quadratic, so that its seven-dimensional integral is known.
//
//     nvcc -std=c++20 -O3 -x cu cuba_path_integral.cpp $(pkg-config --cflags --libs kubature-cuba)
#include <kubature_cuba.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

#ifdef __CUDACC__
#define ON_DEVICE __host__ __device__
#else
#define ON_DEVICE
#endif

namespace {

constexpr int slices = 8, d = slices - 1;
constexpr double step = 0.5, far = 5; ///< of time; paths lie between -far and far

/// exp(-S) of path k, times the Jacobian of the unit cube.
ON_DEVICE double weight_of_path(std::int64_t k, std::int64_t n, double const* x) {
  double action = 0, before = 0, jacobian = 1;
  for (int j = 0; j < slices; ++j) {
    double const place = j < d ? far * (2 * x[j * n + k] - 1) : 0;
    action += (place - before) * (place - before) / (2 * step) + step / 2 * place * place;
    before = place;
    jacobian *= j < d ? 2 * far : 1;
  }
  return jacobian * std::exp(-action);
}

#ifdef __CUDACC__
__global__ void weigh(std::int64_t n, double const* x, double* values) {
  std::int64_t const k = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (k < n)
    values[k] = weight_of_path(k, n, x);
}

int paths(std::int64_t n, int, double const* x, int, double* values, void* stream, void*) {
  weigh<<<static_cast<unsigned>((n + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(n, x, values);
  return cudaGetLastError() != cudaSuccess;
}
#else
int paths(std::int64_t n, int, double const* x, int, double* values, void*, void*) {
#ifdef _OPENMP
#pragma omp parallel for
#endif
  for (std::int64_t k = 0; k < n; ++k)
    values[k] = weight_of_path(k, n, x);
  return 0;
}
#endif

/// (2 pi)^(d/2) / det^(1/2) of the action's matrix, which is tridiagonal.
double exact() {
  double det = 1, before = 0;
  for (int j = 0; j < d; ++j) {
    double const next = (2 / step + step) * det - before / (step * step);
    before = det;
    det = next;
  }
  return std::sqrt(std::pow(2 * std::acos(-1.0), d) / det);
}

} // namespace

int main() {
  bool right = kubature_initialize() == 0; // not part of the times
  for (double const epsrel : {1e-3, 1e-4}) {
    long long neval = 0;
    int fail = 0;
    double integral = 0, error = 0, prob = 0;
    auto const begin = std::chrono::steady_clock::now();
    kubature_cuba_vegas(d, 1, paths, nullptr, epsrel, 0, 0, 1, 0, 4'000'000'000, 100'000, 0, &neval, &fail, &integral,
                        &error, &prob);
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
    std::printf("%.5f +- %.1e, exactly %.5f, %lld evaluations in %.3f s\n", integral, error, exact(), neval,
                taken.count());
    right = right && fail == 0 && std::abs(integral - exact()) < 5 * epsrel * exact();
  }
  return right ? 0 : 1;
}
