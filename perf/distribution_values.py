"""Values of the functions of distributions at some forty arguments each, for function_coefficients.py."""

import random

import mpmath as mp


def fraction(a, b, x, y):
    """I_x(a, b) / (x^a y^b / beta(a, b)) by its continued fraction, for x < a / (a + b)."""
    rest = a * y - b * x
    value = d = (a + 1) / (a * (rest + 1))
    c = mp.inf
    for m in range(1, 100000):
        odd = a + 2 * m - 1
        beta = m * (b - m) * x / odd
        factor = (a + m - 1) * (a + b + m - 1) * x / odd * beta
        term = m + beta + (a + m) * (rest + 1 + m * (2 - x)) / (odd + 2)
        d = 1 / (factor * d + term)
        c = term + factor / c
        value *= c * d
        if abs(c * d - 1) < mp.mpf(10) ** -45:
            return value
    raise ArithmeticError(f"no convergence at {a}, {b}, {x}")


def beta_tails(a, b, x, y):
    """I_x(a, b), its complement, and x y times the density."""
    weight = mp.exp(a * mp.log(x) + b * mp.log(y) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b))
    if b * x < a * y:
        below = weight * fraction(a, b, x, y)
        return below, 1 - below, weight
    above = weight * fraction(b, a, y, x)
    return 1 - above, above, weight


def gamma_tails(a, x):
    """P, Q and x times the density."""
    weight = mp.exp(a * mp.log(x) - x - mp.loggamma(a))
    if x < a + 1:
        below = weight / a * mp.hyp1f1(1, a + 1, x)
        return below, 1 - below, weight
    value = mp.mpf(0)
    for n in range(4000 if x < 10 else 1000, 0, -1):
        value = n * (n - a) / (x + 2 * n + 1 - a - value)
    above = weight / (x + 1 - a - value)
    return 1 - above, above, weight


def quantile(tails, p):
    """The x with the lower tail p, or the upper tail -p, where tails(ln x) are those and their derivative; and by how
    much ln x changes with ln p."""
    upper, size = p < 0, mp.mpf(abs(p))
    if size > 0.5:
        upper, size = not upper, 1 - size
    low, high = mp.mpf(-1500), mp.mpf(1500)
    for _ in range(70):
        middle = (low + high) / 2
        if (tails(middle)[1 if upper else 0] > size) == upper:
            low = middle
        else:
            high = middle
    x = (low + high) / 2
    for _ in range(4):
        values = tails(x)
        tail = values[1 if upper else 0]
        x += (1 if upper else -1) * mp.log(tail / size) * tail / values[2]
    return x, size / values[2]


def odds(a, b, p):
    def tails(log):
        x = 1 / (1 + mp.exp(-log))
        return beta_tails(a, b, x, 1 / (1 + mp.exp(log)))

    return quantile(tails, p)


def gamma_quantile(a, _, p):
    log, condition = quantile(lambda log: gamma_tails(a, mp.exp(log)), p)
    return mp.exp(log), condition


def beta_quantile(a, b, p):
    log, condition = odds(a, b, p)
    y = 1 / (1 + mp.exp(log))
    return mp.exp(log) * y, condition * y


def student_t_quantile(nu, _, p):
    size = mp.mpf(abs(p))
    tail = min(size, 1 - size)
    log, condition = odds(nu / 2, mp.mpf(1) / 2, 2 * tail)
    sign = 1 if (p < 0) == (size < 0.5) else -1
    return sign * mp.sqrt(nu * mp.exp(-log)), condition / 2


def gamma_p(a, _, x):
    below, _, weight = gamma_tails(a, x)
    return below, weight / below


def gamma_q(a, _, x):
    _, above, weight = gamma_tails(a, x)
    return above, weight / above


def beta_i(a, b, x):
    below, _, weight = beta_tails(a, b, x, 1 - x)
    return below, weight / below / (1 - x)


def student_t_cdf(nu, _, t):
    y = t * t / (nu + t * t)
    below, _, weight = beta_tails(nu / 2, mp.mpf(1) / 2, 1 - y, y)
    value = below / 2 if t < 0 else 1 - below / 2
    return value, weight / value


def shapes(draw):
    return 10 ** draw.uniform(-2, 4)


def probability(draw):
    kind = draw.random()
    if kind < 0.4:
        return draw.random()
    if kind < 0.6:
        return 1 - 10 ** draw.uniform(-15.5, 0)
    return (1 if kind < 0.8 else -1) * 10 ** draw.uniform(-300, -0.3)


#: name: function, and how to draw its last argument
FUNCTIONS = {
    "gamma_p": (gamma_p, lambda draw, a, b: a * mp.exp(draw.gauss(0, 1) / mp.sqrt(max(a, 1)))),
    "gamma_q": (gamma_q, lambda draw, a, b: a * mp.exp(draw.gauss(0, 1) / mp.sqrt(max(a, 1)))),
    "gamma_quantile": (gamma_quantile, lambda draw, a, b: probability(draw)),
    "student_t_cdf": (student_t_cdf, lambda draw, a, b: draw.gauss(0, 3)),
    "student_t_quantile": (student_t_quantile, lambda draw, a, b: probability(draw)),
    "beta_i": (beta_i, lambda draw, a, b: mp.exp(draw.gauss(0, 1)) * a / (b + mp.exp(draw.gauss(0, 1)) * a)),
    "beta_quantile": (beta_quantile, lambda draw, a, b: probability(draw)),
}


def rows(name, count=45, seed=1):
    """Lists of three arguments, the value, and by how much it changes, relative to it, with the last argument or the
    probability."""
    draw, result = random.Random(seed), []
    function, last = FUNCTIONS[name]
    while len(result) < count:
        a, b = shapes(draw), shapes(draw)
        c = float(last(draw, a, b))
        if name == "beta_i" and not 0 < c < 1:
            continue
        value, condition = function(mp.mpf(a), mp.mpf(b), mp.mpf(c))
        if 1e-290 < abs(value) < 1e290 and 1 - abs(value) > 1e-15 * (name == "beta_quantile"):
            result.append((a, b, c, value, condition))
    return result


def table():
    print("""#pragma once

/// Made by perf/function_coefficients.py distributions; do not edit.
namespace kubature::distribution_values {

/// A value of a function of a, b and c, or of a and c. Errors of the value grow by `condition` where that is above 1.
struct Row {
  double a, b, c, value, condition;
};

// clang-format off""")
    for name in FUNCTIONS:
        print(f"inline constexpr Row {name}[] = {{")
        for a, b, c, value, condition in rows(name):
            print(f"  {{{a!r}, {b!r}, {c!r}, {float(value)!r}, {float(condition):.2g}}},")
        print("};")
    print("""// clang-format on

} // namespace kubature::distribution_values""")
