"""The search for peaks."""

import dataclasses
import math
import unittest

import numpy as np

import kubature
from kubature import _kubature

EPSILON = np.finfo(float).eps
SQUARE = [(0, 1)] * 2


class Gaussians:
    """Two to four isotropic Gaussians in a box, far apart, with similar shares of the integral; widths are in units of
    the sides."""

    def __init__(self, seed, d):
        random = np.random.default_rng(seed)
        count = random.integers(2, 5)
        self.width = 0.004 * 5 ** random.uniform(size=count)
        self.height = random.uniform(0.2, 1.2, count) / self.width**d
        self.centre = np.zeros((0, d))
        while len(self.centre) < count:
            x = random.uniform(0.1, 0.9, d)
            widths = np.maximum(self.width[: len(self.centre)], self.width[len(self.centre)])
            if (np.linalg.norm(self.centre - x, axis=1) > 8 * widths).all():
                self.centre = np.vstack([self.centre, x])

    def __call__(self, x):
        squares = ((x[:, None, :] - self.centre) ** 2).sum(axis=2)
        return (self.height * np.exp(-squares / (2 * self.width**2))).sum(axis=1)

    def formula(self):
        def one(centre, width, height):
            square = "+".join(f"(x{i} - {x!r})^2" for i, x in enumerate(centre.tolist(), 1))
            return f"{height!r}*exp(-({square})/{2 * width**2!r})"

        return " + ".join(one(c, float(w), float(h)) for c, w, h in zip(self.centre, self.width, self.height))

    def nearest(self, peak):
        """The nearest centre, and its distance in widths."""
        distances = np.linalg.norm(self.centre - peak.at, axis=1) / self.width
        k = int(np.argmin(distances))
        return k, distances[k]


class Peaks(unittest.TestCase):
    def test_of_random_gaussians(self):
        """Positions, heights and covariances, each against the Gaussian that it belongs to."""
        there = seen = 0
        for d in (1, 2, 3, 5):
            for seed in range(6):
                f = Gaussians(100 * d + seed, d)
                peaks = kubature.find_peaks(f.formula(), [(0, 1)] * d)
                found = set()
                for peak in peaks:
                    k, distance = f.nearest(peak)
                    self.assertLess(distance, 1, (d, seed))
                    found.add(k)
                    self.assertLess(abs(peak.log_height - math.log(f(peak.at[None])[0])), 1e-10)
                    self.assertLess(abs(peak.log_height - math.log(f.height[k])), 0.5)
                    np.testing.assert_allclose(peak.sdev, f.width[k], rtol=0.1)
                    correlation = peak.covariance / np.outer(peak.sdev, peak.sdev)
                    np.testing.assert_allclose(correlation, np.eye(d), atol=0.1)
                    laplace = math.log(f.height[k] * (math.sqrt(2 * math.pi) * f.width[k]) ** d)
                    self.assertLess(abs(peak.log_integral - laplace), 0.5)
                self.assertEqual(len(found), len(peaks), (d, seed))
                self.assertEqual([p.log_height for p in peaks], sorted((p.log_height for p in peaks), reverse=True))
                there += len(f.width)
                seen += len(found)
        self.assertGreaterEqual(seen, 0.9 * there, there)

    def test_have_laplaces_integral(self):
        """Of a correlated Gaussian it is the integral, also in a box of other units."""
        for units in (np.ones(2), np.array([20, 0.05])):
            covariance = np.array([[4e-4, 3e-4], [3e-4, 9e-4]]) * np.outer(units, units)
            precision = np.linalg.inv(covariance)
            mean = np.array([0.3, 0.8]) * units
            f = lambda x: 7 * np.exp(-np.einsum("ki,ij,kj->k", x - mean, precision, x - mean) / 2)
            [peak] = kubature.find_peaks(f, [(0, units[0]), (0, units[1])])
            np.testing.assert_allclose(peak.covariance, covariance, rtol=1e-6)
            np.testing.assert_array_equal(peak.covariance, peak.covariance.T)
            np.testing.assert_allclose(peak.at / units, mean / units, atol=2e-3)
            integral = math.log(7 * 2 * math.pi * math.sqrt(np.linalg.det(covariance)))
            self.assertLess(abs(peak.log_integral - integral - (peak.log_height - math.log(7))), 1e-6)
            self.assertLess(abs(peak.log_height - math.log(7)), 1e-2)

    def test_of_every_kind_of_function(self):
        """All draw the same numbers, so that rounding alone makes a difference."""

        @kubature.CFunction
        def compiled(n, d, x, components, values, user):
            for k in range(n):
                values[k] = math.exp(-800 * ((x[2 * k] - 0.3) ** 2 + (x[2 * k + 1] - 0.6) ** 2))
            return 0

        of_arrays = lambda x: np.exp(-800 * ((x[:, 0] - 0.3) ** 2 + (x[:, 1] - 0.6) ** 2))
        functions = {
            "parameters": ("exp(-a*((x - 0.3)^2 + (y - 0.6)^2))", {"parameters": {"a": 800}}),
            "parameters by themselves": ("exp(-a*((x - 0.3)^2 + (y - b)^2))", {"a": 800, "b": 0.6}),
            "names": ("exp(-800*((u - 0.3)^2 + (t - 0.6)^2))", {"variables": ["u", "t"]}),
            "arrays": (of_arrays, {}),
            "args": (lambda x, a: np.exp(-a * ((x - [0.3, 0.6]) ** 2).sum(axis=1)), {"args": 800}),
            "a point": (lambda x, y: math.exp(-800 * ((x - 0.3) ** 2 + (y - 0.6) ** 2)), {}),
            "pointwise": (kubature.pointwise(lambda x: math.exp(-800 * ((x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2))), {}),
            "C": (compiled, {}),
        }
        if _kubature.device() == 1:  # arrays on the host
            functions["device"] = (kubature.on_device(of_arrays, "numpy"), {})
        [wanted] = kubature.find_peaks("exp(-800*((x - 0.3)^2 + (y - 0.6)^2))", SQUARE, evaluations=20000, seed=5)
        for name, (f, options) in functions.items():
            with self.subTest(name):
                [peak] = kubature.find_peaks(f, SQUARE, evaluations=20000, seed=5, **options)
                np.testing.assert_allclose(peak.at, wanted.at, atol=1e-6)
                np.testing.assert_allclose(peak.covariance, wanted.covariance, atol=1e-9)

    def test_of_several_components(self):
        """The sum of their magnitudes counts, for complex numbers of both parts."""
        [peak] = kubature.find_peaks("exp(-900*(x - 0.2)^2); -3*exp(-900*(x - 0.2)^2)", [(0, 1)])
        self.assertLess(abs(peak.log_height - math.log(4)), 1e-3)
        both = kubature.find_peaks(lambda x: {"a": np.exp(-900 * (x[:, 0] - 0.2) ** 2), "b": -np.exp(-900 * (x - 0.7) ** 2)}, [(0, 1)])
        self.assertEqual(sorted(round(float(p.at[0]), 2) for p in both), [0.2, 0.7])
        turned = 5 * math.sqrt(2)  # |cos| + |sin| at an angle of pi/4
        for f, options in (
            ("5*exp(i*pi/4 - 900*(x - 0.2)^2)", {"complex": True}),
            (lambda x: 5 * np.exp(1j * math.pi / 4 - 900 * (x[:, 0] - 0.2) ** 2), {}),
        ):
            [peak] = kubature.find_peaks(f, [(0, 1)], **options)
            self.assertLess(abs(peak.log_height - math.log(turned)), 1e-3)

    def test_in_named_sides_and_infinite_ones(self):
        [peak] = kubature.find_peaks("exp(-900*((b - 0.2)^2 + (a - 3)^2))", {"a": (2, "1 + pi"), "b": (0, 1)})
        np.testing.assert_allclose(peak.at, [3, 0.2], atol=1e-2)
        [peak] = kubature.find_peaks("exp(-900*((x + 4)^2 + (y - 3)^2))", [(-math.inf, math.inf), (1, math.inf)])
        np.testing.assert_allclose(peak.at, [-4, 3], atol=1 / 30)
        np.testing.assert_allclose(peak.sdev, 1 / math.sqrt(1800), rtol=0.1)
        [peak] = kubature.find_peaks("exp(-900*(x - 0.2)^2)", kubature.Box([(0, 1)]))
        self.assertLess(abs(peak.at[0] - 0.2), 1e-2)

    def test_on_infinite_sides_are_those_of_f(self):
        """Not of f times the Jacobian, which has its maxima elsewhere, and two for the first."""
        for f, at, box in (("exp(-x^2/2)", [0], (-math.inf, math.inf)), ("exp(-(x - 3)^2/2)", [3], (-math.inf, math.inf)),
                           ("x^3*exp(-x)", [3], (0, math.inf)), ("exp(-x^2/8)*(1 + x^2)", [math.sqrt(7), -math.sqrt(7)], (-math.inf, math.inf))):
            peaks = kubature.find_peaks(f, [box])
            np.testing.assert_allclose(sorted(float(p.at[0]) for p in peaks), sorted(at), atol=0.05)

    def test_of_nothing(self):
        for f in ("0*x", "sqrt(-1 - x)", "exp(1000 + x)", lambda x: np.full(len(x), np.nan)):
            self.assertEqual(kubature.find_peaks(f, [(0, 1)], evaluations=2000), [])
        [peak] = kubature.find_peaks("if(x < 0.5, sqrt(-1 - y), 3)", SQUARE)  # NaN beside a plateau
        self.assertGreaterEqual(peak.at[0], 0.5)
        self.assertAlmostEqual(peak.log_height, math.log(3))
        self.assertTrue(0 < peak.sdev.max() <= (1 + 16 * EPSILON) / math.sqrt(12))

    def test_are_at_most_64(self):
        random = np.random.default_rng(4)
        centres = np.array([(k // 10, k % 10) for k in range(100)]) / 10 + random.uniform(0.02, 0.08, (100, 2))
        f = lambda x: np.exp(-((x[:, None, :] - centres) ** 2).sum(axis=2) / 1e-4).sum(axis=1)
        peaks = kubature.find_peaks(f, SQUARE, evaluations=200_000)
        self.assertEqual(len(peaks), 64)
        self.assertEqual(len({int(((centres - p.at) ** 2).sum(axis=1).argmin()) for p in peaks}), 64)

    def test_are_repeatable(self):
        f, square = Gaussians(7, 2), SQUARE
        first, again, other = (kubature.find_peaks(f, square, evaluations=1e4, seed=s) for s in (2**64 - 1, 2**64 - 1, 3))
        for one, two in zip(first, again, strict=True):
            np.testing.assert_array_equal(one.at, two.at)
            np.testing.assert_array_equal(one.covariance, two.covariance)
        self.assertTrue(any((one.at != two.at).any() for one, two in zip(first, other)))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            first[0].log_height = 0


class Errors(unittest.TestCase):
    def refused(self, beginning, *arguments, **options):
        with self.assertRaises(kubature.InvalidArgument) as caught:
            kubature.find_peaks(*arguments, **options)
        self.assertTrue(str(caught.exception).startswith(beginning), caught.exception)
        self.assertNotIn("\n", str(caught.exception))

    def test_name_the_argument(self):
        self.refused("evaluations = 999: ", "x", [(0, 1)], evaluations=999)
        self.refused("evaluations = nan: ", "x", [(0, 1)], evaluations=math.nan)
        self.refused("evaluations = 1e+30: ", "x", [(0, 1)], evaluations=1e30)
        self.refused("evaluations = 10000000000000000: the ascents would take", "x", [(0, 1)], evaluations=10**16)
        self.refused("seed = -1: ", "x", [(0, 1)], seed=-1)
        self.refused("number of variables = 21: ", "x", [(0, 1)] * 21)
        self.refused("number of variables = 1024: ", lambda x: x[:, 0], [(0, 1)] * 1024)
        self.refused("dimension of the box = 1: ", "x*y", [(0, 1)])
        self.refused("expression = x*q: ", "x*q", SQUARE)
        self.refused("q = 1: find_peaks has no such argument", "x", [(0, 1)], q=1)
        self.refused("f = 3: ", 3, [(0, 1)])
        self.refused("Box side 1 = 1:0: ", "x", [(1, 0)])
        self.refused("args = (1,): ", "x", [(0, 1)], args=1)

    def test_of_domains_that_are_no_boxes(self):
        sentence = "peaks are searched for in boxes"
        for box in ({"x": (0, 1), "y": (0, "x")}, kubature.Ball([0, 0], 1), kubature.Path([1, 2]), [(0, 1), (0, lambda x: x)],
                    {"x": kubature.Normal(0, 1), "y": (0, 1)}, kubature.Normal([0, 0], [[1, 0], [0, 1]])):
            with self.assertRaisesRegex(kubature.InvalidArgument, sentence):
                kubature.find_peaks(lambda x: x[:, 0], box)

    def test_of_functions_are_raised_unchanged(self):
        def late(x):
            if len(x) > 3:
                raise ZeroDivisionError("in f")
            return x[:, 0]

        with self.assertRaisesRegex(ZeroDivisionError, "in f"):
            kubature.find_peaks(late, [(0, 1)])
        failing = kubature.CFunction(lambda n, d, x, components, values, user: 42)
        with self.assertRaisesRegex(RuntimeError, "the integrand returned 42"):
            kubature.find_peaks(failing, [(0, 1)])
        after = kubature.find_peaks("x", [(0, 1)], evaluations=1000)
        self.assertEqual(len(after), 1)


class Channels(unittest.TestCase):
    """Integrals about several peaks, one by one."""

    BOX = [(0, 1)] * 4

    def test_from_the_start(self):
        g = Gaussians(3, 4)
        true = sum(h * (2 * math.pi) ** 2 * w**4 for h, w in zip(g.height, g.width))
        for f in (g.formula(), g):
            found = kubature.integrate(f, self.BOX, method="vegas+", channels="always", evaluations=3e4, relative=3e-3)
            self.assertTrue(found.converged, found)
            self.assertLess(abs(found.value - true), 5 * found.error)
            self.assertTrue(any("by channels" in remark for remark in found.remarks), found)

    def test_about_known_peaks(self):
        at = [[0.2, 0.3, 0.4, 0.5], [0.7, 0.6, 0.5, 0.4]]
        square = ["+".join(f"(x{i + 1}-{c})^2" for i, c in enumerate(point)) for point in at]
        f = f"exp(-5e7*({square[0]})) + 3*exp(-5e7*({square[1]}))"
        for known in (at, np.array(at), [c for point in at for c in point]):
            found = kubature.integrate(f, self.BOX, known=known, relative=1e-3)
            self.assertLess(abs(found.value / (4 * (math.pi / 5e7) ** 2) - 1), 5e-3)
            self.assertTrue(any("2 narrow peaks were integrated by channels" in remark for remark in found.remarks), found)

    def test_bad_ones(self):
        for options, sentence in (
            ({"known": [0.5]}, "known = 1 numbers: points have 4 coordinates each"),
            ({"known": [0.5, 0.5, 0.5, 2]}, "known = 2: coordinate 4 of a point lies outside the box"),
            ({"channels": "sometimes"}, "channels = sometimes: must be one of never, automatic, always"),
            ({"channels": "always", "method": "vegas+", "precision": "fp32"}, "channels = always: channels are those of"),
        ):
            with self.assertRaisesRegex(kubature.InvalidArgument, sentence):
                kubature.integrate("x1*x2*x3*x4", self.BOX, relative=1e-3, **options)


if __name__ == "__main__":
    unittest.main()
