"""Tables, expectation values, histograms, and many integrals at once."""

import math
import os
import pickle
import unittest

import numpy as np

import kubature
from kubature import Table

SQUARE = [(0, 1)] * 2


class Tables(unittest.TestCase):
    def test_are_those_of_formulas(self):
        """The library's interpolation, by integrals over boxes so small that they are its values."""
        random = np.random.default_rng(3)
        for d in (1, 2, 3):
            for sizes in ((2,) * d, (3,) * d, (7, 4, 5)[:d]):
                nodes = [np.cumsum(random.uniform(0.1, 1, n)) for n in sizes]
                values = random.normal(size=sizes)
                for cubic in (False, True):
                    table = Table(nodes if d > 1 else nodes[0], values, cubic=cubic)
                    call = f"t({','.join('xyz'[:d])})"
                    for _ in range(6):
                        at = [random.uniform(axis[0] - 0.2, axis[-1] + 0.2) for axis in nodes]
                        box = [(a, a + 1e-9) for a in at]
                        mean = kubature.integrate(call, box, method="mc", evaluations=1000, t=table)
                        volume = math.prod(b - a for a, b in box)
                        self.assertAlmostEqual(mean.value / volume, table(*at), delta=1e-6)
                        self.assertEqual(table(*at).shape, ())

    def test_are_exact_for_polynomials_at_their_nodes_and_beyond(self):
        x, y = np.array([0, 0.5, 2, 2.5]), np.array([-1.0, 0, 3])
        line = Table([x, y], 1 + 2 * x[:, None] * y)
        parabola = Table([x, y], x[:, None] ** 2 * y**2, cubic=True)
        at = np.random.default_rng(1).uniform([0, -1], [2.5, 3], size=(50, 2)).T
        np.testing.assert_allclose(line(*at), 1 + 2 * at[0] * at[1], atol=1e-13)
        np.testing.assert_allclose(parabola(*at), at[0] ** 2 * at[1] ** 2, atol=1e-12)
        self.assertEqual(line(9, 9), line(2.5, 3))
        self.assertTrue(np.isnan(line(np.nan, 1)))
        self.assertEqual(line(at[0].reshape(5, 10), 1.0).shape, (5, 10))

    def test_in_integrals(self):
        z = np.linspace(0, 2, 9)
        growth = Table(z, z**2, cubic=True)
        formula = kubature.integrate("growth(z)*exp(-k)*growth(z)", {"z": (0, 2), "k": (0, 1)}, relative=1e-6, growth=growth)
        function = kubature.integrate(
            lambda x: growth(x[:, 0]) ** 2 * np.exp(-x[:, 1]), [(0, 2), (0, 1)], relative=1e-6
        )
        truth = 32 / 5 * (1 - math.exp(-1))
        for result in (formula, function):
            self.assertLess(abs(result.value / truth - 1), 1e-5)
        again = pickle.loads(pickle.dumps(growth))
        self.assertEqual(again(0.7), growth(0.7))
        two = kubature.integrate("f(x)+g(x)*a", [(0, 2)], parameters={"f": growth, "g": Table([0, 2], [1, 1])}, relative=1e-6, a=3)
        self.assertLess(abs(two.value - (8 / 3 + 6)), 1e-4)
        file = growth._written()
        self.assertTrue(os.path.exists(file))
        del growth, formula, function, two
        self.assertFalse(os.path.exists(file))

    def test_refuse(self):
        for sentence, nodes, values in (
            ("nodes = .* ascend", [0, 2, 1], [1, 2, 3]),
            ("nodes = .* one to three axes", [0], [1]),
            ("nodes = .* one to three axes", [[0, 1]] * 4, np.zeros((2,) * 4)),
            ("nodes = .* one to three axes", "ab", [1, 2]),
            ("nodes = .* finite", [0, math.inf], [1, 2]),
            ("values = an array of shape .3,.: the grid has the shape .2,.", [0, 1], [1, 2, 3]),
            ("values = .* finite", [0, 1], [1, math.nan]),
            ("values = .* numbers", [0, 1], ["a", "b"]),
        ):
            with self.assertRaisesRegex(kubature.InvalidArgument, sentence):
                Table(nodes, values)
        table = Table([0, 1], [1, 2])
        with self.assertRaisesRegex(kubature.InvalidArgument, "2 arguments: the table has 1"):
            table(1, 2)
        with self.assertRaisesRegex(kubature.InvalidArgument, "'t': the formula does not call this table"):
            kubature.integrate("x", [(0, 1)], relative=1e-3, parameters={"t": table})


class Expectations(unittest.TestCase):
    def test_of_formulas_and_functions(self):
        box = [(-math.inf, math.inf), (0, math.inf)]
        p, x2, y = "let r = x^2/2 + y; exp(-r)", "x^2", "y"
        density = lambda x: np.exp(-x[:, 0] ** 2 / 2 - x[:, 1])  # noqa: E731
        observables = lambda x: x[:, 0] ** 2, lambda x: x[:, 1]  # noqa: E731
        for method, options in (("auto", dict(relative=1e-8)), ("vegas+", dict(evaluations=2e4, seed=1))):
            for integrand in (kubature.expect(p, x2, y), kubature.expect(density, *observables)):
                found = kubature.expectations(kubature.integrate(integrand, box, method=method, **options))
                for each in found:
                    self.assertLess(abs(each.value - 1), 5 * each.error + 1e-12)
            for integrand in (kubature.expect(p, x2=x2, y=y), kubature.expect(density, x2=observables[0], y=observables[1])):
                named = kubature.expectations(kubature.integrate(integrand, box, method=method, **options))
                self.assertEqual(list(named), ["x2", "y"])
                self.assertLess(abs(named["y"].value - 1), 5 * named["y"].error + 1e-12)

    def test_errors_profit_from_what_is_common(self):
        wild = kubature.expect("exp(40*x*y)", "1 + 1e-3*x")
        result = kubature.integrate(wild, SQUARE, method="mc", evaluations=1e4, seed=2)
        mean = kubature.expectations(result)[0]
        self.assertLess(mean.error, 0.01 * result.error[0] / result.value[0])
        by_cubature = kubature.integrate(wild, SQUARE, method="pagani", relative=1e-9)
        bound = kubature.expectations(by_cubature)[0]
        self.assertLess(abs(bound.value - mean.value), 5 * mean.error)
        largest = sum(abs(e / v) for e, v in zip(by_cubature.error, by_cubature.value)) * bound.value
        self.assertAlmostEqual(bound.error / largest, 1, delta=1e-9)

    def test_of_arrays(self):
        found = kubature.expect(lambda x: np.ones(len(x)), both=lambda x: x)
        means = kubature.expectations(kubature.integrate(found, SQUARE, relative=1e-9))
        self.assertEqual([round(each.value, 9) for each in means["both"]], [0.5, 0.5])

    def test_refuse(self):
        for call in (
            lambda: kubature.expect("x"),
            lambda: kubature.expect("x", "y", z="z"),
            lambda: kubature.expect("x", abs),
            lambda: kubature.expect("x", norm="y"),
            lambda: kubature.expectations(kubature.integrate("x", [(0, 1)], relative=1e-3)),
        ):
            self.assertRaises(kubature.InvalidArgument, call)


class Histograms(unittest.TestCase):
    def check(self, found, edges):
        """exp(-x-y) by x + y, whose density is s exp(-s) up to 1."""
        antiderivative = lambda s: -(1 + s) * np.exp(-s)  # noqa: E731
        truth = np.diff(antiderivative(np.array(edges)))
        self.assertLess(np.max(np.abs(found.value - truth) / found.error), 5)
        self.assertLess(abs(found.integral.value - (1 - math.exp(-1)) ** 2), 5 * found.integral.error)
        np.testing.assert_allclose(found.density, found.value / np.diff(edges))
        self.assertEqual(len(str(found).splitlines()), len(edges))

    def test_of_formulas_and_functions(self):
        f, of = (lambda x: np.exp(-x.sum(axis=1))), (lambda x: x.sum(axis=1))
        options = dict(evaluations=1e4, iterations=8, seed=1)
        for edges in ([0, 0.2, 0.5, 1], np.linspace(0, 1, 41)):
            self.check(kubature.histogram("exp(-x-y)", SQUARE, "x+y", edges, **options), edges)
            self.check(kubature.histogram("let r = x+y; exp(-r)", SQUARE, "r", edges, **options), edges)
            self.check(kubature.histogram(f, SQUARE, of, edges, **options), edges)
        formula, function = (
            kubature.histogram(*each, bins=5, range=(0, 2), **options) for each in (("exp(-x-y)", SQUARE, "x+y"), (f, SQUARE, of))
        )
        np.testing.assert_allclose(formula.value, function.value, rtol=1e-9)
        np.testing.assert_allclose(formula.value.sum(), formula.integral.value, rtol=1e-9)
        self.assertEqual(formula.covariance.shape, (5, 5))
        sharp = kubature.histogram("exp(-x-y)", SQUARE, "x", 4, (0, 1), method="qmc", relative=1e-4)
        self.assertTrue(sharp.result.converged)

    def test_edges_belong_to_the_bin_above(self):
        found = kubature.histogram(lambda x: np.ones(len(x)), [(0, 1)], lambda x: np.full(len(x), 0.5), [0, 0.5, 1], evaluations=100)
        np.testing.assert_allclose(found.value, [0, 1], rtol=1e-12)
        formula = kubature.histogram("1+0*x", [(0, 1)], "0.5", [0, 0.5, 1], evaluations=100)
        np.testing.assert_allclose(formula.value, [0, 1], rtol=1e-12)

    def test_refuse(self):
        for bins, range in ((3, None), (0, (0, 1)), (2.5, (0, 1)), (3, (1, 0)), ([1, 0], None), ([0], None), ("a", (0, 1))):
            with self.assertRaisesRegex(kubature.InvalidArgument, "bins = "):
                kubature.histogram("x", [(0, 1)], "x", bins, range)
        with self.assertRaisesRegex(kubature.InvalidArgument, "observable = "):
            kubature.histogram("x", [(0, 1)], len, 3, (0, 1))
        with self.assertRaisesRegex(ValueError, "f and observable returned arrays of shapes"):
            kubature.histogram(lambda x: x, SQUARE, lambda x: x[:, 0], 3, (0, 1))


class Many(unittest.TestCase):
    def test_of_arrays_of_parameters(self):
        a = np.linspace(0.5, 30, 500)
        for given in (dict(parameters={"a": a}), dict(a=a), dict(a=list(a))):
            found = kubature.integrate_many("exp(-a*x)", [(0, 1)], relative=1e-9, **given)
            self.assertTrue(found.converged.all())
            self.assertEqual(found.status[0], "converged")
            np.testing.assert_allclose(found.value, -np.expm1(-a) / a, rtol=1e-9)
        value, error = found
        self.assertIs(value, found.mean)
        self.assertEqual(len(found), 500)
        one = kubature.integrate("exp(-a*x)", [(0, 1)], a=a[7], method="pagani", relative=1e-9)
        self.assertAlmostEqual(one.value / found.value[7], 1, delta=1e-12)
        for options in (dict(), dict(method="pagani", relative=1e-6)):
            by_default = kubature.integrate_many("exp(-a*x)", [(0, 1)], a=a, **options)
            np.testing.assert_allclose(by_default.value, found.value, rtol=1e-6)

    def test_broadcast(self):
        a, upper = np.array([[1.0], [2.0]]), np.array([0.5, 1, 2])
        found = kubature.integrate_many("exp(-a*x)*b", {"x": (0, upper)}, a=a, b=3, relative=1e-9)
        np.testing.assert_allclose(found.value, -3 * np.expm1(-a * upper) / a, rtol=1e-9)
        self.assertEqual(found.error.shape, (2, 3))
        infinite = kubature.integrate_many("exp(-a*x*x)", [(-math.inf, math.inf)], a=[1, 4], relative=1e-9)
        np.testing.assert_allclose(infinite.value, np.sqrt(np.pi / np.array([1, 4])), rtol=1e-8)
        single = kubature.integrate_many("x*y", SQUARE, relative=1e-9)
        self.assertEqual(single.value.shape, ())
        self.assertAlmostEqual(float(single.value), 0.25)

    def test_by_sampling_and_names(self):
        a = np.array([1.0, 2, 3])
        found = kubature.integrate_many("exp(-a*p*q)", SQUARE, {"a": a}, variables=["p", "q"], method="vegas+", evaluations=2e4, seed=3)
        exact = kubature.integrate_many("exp(-a*x2*x1)", SQUARE, {"a": a}, relative=1e-9)
        self.assertLess(np.max(np.abs(found.value - exact.value) / found.error), 5)
        self.assertEqual(set(found.status), {"completed"})

    def test_callbacks_and_limits(self):
        told = []
        a = np.linspace(1, 2, 1000)
        kubature.integrate_many("exp(-a*x*y)", SQUARE, a=a, relative=1e-6, callback=told.append)
        self.assertEqual(told[-1].iteration, 1000)
        few = kubature.integrate_many("1/(1e-5+abs(x-y/a))", SQUARE, a=a, relative=1e-12, max_evaluations=1e4)
        self.assertTrue(np.isnan(few.value).any() or not few.converged.all())
        with self.assertRaises(ZeroDivisionError):
            kubature.integrate_many("x", [(0, 1)], relative=1e-3, callback=lambda progress: 1 / 0)

    def test_refuse(self):
        for sentence, call in (
            ("f = <function", lambda: kubature.integrate_many(lambda x: x, [(0, 1)], relative=1e-3)),
            ("at least one integral", lambda: kubature.integrate_many("a*x", [(0, 1)], a=[], relative=1e-3)),
            ("parameters = arrays of shapes", lambda: kubature.integrate_many("a*b*x", [(0, 1)], a=[1, 2], b=[1, 2, 3], relative=1e-3)),
            ("box = ", lambda: kubature.integrate_many("x", [(0, 1, 2)], relative=1e-3)),
            ("box = ", lambda: kubature.integrate_many("x", [], relative=1e-3)),
            ("variables = ", lambda: kubature.integrate_many("p", [(0, 1)], variables=["p", "q"], relative=1e-3)),
            ("numbers are needed", lambda: kubature.integrate_many("a*x", [(0, 1)], a="q", relative=1e-3)),
            ("Tolerance", lambda: kubature.integrate_many("x", [(0, 1)], method="pagani")),
            ("method = qmc", lambda: kubature.integrate_many("x", [(0, 1)], method="qmc", relative=1e-3)),
            ("option = b", lambda: kubature.integrate_many("x", [(0, 1)], b=3, relative=1e-3)),
            ("unknown name 'b'", lambda: kubature.integrate_many("b*x", [(0, 1)], relative=1e-3)),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(kubature.InvalidArgument, sentence):
                call()


if __name__ == "__main__":
    unittest.main()
