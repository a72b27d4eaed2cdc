"""Results as numbers and as text, and what integrators tell of themselves."""

import html
import math
import re
import unittest

import numpy as np

import kubature
from kubature import Estimate

SQUARE = [(0, 1)] * 2


class Numbers(unittest.TestCase):
    def setUp(self):
        self.one = kubature.integrate("exp(-x*y)", SQUARE, relative=1e-6)
        self.array = kubature.integrate("x; x*y", SQUARE, relative=1e-6)
        self.complex = kubature.integrate(lambda x, y: np.exp(1j * x), SQUARE, relative=1e-6)
        self.named = kubature.integrate(
            lambda x: {"re": np.cos(x[:, 0]), "x": x, "z": 1j * x[:, 0]}, SQUARE, relative=1e-6
        )
        self.real = kubature.integrate(lambda x: {"re": np.cos(x[:, 0]), "x": x}, SQUARE, relative=1e-6)

    def test_by_the_names_of_vegas_and_as_a_pair(self):
        for result in (self.one, self.array, self.complex, self.named):
            self.assertIs(result.mean, result.value)
            self.assertIs(result.sdev, result.error)
            value, error = result
            self.assertIs(value, result.value)
            self.assertIs(error, result.error)

    def test_formats(self):
        self.assertEqual(f"{self.one}", str(self.one))
        self.assertEqual(f"{self.one:.3f}", "0.797")
        self.assertEqual(f"{self.one:10.2e}", "  7.97e-01")
        self.assertEqual(f"{self.array:.3f}", "0.500  0.250")
        self.assertEqual(f"{self.complex:.3f}", "0.841+0.460j")
        self.assertEqual(f"{self.real:.2f}", "re: 0.84, x: 0.50  0.50")
        self.assertEqual(f"{self.named:.2f}".split(", ")[0], "re: 0.84+0.00j")
        with self.assertRaises(ValueError):
            f"{self.one:q}"

    def test_components_by_key_or_index(self):
        self.assertEqual(self.real["re"], (self.real.value["re"], self.real.error["re"]))
        self.assertEqual(self.real["x", 1].value, self.real.value["x"][1])
        self.assertEqual(self.real["x"].value.shape, (2,))
        self.assertEqual(f"{self.real['re']:.3f}", "0.841")
        self.assertEqual(str(self.real["re"]), str(self.real).split(",")[0].removeprefix("re: "))
        self.assertEqual(str(self.real["x"]), str(self.real).split("x: ")[1])
        self.assertRegex(str(self.named["z"]), r"^0\(\d.*\) \+ 0\.50*\d*\(\d+\)i$")
        self.assertEqual(self.array[1].value, self.array.value[1])
        self.assertEqual(self.array[-1].error, self.array.error[1])
        for result, key in ((self.real, "im"), (self.real, ("x", 2)), (self.real, 3), (self.array, 2), (self.array, "x")):
            with self.assertRaisesRegex(IndexError, "component = .*: there is no such component"):
                result[key]
        for result in (self.one, self.complex):
            with self.assertRaisesRegex(TypeError, "a single one"):
                result[0]

    def test_estimates(self):
        self.assertEqual(str(Estimate(0.851312, 4.2e-5)), "0.85131(4)")
        self.assertEqual(f"{Estimate(0.851312, 4.2e-5):.2f}", "0.85")
        self.assertEqual(str(Estimate(1 - 2j, 0.1 + 0.2j)), "1.00(10) - 2.0(2)i")
        self.assertEqual(str(Estimate(np.array([1.0, 2.0]), np.array([0.1, 0.2]))), "1.00(10)  2.0(2)")

    def test_ratios_by_cubature_have_the_largest_possible_error(self):
        self.assertIsNone(self.array.covariance)
        ratio = self.array.ratio(1, 0)
        (a, b), (c, d) = self.array.values, self.array.errors
        self.assertAlmostEqual(ratio.value, 0.5, delta=ratio.error)
        self.assertAlmostEqual(ratio.error / ((c / a + d / b) * b / a), 1, delta=1e-9)
        self.assertEqual(self.array.ratio(1, 1), (1, 0))


class Text(unittest.TestCase):
    def test_notebooks_show_the_value_once(self):
        for f in ("exp(-x*y)", "x; x*y", lambda x, y: np.exp(1j * x * y), lambda x: {"a": x[:, 0], "b": x}):
            for options in (dict(relative=1e-6), dict(evaluations=1e3, iterations=3, seed=1), dict(relative=1e-12, max_evaluations=500)):
                result = kubature.integrate(f, SQUARE, **options)
                shown = html.unescape(re.sub(r"<details>.*", "", result._repr_html_()))
                self.assertTrue(shown.startswith(f"<b>{result}</b><br><small>{result.status}"), shown)
                for component in re.split(r"  |, |: | [+-] ", str(result)):
                    if "(" in component:
                        self.assertEqual(shown.count(component), str(result).count(component), shown)
        one = kubature.integrate("x", [(0, 1)], evaluations=1e3, iterations=1)
        self.assertIn("<summary>1 iteration</summary>", one._repr_html_())


class Integrators(unittest.TestCase):
    def test_tell_their_method_and_options(self):
        kept = kubature.Integrator(SQUARE, "qmc", precision="fp64", seed=3, relative=1e-3)
        self.assertEqual((kept.method, kept.precision, kept.options), ("qmc", "fp64", {"seed": 3, "relative": 1e-3}))
        kept("x*y", relative=1e-5)
        kept.set(shifts=8)
        self.assertEqual(kept.options, {"seed": 3, "relative": 1e-5, "shifts": 8})
        kept.options["seed"] = 4
        self.assertEqual(kept.options["seed"], 3)
        with self.assertRaises(kubature.InvalidArgument):
            kept.set(shifts=0)
        self.assertEqual(kept.options["shifts"], 8)
        self.assertEqual(kept.get("shifts"), "8")

    def test_more_components_than_have_a_covariance(self):
        wave = lambda x: np.cos(np.outer(x[:, 0], np.arange(40)))  # noqa: E731
        found = kubature.integrate(wave, [(0, 1)], evaluations=1e4, seed=1)
        self.assertIsNone(found.covariance)
        self.assertLess(abs(found.value[2] - math.sin(2) / 2), 5 * found.error[2])
        kept = kubature.Integrator([(0, 1)], evaluations=1e4, seed=1)
        self.assertIsNone(kept(wave).covariance)
        self.assertEqual(kept(lambda x: wave(x)[:, :3]).covariance.shape, (3, 3))


if __name__ == "__main__":
    unittest.main()
