"""The evidence, and samples from the density."""

import math
import unittest

import numpy as np

import kubature


def log_normal(x, centre, width):
    """The logarithm of independent normal densities."""
    z = (x - np.asarray(centre)) / width
    return -(z**2).sum(axis=1) / 2 - x.shape[1] * math.log(width * math.sqrt(2 * math.pi))


def two(x):
    """Two densities of the same integral in five variables, far apart, times e^-1000."""
    return np.logaddexp(log_normal(x, [0.2] * 5, 0.02), log_normal(x, [0.7] * 5, 0.03)) - 1000


class Evidence(unittest.TestCase):
    def test_of_two_peaks(self):
        found = kubature.log_evidence(two, [(0, 1)] * 5, seed=3, search=200_000)
        self.assertTrue(found.converged, found)
        self.assertLess(abs(found.log_evidence - (math.log(2) - 1000)), 5 * found.error)
        self.assertEqual(len(found.peaks), 2)
        self.assertEqual(found.names, ["x1", "x2", "x3", "x4", "x5"])
        np.testing.assert_allclose(found.mean, 0.45, atol=0.01)
        np.testing.assert_allclose(found.sdev, 0.25, atol=0.01)  # half of the distance of the peaks
        self.assertGreater(found.covariance[0, 1], 0.06)

    def test_has_samples(self):
        found = kubature.log_evidence(two, [(0, 1)] * 5, search=200_000)
        self.assertEqual(found.points.shape, (len(found.weights), 5))
        self.assertAlmostEqual(found.weights.sum(), 1)
        np.testing.assert_allclose(found.weights @ found.points, found.mean, rtol=1e-9)
        self.assertAlmostEqual(found.effective, 1 / (found.weights**2).sum(), delta=1e-6 * found.effective)
        equal = found.equal(1)
        self.assertGreater(len(equal), 0.2 * len(found.points))
        share = (equal[:, 0] < 0.45).mean()
        self.assertLess(abs(share - 0.5), 6 * 0.5 / math.sqrt(len(equal)))
        posterior = found.posterior()
        self.assertEqual(list(posterior), found.names)
        self.assertEqual(posterior["x1"].shape[0], 1)
        mean, error = found.expectation(lambda x: x[:, 0] < 0.45)
        self.assertLess(abs(mean - 0.5), 5 * error)
        means, errors = found.expectation(lambda x: x[:, :2])
        np.testing.assert_allclose(means, found.mean[:2], rtol=1e-9)
        self.assertEqual(errors.shape, (2,))
        self.assertEqual(len(kubature.log_evidence("0", [(0, 1)], keep=False, search=1000).points), 0)

    def test_of_formulas(self):
        truth = -1e6 + math.log(2 * math.pi * 0.01 * 0.2)
        for f, box, options in (
            ("-1e6 - (x - 3)^2/(2*0.01^2) - (y + 1)^2/(2*0.2^2)", [(0, 10), (-9, 9)], {}),
            ("-1e6 - (a - 3)^2/(2*s^2) - (b + 1)^2/0.08", {"a": (0, 10), "b": (-9, "4 + 5")}, {"s": 0.01}),
            ("-1e6 - (u - 3)^2/(2*s^2) - (t + 1)^2/0.08", [(-math.inf, math.inf)] * 2,
             {"parameters": {"s": 0.01}, "variables": ["u", "t"]}),
        ):  # fmt: skip
            found = kubature.log_evidence(f, box, search=100_000, **options)
            self.assertLess(abs(found.log_evidence - truth), 5 * found.error, (f, found))
            self.assertLess(abs(found.mean[0] - 3), 0.001)
        self.assertEqual(found.names, ["u", "t"])
        self.assertEqual(list(found.samples), ["u", "t"])
        self.assertIn("log Z = -1e+06", str(found))
        self.assertIn("u = ", str(found))

    def test_of_nothing(self):
        found = kubature.log_evidence(lambda x: np.full(len(x), -np.inf), [(0, 1)], search=1000)
        self.assertEqual((found.log_evidence, found.status), (-math.inf, "no_variance"))
        self.assertTrue(math.isnan(found.mean[0]))
        self.assertEqual(len(found.remarks), 1)
        self.assertEqual(len(found.equal()), 0)

    def test_refuses(self):
        def refused(beginning, *arguments, **options):
            with self.assertRaises(kubature.InvalidArgument) as caught:
                kubature.log_evidence(*arguments, **options)
            self.assertTrue(str(caught.exception).startswith(beginning), caught.exception)

        refused("error = 0", "x", [(0, 1)], error=0)
        refused("search = 10", "x", [(0, 1)], search=10)
        refused("samples = 'many'", "x", [(0, 1)], samples="many")
        refused("q = 1", "x", [(0, 1)], q=1)
        refused("components = 2", "x; y", [(0, 1)] * 2)
        refused("number of variables = 21", lambda x: x[:, 0], [(0, 1)] * 21)
        refused("box", "x + y", {"x": (0, 1), "y": (0, "x")})

    def test_passes_on_what_the_function_raises(self):
        def failing(x):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            kubature.log_evidence(failing, [(0, 1)])


class Samples(unittest.TestCase):
    def test_of_any_integrand(self):
        for f in ("let a = x*y; a^2", lambda x: (x[:, 0] * x[:, 1]) ** 2, lambda x, y: (x * y) ** 2):
            found = kubature.samples(f, [(0, 1)] * 2, samples=2e4, search=1e4, seed=3)
            self.assertLess(abs(found.log_evidence + math.log(9)), 5 * found.error)
            mean, sdev = found.expectation(lambda points: points)
            self.assertTrue((abs(mean - 0.75) < 5 * sdev).all(), (mean, sdev))

    def test_of_no_function(self):
        with self.assertRaisesRegex(kubature.InvalidArgument, "f = 3: must be a formula or a function"):
            kubature.samples(3, [(0, 1)])


if __name__ == "__main__":
    unittest.main()
