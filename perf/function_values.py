"""Values of the special functions of expressions at some sixty arguments each, for function_coefficients.py."""
import random

import mpmath as mp


def modulus(order):
    """The amplitude of Bessel functions; below their first zeros only the value counts."""
    return lambda x: mp.hypot(mp.besselj(order, abs(x)), mp.bessely(order, abs(x))) if abs(x) > 0.5 else 0


def quantile(p):
    p = mp.mpf(p)
    if p > 0.4:
        return mp.sqrt(2) * mp.erfinv(2 * p - 1)
    x = -mp.sqrt(-2 * mp.log(p))
    for _ in range(80):
        tail = mp.erfc(-x / mp.sqrt(2)) / 2
        x -= (mp.log(tail) - mp.log(p)) * tail * mp.sqrt(2 * mp.pi) * mp.exp(x * x / 2)
    return x


def erfcx(x):
    if x > 1e6:
        return (1 - 1 / (2 * x * x) + 3 / (4 * x**4)) / (x * mp.sqrt(mp.pi))
    return mp.exp(x * x) * mp.erfc(x)


def digamma_scale(x):
    return abs(mp.pi * mp.cot(mp.pi * x)) if x < 0 else 0


def li2(x):
    return mp.re(mp.polylog(2, x))


def dilogarithm_scale(x):
    return mp.pi ** 2 / 3 if x > 2 else 0


def powers(lower, upper):
    return lambda u: lower * (upper / lower) ** u


def between(lower, upper):
    return lambda u: lower + (upper - lower) * u


def both_signs(f):
    return lambda u: f(2 * u) if u < 0.5 else -f(2 * u - 1)


BESSEL = [between(0, 2), between(2, 9), between(7, 40), powers(1e-10, 1e8)]
BESSEL_POINTS = [4.0, 8.0, 2.404825557695773, 0.8935769662791675, 2.197141326031017, 3.8317059702075125, 1e15]
ELLIPTIC = [between(0, 1), between(-5, 0), lambda u: 1 - 10 ** (-15 * u), lambda u: -(10 ** (15 * u))]

#: name: function, scale of its error where that is not its size, ways to draw arguments, further arguments
FUNCTIONS = {
    "j0": (lambda x: mp.besselj(0, x), modulus(0), BESSEL, BESSEL_POINTS + [0.0, -3.0]),
    "j1": (lambda x: mp.besselj(1, x), modulus(1), BESSEL, BESSEL_POINTS + [0.0, -3.0, -30.0]),
    "y0": (lambda x: mp.bessely(0, x), modulus(0), BESSEL, BESSEL_POINTS + [1e-300]),
    "y1": (lambda x: mp.bessely(1, x), modulus(1), BESSEL, BESSEL_POINTS + [1e-300]),
    "i0": (lambda x: mp.besseli(0, x), None, [between(0, 9), between(8, 25), powers(1e-10, 700)],
           [0.0, -2.0, 8.0, 20.0, 709.5, 712.0]),
    "i1": (lambda x: mp.besseli(1, x), None, [between(0, 9), between(8, 25), powers(1e-10, 700)],
           [0.0, -2.0, -20.5, 8.0, 20.0, 709.5, 712.0]),
    "k0": (lambda x: mp.besselk(0, x), None, [between(0, 3), between(1, 12), powers(1e-10, 700)],
           [1e-300, 1.0, 2.0, 8.0]),
    "k1": (lambda x: mp.besselk(1, x), None, [between(0, 3), between(1, 12), powers(1e-10, 700)],
           [1e-300, 1.0, 2.0, 8.0]),
    "sinc": (mp.sinc, lambda x: 1 / abs(x) if abs(x) > 1 else 0, [between(-10, 10), powers(1e-9, 1e9)], [0.0, 1e-300]),
    "erfcx": (erfcx, None,
              [between(-26, 0), between(-1, 1), between(0, 10), powers(1e-10, 1e10)], [0.0, 1e300, -26.5]),
    "normpdf": (mp.npdf, None, [between(-5, 5), between(5, 37)], [0.0, -37.5, 1e-300]),
    "normcdf": (lambda x: mp.erfc(-mp.mpf(x) / mp.sqrt(2)) / 2, None, [between(-5, 5), between(-37.4, 0)],
                [0.0, -37.5, 8.0, 100.0, 1e-20]),
    "norminv": (quantile, None,
                [between(0, 1), between(0.4, 0.6), powers(1e-307, 0.1), lambda u: 1 - 10 ** (-1 - 14 * u)],
                [0.5, 0.075, 0.925, 1e-300, 0.5 + 2.0**-50, 2.2250738585072014e-308]),
    "digamma": (mp.digamma, digamma_scale, [between(0, 3), between(2, 12), both_signs(between(0.01, 10)),
                                            powers(1e-10, 1e10)],
                [1.0, 2.0, 4.0, 8.0, 1e-300, 1e300, 1.4616321449683622, 1.4616, -0.5, -0.75, -1000.25]),
    "li2": (li2, dilogarithm_scale, [between(-4, 1), between(0, 3), both_signs(powers(1e-10, 1e10)), between(10, 15)],
            [0.0, 0.5, 0.75, 1.0, 2.0, -1.0, -3.0, 1 - 2.0**-53, 1 + 2.0**-52, 1e300, -1e300]),
    "ellipk": (mp.ellipk, None, ELLIPTIC,
               [0.0, 0.5, 1 - 2.0**-53, -1e300, 1e-300]),
    "ellipe": (mp.ellipe, None, ELLIPTIC,
               [0.0, 0.5, 1.0, 1 - 2.0**-53, -1e300, 1e-300]),
}
#: Pairs of arguments.
BETA = [powers(0.01, 10), powers(1, 100), powers(5, 1e3), powers(1e-5, 1e5)]
BETA_POINTS = [(0.5, 0.5), (1.0, 1e10), (1e-300, 1.0), (10.0, 10.0), (9.999, 10.0), (0.5, 1e6), (200.0, 150.0)]


def rows(name, count=60, seed=1):
    """Lists of arguments (two), value and scale of the error."""
    draw = random.Random(seed)
    if name == "beta":
        pairs = BETA_POINTS + [(way(draw.random()), way(draw.random()))
                               for way in BETA for _ in range((count - len(BETA_POINTS)) // len(BETA))]
        all_rows = [(a, b, mp.beta(a, b), mp.beta(a, b)) for a, b in pairs]
    else:
        f, scale, ways, points = FUNCTIONS[name]
        each = max(count - len(points), 0) // len(ways)
        points = points + [way((k + draw.random()) / each) for way in ways for k in range(each)]
        all_rows = [(x, 0.0, v := f(mp.mpf(x)), max(abs(v), scale(mp.mpf(x)) if scale else 0)) for x in points]
    return [row for row in all_rows if row[2] == 0 or 1e-307 < abs(row[2]) < 1.79e308]


def table(part):
    """Writes the values of `part`: "bessel" or "others"."""
    print(f"""#pragma once

#include "special_function_row.hpp"

/// Made by perf/function_coefficients.py {part}; do not edit.
namespace kubature::special_function_values {{

// clang-format off""")
    for name in list(FUNCTIONS) + ["beta"]:
        if (name[0] in "jyik" and name[1] in "01") != (part == "bessel"):
            continue
        print(f"inline constexpr Row {name}[] = {{")
        line = ""
        for a, b, value, scale in rows(name):
            second = f", {float(b)!r}" if name == "beta" else ""
            row = f"{{{float(a)!r}, {float(value)!r}, {float(scale):.2g}{second}}},"
            if line and len(line) + len(row) + 1 > 118:
                print(line)
                line = ""
            line += (" " if line else "  ") + row
        print(line + "};")
    print("""// clang-format on

} // namespace kubature::special_function_values""")
