"""Domains in Python: sides with names and formulas, shapes, break points."""

import math
import unittest

import numpy as np

import kubature


class Domains(unittest.TestCase):
    def near(self, result, truth, digits=1e-8):
        self.assertIn(result.status, ("converged", "precision_limit"))
        self.assertLess(abs(result.value - truth), digits * abs(truth))

    def test_of_formulas(self):
        for f, box, truth in [
            ("x*y", {"x": (0, 1), "y": (0, "x")}, 1 / 8),
            ("x", {"x": (0, 1), "y": (0, "x")}, 1 / 3),
            ("1", {"x": (0, 1), "y": (0, "1-x"), "z": (0, "1-x-y")}, 1 / 6),
            ("exp(-x-y)", {"x": (0, math.inf), "y": ("x", math.inf)}, 1 / 2),
            ("a*b", {"b": (0, 2), "a": (0, 1)}, 1),
        ]:
            self.near(kubature.integrate(f, box, relative=1e-9), truth)
        for f, domain, truth in [
            ("1", "ball 0,0,0 1", 4 * math.pi / 3),
            ("x+y+z", "simplex", 1 / 8),
            ("x*y", "ordered 0:1", 1 / 8),
            ("a", "simplex 0,0; 2,0; 0,1", 2 / 3),
        ]:
            names = ("a", "b") if f == "a" else None
            self.near(kubature.integrate(f, domain=domain, relative=1e-9, variables=names), truth)

    def test_of_scipy_are_integrals_here(self):
        """The examples of dblquad, tplquad and nquad in scipy's documentation."""
        self.near(kubature.integrate("x*y^2", {"x": (0, 2), "y": (0, 1)}, relative=1e-9), 2 / 3)
        self.near(kubature.integrate("1", {"x": (0, "pi/4"), "y": ("sin(x)", "cos(x)")}, relative=1e-9), math.sqrt(2) - 1)
        self.near(kubature.integrate("a*x*y", {"x": (0, 1), "y": ("x", "2-x"), "a": (1, 3)}, relative=1e-9), 4 / 3)
        self.near(kubature.integrate("x*y*z", {"x": (1, 2), "y": (2, 3), "z": (0, 1)}, relative=1e-9), 1.875)
        box = {"x": (0, 1), "y": (0, "1-2*x"), "z": (0, "1-x-2*y")}  # tplquad's; signed from x = 1/2 on
        exact = sum(c / (k + 1) for k, c in enumerate(self.inner()))
        self.near(kubature.integrate("x*y*z", box, relative=1e-9), exact)
        self.near(kubature.integrate("x*y", {"y": (0, 0.5), "x": (0, "1-2*y")}, relative=1e-9), 1 / 96)

    @staticmethod
    def inner():
        """x times the integral of y (1-x-2y)^2 / 2 over 0 < y < 1-2x, as coefficients of a polynomial."""
        p = np.polynomial.Polynomial
        a, b = p([1, -1]), p([1, -2])
        return (p([0, 1]) * (a**2 * b**2 / 2 - 4 * a * b**3 / 3 + b**4) / 2).coef

    def test_functions_get_points_of_the_domain(self):
        def f(x):
            self.assertEqual(x.shape[1], 2)
            self.assertTrue((x[:, 1] <= x[:, 0]).all() and (x >= 0).all())
            return x[:, 0] * x[:, 1]

        triangle = {"x": (0, 1), "y": (0, "x")}
        self.near(kubature.integrate(f, triangle, relative=1e-9), 1 / 8)
        self.near(kubature.integrate(lambda x: x[:, 2] ** 2, domain="ball 0,0,0 1", relative=1e-8), 4 * math.pi / 15)
        self.near(kubature.integrate(lambda x: x[:, 2] ** 2, domain="sphere 0,0,0 1", relative=1e-8), 4 * math.pi / 3)
        both = kubature.integrate(lambda x: {"1": x[:, 0] ** 0, "x": x**2}, domain="ball 0,0 1", evaluations=1e5)
        self.assertLess(abs(both.ratio(("x", 0), "1").value - 0.25), 1e-2)
        vegas = kubature.Integrator(domain="simplex 3", relative=1e-3)
        self.near(vegas(lambda x: x[:, 0]), 1 / 24, 5e-3)
        self.near(vegas("x1+x2"), 1 / 12, 5e-3)

    def test_functions_and_formulas_agree_to_the_bit(self):
        box = {"x": (0, 1), "y": (0, "x")}
        one = kubature.integrate("x*y", box, method="vegas+", evaluations=1e4, iterations=3)
        other = kubature.integrate(lambda x: x[:, 0] * x[:, 1], box, method="vegas+", evaluations=1e4, iterations=3)
        self.assertLess(abs(one.value - other.value), 1e-14)
        named = kubature.integrate("exp(a*b)", {"a": (0, 1), "b": (0, 2)}, method="vegas+", evaluations=1e4)
        plain = kubature.integrate("exp(a*b)", [(0, 1), (0, 2)], variables="ab", method="vegas+", evaluations=1e4)
        self.assertEqual((named.value, named.error), (plain.value, plain.error))

    def test_breaks(self):
        self.near(kubature.integrate("abs(x-0.3)", {"x": (0, 1)}, breaks={"x": [0.3]}, relative=1e-9), 0.29)
        self.near(kubature.integrate("abs(x-0.3)*y", [(0, 1)] * 2, breaks={"x": 0.3}, relative=1e-9), 0.145)
        f = lambda x: abs(x[:, 0] - 0.3)  # noqa: E731
        result = kubature.integrate(f, [(0, 1)], breaks={"x1": 0.3}, relative=1e-9)
        self.near(result, 0.29)
        self.assertEqual(result.evaluations % 2, 0)

    def test_bad_input(self):
        for words, box, others in [
            ("unknown name 'q'", {"x": (0, 1), "y": (0, "q")}, {}),
            ("declared after x", {"x": (0, "y"), "y": (0, 1)}, {}),
            ("at least one side", {}, {}),
            ("a pair", {"x": 1}, {}),
            ("must be a number|a pair", {"x": (None, 1)}, {}),
            ("the box names", {"x": (0, 1)}, {"variables": ["y"]}),
            ("a dictionary", {"x": (0, 1)}, {"breaks": [0.5]}),
            ("no piece is empty", {"x": (0, 1)}, {"breaks": {"x": 2}}),
            ("must be a number", {"x": (0, 1)}, {"breaks": {"x": [None]}}),
            ("a box or a domain", None, {}),
            ("a box or a domain", [(0, 1)], {"domain": "ball 0 1"}),
            ("a text", None, {"domain": 1}),
            ("above 0", None, {"domain": "ball 0 0"}),
            ("sides of a box", None, {"domain": "ball 0 1", "breaks": {"x": 0}}),
        ]:
            with self.subTest(box=box, others=others), self.assertRaisesRegex(kubature.InvalidArgument, words):
                kubature.integrate("x", box, relative=1e-3, **others)
        with self.assertRaisesRegex(kubature.InvalidArgument, "number of variables"):
            kubature.integrate(lambda x: x[:, 0], domain="simplex", relative=1e-3)


if __name__ == "__main__":
    unittest.main()
