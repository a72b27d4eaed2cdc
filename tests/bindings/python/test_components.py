"""Several components, and what results and integrators tell: arrays, dictionaries, covariance, tables, bars, devices."""

import html.parser
import importlib.util
import math
import pickle
import unittest

import numpy as np

import kubature
from kubature import _bar, _kubature, _numbers

SQUARE = [(0, 1), (0, 2)]
#: The integrals over the square of exp(-x^2 - y), and of x times that.
NORM, FIRST = 0.6457524772703195, 0.5 * (1 - math.exp(-1)) * (1 - math.exp(-2))
OPTIONS = dict(evaluations=2e4, iterations=8, seed=3)
#: Whether the library computes in the memory of NumPy's arrays.
HOST = _kubature.device() == 1


def have(name):
    return importlib.util.find_spec(name) is not None


def peak(x):
    return np.exp(-x[:, 0] ** 2 - x[:, 1])


def moments(x):
    e = peak(x)
    return np.stack([e, x[:, 0] * e, x[:, 0] ** 2 * e], axis=1)


class Components(unittest.TestCase):
    def check(self, result, norm=0, first=1):
        """By the places or names of the first two components."""
        ratio = result.ratio(first, norm)
        norm, first = result.layout.place(norm), result.layout.place(first)
        self.assertLess(abs(result.values[norm] - NORM), 5 * result.errors[norm])
        self.assertLess(abs(result.values[first] - FIRST), 5 * result.errors[first])
        self.assertLess(abs(ratio.value - FIRST / NORM), 5 * ratio.error)

    def test_by_cubature_and_lattices(self):
        formula = "exp(-x*x-y); x*exp(-x*x-y); x^2*exp(-x*x-y)"
        for method in ("pagani", "qmc", "auto", None):
            for integrand in (formula, moments, lambda x: dict(zip("abc", moments(x).T))):
                result = kubature.integrate(integrand, SQUARE, method=method, relative=1e-8)
                self.assertEqual((result.status, result.evaluations < 1e7), ("converged", True), result)
                self.assertLess(abs(result.values[0] - NORM), 1e-8)
                self.assertLess(abs(result.values[1] - FIRST), 1e-8)
        together = kubature.integrate(formula, SQUARE, method="qmc", relative=1e-6, seed=1)
        self.assertLess(abs(together.ratio(1, 0).value - FIRST / NORM), 5 * together.ratio(1, 0).error)
        with self.assertRaisesRegex(kubature.InvalidArgument, "components = 33: pagani integrates at most 32"):
            kubature.integrate(lambda x: np.repeat(x[:, :1], 33, axis=1), SQUARE, method="pagani", relative=1e-3)

    def test_complex_values(self):
        wave = lambda x: np.exp(1j * (3 * x[:, 0] + x[:, 1]))
        truth = (np.exp(3j) - 1) / 3j * (np.exp(2j) - 1) / 1j
        for method in ("auto", "pagani", "qmc", "vegas+"):
            relative = 1e-3 if method == "vegas+" else 1e-8
            result = kubature.integrate(wave, SQUARE, method=method, relative=relative)
            self.assertIsInstance(result.value, complex)
            self.assertIsInstance(result.error, complex)
            self.assertTrue(result.converged, result)
            self.assertLess(abs(result.value - truth), 5 * relative * abs(truth))
            self.assertLessEqual(abs(result.error), relative * abs(result.value) * (1 + 1e-9))
            self.assertRegex(str(result), r"^-?[\d.]+\(\d+\)(e-?\d+)? [+-] [\d.]+\(\d+\)(e-?\d+)?i$")
            pickle.loads(pickle.dumps(result))
            result.table()
            self.assertEqual(len(result.to_dict()["value"]), 2)
        # an imaginary part of nothing but rounding, and one of zeros
        for f in (lambda x: np.exp(1j * x[:, 0]), lambda x: np.cos(x[:, 0]) + 0j):
            result = kubature.integrate(f, [(-1, 1)], relative=1e-9)
            self.assertTrue(result.converged, result)
            self.assertLess(abs(result.value - 2 * math.sin(1)), 1e-8)
        vector = kubature.integrate(lambda x: np.exp(1j * np.outer(x[:, 0], [1, 2, 3])), [(0, 1)], relative=1e-9)
        np.testing.assert_allclose(vector.value, [(np.exp(1j * k) - 1) / (1j * k) for k in (1, 2, 3)], rtol=1e-8)
        mixed = kubature.integrate(lambda x: {"a": x[:, 0], "b": 1j * x[:, 0] ** 2}, [(0, 1)], relative=1e-9)
        self.assertLess(abs(mixed.value["a"] - 0.5), 1e-8)
        self.assertLess(abs(mixed.value["b"] - 1j / 3), 1e-8)
        self.assertRegex(str(mixed), "^a: 0\\.[45].* [+] 0\\(0\\)i, b: 0\\(0\\) [+] 0\\.333.*i$")
        each = kubature.integrate(wave, SQUARE, method="pagani", relative=1e-6, error_norm="individual")
        self.assertLess(each.error.imag, 1e-6 * abs(each.value.imag))

    def test_of_formulas_arrays_and_c_functions(self):
        @kubature.CFunction
        def f(n, d, x, components, values, user):
            np.ctypeslib.as_array(values, (n, components))[:] = moments(np.ctypeslib.as_array(x, (n, d)))
            return 0

        formula = "exp(-x*x-y); x*exp(-x*x-y); x^2*exp(-x*x-y)"
        for method in ("vegas+", "mcubes", "mc"):
            for integrand in (formula, moments, f, kubature.on_device(moments, "numpy", 3))[: 4 if HOST else 3]:
                components = 3 if integrand is f else None
                result = kubature.integrate(integrand, SQUARE, method=method, components=components, **OPTIONS)
                self.assertEqual((result.value.shape, result.covariance.shape), ((3,), (3, 3)))
                self.check(result)
                np.testing.assert_allclose(np.diag(result.covariance), result.error**2, rtol=1e-12)
                self.assertEqual(result.iterations[0].value.shape, (3,))
                self.assertGreater(result.dof, 8)
                if method == "mc":  # a map that serves all components may leave errors that go against each other
                    self.assertGreater(result.correlation(0, 1), 0)
                self.assertEqual(result.correlation(2, 1), result.correlation(1, 2))

    def test_of_functions_that_threads_call_at_once(self):
        @kubature.CFunction
        def f(n, d, x, components, values, user):
            points, to = np.ctypeslib.as_array(x, (n, d)), np.ctypeslib.as_array(values, (n, components))
            to[:] = np.stack([peak(points) * points[:, 0] ** c for c in range(components)], axis=1)
            return 0

        for components in (2, 3, 5, 33):
            for method in ("mc", "vegas+", "mcubes", "qmc", "pagani"):
                if components > 32 and method in ("qmc", "pagani"):
                    continue
                options = dict(relative=1e-6) if method == "pagani" else dict(evaluations=5001, seed=3)
                results = []
                for f.concurrent in (False, True):
                    results.append(kubature.integrate(f, SQUARE, method=method, components=components, **options))
                np.testing.assert_allclose(results[1].value, results[0].value, rtol=1e-12, err_msg=f"{method} {components}")
                np.testing.assert_allclose(results[1].error, results[0].error, rtol=1e-6, atol=1e-14)

    def test_of_dictionaries(self):
        def f(x):
            e = peak(x)
            return {"norm": e, "x": x * e[:, None], "matrix": x[:, :, None] * x[:, None, :] * e[:, None, None]}

        result = kubature.integrate(f, SQUARE, **OPTIONS)
        self.assertEqual(list(result.value), ["norm", "x", "matrix"])
        self.assertEqual((type(result.value["norm"]), result.value["matrix"].shape), (float, (2, 2)))
        self.check(result, "norm", ("x", 0))
        self.assertEqual(result.ratio(("x", 0), "norm"), result.ratio(("x", 0), ("norm",)))
        self.assertAlmostEqual(result.correlation(("matrix", 0, 1), ("matrix", 1, 0)), 1, delta=1e-9)
        self.assertEqual(result.errors[3:], tuple(result.error["matrix"].ravel()))
        for wrong in ("y", ("x", 2), "x", ("matrix", 0), 0, ("x", -1)):
            with self.assertRaisesRegex(IndexError, "component = "):
                result.ratio(wrong, "norm")
        again = pickle.loads(pickle.dumps(result))
        self.assertEqual(again.ratio(("x", 0), "norm"), result.ratio(("x", 0), "norm"))
        told = result.to_dict()
        self.assertEqual(told["value"]["x"], list(result.value["x"]))
        self.assertEqual(told["covariance"][0][0], result.covariance[0, 0])
        self.assertRegex(str(result), r"^norm: 0\.64\d+\(\d+\), x: 0\.27\d+\(\d+\)  0\.44\d+\(\d+\), matrix: ")

    def test_linear_combinations_and_ratios_know_the_covariance(self):
        result = kubature.integrate(lambda x: np.stack([x[:, 0], 2 * x[:, 0], 1 - x[:, 0]], 1), [(0, 1)], **OPTIONS)
        combined = result.linear([1, 0, 1])
        self.assertAlmostEqual(combined.value, 1, delta=1e-12)
        self.assertLess(combined.error, 1e-3 * result.error[0])
        ratio = result.ratio(1, 0)
        self.assertAlmostEqual(ratio.value, 2, delta=1e-12)
        self.assertLess(ratio.error, 1e-3 * result.error[0])
        with self.assertRaisesRegex(ValueError, "weights = 2 numbers"):
            result.linear([1, 2])

    def test_without_a_covariance(self):
        for asked in "diagonal", "none", None:
            result = kubature.integrate(moments, SQUARE, covariance=asked, **OPTIONS)
            self.assertIsNone(result.covariance)
            self.assertTrue(math.isnan(result.chi2))
            with self.assertRaisesRegex(ValueError, "covariance = None"):
                result.ratio(0, 1)

    def test_are_known_before_or_found_out(self):
        sizes = []

        def f(x):
            sizes.append(len(x))
            return moments(x)

        known = kubature.integrate(f, SQUARE, components=3, **OPTIONS)
        self.assertNotEqual(sizes[0], 3)
        found = kubature.integrate(f, SQUARE, **OPTIONS)
        self.assertEqual(sizes.count(3), 1)
        np.testing.assert_array_equal(known.value, found.value)

    @unittest.skipUnless(have("gvar"), "gvar is not installed: scripts/python-peers")
    def test_as_variables_of_gvar(self):
        result = kubature.integrate(moments, SQUARE, **OPTIONS)
        ratio = result.gvar[1] / result.gvar[0]
        expected = result.ratio(1, 0)
        self.assertAlmostEqual(ratio.sdev / expected.error, 1, delta=1e-6)
        one = kubature.integrate(peak, SQUARE, **OPTIONS)
        self.assertEqual((one.gvar.mean, one.gvar.sdev), (one.value, one.error))


class Refusals(unittest.TestCase):
    def refused(self, sentence, f, error=ValueError, box=SQUARE, **options):
        with self.assertRaisesRegex(error, sentence):
            kubature.integrate(f, box, **{"evaluations": 1e4, **options})

    def test_of_several_values(self):
        self.refused(r"f returned an array of shape \(3, \d+\)", lambda x: moments(x).T)
        self.refused("f returned an empty dictionary", lambda x: {})
        self.refused(r"f\['a'\] returned None", lambda x: {"a": None}, TypeError)
        self.refused(r"f\['a'\] returned values of dtype object", lambda x: {"a": [None] * len(x)}, TypeError)
        self.refused(r"f\['b'\] returned an array of shape \(\)", lambda x: {"a": x[:, 0], "b": 1.0})
        self.refused("no components", lambda x: np.zeros((len(x), 0)))
        self.refused("components = 0", peak, components=0)
        self.refused("components = '3'", peak, components="3")
        self.refused("components = 33|components = 1000000", lambda x: np.zeros((len(x), 10**6)))
        self.refused(r"shape \(\d+, 3\) for \d+ points instead of \(\d+, 2\)", moments, components=2)
        self.refused(r"shape \(\d+, 3\) for \d+ points instead of \(\d+,\)", moments, components=1)
        self.refused("method = two-phase", moments, method="two-phase", relative=0.1, evaluations=1e5)
        self.refused("column 3", "x;")
        self.refused("f = <", object(), kubature.InvalidArgument)

    def test_of_values_that_change(self):
        def changing(first, then):
            return lambda x: (first if len(x) == 3 else then)(x)

        a = lambda x: {"a": x[:, 0]}  # noqa: E731
        self.refused("a dictionary of", changing(a, lambda x: {"b": x[:, 0]}), TypeError)
        self.refused("a dictionary of", changing(a, peak), TypeError)
        self.refused("a dictionary, but an array before", changing(peak, a), TypeError)
        self.refused(r"instead of \(\d+, 3\)", changing(moments, peak))

    def test_boxes_before_functions_are_called(self):
        def never(x):
            raise AssertionError

        self.refused("^Box side 1 = 1:0: ", never, kubature.InvalidArgument, [(1, 0)])
        self.refused("^Box side 1 = ", never, kubature.InvalidArgument, [(0, math.nan)])
        self.refused("^box = ", never, kubature.InvalidArgument, np.zeros((0, 2)))
        self.refused("^box = ", never, kubature.InvalidArgument, None)
        self.refused("^box = ", never, kubature.InvalidArgument, [(0, 1j)])

    def test_values_of_any_layout(self):
        x0 = np.arange(100000.0)
        x0.flags.writeable = False
        for same in (
            moments,
            lambda x: np.asfortranarray(moments(x)),
            lambda x: np.repeat(moments(x), 2, axis=0)[::2],
            lambda x: moments(x).tolist(),
            lambda x: np.broadcast_to(moments(x)[None], (2, len(x), 3))[1],
        ):
            result = kubature.integrate(same, SQUARE, evaluations=3000, iterations=3, seed=1)
            expected = kubature.integrate(moments, SQUARE, evaluations=3000, iterations=3, seed=1)
            np.testing.assert_array_equal(result.value, expected.value)
        singles = kubature.integrate(lambda x: moments(x).astype(np.float32), SQUARE, evaluations=3000, seed=1)
        self.assertLess(abs(singles.value[0] - NORM), 5 * singles.error[0])
        whole = kubature.integrate(lambda x: (x > 0.5).astype(np.int8), [(0, 1)] * 2, evaluations=1e5, seed=1)
        self.assertLess(abs(whole.value[1] - 0.5), 5 * whole.error[1])
        self.assertEqual(kubature.integrate(lambda x: x0[: len(x)] * np.nan, SQUARE, seed=1).status, "non_finite")


@unittest.skipUnless(HOST, "NumPy's arrays are not where the library computes: see test_device.py")
class OnDevice(unittest.TestCase):
    def test_arrays_where_the_library_computes(self):
        expected = kubature.integrate(moments, SQUARE, **OPTIONS)
        protocols = []

        def filled(x, values):
            np.asarray(values)[:] = moments(np.asarray(x))

        def exchanged(x, values):
            protocols.append((x.__dlpack_device__(), x.shape, x.stream))
            points = np.from_dlpack(x)
            self.assertEqual((points.shape, points.strides[0]), (x.shape, 8))
            np.asarray(values)[:] = moments(points)

        for f in (filled, exchanged):
            result = kubature.integrate(kubature.on_device(f, None, 3), SQUARE, **OPTIONS)
            np.testing.assert_allclose(result.value, expected.value, rtol=1e-13)
        self.assertEqual((protocols[0][0], protocols[0][2]), ((1, 0), 0))

    def test_what_is_refused(self):
        def refused(sentence, f, error=ValueError, arrays="numpy"):
            with self.assertRaisesRegex(error, sentence):
                kubature.integrate(kubature.on_device(f, arrays, 2), SQUARE, evaluations=1000)

        refused("arrays = 'jax'", moments, arrays="jax")
        refused("f = 3", 3)
        refused("f returned None", lambda x: None, TypeError)
        refused(r"instead of \(\d+, 2\)", peak)
        refused(r"shape \(\d+, 3\)", moments)
        with self.assertRaises(ZeroDivisionError):
            kubature.integrate(kubature.on_device(lambda x: 1 / 0, "numpy"), SQUARE)


class Told(unittest.TestCase):
    def test_numbers_as_the_library_prints_them(self):
        for f, method in (("exp(-x*x-y)", "vegas+"), ("1e9*x", "mc"), ("1e-9*x+1e-13*y", "mc"), ("x-0.5", "mc")):
            result = kubature.integrate(f, SQUARE, method=method, evaluations=1000, seed=1, variables=["x", "y"])
            self.assertEqual(str(result), result.text.split("  ")[0])
        two = [(0.9947489, 0.0066838, "0.9947(67)"), (1.05, 0.12, "1.05(12)"), (6.2317e-5, 3.2e-8, "6.2317(32)e-05")]
        two += [(0.00024672, 1.2e-7, "0.00024672(12)"), (123456, 12, "123456(12)"), (1234567, 120, "1.23457(12)e+06")]
        two += [(3, 9.94, "3.0(9.9)"), (0.9999, 0.0996, "1.00(10)"), (-1234.5, 0.0123, "-1234.500(12)"), (1, 0, "1(0)")]
        two += [(12345.678, 1234.5, "1.23(12)e+04"), (100, 33.3, "100(33)"), (1e22, 1e20, "1.000(10)e+22")]
        for value, error, text in two:  # as gvar prints them
            self.assertEqual(_numbers.format(value, error, 2), text)
        self.assertEqual(_numbers.format(math.nan, 1), "nan(1)")
        self.assertEqual(_numbers.format(0, 0.1), "0.00(10)")

    def test_tables_and_averages(self):
        result = kubature.integrate(peak, SQUARE, **OPTIONS)
        lines = result.table().splitlines()
        self.assertEqual(len(lines), 9)
        self.assertRegex(lines[1], r"^  1\* 0\.\d+\(\d+\) +20000$")
        self.assertRegex(lines[8], r"^  8  0\.\d+\(\d+\) +0\.\d+\(\d+\) +\d+\.\d\d  [01]\.\d\d +\d+$")
        last = result.averages[-1]
        self.assertEqual((last.value, last.error, last.dof), (result.value, result.error, 3))
        self.assertAlmostEqual(last.chi2 / last.dof, result.chi2_per_dof, delta=1e-9)
        self.assertAlmostEqual(last.q_value, result.q_value, delta=1e-9)
        self.assertTrue(math.isnan(result.averages[3].value) and not math.isnan(result.averages[4].value))

    def test_in_notebooks(self):
        class Tags(html.parser.HTMLParser):
            rows = 0

            def __init__(self):
                super().__init__()
                self.open = []

            def handle_starttag(self, tag, attributes):
                self.open += [tag] if tag != "br" else []
                self.rows += tag == "tr"

            def handle_endtag(self, tag):
                assert self.open.pop() == tag

        for f in (peak, lambda x: {"<a>": peak(x), "b": x}):
            text = kubature.integrate(f, SQUARE, **OPTIONS)._repr_html_()
            tags = Tags()
            tags.feed(text)
            self.assertEqual((tags.open, tags.rows), ([], 9))
            self.assertNotIn("<a>", text)

    @unittest.skipUnless(have("tqdm"), "tqdm is not installed: scripts/python-peers")
    def test_bars_on_long_calls(self):
        import contextlib
        import io

        for wanted, patience, shown in ((True, 0, True), (True, 100, False), (False, 0, False), (None, 0, False)):
            out = io.StringIO()
            before, _bar.patience = _bar.patience, patience
            try:
                with contextlib.redirect_stderr(out):
                    kubature.integrate(peak, SQUARE, bar=wanted, **OPTIONS)
            finally:
                _bar.patience = before
            self.assertEqual("8/8" in out.getvalue() and "0.6457" in out.getvalue(), shown, out.getvalue())

    @unittest.skipUnless(have("numba"), "numba is not installed: scripts/python-peers")
    def test_c_functions_of_numba(self):
        import numba

        double = numba.types.CPointer(numba.float64)
        signature = numba.int32(numba.int64, numba.int32, double, numba.int32, double, numba.types.voidptr)

        @numba.cfunc(signature)
        def f(n, d, x, components, values, user):
            for k in range(n):
                values[k * components] = math.exp(-x[k * d] ** 2 - x[k * d + 1])
                values[k * components + 1] = x[k * d] * values[k * components]
            return 0

        result = kubature.integrate(f, SQUARE, components=2, **OPTIONS)
        self.assertLess(abs(result.value[1] - FIRST), 5 * result.error[1])


if __name__ == "__main__":
    unittest.main()
