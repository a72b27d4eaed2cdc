#!/usr/bin/env python3
"""How perf/papers judges records: what counts as right, medians, joules, and the calls that an example prints."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "perf/papers"))

import cuvegas  # noqa: E402
import energy  # noqa: E402
import m_cubes  # noqa: E402

OF_EXAMPLE = """Omega_m 0.3, sigma_8 0.8
  six variables: 4.124(4)e+02  converged after 9 iterations, chi2/dof 1.02, 1,800,000 evaluations, 3.1 ms by vegas+
  two variables: 412.35(4)  converged after 1 iteration, 9,000 evaluations, 12 regions, 1.2 s by pagani
"""


def strata(integrand, size, off):
    ways = {"m-Cubes": (4, off), "beta 0": (4, 1e-3), "beta 0.75": (2, 1e-3)}
    return [
        {"integrand": integrand, "evaluations": size, "way": way, "milliseconds": time, "error": 2e-3, "off": each}
        for way, (time, each) in ways.items()
    ]


class Papers(unittest.TestCase):
    def test_the_calls_of_the_example(self):
        six, two = m_cubes.calls_in(OF_EXAMPLE)
        self.assertEqual((six["method"], six["evaluations"], six["milliseconds"]), ("vegas+", 1_800_000, 3.1))
        self.assertEqual((two["variables"], two["value"], two["milliseconds"]), ("two", "412.35(4)", 1200))
        self.assertEqual(six["cosmology"], "Omega_m 0.3, sigma_8 0.8")

    def test_the_gain_is_the_median_where_all_are_right(self):
        rows = [*strata("ridge", 1e4, 1), *strata("ridge", 1e5, 2e-3), *strata("ridge", 1e6, 4e-3)]
        self.assertEqual(cuvegas.median_gain({"strata": rows}, "ridge"), (8 + 32) / 2)
        self.assertIsNone(cuvegas.median_gain({"strata": rows[:3]}, "ridge"))

    def test_wrong_results_of_either_side_do_not_count(self):
        mine = [{"value": 1.0, "reported": 1e-3, "off": off} for off in (1e-2, 1e-3)]
        theirs = {"value": "1.01", "reported": "0.01"}
        self.assertEqual(cuvegas.right({}, theirs, mine), mine[1:])
        self.assertEqual(cuvegas.right({}, {**theirs, "value": "1.1"}, mine), [])

    def test_starting_all_devices_lowers_their_efficiency(self):
        times = {1: 100, 2: 50}
        self.assertEqual(cuvegas.efficiency(times)[2], 1)
        self.assertEqual(cuvegas.efficiency(times, lambda n: 20 * n)[2], 120 / 90 / 2)

    def test_the_least_energy_is_that_of_a_right_result(self):
        record = {"backends": [{"backend": "Cuda"}]}
        rows = [
            {"method": method, "tolerance": 1e-3, "off": off, "milliseconds": 1, "gpu_joules": joules, "host_joules": 9}
            for method, off, joules in (("PAGANI", 1e-4, 2), ("QMC", 1e-4, None), ("plain", 1e-2, 1))
        ]
        self.assertEqual(energy.least(rows, record), "PAGANI")
        self.assertEqual(energy.cell_of(rows[1], record), "not readable, 1 ms")
        self.assertEqual(energy.cell_of(rows[2], record), "1 J, 1 ms (wrong)")

    def test_the_counter_of_a_host_begins_again(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(energy.Rapl(folder)())
            package = pathlib.Path(folder, "intel-rapl:0")
            package.mkdir()
            pathlib.Path(folder, "intel-rapl:0:0").mkdir()  # a part of it
            (package / "max_energy_range_uj").write_text("10000000")
            counter = energy.Rapl(folder)
            for microjoules, joules in (9_000_000, 0), (9_500_000, 0.5), (1_500_000, 2.5):
                (package / "energy_uj").write_text(str(microjoules))
                self.assertEqual(counter(), joules)


if __name__ == "__main__":
    unittest.main()
