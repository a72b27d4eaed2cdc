"""Complex formulas, parameters and derivatives."""

import cmath
import math
import unittest

import kubature
import numpy as np


class Complex(unittest.TestCase):
    def test_has_complex_values_and_errors(self):
        truth = (cmath.exp(3j) - 1) / 3j
        for method in (None, "pagani", "qmc"):
            result = kubature.integrate("exp(i*k*x)", [(0, 1)], complex=True, parameters={"k": 3}, method=method, relative=1e-8)
            self.assertIsInstance(result.value, complex)
            self.assertIsInstance(result.error, complex)
            self.assertTrue(result.converged, result)
            self.assertLess(abs(result.value - truth), 1e-7)

    def test_is_as_a_function(self):
        formula = kubature.integrate("sqrt(x-0.3)*exp(i*y)", [(0, 1)] * 2, complex=True, seed=1, evaluations=10000)
        function = kubature.integrate(
            lambda x: np.sqrt(x[:, 0] - 0.3 + 0j) * np.exp(1j * x[:, 1]), [(0, 1)] * 2, seed=1, evaluations=10000
        )
        self.assertLess(abs(formula.value - function.value), 1e-12)

    def test_of_several(self):
        result = kubature.integrate("let p = exp(i*x); p; p^2; x", [(0, 1)], complex=True, relative=1e-9)
        truths = [(cmath.exp(1j) - 1) / 1j, (cmath.exp(2j) - 1) / 2j, 0.5]
        np.testing.assert_allclose(result.value, truths, rtol=1e-8)

    def test_on_domains(self):
        triangle = {"p": (0, 1), "q": (0, "p")}
        result = kubature.integrate("p + i*q", triangle, complex=True, relative=1e-9)
        self.assertLess(abs(result.value - complex(1 / 3, 1 / 6)), 1e-8)


class Derivatives(unittest.TestCase):
    def test_have_names(self):
        result = kubature.integrate("b*exp(-a*x)", [(0, math.inf)], parameters={"a": 2, "b": 3}, derivatives=True, relative=1e-9)
        self.assertEqual(list(result.value), ["integral", "d/da", "d/db"])
        for value, truth in zip(result.value.values(), (1.5, -0.75, 0.5)):
            self.assertLess(abs(value - truth), 1e-8)

    def test_are_correlated_with_the_integral(self):
        box = [(0, 1)] * 2
        result = kubature.integrate("exp(-a*x*y)", box, parameters={"a": 2}, derivatives=True, method="mc", evaluations=20000)
        ratio = result.ratio("d/da", "integral")
        self.assertLess(abs(ratio.value + 0.1722904), 5 * ratio.error)

    def test_of_several(self):
        result = kubature.integrate("a*x; a^2*x", [(0, 1)], parameters={"a": 3}, derivatives=True, relative=1e-9)
        np.testing.assert_allclose(result.value, [[1.5, 0.5], [4.5, 3]], rtol=1e-9)

    def test_parameters_alone(self):
        result = kubature.integrate("a*x", [(0, 1)], parameters={"a": np.float64(3)}, relative=1e-9)
        self.assertAlmostEqual(result.value, 1.5)


class BadInput(unittest.TestCase):
    def test_is_named(self):
        for options, words in (
            ({"derivatives": True}, "derivatives = True: name the parameters"),
            ({"derivatives": True, "complex": True, "parameters": {"a": 1}}, "derivatives = True"),
            ({"parameters": {"a": "q"}}, "the value of a parameter is a number"),
            ({"parameters": {"a,b": 1}}, "parameters = 'a,b'"),
            ({"parameters": ["a"]}, "a dictionary of names"),
            ({"parameters": {"a": math.inf}}, "parameter a = inf"),
            ({"parameters": {"b": 1}}, "unknown name 'a'"),
        ):
            with self.assertRaisesRegex(kubature.InvalidArgument, words):
                kubature.integrate("a*x", [(0, 1)], relative=1e-3, **options)
        with self.assertRaisesRegex(kubature.InvalidArgument, "are for formulas"):
            kubature.integrate(lambda x: x[:, 0], [(0, 1)], relative=1e-3, complex=True)


if __name__ == "__main__":
    unittest.main()
