#!/usr/bin/env python3
"""`kubature evidence`.

The environment variable KUBATURE_PROGRAM is the path of the program.
"""

import csv
import json
import math
import os
import tempfile
import unittest

from cli_test import Case, run

NORMAL = "-1e5 - (x - 3)^2/(2*0.1^2) - (y + 1)^2/(2*0.2^2)"
BOX = "0:10,-5:5"
TRUTH = math.log(2 * math.pi * 0.1 * 0.2) - 1e5


def evidence(*arguments):
    done = run("evidence", *arguments, "--search", "50000", "--json")
    if "NaN" in done.stdout:
        raise AssertionError(done)
    return done.returncode, json.loads(done.stdout)


class Evidence(Case):
    def test_json_has_all(self):
        code, found = evidence(NORMAL, "--box", BOX, "--error", "0.005", "--seed", "7")
        self.assertEqual(code, 0)
        self.assertEqual(list(found), ["log_evidence", "error", "status", "mean", "sdev", "covariance", "peaks", "q_value", "k_hat",
                                       "effective", "evaluations", "seconds", "remarks"])
        self.assertLess(abs(found["log_evidence"] - TRUTH), 5 * found["error"])
        self.assertLessEqual(found["error"], 0.005)
        self.assertLess(abs(found["mean"]["x"] - 3), 0.01)
        self.assertLess(abs(found["sdev"]["y"] - 0.2), 0.01)
        self.assertEqual((found["status"], found["peaks"], len(found["covariance"])), ("converged", 1, 4))

    def test_text(self):
        done = run("evidence", "-(m - 3)^2/(2*s^2) - log(s)", "--box", "m=0:10,s=0.1:1", "--search", "50000")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^log Z = .* \+- .*  converged, \d+ peaks?, \d+ evaluations$")
        self.assertEqual([line.split(" = ")[0] for line in lines[1:3]], ["m", "s"])

    def test_writes_samples(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "samples.csv")
            code, found = evidence(NORMAL, "--box", BOX, "--samples", "2000", "--output", name)
            with open(name, encoding="ascii") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(code, 0)
            self.assertEqual(list(rows[0]), ["weight", "x", "y"])
            self.assertAlmostEqual(sum(float(row["weight"]) for row in rows), 1)
            self.assertAlmostEqual(sum(float(row["weight"]) * float(row["x"]) for row in rows), found["mean"]["x"])

    def test_ends_at_limits(self):
        code, found = evidence(NORMAL, "--box", BOX, "--error", "1e-6", "--max-evaluations", "3e5")
        self.assertEqual((code, found["status"]), (3, "evaluation_limit"))
        code, found = evidence("log(x - 2)", "--box", "0:1", "--max-evaluations", "1e5")
        self.assertEqual((code, found["status"], found["log_evidence"], found["mean"]), (3, "no_variance", None, {}))

    def test_bad_input(self):
        self.assert_bad(["evidence", "x", "--error", "0"], "--error 0: must be a positive number")
        self.assert_bad(["evidence", "x", "--seconds", "soon"], "--seconds soon: must be a positive number")
        self.assert_bad(["evidence", "x", "--samples", "1.5"], "--samples 1.5: ")
        self.assert_bad(["evidence", "x", "--domain", "ball 0 1"], "--domain ball 0 1: an evidence is computed in boxes")
        self.assert_bad(["evidence", "x", "--method", "qmc"], "--method: ")


if __name__ == "__main__":
    unittest.main()
