"""Formulas of kubature as functions of mpmath's numbers, and their integrals in one variable."""

import re

import mpmath
from formula import compiled
from mpmath import mp, mpf

_NUMBER = re.compile(r"(?<![A-Za-z_\d.])(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")


def of_mpmath(text, d):
    """A function of d numbers of mpmath."""
    known = {name: getattr(mpmath, name) for name in "exp log sqrt sin cos tan cosh sinh tanh atan erf gamma".split()}
    known.update(
        abs=abs,
        pi=mpmath.pi,
        mpf=mpf,
        If=lambda c, a, b: a if c else b,
        max=max,
        min=min,
        log1p=lambda x: mp.log(1 + x),
    )
    return compiled(text, d, known, lambda source: _NUMBER.sub(lambda found: f"mpf('{found.group()}')", source))


def quad(factor):
    """The integral of a factor of one variable by mpmath's tanh-sinh rule, to about ten digits. Each finite piece is
    cut in the middle, and x = end +- length u^20 flattens poles at its ends, which takes numbers of 120 digits."""
    name = re.search(r"\b(?:x\d+|[xyzwvuts])\b", factor.text)
    text = re.sub(rf"\b{name.group()}\b", "x", factor.text) if name else factor.text
    f = of_mpmath(text, 1)

    def from_end(end, length):
        def g(u):
            try:
                value = f(end + length * u**20) * 20 * u**19 * abs(length)
            except (ZeroDivisionError, ValueError):  # 1/0 and log(0)
                return mpf(0)
            return value if mp.isfinite(value) else mpf(0)

        return mp.quad(g, [0, 1], maxdegree=7)

    total = mpf(0)
    with mp.workdps(120):
        points = sorted({mpf(p) for p in (factor.lower, *factor.points, factor.upper)})
        for a, b in zip(points, points[1:]):
            if mp.isinf(a) or mp.isinf(b):
                with mp.workdps(20):
                    total += mp.quad(f, [a, b], maxdegree=10)
            else:
                total += from_end(a, (b - a) / 2) + from_end(b, (a - b) / 2)
    return total
