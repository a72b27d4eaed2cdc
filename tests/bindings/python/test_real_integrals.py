"""Integrals that people have, with poles, infinite sides, narrow peaks, cuts, and some that do not exist: a part of the
study in perf/real_integrals with evaluations instead of seconds as limits, so that every run has the same results."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "perf" / "real_integrals"))

import callers  # noqa: E402
import run  # noqa: E402
import table  # noqa: E402

TOLERANCES = (1e-3, 1e-5, 1e-7)
#: Of each kind so many, for auto and for a method called by its name; of divergent ones five times as many for auto.
#: PAGANI's calls are short, and one narrow peak that it misses counts at three tolerances.
BY_AUTO, BY_NAME = 16, {"pagani": 12, "vegas+": 5, "qmc": 5, "mcubes": 5, "mc": 5}
LIMITS = dict(seconds=0, evaluations=1_000_000)


def calls(method, count):
    """All calls of a method, each beside the truth."""
    caller, found = callers.Callers(), []
    for integral in run.integrals(1, run.KINDS, 5 * count):
        if not run.suits(integral, method) or (integral["kind"] != "divergent" and integral["number"] >= count):
            continue
        limits = dict(LIMITS, seed=1 + integral["number"])
        for tolerance in TOLERANCES[:1] if integral["truth"] is None else TOLERANCES:
            try:
                record = caller.call(method, integral, tolerance, limits)
            except OverflowError as problem:
                record = dict(status="exception", remarks=[str(problem)])
            call = table.Call(dict(record, method=method, tolerance=tolerance), integral, 0)
            found.append(call)
            if not call.converged:
                break
    return found


class RealIntegrals(unittest.TestCase):
    def at_most(self, share, found, among):
        told = "\n".join(each.text() for each in found)
        self.assertLessEqual(len(found), share * among, f"{len(found)} of {among}:\n{told}")

    def judge(self, method, count, wrong):
        """Checks what the library promises of the calls of any method."""
        found = calls(method, count)
        exist = [each for each in found if not each.divergent]
        with self.subTest(method, what="exceptions"):
            self.at_most(0, [each for each in found if each.failed], len(found))
        with self.subTest(method, what="wrong"):
            converged = [each for each in exist if each.converged]
            self.assertTrue(converged)
            self.at_most(wrong, [each for each in converged if each.wrong], len(converged))
        return found, exist

    def test_auto(self):
        found, exist = self.judge("auto", BY_AUTO, 0.005)
        with self.subTest("errors too small"):
            self.at_most(0.01, [each for each in exist if each.too_small], len(exist))
        with self.subTest("nan"):
            self.at_most(0, [each for each in exist if each.not_a_number], len(exist))
        with self.subTest("divergent"):
            self.assertGreaterEqual(len(found) - len(exist), 40)
            self.at_most(0, [each for each in found if each.divergent and each.converged], len(found) - len(exist))

    def test_methods_by_name(self):
        for method, count in BY_NAME.items():
            self.judge(method, count, 0.02)


if __name__ == "__main__":
    unittest.main()
