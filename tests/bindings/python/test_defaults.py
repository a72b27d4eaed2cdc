"""Which method a call takes, and where it ends, if little is said."""

import unittest

import numpy as np

import kubature
from kubature import _integrator
from kubature._domain import Region
from kubature._integrand import Prepared

SQUARE = [(0, 1), (0, 2)]
TRUTH = 0.6457524772703195


def peak(x):
    return np.exp(-x[:, 0] ** 2 - x[:, 1])


class Defaults(unittest.TestCase):
    def test_auto_by_default(self):
        narrow = "exp(-1e4*((x-.3)^2+(y-1.6)^2))"
        with_auto = [
            kubature.integrate("exp(-x*x-y)", SQUARE, relative=1e-6),
            kubature.integrate(peak, SQUARE, absolute=1e-6, seed=3, seconds=60),
            kubature.integrate("exp(-x*x-y)", iter(SQUARE), relative="1e-6", precision="fp64"),
        ]
        for result in with_auto:
            self.assertTrue(result.converged and any(remark.startswith("auto: ") for remark in result.remarks))
        by_name = kubature.integrate(narrow, SQUARE, method="auto", relative=1e-4)
        self.assertEqual(kubature.integrate(narrow, SQUARE, relative=1e-4).value, by_name.value)
        begin = kubature.Integrator(SQUARE, evaluations=1e4)
        begin(peak, iterations=3)
        for options in (dict(evaluations=1e4), dict(iterations=4), dict(alpha=0.5), dict(map=begin.map())):
            self.assertEqual(kubature.integrate(peak, SQUARE, relative=0.1, **options).method, "vegas+", options)
        self.assertNotEqual(kubature.integrate("x;y", SQUARE, relative=1e-2).method, "vegas+")
        for options in (dict(), dict(seconds=5), dict(max_evaluations=1e5), dict(seed=1), dict(precision="adaptive")):
            result = kubature.integrate("exp(-x*x-y)", SQUARE, **options)
            self.assertNotEqual(result.method, "vegas+", options)
            self.assertEqual((result.status, result.relative), ("converged", 1e-6))
            self.assertLess(abs(result.value / TRUTH - 1), 1e-6)
        less = dict(evaluations=1e3, iterations=2)
        for options in (dict(relative=0, **less), dict(precision="fp32", **less), dict(absolute=0, **less)):
            result = kubature.integrate("exp(-x*x-y)", SQUARE, **options)
            self.assertEqual((result.method, result.status), ("vegas+", "completed"), options)
        chosen = _integrator._default_method
        region, f = Region(SQUARE, None, None), Prepared("x*y", Region(SQUARE, None, None))
        for precision, options, method in (
            (None, {}, "auto"), (None, {"relative": 0}, "vegas+"), (None, {"relative": 0, "absolute": 1e-3}, "auto"),
            ("fp32", {}, "vegas+"), ("fp16", {}, "vegas+"), ("fp32", {"relative": 1e-3}, "auto"),
            (None, {"bins": 100}, "vegas+"), (None, {"evaluations": 100}, "vegas+"),
        ):
            self.assertEqual(chosen(f, region, precision, options), method, (precision, options))

    def test_max_evaluations_limit_every_method(self):
        hard = "1/(1e-7 + abs(x - y)) + if(x + y > 1.234, 1, 0)"
        for method in ("auto", "pagani", "two-phase", "vegas+", "mcubes", "mcubes-1d", "mc", "qmc", "mixed"):
            for limit in (3e3, 1e5, 1e6):
                result = kubature.integrate(hard, [(0, 1)] * 2, method=method, relative=1e-12, max_evaluations=limit)
                self.assertLessEqual(result.evaluations, limit, (method, limit))
                self.assertFalse(result.converged)
        result = kubature.integrate(hard, [(0, 1)] * 2, relative=1e-12, max_evaluations=1e6)
        self.assertTrue(any(remark.startswith("auto: ") for remark in result.remarks), result.remarks)
        self.assertLessEqual(result.evaluations, 1e6)
        for method in ("auto", "pagani", "two-phase"):  # the same by its other name
            same = [
                kubature.integrate(hard, [(0, 1)] * 2, method=method, relative=1e-12, **{name: 1e5})
                for name in ("evaluations", "max_evaluations")
            ]
            self.assertEqual(same[0].evaluations, same[1].evaluations)
            self.assertLessEqual(same[0].evaluations, 1e5)
        kept = kubature.Integrator([(0, 1)] * 2, method="vegas+", evaluations=1000, iterations=20)
        self.assertEqual(kept("x*y", max_evaluations=5500).status, "evaluation_limit")
        self.assertGreater(max(map(len, kept.map())), 2)  # it goes on with what it has learned
        self.assertTrue(kept("x*y", max_evaluations=1e6).iterations[0].included)
        self.assertEqual(kept.get("max_evaluations"), "1000000")


if __name__ == "__main__":
    unittest.main()
