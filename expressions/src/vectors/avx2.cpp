// Compiled for AVX2 and FMA (CMakeLists.txt).
#include <sleef.h>
#define KUBATURE_VECTOR(name) name##_of_avx2
#define KUBATURE_DOUBLE(name, accuracy) Sleef_finz_##name##d4_##accuracy##avx2
#define KUBATURE_FLOAT(name, accuracy) Sleef_finz_##name##f8_##accuracy##avx2
#define KUBATURE_BYTES 32
#include "functions_of.hpp"
