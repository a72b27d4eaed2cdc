"""Paths of Gaussian processes, as domains of functions of arrays."""

import math
import unittest

import numpy as np

import kubature

EPSILON = np.finfo(float).eps
WAYS = ("steps", "bridge", "principal")


def uneven(n):
    return np.cumsum(np.random.default_rng(n).uniform(0.01, 2, n)) / n


def normal(z):
    """The probability below z."""
    return math.erfc(-z / math.sqrt(2)) / 2


class Paths(unittest.TestCase):
    def refused(self, beginning, call):
        with self.assertRaises(kubature.InvalidArgument) as caught:
            call()
        self.assertTrue(str(caught.exception).startswith(beginning), caught.exception)

    def test_have_the_covariance(self):
        covariances = {
            "Brownian motion": None,
            "Ornstein-Uhlenbeck": lambda s, t: math.exp(-abs(s - t)),
            "smooth": lambda s, t: math.exp(-2 * (s - t) ** 2),  # positive semidefinite to within rounding only
            "bridge": lambda s, t: min(s, t) - s * t / 3,
        }
        for n in (1, 2, 3, 16, 20, 60):
            dates = uneven(n)
            for name, covariance in covariances.items():
                wanted = np.array([[min(s, t) if covariance is None else covariance(s, t) for t in dates] for s in dates])
                for by in WAYS:
                    a = kubature.Path(dates, covariance, by).matrix
                    self.assertLess(abs(a @ a.T - wanted).max(), 16 * EPSILON * n * wanted.max(), (name, by))
                    given = kubature.Path(dates, wanted, by).matrix
                    np.testing.assert_array_equal(a, given)
                    if by == "steps":
                        np.testing.assert_array_equal(np.triu(a, 1), 0)

    def test_are_those_of_points(self):
        """The quantiles are those of tables, and the first variable decides the end of a bridge."""
        path = kubature.Path([0.25, 1])
        w = path([[0.5, 0.5], [0.975, 0.5], [0.5, 0.975]])
        z = 1.9599639845400545
        np.testing.assert_allclose(w, [[0, 0], [z / 4, z], [z * math.sqrt(3) / 4, 0]], rtol=0, atol=16 * EPSILON)
        self.assertTrue(np.isfinite(path([[0, 1]])).all())
        self.assertEqual((path.dimension, list(path.dates)), (2, [0.25, 1]))

    def test_have_expectations_in_closed_form(self):
        n, volatility, strike = 16, 0.2, 1.02
        dates = uneven(n)
        variance = np.minimum.outer(dates, dates).mean()
        deviation = volatility * math.sqrt(variance)
        d = (-math.log(strike) + deviation**2) / deviation
        price = math.exp(deviation**2 / 2) * normal(d) - strike * normal(d - deviation)

        def f(w):
            mean = np.exp(volatility * w.mean(axis=1))
            return {"exp": np.exp(w[:, -1]), "squares": (w**2).sum(axis=1), "call": np.maximum(mean - strike, 0)}

        for by in WAYS:
            for method, options, precise in (
                ("qmc", {"evaluations": 2**16}, 1e-2),
                ("vegas+", {"evaluations": 20_000, "iterations": 10}, 3e-2),
            ):
                found = kubature.integrate(f, kubature.Path(dates, by=by), method=method, **options)
                for name, truth in (("exp", math.exp(dates[-1] / 2)), ("squares", dates.sum()), ("call", price)):
                    self.assertLess(abs(found.value[name] - truth), 5 * found.error[name], (by, method, name))
                    self.assertLess(found.error[name], precise * truth, (by, method, name))

    def test_serve_as_box_and_domain_and_in_an_integrator(self):
        path = kubature.Path([1.0])
        square = lambda w: w[:, 0] ** 2
        for found in (
            kubature.integrate(square, path, relative=1e-5),
            kubature.integrate(square, domain=path, relative=1e-5),
            kubature.Integrator(path, "qmc")(square, relative=1e-4),
        ):
            self.assertTrue(found.converged)
            self.assertLess(abs(found.value - 1), 5 * found.error)

    def test_refuse(self):
        self.refused("dates[1] = 1.0: must be after", lambda: kubature.Path([1, 1]))
        self.refused("dates[0] = -1.0: must be finite and not", lambda: kubature.Path([-1, 1]))
        self.refused("dates[1] = nan: ", lambda: kubature.Path([1, math.nan]))
        self.refused("dates = []: ", lambda: kubature.Path([]))
        self.refused("dates = 'x': ", lambda: kubature.Path("x"))
        self.refused("by = 'pca': ", lambda: kubature.Path([1], by="pca"))
        self.refused("least eigenvalue of the covariance = -", lambda: kubature.Path([1, 2], [[1, 2], [2, 1]]))
        self.refused("covariance of dates 1 and 2 = 0.5: must be sym", lambda: kubature.Path([1, 2], [[1, 0.5], [0, 1]]))
        self.refused("covariance = an array of shape (1, 2): ", lambda: kubature.Path([1, 2], [[1, 2]]))
        self.refused("covariance = <function", lambda: kubature.Path([1, 2], lambda s, t: None))
        path = kubature.Path([1])
        self.refused("f = 'x': paths are for functions", lambda: kubature.integrate("x", path))
        self.refused("breaks = {'x': 0}: ", lambda: kubature.integrate(len, path, breaks={"x": 0}))


if __name__ == "__main__":
    unittest.main()
