"""The types of options, and what type checkers find by them. mypy is needed for the latter: scripts/python-peers."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import kubature
from kubature import _options

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "bindings/python/kubature"
PROGRAM = os.environ.get("KUBATURE_PROGRAM")
NAMES = set(_options.Options.__annotations__) | set(_options.MethodOptions.__annotations__)
METHODS = ("vegas+", "mcubes", "mcubes-1d", "mc", "qmc", "pagani", "auto", "two-phase", "mixed")


class Options(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "KUBATURE_PROGRAM is not set")
    def test_are_those_of_the_program(self):
        spec = importlib.util.spec_from_file_location("options", PACKAGE.parent / "options.py")
        options = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(options)
        written = options.text(options.listed(PROGRAM))
        self.assertEqual(options.FILE.read_text(), written, "bindings/python/options.py PROGRAM mends it")

    def test_are_known_to_the_library(self):
        for name in NAMES:
            refused = 0
            for method in METHODS:
                try:
                    kubature.Integrator([(0, 1)], method, **{name: "?"})
                except kubature.InvalidArgument as raised:
                    refused += str(raised).startswith(f"option = {name}")
            self.assertLess(refused, len(METHODS), name)

    def test_are_in_the_help(self):
        for name in NAMES:
            self.assertRegex(kubature.integrate.__doc__, rf"(?m)^{name}  +\S")
        self.assertEqual(set(kubature.Options.__annotations__), NAMES)

    def test_values_may_be_paths_and_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "state"
            kubature.integrate("x", [(0, 1)], method="vegas+", checkpoint=file, relative=1e-12, evaluations=1000, max_evaluations=5000)
            self.assertTrue(file.exists())
        both = kubature.integrate("x;y", [(0, 1)] * 2, method="vegas+", driver=2, evaluations=1000)
        self.assertLess(abs(both.value[1] - 0.5), 5 * both.error[1])
        kubature.integrate("x*y", [(0, 1)] * 2, method="pagani", rule=7, relative=1e-3)


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed: scripts/python-peers")
class Checked(unittest.TestCase):
    def mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            run = subprocess.run(
                [sys.executable, "-m", "mypy", "--cache-dir", cache, *map(str, arguments)], capture_output=True, text=True,
                env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}, check=False,
            )
        return run.stdout + run.stderr

    def test_the_package_is_clean(self):
        for version in ((), ("--python-version", "3.10")):
            self.assertIn("Success: no issues found", self.mypy(*version, PACKAGE))

    def test_misspelt_options_are_found(self):
        right = """
            import math, numpy, kubature
            from kubature import Options
            box = [(0, 1), (0, math.inf)]
            kubature.integrate("x*y", box, relative=1e-3, evaluations=1e6, seed=1, non_finite="discard", covariance=None)
            kubature.integrate(lambda x: x[:, 0], box, args=(3,), checkpoint="state", alpha="automatic", costs=[1, 2, 3])
            kubature.integrate(lambda x, y: x * y, {"x": (0, 1), "y": (0, "x")}, method="qmc", rule="sobol")
            kept = kubature.Integrator(box, "vegas+", evaluations=100, relative=1e-3, driver=2)
            value, error = kept("a*x", parameters={"a": 3}, seconds=3)
            options: Options = {"relative": 1e-3, "seed": 3}
            kubature.Integrator(box, **options).set(absolute=1e-3)
            table = kubature.Table([0, 1], numpy.array([1, 2]))
            kubature.integrate("t(x)", [(0, 1)], parameters={"t": table})
            kubature.integrate_many("a*x", [(0, 1)], {"a": [1, 2]}, relative=1e-3).value.sum()
            kubature.integrate(kubature.expect("x", "y"), kubature.Ball([0, 0], 1))
            kubature.integrate("x", kubature.Normal(0, 1)).value
            kubature.integrate(lambda x: x[:, 0], [(0, 1), (0, lambda x: x), (0.5, 1)], relative=1e-3)
            kubature.integrate("x", {"x": kubature.Normal(0, 1), "y": (0, 1), "z": "uniform(0, 1)"})
            kubature.integrate("x", numpy.array([[0, 1], [0, 1]]))
        """
        wrong = """
            kubature.integrate("x*y", box, evalutions=10)
            kubature.integrate(lambda x: x[:, 0], box, relative=1e-3, sed=10)
            kubature.integrate("x*y", box, non_finite="skip")
            kubature.Integrator(box, "vegas+", evalutions=10)
            kept("x", evalutions=10)
            kept.set(evalutions=10)
            kubature.integrate_many("x", [(0, 1)], evalutions=10)
            kubature.integrate("x", box, seconds="long")
        """
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "user.py"
            file.write_text(textwrap.dedent(right) + textwrap.dedent(wrong))
            found = self.mypy(file)
        first = textwrap.dedent(right).count("\n") + 2
        lines = [int(line) for line in re.findall(r"user\.py:(\d+): error", found)]
        self.assertEqual(lines, list(range(first, first + 8)), found)
        self.assertIn('"evalutions"', found)
        self.assertIn('did you mean "evaluations"', found)


if __name__ == "__main__":
    unittest.main()
