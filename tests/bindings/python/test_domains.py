"""Domains in Python: sides with names, formulas and functions, shapes, break points."""

import math
import pickle
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
        between = {"x": (0, "pi/4"), "y": ("sin(x)", "cos(x)")}
        self.near(kubature.integrate("1", between, relative=1e-9), math.sqrt(2) - 1)
        self.near(kubature.integrate("a*x*y", {"x": (0, 1), "y": ("x", "2-x"), "a": (1, 3)}, relative=1e-9), 4 / 3)
        self.near(kubature.integrate("x*y*z", {"x": (1, 2), "y": (2, 3), "z": (0, 1)}, relative=1e-9), 1.875)
        box = {"x": (0, 1), "y": (0, "1-2*x"), "z": (0, "1-x-2*y")}  # tplquad's; signed from x = 1/2 on
        self.near(kubature.integrate("x*y*z", box, relative=1e-9), 0.05416666666666668)
        self.near(kubature.integrate("x*y", {"y": (0, 0.5), "x": (0, "1-2*y")}, relative=1e-9), 1 / 96)
        tail = {"x": (0, math.inf), "t": (1, math.inf)}
        self.near(kubature.integrate("exp(-x*t)/t^5", tail, relative=1e-8), 0.2)

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

    def test_formulas_agree_with_functions_and_with_boxes(self):
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


class Functions(unittest.TestCase):
    """Bounds that are functions."""

    near = Domains.near

    def test_are_those_of_formulas(self):
        product = lambda x: x[:, 0] * x[:, 1]  # noqa: E731
        for box, truth in [
            ({"x": (0, 1), "y": (0, lambda x: x)}, 1 / 8),
            ([(0, 1), (0, lambda x: x)], 1 / 8),
            ([(0, 1), (lambda x: x, 0)], -1 / 8),
            ([(lambda: 0, lambda: 1), (0, lambda x: 1)], 1 / 4),
            ([(0, 1), (0, lambda x: math.sqrt(x))], 1 / 6),
            ([(0, 1), (0, lambda x: x if x < 0.5 else x / 2)], 1 / 8 / 16 + (1 - 1 / 16) / 32),
        ]:
            self.near(kubature.integrate(product, box, relative=1e-9), truth)
        volume = kubature.integrate(
            lambda x: x[:, 2] ** 0, [(0, 1), (0, lambda x: 1 - x), (0, lambda x, y: 1 - x - y)], relative=1e-9
        )
        self.near(volume, 1 / 6)
        signed = kubature.integrate(lambda x: x[:, 0] ** 0, [(0, 1), (0, lambda x: x - 0.5)], absolute=1e-9)
        self.assertLess(abs(signed.value), 1e-9)

    def test_may_be_infinite(self):
        f = lambda x: np.exp(-x[:, 0] - x[:, 1])  # noqa: E731
        for box, truth in [
            ([(0, math.inf), (lambda x: x, math.inf)], 1 / 2),
            ([(0, math.inf), (lambda x: x, lambda x: math.inf)], 1 / 2),
            ([(0, math.inf), (math.inf, lambda x: x)], -1 / 2),
            ([(0, 1), (0, lambda x: np.where(x > 0.5, np.inf, 0.0))], math.exp(-0.5) - math.exp(-1)),
        ]:
            self.near(kubature.integrate(f, box, relative=1e-8), truth, 3e-8)
        left = [(-math.inf, 0), (-math.inf, lambda x: x)]
        self.near(kubature.integrate(lambda x: np.exp(x[:, 0] + x[:, 1]), left, relative=1e-9), 1 / 2)
        line = [(0, 1), (lambda x: -math.inf, lambda x: math.inf)]
        self.near(kubature.integrate(lambda x: np.exp(-x[:, 1] ** 2), line, relative=1e-9), math.sqrt(math.pi))

    def test_serve_all_methods_components_and_breaks(self):
        triangle = [(0, 1), (0, lambda x: x)]
        for method in ("vegas+", "mcubes", "mc", "qmc", "pagani", "auto"):
            found = kubature.integrate(lambda x: x[:, 0] * x[:, 1], triangle, method=method, relative=1e-3)
            self.near(found, 1 / 8, 5e-3)
        both = kubature.integrate(lambda x: {"1": x[:, 0] ** 0, "x": x}, triangle, evaluations=1e5, seed=1)
        self.assertLess(abs(both.ratio(("x", 1), "1").value - 1 / 3), 1e-2)
        vegas = kubature.Integrator(triangle, evaluations=1e4, relative=1e-3, seed=1)
        for _ in range(2):
            self.near(vegas(lambda x: x[:, 0]), 1 / 3, 5e-3)
        f = lambda x: abs(x[:, 1] - 0.3)  # noqa: E731
        formula = kubature.integrate("abs(y-0.3)", {"x": (0, 1), "y": (0, "x")}, breaks={"y": 0.3}, relative=1e-9)
        for box, breaks in (({"x": (0, 1), "y": triangle[1]}, {"y": 0.3}), (triangle, {"x2": [0.3, 0.9], "x1": [0.3]})):
            self.near(kubature.integrate(f, box, breaks=breaks, relative=1e-9), formula.value)

    def test_are_called_with_arrays_that_they_may_change(self):
        seen = set()

        def upper(x):
            seen.add(np.shape(x))
            x *= 2
            return x / 2

        self.near(kubature.integrate(lambda x: x[:, 0] * x[:, 1], [(0, 1), (0, upper)], relative=1e-9), 1 / 8)
        self.assertGreater(max(shape[0] for shape in seen if shape), 3)

    def test_raise_what_the_integrand_raises(self):
        def f(x):
            if x[:, 0].max() > 0.99:
                raise KeyError("far")
            return x[:, 0]

        with self.assertRaisesRegex(KeyError, "far"):
            kubature.integrate(f, [(0, 1), (0, lambda x: x)], relative=1e-9)

    def test_bad_input(self):
        product = lambda x: x[:, 0] * x[:, 1]  # noqa: E731
        for words, second in [
            ("box.1.: the upper bound returned array.*real number", (0, lambda x: np.array([1, 2]))),
            ("box.1.: the lower bound returned None", (lambda x: None, 1)),
            ("box.1.: the upper bound returned 'a'", (0, lambda x: "a")),
            ("box.1.: the upper bound returned .*j", (0, lambda x: x + 0j)),
            ("box.1.: the bounds are 0.0 and nan where the variables before are 0.", (0, lambda x: x * math.nan)),
            ("box.1.: the bounds are 0.0 and nan where", (0, lambda x: np.where(x > 0.9, np.nan, x))),
            ("box.1.: the upper bound raised ZeroDivisionError: ", (0, lambda x: 1 / 0)),
            ("box.1.: the lower bound raised ValueError: ", (lambda x: math.sqrt(x - 0.5), 1)),
            ("box.1.: the upper bound raised TypeError: ", (0, lambda x, y: x)),
        ]:
            with self.subTest(words), self.assertRaisesRegex(kubature.InvalidArgument, words):
                kubature.integrate(product, [(0, 1), second], relative=1e-3)
        for words, f, box, others in [
            ("formulas", "x*y", [(0, 1), (0, lambda x: x)], {}),
            ("arrays", kubature.CFunction(lambda *all: 0), [(0, 1), (0, lambda x: x)], {}),
            ("not some of each", product, {"x": (0, 1), "y": ("x", lambda x: 1)}, {}),
            ("'z' is not a variable; there are x, y", product, {"x": (0, 1), "y": (0, lambda x: x)}, {"breaks": {"z": 1}}),
            ("below the upper", product, [(1, 0), (0, lambda x: x)], {}),
        ]:
            with self.subTest(words), self.assertRaisesRegex(kubature.InvalidArgument, words):
                kubature.integrate(f, box, relative=1e-3, **others)


class Shapes(unittest.TestCase):
    near = Domains.near

    def test_have_the_text_that_domain_takes(self):
        k, inf = kubature, math.inf
        for shape, text, dimension, volume in [
            (k.Ball([0, 0, 0], 1), "ball 0.0,0.0,0.0 1.0", 3, 4 * math.pi / 3),
            (k.Ball(1.5, 2), "ball 1.5 2.0", 1, 4),
            (k.Ball(np.array([1, 1e-30]), np.float32(0.1)), "ball 1.0,1e-30 0.10000000149011612", 2, None),
            (k.Shell([0, 0], 0.5, 1), "shell 0.0,0.0 0.5 1.0", 2, 0.75 * math.pi),
            (k.Sphere([0, 0, 1], 2), "sphere 0.0,0.0,1.0 2.0", 3, 16 * math.pi),
            (k.Ellipsoid([0, 0], [2, 1]), "ellipsoid 0.0,0.0 2.0,1.0", 2, 2 * math.pi),
            (k.Cylinder([0, 0], 1, [(0, 2)]), "cylinder 0.0,0.0 1.0 0.0:2.0", 3, 2 * math.pi),
            (k.Ball([0, 0], 1) * k.Box([(0, 2), (1, 2)]), "cylinder 0.0,0.0 1.0 0.0:2.0,1.0:2.0", 4, 2 * math.pi),
            (k.Product(k.Ball([0], 1), k.Box([(0, 2)]), k.Box([(1, 2)])), "cylinder 0.0 1.0 0.0:2.0,1.0:2.0", 3, 4),
            (k.Box([(0, 2)]) * k.Box([(1, 4)]), "0.0:2.0,1.0:4.0", 2, 6),
            (k.Simplex(dimension=3), "simplex 3", 3, 1 / 6),
            (k.Simplex([(0, 0), (0.3, 0), (0, 1)]), "simplex 0.0,0.0; 0.3,0.0; 0.0,1.0", 2, 0.15),
            (k.Simplex([-1, 2]), "simplex -1.0; 2.0", 1, 3),
            (k.Ordered(-1, 1, 3), "ordered -1.0:1.0 3", 3, 8 / 6),
        ]:
            self.assertEqual((str(shape), shape.dimension), (text, dimension))
            if volume is not None:
                self.assertAlmostEqual(shape.volume, volume, delta=4e-16 * volume)
            self.assertEqual(pickle.loads(pickle.dumps(shape)), shape)
            self.assertEqual(len({shape, pickle.loads(pickle.dumps(shape))}), 1)
            for given in (dict(box=shape), dict(domain=shape), dict(domain=str(shape))):
                self.near(kubature.integrate(lambda x: x[:, 0] ** 0, relative=1e-9, **given), shape.volume)
        self.assertEqual(k.Cylinder([0, 0], 1, [(0, inf)]).volume, inf)
        self.assertEqual(str(k.Box([(-inf, 0), (0, inf)])), "-inf:0.0,0.0:inf")
        tail = kubature.integrate("exp(-z)", k.Ball([0, 0], 1) * k.Box([(0, inf)]), relative=1e-9)
        self.near(tail, math.pi)
        self.near(kubature.Integrator(k.Simplex(dimension=2), "pagani", relative=1e-9)("x*y"), 1 / 24)
        with self.assertRaises(AttributeError):
            k.Ball([0, 0], 1).radius = 2

    def test_bad_input(self):
        k, nan, inf = kubature, math.nan, math.inf
        for words, make in [
            ("radius = 0: must be above 0", lambda: k.Ball([0, 0], 0)),
            ("radius = nan: must be a finite", lambda: k.Sphere([0, 0], nan)),
            ("radius = '1'", lambda: k.Ball([0, 0], "1")),
            ("radius = .1.", lambda: k.Cylinder([0, 0], [1], [(0, 1)])),
            ("centre = nan", lambda: k.Ball([0, nan], 1)),
            ("centre = ..: 1 to 20", lambda: k.Ball([], 1)),
            ("centre = '0,0'", lambda: k.Ball("0,0", 1)),
            ("centre = .0.: 2 to 20", lambda: k.Shell([0], 0, 1)),
            ("inner = 2: must be below", lambda: k.Shell([0, 0], 2, 1)),
            ("inner = -1: must be at least 0", lambda: k.Shell([0, 0], -1, 1)),
            ("axes = .1.: 2 semi-axes", lambda: k.Ellipsoid([0, 0], [1])),
            ("axes = -1.0: must be above 0", lambda: k.Ellipsoid([0, 0], [1, -1])),
            ("sides = .*the lower bound 1.0 must be below", lambda: k.Box([(1, 0)])),
            ("sides = 3: a pair", lambda: k.Cylinder([0], 1, 3)),
            ("sides = .*20 variables", lambda: k.Cylinder([0] * 20, 1, [(0, 1)])),
            ("vertices = neither", lambda: k.Simplex()),
            ("vertices = .*N . 1 points", lambda: k.Simplex([(0, 0), (1, 1)])),
            ("vertices = .*no volume", lambda: k.Simplex([(0, 0), (1, 1), (2, 2)])),
            ("vertices = nan", lambda: k.Simplex([(0, 0), (1, nan), (0, 1)])),
            ("dimension = 2.5", lambda: k.Simplex(dimension=2.5)),
            ("dimension = 0", lambda: k.Ordered(0, 1, 0)),
            ("lower = 1: must be below", lambda: k.Ordered(1, 0, 2)),
            ("lower = -inf: one bound", lambda: k.Ordered(-inf, inf, 2)),
            ("shapes = ", lambda: k.Product(k.Ball(0, 1), k.Ball(0, 1))),
            ("sides of a box", lambda: kubature.integrate("x", k.Ball([0, 0], 1), breaks={"x": 0}, relative=1e-3)),
        ]:
            with self.subTest(words), self.assertRaisesRegex(kubature.InvalidArgument, words):
                make()
        with self.assertRaises(TypeError):
            k.Ball([0], 1) * 3


class Frozen:
    """What scipy.stats makes of a distribution and its parameters."""

    def __init__(self, name, shapes, *args, **kwds):
        self.dist = type("Dist", (), {"name": name, "shapes": shapes})()
        self.args, self.kwds = args, kwds

    def rvs(self):
        raise NotImplementedError


class Several:
    """What scipy.stats makes of a normal distribution of several variables."""

    mean, cov = np.array([1.0, 2.0]), np.array([[1.0, 0.5], [0.5, 2.0]])

    def rvs(self):
        raise NotImplementedError


class Distributions(unittest.TestCase):
    def test_are_sides(self):
        k = kubature
        for formula, box, value in [
            ("x^2", {"x": k.Normal(1, 2)}, 5),
            ("x^2", k.Normal(1, 2), 5),
            ("x", {"x": "gamma(2, 0.5)"}, 1),
            ("x*y", {"x": k.Normal(1, 1), "y": (0, "x")}, 2),
            ("y^2", {"x": k.Uniform(0, 3), "y": k.Normal("x", 1)}, 4),
            ("x*y", [k.Exponential(2), (0, 2)], 1),
            ("x", [k.LogNormal(0, 0.5)], math.exp(0.125)),
            ("x*y", [k.Beta(2, 3), k.StudentT(5, 2, 3)], 0.8),
            ("x*y", k.Normal([0, 1], np.array([[1, 0.5], [0.5, 2]])), 0.5),
            (lambda x: x[:, 0] * x[:, 1], [k.Normal(2, 1), (0, 1)], 1),
            (lambda x: x[:, 0] * x[:, 1], k.Normal([0, 1], [[1, 0.5], [0.5, 2]]), 0.5),
        ]:
            with self.subTest(box=box):
                self.assertAlmostEqual(kubature.integrate(formula, box, relative=1e-7).value, value, delta=2e-7 * value)
        call = kubature.integrate("if(x>1, x-1, 0)", {"x": k.LogNormal(0, 0.2)}, breaks={"x": 1}, relative=1e-9)
        self.assertAlmostEqual(call.value, 0.0909615318, delta=1e-10)

    def test_of_scipy(self):
        k = kubature
        for frozen, text in [
            (Frozen("norm", None, 1, 2), k.Normal(1, 2)),
            (Frozen("norm", None, scale=3), k.Normal(0, 3)),
            (Frozen("uniform", None, 1, 2), k.Uniform(1, 3)),
            (Frozen("lognorm", "s", 0.5, scale=2.0), k.LogNormal(math.log(2), 0.5)),
            (Frozen("expon", None, scale=4), k.Exponential(0.25)),
            (Frozen("gamma", "a", a=2, scale=0.5), k.Gamma(2, 0.5)),
            (Frozen("beta", "a, b", 2, 3), k.Beta(2, 3)),
            (Frozen("t", "df", 5, 1, 2), k.StudentT(5, 1, 2)),
        ]:
            one, other = (
                kubature.integrate("x", {"x": side}, method="pagani", relative=1e-3) for side in (frozen, text)
            )
            self.assertEqual(one.value, other.value)
        self.assertAlmostEqual(kubature.integrate("x*y", Several(), relative=1e-7).value, 2.5, delta=1e-6)

    def test_have_texts_and_are_values(self):
        k = kubature
        for distribution, text in [
            (k.Normal(0, 1), "normal(0.0,1.0)"),
            (k.Normal("x", "exp(y)"), "normal(x,exp(y))"),
            (k.StudentT(3), "student_t(3.0,0.0,1.0)"),
            (k.Normal(np.zeros(1), [[4]]), "normal 0.0; 4.0"),
        ]:
            self.assertEqual(str(distribution), text)
            self.assertEqual(pickle.loads(pickle.dumps(distribution)), distribution)
        self.assertEqual((k.Normal([0, 0], [[1, 0], [0, 1]]).dimension, k.Normal([0], [[1]]).volume), (2, 1))

    def test_bad_input(self):
        k = kubature
        for words, make in [
            ("deviation = 0: must be above 0", lambda: k.Normal(0, 0)),
            ("mean = nan: must be a finite", lambda: k.Normal(math.nan, 1)),
            ("shape = -1: must be above 0", lambda: k.Gamma(-1)),
            ("upper = 1.0: must be above the lower bound, 2.0", lambda: k.Uniform(2, 1)),
            ("covariance = .*: 2 rows", lambda: k.Normal([0, 0], [[1, 0], [0]])),
            (
                "not positive definite",
                lambda: kubature.integrate("x", k.Normal([0, 0], [[1, 2], [2, 1]]), relative=1e-3),
            ),
            ("no distribution 'cauchy'", lambda: kubature.integrate("x", {"x": "cauchy(0,1)"}, relative=1e-3)),
            ("of scipy.stats, ", lambda: kubature.integrate("x", {"x": Frozen("cauchy", None)}, relative=1e-3)),
            ("loc = 1.0: must be 0", lambda: kubature.integrate("x", [Frozen("expon", None, 1)], relative=1e-3)),
            (
                "scale = 2.0: must be 1",
                lambda: kubature.integrate("x", [Frozen("beta", "a, b", 1, 1, 0, 2)], relative=1e-3),
            ),
            (
                "bounds are formulas",
                lambda: kubature.integrate(lambda x: x[:, 0], [k.Normal(), (0, lambda x: x)], relative=1e-3),
            ),
        ]:
            with self.subTest(words), self.assertRaisesRegex(kubature.InvalidArgument, words):
                make()


if __name__ == "__main__":
    unittest.main()
