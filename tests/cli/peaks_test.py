#!/usr/bin/env python3
"""`kubature peaks`.

The environment variable KUBATURE_PROGRAM is the path of the program.
"""

import json
import math
import random
import re
import unittest

from cli_test import Case, run

NARROW = "exp(-((x - 0.3)^2 + (y - 0.7)^2)/2e-4)"  # with deviations of 0.01
WIDE = "exp(-((x - 0.8)^2 + (y - 0.2)^2)/0.005)/4"  # and of 0.05


def peaks(*arguments):
    done = run("peaks", *arguments, "--json")
    if done.returncode != 0 or "NaN" in done.stdout:
        raise AssertionError(done)
    return json.loads(done.stdout)


class Found(Case):
    def assert_near(self, found, wanted, within):
        for x, truth in zip(found, wanted, strict=True):
            self.assertLess(abs(x - truth), within, (found, wanted))

    def test_json_has_all(self):
        found = peaks(f"{NARROW} + {WIDE}", "--seed", "18446744073709551615", "--evaluations", "3e5")
        self.assertEqual(list(found), ["variables", "evaluations", "seed", "found", "peaks"])
        self.assertEqual((found["variables"], found["evaluations"], found["seed"], found["found"]),
                         (["x", "y"], 300000, 2**64 - 1, 2))
        for peak, at, deviation, height in zip(found["peaks"], [(0.3, 0.7), (0.8, 0.2)], [0.01, 0.05], [1, 0.25], strict=True):
            self.assertEqual(list(peak), ["at", "log_height", "height", "sdev", "covariance", "largest_correlation",
                                          "log_integral", "integral"])
            self.assert_near(peak["at"], at, deviation)
            self.assertAlmostEqual(peak["height"] / height, 1, delta=0.4)
            self.assertAlmostEqual(math.exp(peak["log_height"]), peak["height"])
            self.assert_near(peak["sdev"], [deviation] * 2, deviation / 10)
            self.assertAlmostEqual(peak["covariance"][1][1], peak["sdev"][1] ** 2)
            self.assertEqual(peak["covariance"][0][1], peak["covariance"][1][0])
            self.assertLess(abs(peak["largest_correlation"]["value"]), 0.1)
            self.assertEqual(peak["largest_correlation"]["variables"], ["x", "y"])
            laplace = peak["height"] * 2 * math.pi * deviation**2
            self.assertAlmostEqual(peak["integral"] / laplace, 1, delta=0.1)
            self.assertAlmostEqual(math.exp(peak["log_integral"]) / peak["integral"], 1)

    def test_random_gaussians(self):
        """Correlated ones of two to six variables in boxes with sides of different units: each is found with its
        covariance."""
        for seed in range(12):
            numbers = random.Random(seed)
            d = numbers.randint(2, 6)
            units = [10 ** numbers.uniform(-3, 3) for _ in range(d)]
            at = [u * numbers.uniform(0.2, 0.8) for u in units]
            deviation = [u * 10 ** numbers.uniform(-2, -1) for u in units]
            rho = numbers.uniform(-0.9, 0.9)  # of the first two
            z = [f"((x{i + 1} - {at[i]!r})/{deviation[i]!r})" for i in range(d)]
            square = f"({z[0]}^2 - {2 * rho!r}*{z[0]}*{z[1]} + {z[1]}^2)/{1 - rho * rho!r}"
            formula = f"exp(-({'+'.join([square, *(each + '^2' for each in z[2:])])})/2)"
            found = peaks(formula, "--box", ",".join(f"0:{u!r}" for u in units))
            self.assertEqual(found["found"], 1, seed)
            peak = found["peaks"][0]
            self.assert_near([x / s for x, s in zip(peak["at"], deviation)], [x / s for x, s in zip(at, deviation)], 1)
            self.assert_near([x / s for x, s in zip(peak["sdev"], deviation)], [1] * d, 0.1)
            if abs(rho) > 0.2:
                largest = peak["largest_correlation"]
                self.assertEqual(largest["variables"], ["x1", "x2"])
                self.assertLess(abs(largest["value"] - rho), 0.05)

    def test_spelling_is_that_of_integrals(self):
        wanted = peaks(NARROW)
        for arguments in (["exp(-((u - 0.3)^2 + (t - 0.7)^2)/2e-4)", "--vars", "u,t"],
                          ["exp(-((u - 0.3)^2 + (t - 0.7)^2)/2e-4)", "--box", "u=0:1,t=0:1"],
                          ["exp(-((x - a)^2 + (y - b)^2)/2e-4)", "--parameter", "a=0.3,b=0.7"],
                          [NARROW, "--box", "0:1,0:1"], [NARROW, "--box", "0:2/2"]):
            with self.subTest(arguments):
                found = peaks(*arguments)
                self.assertEqual(found["found"], 1)
                self.assert_near(found["peaks"][0]["at"], wanted["peaks"][0]["at"], 1e-6)
        more = peaks(NARROW, "--box", "0:1,0:1,0:1")
        self.assertEqual(more["variables"], ["x", "y", "z"])
        several = peaks(f"{NARROW}; -{WIDE}")
        self.assertEqual(several["found"], 2)
        turned = peaks(f"3*exp(i*pi/4)*{NARROW}", "--complex")["peaks"][0]
        self.assertAlmostEqual(turned["height"], 3 * math.sqrt(2), delta=0.5)
        minus = run("peaks", "-exp(-50*(x-0.3)^2)", "--evaluations", "1e4")
        self.assertEqual(minus.returncode, 0, minus)

    def test_table(self):
        lines = run("peaks", f"{NARROW} + {WIDE}").stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], r"^log height +height +log integral +integral +correlation +x \(deviation\) +y \(deviation\)$")
        number = r"-?[\d.]+(?:e[+-]\d+)?"
        row = rf"^({number}) +({number}) +({number}) +({number}) +({number}) x,y +({number}) \(({number})\) +({number}) \(({number})\)$"
        for line, truth in zip(lines[1:], [(0, 1, math.log(2 * math.pi * 1e-4), 2 * math.pi * 1e-4, 0, 0.3, 0.01, 0.7, 0.01),
                                           (math.log(0.25), 0.25, math.log(math.pi * 0.00125), math.pi * 0.00125, 0, 0.8, 0.05, 0.2, 0.05)]):
            self.assertRegex(line, row)
            for found, wanted in zip(re.match(row, line).groups(), truth):
                self.assertAlmostEqual(float(found), wanted, delta=0.02 + 0.02 * abs(wanted))
        one = run("peaks", "exp(-50*(x-0.3)^2)", "--evaluations", "1e4").stdout
        self.assertNotIn("correlation", one)
        large = run("peaks", "exp(600 - 50*(x-0.3)^2)*1e47", "--box", "0:1").stdout.splitlines()[1].split()
        self.assertAlmostEqual(float(large[0]), 600 + 47 * math.log(10), delta=0.01)
        self.assertEqual(large[1][-5:], "e+307")

    def test_limit(self):
        formula = "+".join(f"{k}*exp(-((x - {x})/0.002)^2)" for k, x in enumerate(
            [0.03, 0.11, 0.16, 0.25, 0.31, 0.42, 0.51, 0.55, 0.64, 0.72, 0.79, 0.93], 1))
        lines = run("peaks", formula, "--evaluations", "1e5").stdout.splitlines()
        self.assertEqual((len(lines), lines[-1]), (12, "2 lower ones: --limit 12 prints all"))
        heights = [float(line.split()[1]) for line in lines[1:-1]]
        for found, wanted in zip(heights, range(12, 2, -1)):
            self.assertAlmostEqual(found, wanted, delta=0.3)
        self.assertEqual(run("peaks", formula, "--evaluations", "1e5", "--limit", "11").stdout.splitlines()[-1],
                         "1 lower one: --limit 12 prints all")
        self.assertEqual(len(peaks(formula, "--evaluations", "1e5")["peaks"]), 12)
        few = peaks(formula, "--evaluations", "1e5", "--limit", "2")
        self.assertEqual((few["found"], len(few["peaks"])), (12, 2))

    def test_nothing(self):
        for formula in ("0*x", "sqrt(-1-x)", "exp(1000 + x)", "1/(x - x)"):
            done = run("peaks", formula, "--evaluations", "1e4")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith("no peak: "), done.stdout)
            self.assertEqual(peaks(formula, "--evaluations", "1e4")["peaks"], [])

    def test_seeds(self):
        same = [run("peaks", NARROW, "--evaluations", "1e4", "--seed", seed).stdout for seed in ("1", "1", "2")]
        self.assertEqual(same[0], same[1])
        self.assertNotEqual(same[0], same[2])
        threads = [run("peaks", NARROW, "--json", OMP_NUM_THREADS=n).stdout for n in ("1", "2")]
        self.assertEqual(threads[0], threads[1])


class Refused(Case):
    def test_arguments(self):
        self.assert_bad(["peaks"], "EXPR: an expression is needed")
        self.assert_bad(["peaks", "x +"], "EXPR x +: column 4: ")
        self.assert_bad(["peaks", "x", "--evaluations", "999"], "--evaluations 999: ", "at least 1000")
        self.assert_bad(["peaks", "x", "--evaluations", "1.5"], "--evaluations 1.5: ", "whole number")
        self.assert_bad(["peaks", "x", "--evaluations", "1e15"], "--evaluations 1e15: ", "GiB")
        self.assert_bad(["peaks", "x", "--seed", "-1"], "--seed -1: ")
        for limit in ("0", "-3", "1.5", "1e20", "nan", "many"):
            self.assert_bad(["peaks", "x", f"--limit={limit}"], "--limit", "a whole number, at least 1")
        self.assert_bad(["peaks", "x", "--evaluatons", "3"], "--evaluatons: no such option; did you mean --evaluations?")
        self.assert_bad(["peaks", "x", "--method", "qmc"], "--method: no such option")
        self.assert_bad(["peaks", "x1*x2*x3", "--box", "0:1,0:2"], "--box 0:1,0:2: 2 sides for 3 variables")
        self.assert_bad(["peaks", "x21"], "EXPR x21: ", "up to 20 variables")
        self.assert_bad(["peaks", "x", "--box", ",".join(["0:1"] * 21)], "up to 20 variables")
        self.assert_bad(["peaks", "a*x", "--parameter", "a"], "--parameter a: ")

    def test_domains_that_are_no_boxes(self):
        self.assert_bad(["peaks", "x", "--domain", "ball 0,0 1"], "--domain ball 0,0 1: peaks are searched for in boxes")
        for box in ("x=0:1,y=0:x", "x~normal(0,1),y=0:1"):
            self.assert_bad(["peaks", "x*y", "--box", box], f"--box {box}: peaks are searched for in boxes with constant sides")

    def test_help(self):
        text = run("peaks", "--help").stdout
        for option in ("--box", "--vars", "--parameter", "--complex", "--evaluations", "--seed", "--limit", "--json"):
            self.assertIn(option, text)
        self.assertNotIn("--domain SHAPE", text)
        self.assertIn("peaks", run("--help").stdout)


if __name__ == "__main__":
    unittest.main()
