"""Random integrals with known values: how they are drawn, and what they consist of.

Numbers in formulas are decimals of a few digits. The text and the true value come from the same decimal."""

import dataclasses
import math
import random
from typing import Any, Callable

from mpmath import mp, mpf
from truth import quad

mp.dps = 40
inf = "inf"


class Draw:
    """Random choices for one integral, that depend on its name alone, whatever Python's version."""

    def __init__(self, kind, set_number, number):
        self.turn = number
        self._random = random.Random(f"{kind}/{set_number}/{number}").random

    def uniform(self, lower, upper):
        return lower + (upper - lower) * self._random()

    def whole(self, lower, upper):
        """A whole number, both ends included."""
        return lower + int((upper - lower + 1) * self._random())

    def pick(self, choices):
        return choices[int(len(choices) * self._random())]

    def in_turn(self, choices):
        """Another one for each number of an integral."""
        return choices[self.turn % len(choices)]

    def chance(self, probability):
        return self._random() < probability

    def number(self, lower, upper, decimals=2):
        """A decimal as text."""
        return decimal(round(self.uniform(lower, upper), decimals), decimals)

    def log_number(self, lower, upper, digits=2):
        """A decimal whose logarithm is uniform, as text."""
        return scientific(10 ** self.uniform(math.log10(lower), math.log10(upper)), digits - 1)

    def names(self, d):
        """Names of d variables, of the two kinds that kubature knows by itself."""
        return list("xyzwvuts"[:d]) if d <= 4 and self.chance(0.4) else [f"x{i + 1}" for i in range(d)]


def decimal(number, decimals):
    text = f"{number:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def scientific(number, decimals):
    """A number as text with an exponent where that is shorter: 1.7e-4, 250."""
    digits, power = f"{number:.{decimals}e}".split("e")
    short, long = f"{decimal(float(digits), decimals)}e{int(power)}", decimal(
        float(number), max(0, decimals - int(power))
    )
    return long if len(long) <= len(short) else short


@dataclasses.dataclass
class Integral:
    """The integral of a formula over a box."""

    formula: str
    #: A pair (lower, upper) of texts for each variable.
    box: list[tuple[str, str]]
    #: A number, one for each component, or None where the integral does not exist.
    truth: Any
    #: The integral of |f|, roughly, where it is much larger than the true value.
    size: Any = None
    #: The true value by other means: a function without arguments.
    again: Callable[[], Any] | None = None


@dataclasses.dataclass
class Factor:
    """A factor of a product: a formula in one variable, its side, and its integral."""

    text: str
    lower: str
    upper: str
    value: Any
    #: Where the formula has a peak, a pole or a jump inside.
    points: tuple[str, ...] = ()


def product(factors, joint="*", scale="1"):
    """The integral of the product of factors, each in a variable of its own."""
    truth = mpf(scale)
    for factor in factors:
        truth *= factor.value

    def again():
        found = mpf(scale)
        for factor in factors:
            found *= quad(factor)
        return found

    text = joint.join(factor.text for factor in factors)
    return Integral(
        text if scale == "1" else f"{scale}*{text}",
        [(factor.lower, factor.upper) for factor in factors],
        truth,
        again=again,
    )
