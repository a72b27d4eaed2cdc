// Compiled for AVX2, without contraction (CMakeLists.txt): bits differ where a product and a sum are one operation.
#define KUBATURE_VECTOR(name) name##_of_avx2
#define KUBATURE_BYTES 32
#include "arithmetic.hpp"
