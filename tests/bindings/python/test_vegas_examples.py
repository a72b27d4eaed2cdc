"""The integrals of vegas's documentation by kubature.vegas: values within their errors, ratios and covariances, and, where
vegas is installed, beside what that says."""

import importlib.util
import math
import unittest

import numpy as np

from kubature import vegas

peer = None
if importlib.util.find_spec("vegas"):
    import vegas as peer


def gaussian(dx2, dimension, exponent=100):
    """Of integral 1 over all space."""
    return np.exp(-exponent * dx2) * (exponent / math.pi) ** (dimension / 2)


def side(exponent, left, right):
    """The integral of such a Gaussian over one side, from -left to right of its centre."""
    root = math.sqrt(exponent)
    return (math.erf(root * left) + math.erf(root * right)) / 2


@vegas.lbatchintegrand
def three_peaks(x):
    """On the diagonal of the unit cube."""
    return sum(gaussian(np.sum((x - at) ** 2, axis=1), x.shape[1]) for at in (0.25, 0.5, 0.75)) / 3


@vegas.lbatchintegrand
def ridge(x):
    """A hundred peaks that make a ridge along a part of the diagonal."""
    centres = np.linspace(0.4, 0.6, 100)
    squares = np.sum(x**2, axis=1)[:, None] - 2 * np.sum(x, axis=1)[:, None] * centres + x.shape[1] * centres**2
    return np.mean(gaussian(squares, x.shape[1]), axis=1)


@vegas.lbatchintegrand
def ball(x):
    """1 within a distance of 0.2 of the middle."""
    return 1.0 * (np.sum((x - 0.5) ** 2, axis=1) < 0.04)


def shells(x, count=7, width=0.0025):
    """The integral of a peak, and its parts from shells of equal differences of the squared radius."""
    dx2 = np.sum((x - 0.5) ** 2, axis=1)
    f = gaussian(dx2, x.shape[1])
    place = np.minimum(dx2 / width, count - 1).astype(int)
    return {"I": f, "dI": f[:, None] * (place[:, None] == np.arange(count))}


def shell(k, count=7, width=0.0025):
    """In four variables less than t of 100 r^2 holds the part 1 - (1 + t) e^-t of the peak."""
    below = lambda k: 1 - (1 + 100 * width * k) * math.exp(-100 * width * k)  # noqa: E731
    return (1 if k == count - 1 else below(k + 1)) - below(k)


@vegas.lbatchintegrand
def three_of_twenty(x):
    """A peak in three of twenty variables."""
    return gaussian(np.sum((x[:, :3] - 0.5) ** 2, axis=1), 3)


#: Name: (integrand, region, its integral, samples per iteration).
EXAMPLES = {
    "a peak in a larger volume": (
        vegas.lbatchintegrand(lambda x: gaussian(np.sum((x - 0.5) ** 2, axis=1), 4)),
        [[-2, 2]] + 3 * [[0, 2]],
        side(100, 2.5, 1.5) * side(100, 0.5, 1.5) ** 3,
        5000,
    ),
    "three peaks": (three_peaks, 4 * [[0, 1]], sum(side(100, a, 1 - a) ** 4 for a in (0.25, 0.5, 0.75)) / 3, 10000),
    "a ridge": (ridge, 4 * [[0, 1]], 1, 5000),
    "a ball": (ball, 4 * [[0, 1]], math.pi**2 / 2 * 0.2**4, 5000),
    "three of twenty variables": (three_of_twenty, 20 * [[0, 1]], side(100, 0.5, 0.5) ** 3, 5000),
}


class Examples(unittest.TestCase):
    def trained(self, package, name, **parameters):
        """The result of a second call, after one that trains."""
        f, region, _, neval = EXAMPLES[name]
        f = package.lbatchintegrand(f) if package is peer else f
        integ = package.Integrator(region)
        integ(f, nitn=10, neval=neval)
        return integ(f, nitn=8, neval=neval, **parameters)

    def test_values_are_within_their_errors(self):
        np.random.seed(4)
        for name, (_, _, truth, _) in EXAMPLES.items():
            with self.subTest(name):
                result = self.trained(vegas, name)
                self.assertLess(abs(result.mean - truth), 4 * result.sdev)
                self.assertLess(result.sdev, 0.01 * truth)
                self.assertGreater(result.Q, 1e-4)

    def test_distributions(self):
        """Parts of an integral, whose errors are correlated, and add up to it."""
        integ = vegas.Integrator(4 * [[0, 1]], seed=3)
        f = vegas.lbatchintegrand(shells)
        integ(f, nitn=10, neval=2000)
        told = integ(f, nitn=10, neval=10000).result
        whole, *parts = told.values
        errors = told.errors
        self.assertLess(abs(whole - 1), 4 * errors[0])
        self.assertAlmostEqual(sum(parts), whole, delta=1e-9)
        for k, part in enumerate(parts):
            self.assertLess(abs(part - shell(k)), 4 * errors[1 + k])
            ratio = told.ratio(("dI", k), "I")
            self.assertAlmostEqual(ratio.value, part / whole)
            self.assertLess(abs(ratio.value - shell(k)), 4 * ratio.error)
        covariance = told.covariance
        np.testing.assert_allclose(covariance[0, 0], np.sum(covariance[1:, 1:]), rtol=1e-6)
        np.testing.assert_allclose(covariance[0, 1:], np.sum(covariance[1:, 1:], axis=0), atol=1e-6 * covariance[0, 0])

    @unittest.skipUnless(peer, "vegas is not installed: scripts/python-peers")
    def test_beside_vegas(self):
        import gvar

        gvar.ranseed(5)
        np.random.seed(5)
        for name in EXAMPLES:
            with self.subTest(name):
                mine, other = (self.trained(package, name) for package in (vegas, peer))
                self.assertLess(abs(mine.mean - other.mean), 4 * math.hypot(mine.sdev, other.sdev))
                self.assertLess(abs(math.log(mine.sdev / other.sdev)), math.log(1.6))
        results = []
        for package in (vegas, peer):
            integ, f = package.Integrator(4 * [[0, 1]]), package.lbatchintegrand(shells)
            integ(f, nitn=10, neval=2000)
            results.append(integ(f, nitn=10, neval=10000))
        for mine, other in zip(*(list(each["dI"]) + list(each["dI"] / each["I"]) for each in results)):
            self.assertLess(abs(mine.mean - other.mean), 4 * math.hypot(mine.sdev, other.sdev))
            self.assertLess(abs(math.log(mine.sdev / other.sdev)), math.log(1.3))
        mine, other = (gvar.evalcorr([each["I"], *each["dI"]]) for each in results)
        np.testing.assert_allclose(mine, other, atol=0.1)


if __name__ == "__main__":
    unittest.main()
