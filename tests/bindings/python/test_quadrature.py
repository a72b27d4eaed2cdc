"""kubature.cubature and kubature.qmc_quad: cases of scipy.integrate's own tests and documentation, by their exact values."""

import importlib.util
import math
import unittest

import numpy as np

import kubature
from kubature import cubature, qmc_quad

inf = math.inf
WITHOUT = "scipy is not installed: scripts/python-peers"
scipy = importlib.util.find_spec("scipy")


def power(x, n):
    return x ** n[np.newaxis, :]


def oscillating(x, r, alphas):
    """Genz's oscillatory integrand: cos(2 pi r + alphas x), of many r and alphas at once."""
    at = x.reshape(len(x), *([1] * (alphas.ndim - 1)), x.shape[1])
    return np.cos(2 * np.pi * r + np.sum(alphas * at, axis=-1))


def of_oscillating(r, alphas):
    d = alphas.shape[-1]
    corners = np.cos(2 * np.pi * r + alphas.sum(axis=-1) / 2)
    return corners * np.prod(np.sin(alphas / 2) / (alphas / 2), axis=-1) if d else corners


#: f, a, b, the integral, further arguments of cubature.
CASES = {
    "powers": (power, [0], [1], 1 / np.arange(1, 11), dict(args=(np.arange(10),))),
    "turned round": (power, [1], [0], -1 / np.arange(1, 11), dict(args=(np.arange(10),))),
    "one axis of two turned round": (lambda x: x[:, 0] * x[:, 1] ** 2, [0, 1], [2, 0], -2 / 3, {}),
    "a number": (lambda x: np.exp(-x[:, 0] * x[:, 1]), [0, 0], [1, 1], 0.796599599297053134, {}),
    "a Gaussian, everywhere": (lambda x: np.exp(-np.sum(x**2, axis=1)), [-inf] * 2, [inf] * 2, math.pi, {}),
    "half infinite": (lambda x: np.exp(-x[:, 0]) * np.cos(x[:, 1]), [0, 0], [inf, 1], math.sin(1), {}),
    "below, from infinity": (lambda x: np.exp(x[:, 0]), [-inf], [0], 1, {}),
    "turned round to infinity": (lambda x: np.exp(-x[:, 0]), [inf], [0], -1, {}),
    "a column": (lambda x: x[:, :1], [0, 0], [1, 1], [0.5], {}),
    "a matrix": (lambda x: x[:, :, None] * x[:, None, :], [0] * 2, [1] * 2, [[1 / 3, 1 / 4], [1 / 4, 1 / 3]], {}),
    "nothing": (lambda x: x**2, [1], [1], [0], {}),
    "zero": (lambda x: 0 * x[:, 0], [0], [1], 0, dict(atol=1e-9)),
    "a kink": (lambda x: abs(x[:, 0] - 0.3) * abs(x[:, 1] - 0.2), [0] * 2, [1] * 2, 0.29 * 0.34, dict(points=[[0.3, 0.2]])),
    "a singularity": (
        lambda x: 1 / np.sqrt(abs(x[:, 0] - 0.3)), [0], [1], 2 * math.sqrt(0.3) + 2 * math.sqrt(0.7),
        dict(points=[[0.3]], rtol=1e-6),
    ),
    "parts that cancel": (lambda x: x[:, 0] ** 3 + 1e-3, [-1], [1], 2e-3, dict(points=[[0.0]])),
}  # fmt: skip


class Cubature(unittest.TestCase):
    def check(self, name, found, exact, given):
        rtol, atol = given.get("rtol", 1e-8), given.get("atol", 0)
        self.assertEqual(found.status, "converged", name)
        self.assertEqual((found.rtol, found.atol), (rtol, atol))
        self.assertEqual((np.shape(found.estimate), np.shape(found.error)), (np.shape(exact),) * 2, name)
        allowed = np.maximum(rtol * np.abs(exact), atol) * (1 + 1e-3) + 1e-15
        self.assertTrue(np.all(np.abs(found.error) <= allowed), (name, found))
        self.assertTrue(np.all(np.abs(found.estimate - exact) <= allowed), (name, found))

    def test_cases(self):
        for name, (f, a, b, exact, given) in CASES.items():
            with np.errstate(all="ignore"):
                self.check(name, cubature(f, a, b, **given), np.asarray(exact), given)

    def test_oscillating_arrays_in_several_variables(self):
        rng = np.random.default_rng(1)
        for d, rtol in ((1, 1e-8), (3, 1e-7), (5, 1e-6)):
            r, alphas = rng.random((2, 3)), rng.random((2, 3, d))
            found = cubature(oscillating, np.zeros(d), np.ones(d), rtol=rtol, args=(r, alphas), rule="genz-malik")
            self.check(d, found, of_oscillating(r, alphas), dict(rtol=rtol))

    def test_limits_on_subdivisions(self):
        f = lambda x: np.sin(1 / x[:, 0])  # noqa: E731
        found = cubature(f, [1e-4], [1], max_subdivisions=10)
        self.assertEqual(found.status, "not_converged")
        more = cubature(f, [1e-4], [1], max_subdivisions=100000)
        self.assertEqual(more.status, "converged")
        self.assertLess(found.subdivisions, more.subdivisions)
        self.assertLess(abs(found.estimate - more.estimate), 5 * found.error)
        self.assertEqual(cubature(f, [1e-2], [1], max_subdivisions=None).status, "converged")

    def test_what_is_refused(self):
        f = lambda x: x[:, 0]  # noqa: E731
        for sentence, f, a, b, given in (
            ("a has 1 limits and b 2", f, [0], [1, 1], {}),
            ("1-d arrays", f, [[0]], [[1]], {}),
            ("1-d arrays", f, [], [], {}),
            ("Box side 1", f, [math.nan], [1], {}),
            ("relative", f, [0], [1], dict(rtol=-1)),
            ("points = ", f, [0, 0], [1, 1], dict(points=[[0.5]])),
            ("rule", f, [0], [1], dict(rule="simpson")),
            ("f returned", lambda x: 3.0, [0], [1], {}),
        ):
            with self.assertRaisesRegex(ValueError, sentence):
                cubature(f, a, b, **given)
        with self.assertRaisesRegex(TypeError, "None"):
            cubature(lambda x: None, [0], [1])
        with self.assertRaisesRegex(TypeError, "dictionary"):
            cubature(lambda x: {"a": x}, [0], [1])

    @unittest.skipUnless(scipy, WITHOUT)
    def test_beside_scipy(self):
        from scipy import integrate

        for name, (f, a, b, _, given) in CASES.items():
            if name in ("below, from infinity", "turned round to infinity", "a singularity"):
                continue  # scipy 1.18 evaluates the first one beyond its limit, to infinity
            with np.errstate(all="ignore"):
                other, mine = integrate.cubature(f, a, b, **given), cubature(f, a, b, **given)
            self.assertEqual(np.shape(mine.estimate), np.shape(other.estimate), name)
            np.testing.assert_allclose(mine.estimate, other.estimate, rtol=3e-8, atol=1e-9, err_msg=name)
            self.assertEqual(mine.status, other.status)
        mine = {field for field in vars(mine) if field != "results"}
        other = set(other.__dataclass_fields__) if hasattr(other, "__dataclass_fields__") else set(other)
        self.assertEqual(other - mine, {"regions"})


class QmcQuad(unittest.TestCase):
    def gaussian(self, x):
        self.seen = x.shape
        return np.exp(-np.sum(x**2, axis=0))

    def test_values_and_errors(self):
        exact = (math.sqrt(math.pi) / 2 * math.erf(1)) ** 3
        for seed in range(3):
            found = qmc_quad(self.gaussian, [0] * 3, [1] * 3, seed=seed)
            self.assertEqual(self.seen[0], 3)
            self.assertLess(abs(found.integral - exact), 6 * found.standard_error)
            self.assertLess(found.standard_error, 1e-3 * exact)
        turned = qmc_quad(self.gaussian, [1, 0, 0], [0, 1, 1], seed=2)
        self.assertEqual(turned, (-found.integral, found.standard_error))
        better = qmc_quad(self.gaussian, [0] * 3, [1] * 3, n_points=2**15, n_estimates=16, seed=1)
        self.assertLess(better.standard_error, 0.1 * found.standard_error)
        self.assertEqual(qmc_quad(self.gaussian, [1], [1]), (0, 0))
        integral, error = qmc_quad(lambda x: x[0], 0, 2, seed=1)
        self.assertLess(abs(integral - 2), 6 * error)

    def test_what_is_refused(self):
        for sentence, given in (
            ("qrng", dict(qrng=object())),
            ("log", dict(log=True)),
            ("n_estimates = 1", dict(n_estimates=1)),
            ("n_points = 1.5", dict(n_points=1.5)),
            ("finite limits", dict(b=[inf])),
            ("1 limits and b 2", dict(b=[1, 1])),
        ):
            with self.assertRaisesRegex(ValueError, sentence):
                qmc_quad(**{"func": self.gaussian, "a": [0], "b": [1], **given})

    @unittest.skipUnless(scipy, WITHOUT)
    def test_beside_scipy(self):
        from scipy import integrate

        other = integrate.qmc_quad(self.gaussian, [0, 0], [1, 2])
        mine = qmc_quad(self.gaussian, [0, 0], [1, 2])
        self.assertEqual(mine._fields, other._fields)
        self.assertLess(abs(mine.integral - other.integral), 6 * math.hypot(*(x.standard_error for x in (mine, other))))
        self.assertLess(mine.standard_error, 2 * other.standard_error)


class Names(unittest.TestCase):
    def test_are_offered(self):
        for name in kubature.__all__:
            self.assertTrue(getattr(kubature, name).__doc__ or name == "CFunction", name)


if __name__ == "__main__":
    unittest.main()
