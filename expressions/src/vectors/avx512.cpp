// Compiled for AVX-512 (CMakeLists.txt).
#include <sleef.h>
#define KUBATURE_VECTOR(name) name##_of_avx512
#define KUBATURE_DOUBLE(name, accuracy) Sleef_finz_##name##d8_##accuracy##avx512f
#define KUBATURE_FLOAT(name, accuracy) Sleef_finz_##name##f16_##accuracy##avx512f
#define KUBATURE_BYTES 64
#include "functions_of.hpp"
