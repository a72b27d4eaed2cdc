#!/usr/bin/env python3
"""What a newcomer meets: calls without options, misspelt names, help, and scans through pipes.

The environment variable KUBATURE_PROGRAM is the path of the program.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from cli_test import PROGRAM, Case, run, run_json


class Plots(Case):
    """The Python package draws."""

    def test_are_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("plot", "x*y", PATH=folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("plot needs python3", done.stderr)
            python = pathlib.Path(folder) / "python3"
            python.write_text("#!/bin/sh\nshift 2\necho drawn: $*\nexit 5\n")
            python.chmod(0o755)
            done = run("plot", "x*y", "--kind", "map", PATH=folder)
            self.assertEqual((done.returncode, done.stdout), (5, "drawn: x*y --kind map\n"))

    def test_say_what_they_need(self):
        with tempfile.TemporaryDirectory() as folder:
            python = pathlib.Path(folder) / "python3"
            python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
            python.chmod(0o755)
            done = run("plot", "x*y", PATH=folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("plot needs the Python package kubature", done.stderr)


class Defaults(Case):
    """Neither a tolerance nor a method."""

    def test_auto_to_a_millionth(self):
        for arguments, truth in [(["x*y"], 0.25), (["exp(-x^2)", "--box=-inf:inf"], math.sqrt(math.pi)),
                                 (["1/(0.01 + (x-y)^2)"], 20 * math.atan(10) - math.log(101)), (["x", "--domain", "ball 1,0 1"], math.pi),
                                 (["exp(-x*y)", "--precision", "adaptive"], 0.7965995992970531)]:
            with self.subTest(arguments=arguments):
                done = run("integrate", *arguments, "--json")
                result = json.loads(done.stdout)
                self.assertEqual((done.returncode, result["status"]), (0, "converged"))
                self.assertIn(result["method"], ["pagani", "qmc", "vegas+"])
                self.assertLessEqual(result["error"], 1e-6 * truth)
                self.assertLess(abs(result["value"] - truth), 5e-6 * truth)
        for several in [["x; y"], ["exp(i*x)", "--complex"], ["a*x", "--parameter", "a=2", "--derivatives"]]:
            self.assertEqual(run_json("integrate", *several)["status"], "converged")

    def test_ends_after_ten_seconds(self):
        hard = "if(sin(1/(x*y*z*u)) > 0, 1, 0)"
        done = run("integrate", hard, "--json")
        result = json.loads(done.stdout)
        self.assertEqual((done.returncode, result["status"]), (3, "time_limit"))
        self.assertTrue(8 < result["seconds"] < 13, result["seconds"])
        self.assertTrue(any("ends after 10 s" in remark for remark in result["remarks"]), result["remarks"])
        self.assertTrue(any(remark.startswith("auto: ") and remark.endswith(" came closest to the tolerance")
                            for remark in result["remarks"]), result["remarks"])
        for limit, status in [(["--seconds", "0.5"], "time_limit"), (["--max-evaluations", "1e6"], "evaluation_limit")]:
            done = run("integrate", hard, *limit, "--json")
            result = json.loads(done.stdout)
            self.assertEqual((done.returncode, result["status"]), (3, status))
            self.assertLess(result["seconds"], 5)
            self.assertFalse(any("ends after 10 s" in remark for remark in result["remarks"]))

    def test_vegas_plus_where_auto_lacks_something(self):
        for other in [["--evaluations", "1e4"], ["--iterations", "3"], ["--precision", "fp32", "--iterations", "3"],
                      ["--relative", "0", "--iterations", "3"], ["--alpha", "0.5", "--iterations", "3"]]:
            result = run_json("integrate", "x*y", *other)
            self.assertEqual((result["method"], result["status"]), ("vegas+", "completed"))
        self.assertEqual(run_json("integrate", "x*y", "--precision", "fp32")["method"], "vegas+")
        self.assertEqual(run_json("integrate", "x;y", "--ratio", "2/1")["method"], "vegas+")
        for method in "auto", "pagani":
            self.assert_bad(["integrate", "x*y", "--method", method, "--relative", "0"], "--relative")

    def test_suites_have_their_own_tolerance(self):
        (row,) = run_json("suite", "f3-3d", "--method", "auto")
        self.assertEqual(row["status"], "converged")
        self.assertGreater(row["error"], 1e-6 * row["true_value"])


class Texts(Case):
    def test_the_main_line_names_the_method(self):
        for method in ["pagani", "vegas+", "qmc", "mc"]:
            done = run("integrate", "exp(-x*y)", "--method", method, "--relative", "1e-2")
            self.assertRegex(done.stdout, rf"^0\.\d+\(\d+\)  \w+ after \d+ iterations?, .* m?s by {method.replace('+', '.')}\n")
        self.assertRegex(run("integrate", "x;y").stdout, r" m?s by pagani\n$")
        self.assertRegex(run("integrate", "exp(i*x)", "--complex").stdout, r" m?s by pagani\n$")

    def test_counts_and_times(self):
        text = run("integrate", "x*y", "--method", "mc", "--evaluations", "12345", "--iterations", "1").stdout
        self.assertRegex(text, r"after 1 iteration, 12,\d\d\d evaluations, [\d.]+ ms by mc")
        text = run("integrate", "x*y", "--method", "mc", "--evaluations", "50", "--iterations", "1000").stdout
        self.assertRegex(text, r"after 1,000 iterations, chi2/dof [\d.]+, 5\d,\d\d\d evaluations")

    def test_reasons_come_with_explain(self):
        hidden, shown = run("integrate", "x*y"), run("integrate", "x*y", "--explain")
        self.assertEqual(hidden.stdout.count("\n"), 1, hidden)
        self.assertNotIn("auto", hidden.stdout)
        self.assertRegex(shown.stdout, r"\n  auto: pagani was the first to finish\n$")
        self.assertEqual(run_json("integrate", "x*y")["remarks"], ["auto: pagani was the first to finish"])
        adaptive = run("integrate", "exp(-x*y)", "--precision", "adaptive", "--relative", "1e-3", "--explain").stdout
        self.assertIn("obs.fp32", adaptive)
        self.assert_bad(["integrate", "x*y", "--method", "mc", "--explain"], "--explain: there is nothing to explain")

    def test_nobody_got_there(self):
        for arguments, status in [(["sqrt(x - 0.5)"], "non_finite"), (["1/(1e-7+abs(x-y))", "--seconds", "0.2"], "time_limit"),
                                  (["1/(1e-7+abs(x-y))", "--relative", "1e-12", "--max-evaluations", "1e4"], "evaluation_limit")]:
            done = run("integrate", *arguments, "--explain")
            self.assertEqual(done.returncode, 3)
            self.assertIn(status, done.stdout)
            if status != "non_finite":
                self.assertNotIn("first to finish", done.stdout)


class MisspeltNames(Case):
    def test_options_of_others(self):
        for name, meant in [("tol", "relative"), ("rtol", "relative"), ("epsrel", "relative"), ("atol", "absolute"),
                            ("neval", "evaluations"), ("maxeval", "max-evaluations"), ("reltive", "relative"),
                            ("evalutions", "evaluations"), ("max_evaluations", "max-evaluations"), ("Seed", "seed"),
                            ("timeout", "seconds"), ("rel", "relative"), ("bounds", "box"), ("variables", "vars"),
                            ("jsn", "json"), ("threads", "")]:
            with self.subTest(name=name):
                said = f"; did you mean --{meant}?" if meant else "no such option"
                self.assert_bad(["integrate", "x*y", f"--{name}", "1e-6"], f"--{name}: no such option", said)
                self.assert_bad(["integrate", "x*y", f"--{name}=1e-6"], f"--{name}=1e-6: no such option", said)
        self.assert_bad(["info", "--jsno"], "--jsno: no such option; did you mean --json?")

    def test_only_the_options_of_the_method_are_listed(self):
        def said(*arguments):
            return run("integrate", "x*y", "--tol", "1", *arguments).stderr

        self.assertRegex(said(), r"The options of auto are --relative, --absolute, .*; see kubature integrate --help\n")
        for word in ["--alpha", "--rule", "--shifts"]:
            self.assertNotIn(word, said())
        self.assertIn("--rule", said("--method", "pagani"))
        self.assertNotIn("--alpha", said("--method", "pagani"))
        self.assertIn("--alpha", said("--method", "vegas+"))

    def test_methods(self):
        for name, meant in [("vegas", "vegas+"), ("cuhre", "pagani"), ("Pagani", "pagani"), ("m-cubes", "mcubes"),
                            ("quad", "pagani"), ("VEGAS+", "vegas+"), ("suave", "vegas+"), ("pagnai", "pagani"),
                            ("sobol", "qmc"), ("plain", "mc")]:
            self.assert_bad(["integrate", "x*y", "--method", name], f"--method {name}: no such method; did you mean {meant}? "
                            "The methods are vegas+, ")
        self.assert_bad(["integrate", "x*y", "--method", "zzzzzz"], "--method zzzzzz: no such method; the methods are vegas+")
        self.assert_bad(["integrate", "x*y", "--precision", "double"], "did you mean fp64?")

    def test_a_method_and_its_options(self):
        for method in ["vegas+", "pagani", "auto", "qmc", "mc"]:
            listed = run_json("list", method)
            self.assertEqual(listed["name"], method)
            names = [option["name"] for option in listed["options"]]
            self.assertEqual(names, [option["name"] for option in run_json("list")["options"] if method in option["methods"]])
            text, shown = run("list", method).stdout, run("integrate", "--method", method, "--help").stdout
            for option in run_json("list")["options"]:
                flag = rf"--(no-)?{option['name'].replace('_', '-')}\s"
                check = self.assertRegex if option["name"] in names else self.assertNotRegex
                check(text, flag)
                check(shown, rf"\n {{10}}{flag}")
        self.assertIn("Samples per iteration, and more where a tolerance needs them, by default 1000000\n",
                      run("list", "vegas+").stdout)
        self.assertIn("by default 1e-06\n", run("list", "auto").stdout)
        self.assertIn("--rule automatic|7|9|11|13|gauss-kronrod\n", run("list", "pagani").stdout)
        for method, present in [("vegas+", True), ("pagani", False)]:
            for flag in ["--map FILE", "--ratio I/J"]:
                self.assertEqual(flag in run("integrate", "--method", method, "--help").stdout, present)
        self.assert_bad(["list", "vegas"], "METHOD vegas: no such method; did you mean vegas+?")
        self.assert_bad(["integrate", "--method", "vegas", "--help"], "--method vegas: ", "did you mean vegas+?")

    def test_commands(self):
        self.assert_bad(["intergate", "x"], "intergate: no such command; did you mean integrate? The commands are integrate, ")
        self.assert_bad(["solve", "x"], "solve: no such command; the commands are integrate, ")

    def test_help(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "many").stdout, run("many", "--help").stdout)
        self.assertEqual(run("help").returncode, 0)
        text = " ".join(run("integrate", "--help").stdout.split())
        self.assertIn("auto, to a relative error of 1e-6 where no tolerance is given, within 10 s where no limit is", text)


class MoreSides(Case):
    """A box may have more sides than a formula has variables."""

    def test_formulas(self):
        for formula, box, truth in [("x", "0:1,0:1,0:2", 1), ("y", "0:1,0:1,0:2", 1), ("x1*x2", "0:2,0:3,0:1", 9),
                                    ("x3", "0:2,0:2,0:2,0:2", 16), ("2", "0:1,0:3", 6), ("x*t", ",".join(["0:1"] * 8), 0.25),
                                    ("x", ",".join(["0:1"] * 9), 0.5), ("x", ",".join(["0:1"] * 25), 0.5),
                                    ("let r = x^2; 3*r", "0:1,0:1", 1)]:
            with self.subTest(formula=formula):
                result = run_json("integrate", formula, "--box", box, "--relative", "1e-4")
                self.assertAlmostEqual(result["value"] / truth, 1, delta=1e-3)
        several = run_json("integrate", "x; 2", "--box", "0:1,0:1,0:1")
        self.assertAlmostEqual(several["value"][0], 0.5, delta=1e-6)
        parts = run_json("integrate", "exp(i*x)", "--complex", "--box", "0:1,0:2")["value"]
        self.assertAlmostEqual(parts[0], 2 * math.sin(1), delta=1e-5)
        bins = run_json("integrate", "x", "--box", "0:1,0:1", "--histogram", "y:0:1:2", "--evaluations", "1e4")
        self.assertAlmostEqual(bins["histogram"]["value"][1], 0.25, delta=0.01)

    def test_named_variables_have_a_side_each(self):
        self.assert_bad(["integrate", "x*y", "--vars", "x,y", "--box", "0:1,0:1,0:1"], "3 sides for 2 variables", "--vars")
        self.assert_bad(["integrate", "x*y*z", "--box", "0:1,0:1"], "2 sides for 3 variables")


class Scripts(unittest.TestCase):
    """scripts/run says that it builds where that takes time."""

    def test_what_takes_time(self):
        scripts = pathlib.Path(__file__).resolve().parents[2] / "scripts"
        version = "[2/4] Building CXX object core/CMakeFiles/kubature_core.dir/src/version.cpp.o"
        for steps, takes in [("ninja: no work to do.", False), ("[0/1] Re-running CMake...", False), (version, False),
                             ("[1/4] Asking git for the commit\n" + version + "\n[3/4] Linking CXX executable app/kubature", False),
                             (version + "\n[3/9] Building CXX object app/CMakeFiles/kubature_app.dir/src/main.cpp.o", True)]:
            done = subprocess.run(["bash", "-c", f"source {scripts}/environment.sh && takes_time \"$1\"", "bash", steps],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode == 0, done.stderr), (takes, ""), steps)


class Many(Case):
    ROWS = "a,name\n1,one\n2,two\n"

    @staticmethod
    def pipe(text, *arguments):
        return subprocess.run([PROGRAM, "many", *arguments, "--vars", "x,y", "--table", "-"], input=text,
                              capture_output=True, text=True, timeout=300)

    def test_standard_input(self):
        done = self.pipe(self.ROWS, "a*x*y")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        heading, *rows = done.stdout.splitlines()
        self.assertEqual(heading, "a,name,value,error,status")
        for a, row in enumerate(rows, 1):
            fields = row.split(",")
            self.assertAlmostEqual(float(fields[2]), a / 4, delta=1e-6)
            self.assertEqual(fields[4], "converged")
        done = self.pipe('{"a": 3}\n{"a": 4}\n', "a*x*y")
        self.assertAlmostEqual(json.loads(done.stdout.splitlines()[1])["value"], 1, delta=1e-6)
        self.assertEqual(self.pipe("", "a*x*y").returncode, 2)

    def test_json_for_a_table_of_values(self):
        done = self.pipe(self.ROWS, "a*x*y", "--json")
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([list(result) for result in results], 2 * [["a", "name", "value", "error", "status"]])
        self.assertEqual([result["a"] for result in results], [1, 2])
        self.assertEqual([result["name"] for result in results], ["one", "two"])
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "out")
            done = self.pipe(self.ROWS, "a*x*y", "--json", "--output", output)
            self.assertRegex(done.stdout, r"^2 of 2 integrals converged, [\d,]+ evaluations, [\d.]+ m?s\n$")
            with open(output, encoding="utf-8") as file:
                self.assertEqual([json.loads(line)["value"] for line in file], [result["value"] for result in results])

    def test_several_formulas(self):
        formulas = "let r = a*x; r*y; r + y"
        heading, *rows = self.pipe(self.ROWS, formulas).stdout.splitlines()
        self.assertEqual(heading, "a,name,value_1,error_1,status_1,value_2,error_2,status_2")
        results = [json.loads(line) for line in self.pipe(self.ROWS, formulas, "--json").stdout.splitlines()]
        for a, row, result in zip([1, 2], rows, results, strict=True):
            fields = row.split(",")
            for k, truth in enumerate([a / 4, a / 2 + 0.5]):
                self.assertAlmostEqual(float(fields[2 + 3 * k]), truth, delta=1e-6)
                self.assertEqual(float(fields[2 + 3 * k]), result["value"][k])
            self.assertEqual(result["status"], ["converged", "converged"])
        done = self.pipe(self.ROWS, "a*x*y; x +")
        self.assertEqual(done.returncode, 2)
        self.assertIn("column 11", done.stderr)

    def test_auto_finishes_what_cubature_does_not(self):
        disc = "if((x-a)^2 + (y-a)^2 < 0.16, 1, 0)"
        alone = [json.loads(line) for line in
                 self.pipe("a\n0.5\n0.45\n", disc, "--relative", "1e-5", "--method", "pagani", "--json").stdout.splitlines()]
        both = [json.loads(line) for line in
                self.pipe("a\n0.5\n0.45\n", disc, "--relative", "1e-5", "--json").stdout.splitlines()]
        self.assertEqual({result["status"] for result in alone}, {"memory_exhausted"})
        for result in both:
            self.assertEqual(result["status"], "converged")
            self.assertAlmostEqual(result["value"], 0.16 * math.pi, delta=1e-5)
        text = self.pipe("a\n0.5\n0.45\n", disc, "--relative", "1e-5", "--max-evaluations", "1e5", "--json").stdout
        self.assertIn("_limit", text)


if __name__ == "__main__":
    unittest.main()
