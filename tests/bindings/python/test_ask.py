"""Integrals as one asks for them: functions of points, arguments, parameters, boxes with more sides than are used."""

import cmath
import math
import sys
import unittest

import numpy as np

import kubature
from kubature import _kubature

HOST = _kubature.device() == 1
SQUARE = [(0, 1)] * 2
#: The integral of exp(-x y) over the square.
TRUTH = 0.796599599297053
OPTIONS = dict(relative=1e-6, max_evaluations=2e5)


def slow(result):
    return [remark for remark in result.remarks if "point by point" in remark]


class Points(unittest.TestCase):
    def check(self, f, truth, box=SQUARE, remarks=None, **options):
        result = kubature.integrate(f, box, **OPTIONS, **options)
        np.testing.assert_allclose(result.value, truth, rtol=1e-5)
        if remarks is not None:
            self.assertEqual(len(slow(result)), remarks)
            self.assertEqual(repr(result).count("point by point"), remarks)
        return result

    def test_with_as_many_parameters_as_variables(self):
        self.check(lambda x, y: np.exp(-x * y), TRUTH, remarks=0)
        self.check(lambda x, y: math.exp(-x * y), TRUTH, remarks=1)
        self.check(lambda x, y, z: x * y * z, 1 / 8, [(0, 1)] * 3, remarks=0)
        self.check(lambda x, y: 3, 3)
        self.check(math.hypot, 0.765195716464212691, remarks=1)
        self.check(np.hypot, 0.765195716464212691, remarks=0)
        self.check(lambda x, y=2: x[:, 0] ** y, 1 / 3, remarks=0)  # has always been a function of arrays
        self.check(lambda x, y=2: math.sqrt(x[0]) ** y, 1 / 2, remarks=1)

    def test_that_compute_with_math_or_indices(self):
        for d in (1, 2, 3, 4, 5):
            self.check(lambda x: math.exp(-x[0]), 1 - math.exp(-1), [(0, 1)] * d, remarks=1)
        for d in (2, 3, 4, 5):
            self.check(lambda x: x[0] * x[1], 1 / 4, [(0, 1)] * d, remarks=0)
            self.check(lambda x: [x[0], x[1], x[0] * x[1]], [1 / 2, 1 / 2, 1 / 4], [(0, 1)] * d)
        self.check(lambda x: math.exp(-x), 1 - math.exp(-1), [(0, 1)], remarks=1)
        self.check(lambda x: x if x < 0.5 else 1 - x, 1 / 4, [(0, 1)], remarks=1)
        self.check(lambda x: np.exp(-x), 1 - math.exp(-1), [(0, 1)], remarks=0)
        self.check(lambda x: np.sum(x**2), 2 / 3, remarks=1)
        self.check(lambda x: 1.0, 1, remarks=1)

    def test_values_of_any_kind(self):
        wave = (cmath.exp(1j) - 1) / 1j
        self.check(lambda x, y: cmath.exp(1j * x), wave, remarks=1)
        self.check(lambda x, y: np.exp(1j * x), wave, remarks=0)
        self.check(lambda x, y: (x, y * y), [1 / 2, 1 / 3])
        both = kubature.integrate(lambda x, y: {"a": x, "b": math.sin(y)}, SQUARE, **OPTIONS)
        self.assertAlmostEqual(both.value["b"], 1 - math.cos(1), 6)

    def test_numpy_vectorize(self):
        self.check(np.vectorize(lambda x, y: math.exp(-x * y)), TRUTH)
        self.check(np.vectorize(lambda x: math.exp(-x)), 1 - math.exp(-1), [(0, 1)])
        self.check(np.vectorize(lambda x: math.exp(-x[0] * x[1]), signature="(n)->()"), TRUTH)

    def test_by_name(self):
        seen = []

        def f(x, y):
            seen.append((x, y))
            return x * y

        result = self.check(kubature.pointwise(f), 1 / 4, remarks=0)
        self.assertGreaterEqual(len(seen), result.evaluations)
        self.assertTrue(all(type(x) is float and type(y) is float for x, y in seen))
        self.check(kubature.pointwise(lambda x: x[0] * x[1]), 1 / 4)
        self.check(kubature.pointwise(lambda x: x**2), 1 / 3, [(0, 1)])
        self.check(kubature.pointwise(lambda x, a: a * x[0]), 3 / 2, args=(3,))
        with self.assertRaisesRegex(TypeError, "f = 3: a function is needed"):
            kubature.pointwise(3)

    def test_names_in_another_order_are_refused(self):
        box = {"x": (0, 1), "y": (0, 2)}
        self.check(lambda x, y: math.exp(0 * x) * y, 2, box)
        self.check(lambda p, q: p, 1, box)
        with self.assertRaisesRegex(kubature.InvalidArgument, "f = a function of y, x: the box has the variables x, y"):
            kubature.integrate(lambda y, x: y, box, **OPTIONS)

    def test_over_domains(self):
        self.check(lambda x, y: math.exp(x) * y, 0.5 * (math.e - 2), [(0, 1), (0, lambda x: x)])
        self.check(lambda x, y, z: math.cos(0 * x), 4 * math.pi / 3, kubature.Ball([0, 0, 0], 1))
        drawn = kubature.integrate(lambda w: max(0.0, w[1]), kubature.Path([0.5, 1]), relative=1e-3)
        self.assertLess(abs(drawn.value - 1 / math.sqrt(2 * math.pi)), 5 * drawn.error)

    def test_exceptions_of_points_are_raised(self):
        def f(x, y):
            if x > 0.9:
                raise KeyError("beyond 0.9")
            return math.exp(x)

        with self.assertRaisesRegex(KeyError, "beyond 0.9"):
            kubature.integrate(f, SQUARE, **OPTIONS)


class Trial(unittest.TestCase):
    def told(self, error, f, box=SQUARE):
        with self.assertRaises(error) as caught:
            kubature.integrate(f, box, **OPTIONS)
        raised = caught.exception
        return str(raised) + "\n".join(getattr(raised, "__notes__", []))

    def test_says_what_f_gets(self):
        for error, f in (
            (TypeError, lambda x, y, z: x),
            (TypeError, lambda x: None),
            (AttributeError, lambda x: x.foo),
            (ZeroDivisionError, lambda x: 1 / 0),
            (ValueError, lambda x: x[:, :0]),
        ):
            told = self.told(error, f)
            self.assertIn("f gets an array of points, (n, d) = (3, 2) here", told)
            if sys.version_info >= (3, 11):
                self.assertNotIn("f gets an array", told.splitlines()[0][:20])
        self.assertIn("(n, d) = (2, 3)", self.told(AttributeError, lambda x: x.foo, [(0, 1)] * 3))

    def test_refuses_masked_arrays(self):
        for f in (lambda x: np.ma.masked_less(x[:, 0], 0.5), lambda x, y: np.ma.masked_less(x, 0.5)):
            self.assertIn("f returned a masked array: fill in", self.told(TypeError, f))
        self.assertIn("masked", self.told(TypeError, lambda x: np.ma.masked_less(x, 0.5), [(0, 1)]))
        self.assertIn("f['a'] returned a masked", self.told(TypeError, lambda x: {"a": np.ma.masked_less(x[:, 0], 0.5)}))
        filled = kubature.integrate(lambda x: np.ma.masked_less(x, 0.5).filled(0), [(0, 1)], **OPTIONS)
        self.assertAlmostEqual(filled.value, 3 / 8, 5)


class Arguments(unittest.TestCase):
    def test_of_functions(self):
        truth = (1 - math.exp(-3)) / 3
        for f, box, given in (
            (lambda x, a: np.exp(-a * x[:, 0]), SQUARE, dict(args=(3,))),
            (lambda x, a: np.exp(-a * x[:, 0]), SQUARE, dict(args=3)),
            (lambda x, a: np.exp(-a * x[:, 0]), SQUARE, dict(parameters={"a": 3})),
            (lambda x, y, a: math.exp(-a * x), SQUARE, dict(args=(3,))),
            (lambda x, y, a: math.exp(-a * x), SQUARE, dict(parameters={"a": 3})),
            (lambda x, a: math.exp(-a * x), [(0, 1)], dict(args=(3,))),
            (lambda x, a, b: math.exp(-a * b * x[0]), SQUARE, dict(args=(2,), parameters={"b": 1.5})),
        ):
            self.assertAlmostEqual(kubature.integrate(f, box, **given, **OPTIONS).value, truth, 6)
            kept = kubature.Integrator(box, "pagani", relative=1e-6)
            self.assertAlmostEqual(kept(f, **given).value, truth, 6)
        with self.assertRaisesRegex(kubature.InvalidArgument, "args = .3,.: .*formulas have parameters"):
            kubature.integrate("x", [(0, 1)], args=(3,), **OPTIONS)

    def test_of_formulas_by_name(self):
        truth = (1 - math.exp(-3)) / 3
        for given in (dict(a=3), dict(a=np.float64(3)), dict(parameters={"a": 3}), dict(seed=1, a=3)):
            self.assertAlmostEqual(kubature.integrate("exp(-a*x)", [(0, 1)], **given, **OPTIONS).value, truth, 6)
        both = kubature.integrate("exp(-rate*x)*b2", [(0, 1)], rate=3, parameters={"b2": 2}, **OPTIONS)
        self.assertAlmostEqual(both.value, 2 * truth, 6)
        kept = kubature.Integrator([(0, 1)], "pagani", relative=1e-9)
        self.assertAlmostEqual(kept("exp(-a*x)", a=3).value, truth, 9)
        self.assertEqual(kept("exp(-a*x)", a=2, derivatives=True).layout.keys, ("integral", "d/da"))
        for f, name in (("exp(-x)", "b"), ("exp(-ab*x)", "a"), (lambda x: x[:, 0], "a")):
            with self.assertRaisesRegex(kubature.InvalidArgument, f"option = {name}"):
                kubature.integrate(f, [(0, 1)], **{name: 3}, **OPTIONS)
        with self.assertRaisesRegex(kubature.InvalidArgument, "option = evalutions"):
            kubature.integrate("x", [(0, 1)], evalutions=10, **OPTIONS)
        with self.assertRaisesRegex(kubature.InvalidArgument, "a number; integrate_many"):
            kubature.integrate("exp(-a*x)", [(0, 1)], a=[1, 2], **OPTIONS)


class Boxes(unittest.TestCase):
    def test_with_more_sides_than_a_formula_uses(self):
        for formula, truth in (("x", 1 / 2), ("x1", 1 / 2), ("2", 2), ("pi", math.pi), ("x;2", [1 / 2, 2]), ("3;2", [3, 2])):
            for d in (1, 2, 3, 8, 9, 12):
                result = kubature.integrate(formula, [(0, 1)] * d, relative=1e-6)
                np.testing.assert_allclose(result.value, truth, rtol=1e-6)
        cases = (
            dict(f="y^2", box=[(0, 1)] * 3, truth=1 / 3),
            dict(f="x^2", box=SQUARE, breaks={"x": 0.3}, truth=1 / 3),
            dict(f="q", box={"p": (0, 1), "q": (0, 2)}, truth=2),
            dict(f="2", box={"p": (0, 1), "q": (0, "p")}, truth=1),
            dict(f="2", domain="ball 0,0,0 1", truth=8 * math.pi / 3),
            dict(f="x^2", domain="ball 0,0,0 1", truth=4 * math.pi / 15),
            dict(f="exp(-a*x)", box=SQUARE, a=3, truth=(1 - math.exp(-3)) / 3),
            dict(f="exp(i*x)", box=SQUARE, complex=True, truth=(cmath.exp(1j) - 1) / 1j),
        )
        for case in cases:
            truth = case.pop("truth")
            np.testing.assert_allclose(kubature.integrate(relative=1e-8, **case).value, truth, rtol=1e-6, err_msg=str(case))
        many = kubature.integrate("x3", [(0, 1)] * (30 if HOST else 20), method="mc", evaluations=1e4)
        self.assertLess(abs(many.value - 0.5), 5 * many.error)

    def test_with_fewer_are_refused(self):
        with self.assertRaisesRegex(kubature.InvalidArgument, "dimension of the box = 2: the integrand has 3 variables"):
            kubature.integrate("z", SQUARE, **OPTIONS)
        with self.assertRaisesRegex(kubature.InvalidArgument, "no variable"):
            kubature.integrate("1", domain="simplex", **OPTIONS)


if __name__ == "__main__":
    unittest.main()
