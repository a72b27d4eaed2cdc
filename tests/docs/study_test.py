#!/usr/bin/env python3
"""perf/study.py with programs that only print records: what it runs, and where its records lie; and what tables of
records of several machines, and of several ladders, show."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "perf"))

import compare  # noqa: E402
import ladder  # noqa: E402
import study  # noqa: E402

RECORD = {"processes": 1, "throughput": [], "calls": [], "small": [], "samples": [], "serial": {}}


class Study(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "perf").mkdir()

    def program(self, name, text):
        path = self.folder / "perf" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def ran(self, *arguments, backend):
        """Runs it with an input that never ends."""
        record = json.dumps(RECORD | {"backends": [{"backend": backend, "device": "A device"}], "space": backend})
        for name in ("architecture", "limits"):
            self.program(name, f"echo '{record[:-1]}, \"digest\": {{\"{name}\": \"0123456789ab\"}}}}'")
        read, write = os.pipe()
        with os.fdopen(read), os.fdopen(write, "w"):
            command = [sys.executable, ROOT / "perf/study.py", *arguments, "--build", self.folder]
            return subprocess.run([*command, "--output", self.folder / "records"], stdin=read, capture_output=True,
                                  text=True, timeout=60)

    def written(self, name):
        return json.loads((self.folder / "records" / name).read_text())

    def test_all_runs_every_study_and_waits_for_no_input(self):
        self.program("calls", "exit 4")
        self.program("choice", "read line && exit 5\necho '{\"study\": \"choice\"}'")
        self.program("scaling", "echo '{\"processes\": 1}'")
        self.program("broken", "exit 3")
        self.program("long", "exec sleep 50")
        run = self.ran("all", "--seconds", "6", backend="HIP")
        self.assertEqual(run.returncode, 1)
        papers = ", ".join(f"papers-{paper.replace('_', '-')}" for paper in study.PAPERS)
        self.assertEqual(run.stderr.splitlines()[-1], f"failed, or out of time: {papers}, broken, long", run.stderr)
        self.assertEqual({each.name for each in (self.folder / "records").iterdir()},
                         {"architecture.json", "choice.json", "scaling-1.json"})

    def test_a_gpu_of_any_maker_is_no_cpu_with_threads(self):
        self.assertEqual(self.ran("quick", backend="SYCL").returncode, 0)
        self.assertNotIn("threads", self.written("architecture.json"))
        self.assertEqual(self.ran("quick", "--threads", "1,2", backend="OpenMP").returncode, 0)
        self.assertEqual([each["threads"] for each in self.written("architecture.json")["threads"]], [1, 2])

    def test_a_record_keeps_digests_arguments_and_time(self):
        self.assertEqual(self.ran("quick", "--threads", "1", backend="OpenMP").returncode, 0)
        record = self.written("architecture.json")
        self.assertEqual(list(record["digest"]), ["study.py", "architecture", "limits"])
        self.assertEqual(record["arguments"], ["quick", "--threads", "1"])
        self.assertGreaterEqual(record["wall_seconds"], 0)

    def test_folders_are_those_of_the_records(self):
        for folder, device in (("h200", "NVIDIA H200"), ("h200-x2", "NVIDIA H200 x2"),
                               ("h100", "NVIDIA H100 80GB HBM3"), ("epyc-2-cores", "AMD EPYC 2 cores"),
                               ("xeon-16-cores", "Intel(R) Xeon(R) Processor 16 cores")):
            self.assertEqual(study.folder_name(device), folder)
            self.assertTrue((ROOT / "perf/results" / folder).is_dir())
        self.assertEqual(study.folder_name("AMD Instinct MI300X"), "instinct-mi300x")

    def test_papers_are_those_with_numbers(self):
        self.assertLessEqual({path.stem for path in ROOT.glob("perf/papers/*.json")}, set(study.PAPERS))


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def machine(self, name, rates):
        rows = [{"work": "f4-5d", "method": "mc", "samples": samples, "milliseconds": samples / rate / 1e6, "value": 1,
                 "error": 0.1} for samples, rate in rates.items()]
        limit = {"work": "f4-5d", "with_random_numbers": 2, "alone": 2}
        record = {"backends": [{"backend": "HIP", "device": name}], "machine": {"cores": 1}, "throughput": rows,
                  "calls": [], "limits": {"limits": {}, "samples": [limit]}}
        (self.folder / name).write_text(json.dumps(record))
        return compare.Machine(self.folder / name)

    def shown(self, show, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            show(*arguments)
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in out.getvalue().splitlines()]

    def test_gains_are_at_equal_samples_and_shares_count_as_one_at_most(self):
        machines = [self.machine("one", {1e6: 3, 1e8: 4}), self.machine("two", {0.9e6: 1, 1e7: 1})]
        self.assertEqual(self.shown(compare.gains, machines)[2], ["two", "plain Monte Carlo", "3", "-", "-"])
        self.assertEqual(self.shown(compare.throughput, machines)[2],
                         ["plain Monte Carlo", "f4-5d", "4 at 1e8, 200 %", "1 at 1e7, 50 %", "0.67"])
        self.assertEqual(self.shown(compare.throughput, machines, True)[2],
                         ["plain Monte Carlo", "f4-5d", "3 at 1e6, 150 %", "1 at 1e6, 50 %", "0.67"])

    def test_the_ladder_is_the_newest(self):
        row = {"integrand": "f2", "tolerance": 1e-3, "status": "converged", "regions": 1, "evaluations": 1,
               "milliseconds": 1}
        records = {
            "cubature-ladder": {"time": "2026-11-01", "rows": [row | {"dimension": 6, "method": "pagani"}]},
            "papers-pagani": {"time": "2026-11-02", "backends": [{"backend": "Cuda"}],
                              "ladder": [row | {"method": "PAGANI", "estimate": 1e-4, "true_error": 1e-5},
                                         row | {"method": "QMC", "estimate": 1e-4, "true_error": 1e-5}]},
        }

        def newest(**commits):
            for name, record in records.items():
                (self.folder / f"{name}.json").write_text(json.dumps(record | {"commit": commits.get(name[:5], "b")}))
            return ladder.newest(self.folder)

        name, record = newest(cubat="a")
        self.assertEqual(name, "papers-pagani")
        self.assertEqual(ladder.Ladder(record)["f2", ladder.PAGANI][0].truth, 1e-5)
        self.assertEqual(newest(cubat="b")[0], "cubature-ladder")


if __name__ == "__main__":
    unittest.main()
