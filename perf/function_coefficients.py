#!/usr/bin/env python3
"""Makes the polynomials of the special functions of expressions, and the values that their test compares; needs mpmath.

    perf/function_coefficients.py polynomials core/include/kubature/detail/special/polynomials.hpp
    perf/function_coefficients.py bessel tests/unit/bessel_values.hpp
    perf/function_coefficients.py others tests/unit/special_function_values.hpp
    perf/function_coefficients.py distributions tests/unit/distribution_values.hpp
    clang-format -i core/include/kubature/detail/special/polynomials.hpp

Each polynomial interpolates at Chebyshev nodes, to a relative 2^-60 of its largest value, in t = -1 ... 1 over its
interval. What it approximates is smooth there: the function itself, or what remains of it after a logarithm, a power
or an exponential. As Chebyshev coefficients of these functions fall by more than 1 + sqrt(2) for each degree, powers of
t lose nothing to cancellation, and Horner's scheme is as accurate as Clenshaw's.
"""
import argparse
import sys

import mpmath as mp

mp.mp.dps = 50


def chebyshev(f, lower, upper, most=60):
    """Coefficients of t^0, t^1, ... with t = (v - middle) / half."""
    middle, half = (mp.mpf(lower) + upper) / 2, (mp.mpf(upper) - lower) / 2
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * most)) for k in range(most)]
    values = [mp.re(f(middle + half * t)) for t in nodes]
    c = [2 * sum(value * mp.cos(mp.pi * j * (2 * k + 1) / (2 * most)) for k, value in enumerate(values)) / most
         for j in range(most)]
    c[0] /= 2
    largest = max(abs(value) for value in values)
    degree = most - 1
    while degree and sum(abs(x) for x in c[degree:]) < largest * mp.mpf(2) ** -60:
        degree -= 1
    if degree > most - 6:
        sys.exit(f"no convergence over {lower} ... {upper}: {mp.nstr(abs(c[-1]) / largest, 3)}")
    before, now = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    result = [mp.mpf(0)] * (degree + 1)
    for j in range(degree + 1):
        for power, factor in enumerate(before):
            result[power] += c[j] * factor
        after = [mp.mpf(0)] + [2 * x for x in now]
        for power, factor in enumerate(before):
            after[power] -= factor
        before, now = now, after
    return result


def hankel(order, z):
    """P + i Q of the asymptotic form of Bessel functions, at x = 8 / sqrt(z)."""
    x = 8 / mp.sqrt(z)
    phase = x - mp.pi * (2 * order + 1) / 4
    return mp.sqrt(mp.pi * x / 2) * mp.expj(-phase) * (mp.besselj(order, x) + 1j * mp.bessely(order, x))


def root(f):
    return lambda v: f(mp.sqrt(v))


def y0_rest(x):
    return mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)


def y1_rest(x):
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


def scaled_i(order):
    return lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)


def scaled_k(order):
    return lambda x: mp.sqrt(x) * mp.exp(x) * mp.besselk(order, x)


def over(f, scale):
    """As a function of scale / x."""
    return lambda w: f(scale / w)


def quantile_of_log(r):
    """-x where normcdf(x) = exp(-r^2 / 2)."""
    p = mp.exp(-r * r / 2)
    x = mp.sqrt(r * r - mp.log(2 * mp.pi * max(r * r - mp.log(2 * mp.pi * r * r), mp.mpf(1))))
    for _ in range(60):
        tail = mp.erfc(x / mp.sqrt(2)) / 2
        step = (mp.log(tail) - mp.log(p)) * tail * mp.sqrt(2 * mp.pi) * mp.exp(x * x / 2)
        x += step
        if abs(step) < mp.mpf(10) ** -45:
            break
    return x


def quantile(p):
    return mp.sqrt(2) * mp.erfinv(2 * mp.mpf(p) - 1)


PSI_ROOT = mp.findroot(mp.digamma, 1.4616)

# name, of what variable, lower and upper end, the function
FITS = [
    ("j0_near", "x^2", 0, 16, root(lambda x: mp.besselj(0, x))),
    ("j0_middle", "x", 4, 8, lambda x: mp.besselj(0, x)),
    ("j1_near", "x^2, of j1(x)/x", 0, 16, root(lambda x: mp.besselj(1, x) / x)),
    ("j1_middle", "x", 4, 8, lambda x: mp.besselj(1, x)),
    ("y0_near", "x^2, of y0(x) - 2/pi ln(x) j0(x)", 0, 4, root(y0_rest)),
    ("y0_low", "x", 2, 4, lambda x: mp.bessely(0, x)),
    ("y0_middle", "x", 4, 8, lambda x: mp.bessely(0, x)),
    ("y1_near", "x^2, of y1(x)/x - 2/pi (ln(x) j1(x)/x - x^-2)", 0, 4, root(y1_rest)),
    ("y1_low", "x", 2, 4, lambda x: mp.bessely(1, x)),
    ("y1_middle", "x", 4, 8, lambda x: mp.bessely(1, x)),
    ("hankel_p0", "(8/x)^2", 0, 1, lambda z: mp.re(hankel(0, z))),
    ("hankel_q0", "(8/x)^2, of x Q", 0, 1, lambda z: mp.im(hankel(0, z)) * 8 / mp.sqrt(z)),
    ("hankel_p1", "(8/x)^2", 0, 1, lambda z: mp.re(hankel(1, z))),
    ("hankel_q1", "(8/x)^2, of x Q", 0, 1, lambda z: mp.im(hankel(1, z)) * 8 / mp.sqrt(z)),
    ("i0_middle", "8/x, of sqrt(x) exp(-x) i0(x)", 0.4, 1, over(scaled_i(0), 8)),
    ("i0_far", "20/x, likewise", 0, 1, over(scaled_i(0), 20)),
    ("i1_middle", "8/x, of sqrt(x) exp(-x) i1(x)", 0.4, 1, over(scaled_i(1), 8)),
    ("i1_far", "20/x, likewise", 0, 1, over(scaled_i(1), 20)),
    ("k0_near", "x^2, of k0(x) + ln(x) i0(x)", 0, 1, root(lambda x: mp.besselk(0, x) + mp.log(x) * mp.besseli(0, x))),
    ("k0_low", "x, of sqrt(x) exp(x) k0(x)", 1, 2, scaled_k(0)),
    ("k0_middle", "2/x, likewise", 0.25, 1, over(scaled_k(0), 2)),
    ("k0_far", "8/x, likewise", 0, 1, over(scaled_k(0), 8)),
    ("k1_near", "x^2, of (k1(x) - ln(x) i1(x) - 1/x)/x", 0, 1,
     root(lambda x: (mp.besselk(1, x) - mp.log(x) * mp.besseli(1, x) - 1 / x) / x)),
    ("k1_low", "x, of sqrt(x) exp(x) k1(x)", 1, 2, scaled_k(1)),
    ("k1_middle", "2/x, likewise", 0.25, 1, over(scaled_k(1), 2)),
    ("k1_far", "8/x, likewise", 0, 1, over(scaled_k(1), 8)),
    ("erfcx_scaled", "(x-2.5)/(x+2.5), of (1+2x) erfcx(x)", -1, 1,
     lambda t: (1 + 2 * (x := mp.mpf("2.5") * (1 + t) / (1 - t))) * mp.exp(x * x) * mp.erfc(x)),
    ("quantile_centre", "q^2, of norminv(0.5+q)/q", 0, 0.180625, root(lambda q: quantile(0.5 + q) / q)),
    ("quantile_tail", "r, of -norminv(exp(-r^2/2))/r", 2.25, 6.25, lambda r: quantile_of_log(r) / r),
    ("quantile_far", "6/r, likewise", 0.125, 1, over(lambda r: quantile_of_log(r) / r, 6)),
    ("digamma_root", "x, of digamma(x)/(x-x0)", 1, 2,
     lambda x: mp.digamma(x) / (x - PSI_ROOT) if abs(x - PSI_ROOT) > 1e-20 else mp.polygamma(1, PSI_ROOT)),
    ("digamma_low", "x", 2, 4, mp.digamma),
    ("digamma_middle", "x", 4, 8, mp.digamma),
    ("lgamma1p", "a, of lgamma(1+a)/a", 0, 1, lambda a: mp.loggamma(1 + a) / a if a else -mp.euler),
    ("ellipe_begin", "m", 0, 0.5, mp.ellipe),
    ("ellipe_end", "n = 1-m, of ellipe(m) + n ln(n) ellipe_log(n)", 0, 0.5,
     lambda n: mp.ellipe(1 - n) + mp.log(n) * (mp.ellipk(n) - mp.ellipe(n)) / mp.pi),
    ("ellipe_log", "n, of (ellipk(n) - ellipe(n))/(pi n)", 0, 0.5,
     lambda n: (mp.ellipk(n) - mp.ellipe(n)) / (mp.pi * n)),
]


def temme(terms):
    """Coefficients of s/(l-1) in powers of s, where s^2/2 = l - 1 - ln(l), from (l-1) dl/ds = l s."""
    m = [mp.mpf(0), mp.mpf(1)]  # of l - 1
    for k in range(2, terms + 1):
        m.append((m[k - 1] - sum(j * m[j] * m[k + 1 - j] for j in range(2, k))) / (k + 1))
    inverse = [mp.mpf(1)]
    for k in range(1, terms):
        inverse.append(-sum(inverse[j] * m[k + 1 - j] for j in range(k)))
    return inverse


def taylor(name, what, coefficients):
    return name, what, None, [mp.mpf(c) for c in coefficients]


SERIES = [
    taylor("i0_near", "x^2/4", [1 / mp.factorial(k) ** 2 for k in range(23)]),
    taylor("i1_near", "x^2/4, of 2 i1(x)/x", [1 / mp.factorial(k) / mp.factorial(k + 1) for k in range(23)]),
    taylor("stirling", "1/x^2, of x times the rest of Stirling's series of lgamma",
           [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 10)]),
    taylor("digamma_far", "1/x^2, of x^2 (ln(x) - 1/(2x) - digamma(x))",
           [mp.bernoulli(2 * k) / (2 * k) for k in range(1, 12)]),
    taylor("atanh_rest", "r^2, of (atanh(r)/r - 1)/r^2", [mp.mpf(1) / (2 * k + 3) for k in range(17)]),
    taylor("dilogarithm", "u^2, of li2(1-exp(-u))/u + u/4", # Debye's function
           [mp.bernoulli(2 * k) / mp.factorial(2 * k + 1) for k in range(0, 16)]),
]


def wrapped(words, indent):
    lines, line = [], ""
    for word in words:
        if line and len(indent) + len(line) + 1 + len(word) > 118:
            lines.append(indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join(lines + [indent + line])


def header():
    print("""#pragma once

#include <Kokkos_Macros.hpp>

/// Made by perf/function_coefficients.py polynomials, which says how; do not edit. Each polynomial is a function of the
/// variable that its comment names.
namespace kubature::detail::special::polynomials {

/// ((c1 t + c2) t + c3) t + ...; the numbers are immediate operands on every device, as arrays may not be.
template <class... C>
KOKKOS_FORCEINLINE_FUNCTION double horner(double t, C... c) {
  double sum = 0;
  ((sum = sum * t + c), ...);
  return sum;
}
""")
    for name, what, lower, upper, f in FITS:
        coefficients = chebyshev(f, mp.mpf(str(lower)), mp.mpf(str(upper)))
        middle, half = (mp.mpf(str(lower)) + mp.mpf(str(upper))) / 2, (mp.mpf(str(upper)) - mp.mpf(str(lower))) / 2
        print(f"degree of {name}: {len(coefficients) - 1}", file=sys.stderr)
        argument = "v" if middle == 0 and half == 1 else f"(v - {float(middle)!r}) * {float(1 / half)!r}"
        body(name, f"{what}, {lower} to {upper}", argument, coefficients)
    for name, what, _, coefficients in SERIES:
        body(name, what, "v", coefficients)
    numbers = [repr(float(c)) for c in temme(27)]
    words = [n + "," for n in numbers[:-1]] + [numbers[-1] + "};"]
    print("/// The coefficient of s^n of s/(l-1), where s^2/2 = l - 1 - ln(l) and s has the sign of l - 1; n = 0 ... 26.\n"
          "KOKKOS_INLINE_FUNCTION double temme(int n) {\n  // clang-format off\n"
          f"  constexpr double c[] = {{\n{wrapped(words, '    ')}\n  // clang-format on\n  return c[n];\n}}\n")
    high = float(PSI_ROOT)
    print(f"/// The positive zero of digamma, as a sum.\ninline constexpr double digamma_zero = {high!r}, "
          f"digamma_zero_rest = {float(PSI_ROOT - high)!r};\n")
    print("} // namespace kubature::detail::special::polynomials")


def body(name, comment, argument, coefficients):
    numbers = [repr(float(c)) for c in reversed(coefficients)]
    words = [n + "," for n in numbers[:-1]] + [numbers[-1] + ");"]
    print(f"/// Of {comment}.\nKOKKOS_INLINE_FUNCTION double {name}(double v) {{\n"
          f"  return horner({argument},\n{wrapped(words, ' ' * 16)}\n}}")


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("what", choices=["polynomials", "bessel", "others", "distributions"], help="polynomials, or values of functions")
parser.add_argument("file", help="written")
if __name__ == "__main__":
    options = parser.parse_args()
    with open(options.file, "w", encoding="utf-8") as sys.stdout:
        if options.what == "polynomials":
            header()
        elif options.what == "distributions":
            from distribution_values import table as distributions
            distributions()
        else:
            from function_values import table
            table(options.what)
