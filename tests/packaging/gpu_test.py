#!/usr/bin/env python3
"""scripts/gpu run counts what tests said, with programs that stand for those of a build with a GPU."""

import pathlib
import subprocess
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TESTS = """#!/bin/sh
case $* in
  *list_tests*=-TimeLimit*) printf 'A.\\n  one\\n  two\\n  three\\n  four\\n' ;;
  *list_tests*) printf 'TimeLimit.\\n  is\\n' ;;
  *TimeLimit\\**:*) echo '[       OK ] TimeLimit.is (3 ms)' ;;
  *) case $GTEST_SHARD_INDEX in
       0) echo '[       OK ] A.one (1 ms)'; echo '[  SKIPPED ] A.two (0 ms)' ;;
       1) echo '[  FAILED  ] A.three, where TypeParam = int (2 ms)'; echo '[  FAILED  ] A.three'; exit 1 ;;
       2) echo '[ RUN      ] A.four'; kill -SEGV $$ ;;
     esac ;;
esac
"""
STUDY = """#!/bin/sh
while [ "$1" != --output ]; do shift; done
echo '{}' >"$2"
"""


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)

    def program(self, name, text):
        path = self.build / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def summary(self, *parts):
        self.program("bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200, 580'\n")
        done = subprocess.run([PROJECT / "scripts/gpu", "run", "--seconds", "60", "--output", self.build / "out", *parts],
                              capture_output=True, text=True, timeout=60, check=True,
                              env={"PATH": f"{self.build / 'bin'}:/usr/bin:/bin", "KUBATURE_GPU_BUILD": str(self.build)})
        self.assertEqual(done.stdout, (self.build / "out/summary.txt").read_text())
        return done.stdout.splitlines()[1:]

    def test_unit_tests_are_counted(self):
        self.program("tests/kubature_unit_tests_0", TESTS)
        unit, failed, alone = self.summary("unit")
        self.assertRegex(unit, r"^unit: 1 passed, 1 failed, 1 skipped, 1 not run of 4, \d+ s$")
        self.assertEqual(failed, "  failed: A.three")
        self.assertRegex(alone, r"^time limits and faults: 1 passed, 0 failed, 0 skipped, 0 not run of 1, \d+ s$")

    def test_python_tests_are_counted(self):
        count = len(list((PROJECT / "tests/bindings/python").glob("test_*.py")))
        self.program("bin/python3", "#!/bin/sh\necho 'Ran 2 tests in 0.001s'\n")
        self.assertRegex(*self.summary("python"), f"^python: {2 * count} tests of {count} files, failed: none, ")
        self.program("bin/python3", "#!/bin/sh\ncase $* in *scans*) exit 1 ;; esac\necho 'Ran 1 test in 0.001s'\n")
        (self.build / "out/summary.txt").unlink()
        self.assertRegex(*self.summary("python"), f"^python: {count - 1} tests of {count} files, failed: test_scans, ")

    def test_studies_write_records(self):
        self.program("perf/qmc", STUDY)
        self.program("perf/peaks", "#!/bin/sh\nexit 3\n")
        qmc, peaks, other = self.summary("qmc", "peaks", "nonsense")
        self.assertRegex(qmc, r"^qmc: exit status 0, \d+ s$")
        self.assertRegex(peaks, r"^peaks: exit status 3, \d+ s$")
        self.assertEqual(other, "nonsense: there is no such part")
        self.assertEqual((self.build / "out/qmc.json").read_text(), "{}\n")


if __name__ == "__main__":
    unittest.main()
