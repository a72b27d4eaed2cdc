// Compiled for AVX-512, without contraction (CMakeLists.txt): bits differ where a product and a sum are one operation.
#define KUBATURE_VECTOR(name) name##_of_avx512
#define KUBATURE_BYTES 64
#include "arithmetic.hpp"
