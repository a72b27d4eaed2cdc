#!/usr/bin/env python3
"""What the compiler says of integrands that cannot be integrated: one sentence, and no more than 30 lines around it.

The environment variables KUBATURE_BUILD and CMAKE name the build folder and CMake.
"""

import os
import subprocess
import unittest

RETURNS, CALLED = "the integrand must return a real number", "the integrand must be callable with a Point<Real, D>"
CASES = {"complex": RETURNS, "whole": RETURNS, "array": RETURNS, "arguments": CALLED, "variables": CALLED,
         "domain": CALLED, "rank": "the values of a batch have rank 2: write values(k, 0)"}


class WrongIntegrands(unittest.TestCase):
    def test_messages_are_short(self):
        for case, sentence in CASES.items():
            with self.subTest(case=case):
                done = subprocess.run([os.environ["CMAKE"], "--build", os.environ["KUBATURE_BUILD"], "--target",
                                       f"kubature_wrong_{case}"], capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0)
                lines = done.stdout.splitlines()
                command = max(number for number, line in enumerate(lines) if " -c " in line and "-o " in line)
                said = [line for line in lines[command + 1:] if not line.startswith("ninja:")]
                self.assertEqual(sum("error: " in line for line in said), 1, done.stdout)
                self.assertIn(sentence, done.stdout)
                self.assertLessEqual(len(said), 30, done.stdout)


if __name__ == "__main__":
    unittest.main()
