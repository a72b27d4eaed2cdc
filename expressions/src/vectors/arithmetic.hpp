// The arithmetic of programs for the instructions that the including file names, by its macros KUBATURE_VECTOR and
// KUBATURE_BYTES. Nothing here may be called elsewhere, as processors without these instructions run the library, too.

#include "tables.hpp"

#include <cstdint>
#include <cstring>

namespace kubature::detail::expression {
namespace {

/// W numbers of a stack or of a coordinate, in vectors.
template <class Real, int W>
struct Row {
  static constexpr int bytes = sizeof(Real) * W < KUBATURE_BYTES ? sizeof(Real) * W : KUBATURE_BYTES;
  static constexpr int width = bytes / sizeof(Real), vectors = W / width;
  using Vector [[gnu::vector_size(bytes)]] = Real;
  using Bits [[gnu::vector_size(bytes)]] = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;

  static Vector load(Real const* from, int v) {
    Vector x;
    std::memcpy(&x, from + v * width, sizeof x);
    return x;
  }
  static void store(Real* to, int v, Vector x) { std::memcpy(to + v * width, &x, sizeof x); }
  static Vector all(Real x) { return x - Vector{}; } // a sum would lose the sign of zero
  static Vector absolute(Vector x) {
    Bits bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= sizeof(Real) == 8 ? INT64_MAX : INT32_MAX;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
};

template <class Real>
Real constant_of(Instruction const& step) {
  if constexpr (sizeof(Real) == 8)
    return step.constant;
  else
    return step.constant32;
}

/// See ArithmeticSteps.
template <class Real, int W>
int arithmetic(Instruction const* program, int i, int end, Real* coordinates, Real* stack, int& depth_, Real* top_) {
  using Values = Row<Real, W>;
  using Vector = typename Values::Vector;
  constexpr int vectors = Values::vectors;
  Vector top[vectors];
  int depth = depth_;
  // body(v) for each vector; unrolled, so that the top of the stack stays in registers
  auto const each = [&](auto const& body) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v)
      body(v);
  };
  auto const push = [&] {
    Real* const to = stack + depth++ * W;
    each([&](int v) { Values::store(to, v, top[v]); });
  };
  each([&](int v) { top[v] = Values::load(top_, v); });
  for (; i < end; ++i) {
    auto const& step = program[i];
    switch (step.opcode) {
    case Opcode::push_variable: {
      Real const* const from = coordinates + step.index * W;
      push();
      each([&](int v) { top[v] = Values::load(from, v); });
      continue;
    }
    case Opcode::push_constant: {
      auto const c = Values::all(constant_of<Real>(step));
      push();
      each([&](int v) { top[v] = c; });
      continue;
    }
#define KUBATURE_CASE(name, result)                                                                                    \
  case Opcode::name: {                                                                                                 \
    Real const* const from = stack + --depth * W;                                                                      \
    each([&](int v) {                                                                                                  \
      Vector const left = Values::load(from, v), right = top[v];                                                       \
      top[v] = result;                                                                                                 \
    });                                                                                                                \
    continue;                                                                                                          \
  }                                                                                                                    \
  case Opcode::name##_variable: {                                                                                      \
    Real const* const from = coordinates + step.index * W;                                                             \
    each([&](int v) {                                                                                                  \
      Vector const left = top[v], right = Values::load(from, v);                                                       \
      top[v] = result;                                                                                                 \
    });                                                                                                                \
    continue;                                                                                                          \
  }                                                                                                                    \
  case Opcode::name##_constant: {                                                                                      \
    Vector const right = Values::all(constant_of<Real>(step));                                                         \
    each([&](int v) {                                                                                                  \
      Vector const left = top[v];                                                                                      \
      top[v] = result;                                                                                                 \
    });                                                                                                                \
    continue;                                                                                                          \
  }
      KUBATURE_EXPRESSION_ARITHMETIC(KUBATURE_CASE)
#undef KUBATURE_CASE
#define KUBATURE_USE(name, before, use, form)                                                                          \
  case Opcode::name: {                                                                                                 \
    Real const* const from = coordinates + step.index * W;                                                             \
    Vector const c = Values::all(constant_of<Real>(step));                                                             \
    before;                                                                                                            \
    each([&](int v) {                                                                                                  \
      Vector const u = Values::load(from, v);                                                                          \
      top[v] use form;                                                                                                 \
    });                                                                                                                \
    continue;                                                                                                          \
  }
#define KUBATURE_CASE(name, form)                                                                                      \
  KUBATURE_USE(push_##name, push(), =, form)                                                                           \
  KUBATURE_USE(add_##name, , +=, form)                                                                                 \
  KUBATURE_USE(subtract_##name, , -=, form)                                                                            \
  KUBATURE_USE(multiply_##name, , *=, form)
#define KUBATURE_ABSOLUTE Values::absolute
      KUBATURE_EXPRESSION_FORMS(KUBATURE_CASE)
#undef KUBATURE_ABSOLUTE
#undef KUBATURE_CASE
#undef KUBATURE_USE
    case Opcode::store: {
      Real* const to = coordinates + step.index * W;
      each([&](int v) { Values::store(to, v, top[v]); });
      continue;
    }
    case Opcode::negate:
      each([&](int v) { top[v] = -top[v]; });
      continue;
    case Opcode::square:
      each([&](int v) { top[v] = top[v] * top[v]; });
      continue;
    default:
      break;
    }
    break;
  }
  each([&](int v) { Values::store(top_, v, top[v]); });
  depth_ = depth;
  return i;
}

} // namespace

constinit Arithmetic const KUBATURE_VECTOR(arithmetic) = {arithmetic<double, 8>, arithmetic<double, 32>,
                                                          arithmetic<float, 8>, arithmetic<float, 32>};

} // namespace kubature::detail::expression
