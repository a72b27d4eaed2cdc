// For 64-bit ARM, all of whose processors have these instructions.
#include <sleef.h>
#define KUBATURE_VECTOR(name) name##_of_advsimd
#define KUBATURE_DOUBLE(name, accuracy) Sleef_finz_##name##d2_##accuracy##advsimd
#define KUBATURE_FLOAT(name, accuracy) Sleef_finz_##name##f4_##accuracy##advsimd
#define KUBATURE_BYTES 16
#include "functions_of.hpp"
