"""kubature.dblquad, tplquad and nquad: the examples of scipy's documentation, closed forms, and scipy itself."""

import importlib.util
import math
import random
import unittest
import warnings
from fractions import Fraction

import numpy as np

import kubature
from kubature import IntegrationWarning, dblquad, nquad, tplquad

inf, pi = math.inf, math.pi
WITHOUT = "scipy is not installed: scripts/python-peers"
scipy = importlib.util.find_spec("scipy")


def xyz(z, y, x):
    return x * y * z


def stepped(x0, x1, x2, x3):
    return x0**2 + x1 * x2 - x3**3 + np.sin(x0) + (1 if (x0 - 0.2 * x3 - 0.5 - 0.25 * x1 > 0) else 0)


def points_of_stepped(*args, **kwargs):
    return {"points": [0.2 * args[2] + 0.5 + 0.25 * args[0]]}


def moving(x0, x1, x2, t0, t1):
    return x0 * x2**2 + np.sin(x1) + 1 + (1 if x0 + t1 * x1 - t0 > 0 else 0)


MOVING = [
    lambda x1, x2, t0, t1: [t0 * x1 + t1 * x2 - 1, t0 * x1 + t1 * x2 + 1],
    lambda x2, t0, t1: [x2 + t0**2 * t1**3 - 1, x2 + t0**2 * t1**3 + 1],
    lambda t0, t1: [t0 + t1 - 1, t0 + t1 + 1],
]
POINTS = [lambda x1, x2, t0, t1: {"points": [t0 - t1 * x1]}, lambda x2, t0, t1: {}, lambda t0, t1: {}]


def gaussian(*x):
    return np.exp(-sum(each**2 for each in x))


def rim(y, x):
    return 1 / math.sqrt(1 - x * x - y * y)


def half(x):
    return math.sqrt(1 - x * x)


#: function, arguments, further arguments by name, value
EXAMPLES = {
    "a rectangle": (dblquad, (lambda y, x: x * y**2, 0, 2, 0, 1), {}, 2 / 3),
    "between curves": (dblquad, (lambda y, x: 1, 0, pi / 4, np.sin, np.cos), {}, math.sqrt(2) - 1),
    "a = 1": (dblquad, (lambda y, x, a: a * x * y, 0, 1, lambda x: x, lambda x: 2 - x), dict(args=(1,)), 1 / 3),
    "a = 3": (dblquad, (lambda y, x, a: a * x * y, 0, 1, lambda x: x, lambda x: 2 - x), dict(args=(3,)), 1),
    "the plane": (dblquad, (gaussian, -inf, inf, -inf, inf), {}, pi),
    "a cuboid": (tplquad, (xyz, 1, 2, 2, 3, 0, 1), {}, 1.875),
    "signed": (tplquad, (xyz, 0, 1, 0, lambda x: 1 - 2 * x, 0, lambda x, y: 1 - x - 2 * y), {}, 0.05416666666666668),
    "a cube": (tplquad, (lambda z, y, x, a: a * x * y * z, 0, 1, 0, 1, 0, 1), dict(args=(3,)), 0.375),
    "space": (tplquad, (gaussian, -inf, inf, -inf, inf, -inf, inf), {}, pi**1.5),
    "stepped": (
        nquad,
        (stepped, [[0, 1], [-1, 1], [0.13, 0.8], [-0.15, 1]]),
        dict(opts=[points_of_stepped, {}, {}, {}]),
        1.5267454070738633,
    ),
    "moving": (nquad, (moving, MOVING), dict(args=(0, 1), opts=POINTS), 36.099919226771625),
    "tutorial: t, x": (nquad, (lambda t, x: np.exp(-x * t) / t**5, [[1, inf], [0, inf]]), {}, 1 / 5),
    "tutorial: x, y": (nquad, (lambda x, y: x * y, [lambda y: [0, 1 - 2 * y], lambda: [0, 0.5]]), {}, 1 / 96),
}

OTHERS = {
    "math, and infinite functions": (
        dblquad,
        (lambda y, x: math.exp(-x * x - y * y), -inf, inf, lambda x: -inf, lambda x: inf),
        {},
        pi,
    ),
    "a singular rim": (dblquad, (rim, -1, 1, lambda x: -half(x), half), {}, 2 * pi),
    "a singular rim with arrays": (
        dblquad,
        (lambda y, x: 1 / np.sqrt(1 - x**2 - y**2), -1, 1, lambda x: -np.sqrt(1 - x**2), lambda x: np.sqrt(1 - x**2)),
        {},
        2 * pi,
    ),
    "a ball": (
        tplquad,
        (
            *(lambda z, y, x: 1, -1, 1, lambda x: -half(x), half),
            *(lambda x, y: -np.sqrt(1 - x * x - y * y), lambda x, y: np.sqrt(1 - x * x - y * y)),
        ),
        {},
        4 * pi / 3,
    ),
    "crossed limits": (dblquad, (lambda y, x: x + y, 1, 0, lambda x: x, 0), {}, 1 / 2),
    "limits that cross inside": (dblquad, (lambda y, x: 1.0, 0, 1, 0, lambda x: x - 0.25), {}, 1 / 4),
    "infinite limits exchanged": (dblquad, (lambda y, x: np.exp(-y * y), 0, 1, inf, -inf), {}, -math.sqrt(pi)),
    "infinite for some x": (
        dblquad,
        (lambda y, x: math.exp(-y), -1, 1, 0, lambda x: inf if x > 0 else 1.0),
        {},
        2 - math.exp(-1),
    ),
    "from x to infinity": (dblquad, (lambda y, x: np.exp(-y), 0, inf, lambda x: x, inf), {}, 1),
    "a step": (dblquad, (lambda y, x: 1 if x + y > 1 else 0, 0, 1, 0, 1), {}, 1 / 2),
    "bool": (dblquad, (lambda y, x: x > 1 / 3, 0, 1, 0, 1), {}, 2 / 3),
    "a kink": (dblquad, (lambda y, x: max(x, y), 0, 1, 0, 1), {}, 2 / 3),
    "poles along two sides": (dblquad, (lambda y, x: (x * y) ** -0.5, 0, 1, 0, 1), {}, 4),
    "a pole along a limit": (dblquad, (lambda y, x: 1 / math.sqrt(x - y), 0, 1, 0, lambda x: x), {}, 4 / 3),
    "one variable": (nquad, (lambda x: math.log(x), [(0, 1)]), {}, -1),
    "one argument": (dblquad, (lambda y, x, a: a * x * y, 0, 1, 0, 1), dict(args=4), 1),
    "a list of arguments": (nquad, (lambda x, a, b: a + b * x, [(0, 1)]), dict(args=[1, 2]), 2),
    "a constant": (tplquad, (lambda z, y, x: 2, 0, 1, 0, 1, 0, lambda x, y: x), {}, 1),
    "NumPy's numbers": (dblquad, (lambda y, x: np.int64(3), 0, 1, 0, lambda x: np.float32(1)), {}, 3),
    "arrays of one": (dblquad, (lambda y, x: np.array([x * y]), 0, 1, 0, 1), {}, 1 / 4),
    "fractions": (nquad, (lambda x: Fraction(1, 3), [(0, 1)]), {}, 1 / 3),
    "points outside": (nquad, (lambda x, y: abs(x - y), [(0, 1), (0, 1)]), dict(opts=[{"points": [2, -1]}, {}]), 1 / 3),
    "points of an infinite side": (
        nquad,
        (lambda x: math.exp(-abs(x - 1)), [(-inf, inf)]),
        dict(opts={"points": [1], "limit": 100, "weight": None}),
        2,
    ),
    "varying numbers of points": (
        nquad,
        (lambda x, y: 1.0 if x > y else 0.0, [(0, 1), (0, 1)]),
        dict(opts=[lambda y: {"points": [y] if y < 0.5 else [y, 0.25]}, {}]),
        1 / 2,
    ),
}


def polynomial(rng, d):
    """A product of linear functions of d variables, for nquad, and its terms {powers: coefficient}."""
    factors = [[Fraction(rng.randint(-3, 3)) for _ in range(d + 1)] for _ in range(rng.randint(1, 3))]
    terms = {(0,) * d: Fraction(1)}
    for factor in factors:
        terms = product(terms, linear(factor))
    return terms


def linear(coefficients):
    d = len(coefficients) - 1
    unit = [tuple(int(i == k) for i in range(d)) for k in range(d)]
    return {(0,) * d: coefficients[0], **dict(zip(unit, coefficients[1:]))}


def product(a, b):
    terms = {}
    for p, x in a.items():
        for q, y in b.items():
            key = tuple(i + j for i, j in zip(p, q))
            terms[key] = terms.get(key, 0) + x * y
    return terms


def integrated(terms, limits):
    """The exact integral of a polynomial over x0, x1, ... between linear functions of the variables after."""
    for k, (lower, upper) in enumerate(limits):
        done = {}
        for powers, c in terms.items():
            rest = powers[:k] + (0,) + powers[k + 1 :]
            for bound, sign in ((upper, 1), (lower, -1)):
                term = {rest: c * sign / (powers[k] + 1)}
                for _ in range(powers[k] + 1):
                    term = product(term, linear(bound))
                for key, value in term.items():
                    done[key] = done.get(key, 0) + value
        terms = done
    return float(terms.get((0,) * len(limits), 0))


class LikeScipy(unittest.TestCase):
    def check(self, name, found, truth):
        value, error = found
        self.assertIsInstance(value, float)
        allowed = max(1.5e-8, 1.5e-8 * abs(truth))
        self.assertLess(abs(value - truth), 2 * allowed, (name, found))
        self.assertLessEqual(error, 2 * allowed, (name, found))

    def test_examples_of_the_documentation(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name, (function, given, named, truth) in EXAMPLES.items():
                self.check(name, function(*given, **named), truth)

    def test_other_integrals(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name, (function, given, named, truth) in OTHERS.items():
                self.check(name, function(*given, **named), truth)

    def test_polynomials_between_linear_limits(self):
        rng = random.Random(1)
        for case in range(60):
            d = rng.choice([1, 2, 2, 3, 3, 4])
            terms = polynomial(rng, d)
            limits = [[[Fraction(0)] * (d + 1) for _ in range(2)] for _ in range(d)]
            for k in range(d):
                for bound in limits[k]:
                    bound[0] = Fraction(rng.randint(-2, 2))
                    for later in range(k + 1, d):
                        bound[later + 1] = Fraction(rng.randint(-2, 2), 4)

            def f(*x):
                return sum(float(c) * math.prod(v**p for v, p in zip(x, powers)) for powers, c in terms.items())

            def side(k, kind):
                a, b = ([float(c) for c in (bound[0], *bound[k + 2 :])] for bound in limits[k])
                return lambda *later: kind(c[0] + sum(u * v for u, v in zip(c[1:], later)) for c in (a, b))

            pointwise = (lambda *x: math.fsum([f(*x)])) if case % 2 else f
            found = nquad(pointwise, [side(k, rng.choice([list, tuple])) for k in range(d)])
            truth = integrated(terms, limits)
            self.assertLess(abs(found[0] - truth), 3e-8 * max(1, abs(truth)), (case, d, found))

    @unittest.skipUnless(scipy, WITHOUT)
    def test_beside_scipy(self):
        from scipy import integrate

        for name, (function, given, named, truth) in {**EXAMPLES, "rim": OTHERS["a singular rim"]}.items():
            if name == "moving":
                continue  # seconds
            other = getattr(integrate, function.__name__)(*given, **named)
            value, _ = function(*given, **named)
            self.assertLess(abs(value - other[0]), 3e-8 * max(1, abs(truth)), name)
        mine = nquad(xyz, [(0, 1)] * 3, full_output=True)
        other = integrate.nquad(xyz, [(0, 1)] * 3, full_output=True)
        self.assertEqual(len(mine), len(other))
        self.assertEqual(mine[2].keys(), other[2].keys())

    def test_how_the_function_is_called(self):
        kinds = set()

        def note(y, x):
            kinds.add((type(y), type(x)))
            return x * y

        dblquad(note, 0, 1, 0, 1)
        self.assertEqual(kinds, {(float, float), (np.ndarray, np.ndarray)})

        def changes(y, x):
            y *= x
            return y

        self.check("changes", dblquad(changes, 0, 1, 0, lambda x: x), 1 / 8)

        def differs(y, x):  # accepts arrays, but means something else
            return y * x if isinstance(x, float) else y + x

        self.check("differs", dblquad(differs, 0, 1, 0, 1), 1 / 4)

        def sometimes(y, x):
            if isinstance(x, np.ndarray) and x.max() > 0.9:
                raise RuntimeError("only small arrays")
            return y * x

        self.check("sometimes", dblquad(sometimes, 0, 1, 0, 1), 1 / 4)
        value, error, more = nquad(lambda y, x: math.sin(x * y), [(0, 1), (0, 1)], full_output=True)
        self.assertEqual(list(more), ["neval"])
        self.assertGreater(more["neval"], 10)

    def test_limits_that_coincide(self):
        self.assertEqual(dblquad(xyz, 1, 1, 0, 1), (0, 0))
        self.assertEqual(nquad(xyz, [(0, 1), (inf, inf), (0, 1)], full_output=True), (0, 0, {"neval": 0}))
        value, error = dblquad(lambda y, x: 1 + y, 0, 1, lambda x: x, lambda x: 1 * x)
        self.assertEqual((value, error), (0, 0))

    def test_exceptions_reach_the_caller(self):
        class Mine(Exception):
            pass

        raised = Mine("as it was")

        def f(y, x):
            if x > 0.7:
                raise raised
            return x

        with self.assertRaises(Mine) as caught:
            dblquad(f, 0, 1, 0, 1)
        self.assertIs(caught.exception, raised)
        for error, f in [
            (ZeroDivisionError, lambda y, x: 1 / 0),
            (ValueError, lambda y, x: math.sqrt(-1 - x)),
            (OverflowError, lambda y, x: math.exp(1000 + x)),
            (TypeError, lambda y: y),
            (TypeError, lambda y, x: None),
            (TypeError, lambda y, x: "0.5"),
            (TypeError, lambda y, x: 1j),
            (TypeError, lambda y, x: [x, y]),
        ]:
            with self.assertRaises(error):
                dblquad(f, 0, 1, 0, 1)
        with self.assertRaises(KeyError):
            dblquad(lambda y, x: x, 0, 1, 0, lambda x: {}[x])

    def test_warns_where_the_tolerance_is_not_met(self):
        with self.assertWarnsRegex(IntegrationWarning, "is not below") as caught:
            value, error = dblquad(lambda y, x: np.sin(1 / (x * y)), 1e-3, 1, 1e-3, 1, epsabs=0, epsrel=1e-12)
        self.assertEqual(caught.filename, __file__)
        with self.assertWarns(IntegrationWarning):
            nquad(lambda x: 1 / x, [(0, 1)])
        loose = nquad(lambda x, y: math.cos(x * y), [(0, 1), (0, 1)], opts={"epsabs": 1e-2}, full_output=True)
        tight = nquad(lambda x, y: math.cos(x * y), [(0, 1), (0, 1)], opts=[{}, {"epsabs": 0}], full_output=True)
        self.assertLessEqual(loose[2]["neval"], tight[2]["neval"])
        self.assertLess(dblquad(lambda y, x: np.exp(x * y), 0, 1, 0, 1, epsabs=-1, epsrel=1e-12)[1], 2e-12)

    def test_bad_input(self):
        f = lambda *x: 1.0  # noqa: E731
        for words, call in [
            ("func = 3", lambda: dblquad(3, 0, 1, 0, 1)),
            ("ranges.0. = .*a pair", lambda: nquad(f, [3, (0, 1)])),
            ("ranges.1. = nan", lambda: nquad(f, [(0, 1), (0, math.nan)])),
            ("ranges.0.: the bounds are 0.0 and nan where", lambda: dblquad(f, 0, 1, 0, lambda x: math.nan)),
            ("ranges = ..: ", lambda: nquad(f, [])),
            ("epsabs = 0.0, epsrel = 0.0", lambda: dblquad(f, 0, 1, 0, 1, epsabs=0, epsrel=0)),
            ("epsrel = 'a'", lambda: dblquad(f, 0, 1, 0, 1, epsrel="a")),
            ("opts.0. = .*no option 'weight'", lambda: nquad(f, [(0, 1)] * 2, opts=[{"weight": "cos", "wvar": 1}, {}])),
            ("opts.1. = .*no option 'tol'", lambda: nquad(f, [(0, 1)] * 2, opts=[{}, {"tol": 1}])),
            ("opts.0. = 3: a dictionary", lambda: nquad(f, [(0, 1)] * 2, opts=[lambda y: 3, {}])),
            ("opts = .*3 elements; there are 2", lambda: nquad(f, [(0, 1)] * 2, opts=[{}] * 3)),
            ("points = 'a'", lambda: nquad(f, [(0, 1)], opts={"points": "a"})),
            ("limit = 0", lambda: nquad(f, [(0, 1)], opts={"limit": 0})),
        ]:
            with self.subTest(words), self.assertRaisesRegex(kubature.InvalidArgument, words):
                call()
        with self.assertRaisesRegex(TypeError, "ranges.0. returned .* instead of 2 real numbers"):
            nquad(f, [lambda y: (0, 1, 2), (0, 1)])


if __name__ == "__main__":
    unittest.main()
