#!/usr/bin/env python3
"""Digests of sources (perf/digest.py): what changes them and what does not, in a folder like the project; what records
keep; and that each study of the project has one."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {
    "core/include/kubature/a.hpp": 'int a = 1; // one\n\nchar const* s = "// no comment";\n',
    "core/include/kubature/version.hpp": "#define KUBATURE_VERSION_MINOR 2\n",
    "runtime/src/r.cpp": "int r = 1;\n",
    "suite/include/kubature/suite/s.hpp": "int s = 1;\n",
    "suite/include/kubature/suite/other.hpp": "int other = 1;\n",
    "tests/oracle/o.hpp": "int o = 1'000'000;\n",
    "perf/record.hpp": "int record = 1;\n",
    "perf/record.cpp": '#include "record.hpp"\nint written = 1;\n',
    "perf/studies/one.cpp": '#include "record.hpp"\n#include <kubature/suite/s.hpp>\n'
                            "#include <oracle/o.hpp>\nint one = 1;\n",
    "perf/studies/two.cpp": '#include "record.hpp"\n#include <kubature/runtime/r.hpp>\nint two = 1;\n',
    "perf/CMakeLists.txt": "kubature_study(one studies/one.cpp)\nif(x)\n"
                           "  kubature_study(\n    two-b\n    studies/two.cpp)\nendif()\n",
    "perf/common.py": "SIZE = 3\n\n\ndef unused():\n    return 1\n",
    "perf/papers/experiments.py": 'class Program:\n    """Makes calls."""\n\n\ndef paper(name):\n    return name\n',
    "perf/papers/p.py": "from common import SIZE\nfrom experiments import paper\n\nPAPER = paper('p')\n\n\n"
                        "def measure(program):\n    return [program(i) for i in range(SIZE)]  # all\n\n\n"
                        "def shown(record):\n    return PAPER\n",
    "perf/papers/p.json": '{"a": 1}\n',
    "perf/script.py": "import json, sys\nimport digest\n"
                      "build = digest.of_build('python', '0.2.0, commit unknown, Kokkos', sys.argv[1])\n"
                      "print(json.dumps(digest.heading(__file__, build)))\n",
}
PARTS = ("one", "two-b", "python", "kubature", "papers/p.py")


class Digests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for file, text in FILES.items():
            self.change(file, text)
        self.change("perf/digest.py", (ROOT / "perf/digest.py").read_text())
        self.before = self.digests()

    def change(self, file, text):
        (self.root / file).parent.mkdir(parents=True, exist_ok=True)
        (self.root / file).write_text(text)

    def run_python(self, *words):
        run = subprocess.run([sys.executable, *words], cwd=self.root, capture_output=True, text=True, check=True)
        return run.stdout

    def digests(self):
        lines = self.run_python("perf/digest.py", *PARTS).splitlines()
        return {part: line.split()[0] for part, line in zip(PARTS, lines, strict=True)}

    def expect(self, changed, file, old, new):
        """The parts whose digests change with a file, which is then as before."""
        self.assertIn(old, FILES[file])
        self.change(file, FILES[file].replace(old, new))
        digests = self.digests()
        self.assertEqual([part for part in PARTS if digests[part] != self.before[part]], changed, file)
        self.change(file, FILES[file])

    def test_comments_blank_lines_and_the_version_decide_nothing(self):
        self.assertTrue(all(len(digest) == 12 for digest in self.before.values()), self.before)
        self.expect([], "core/include/kubature/a.hpp", "// one\n\n", "/* two\n   lines */  \n\n\n")
        self.expect([], "core/include/kubature/version.hpp", "2", "3")
        self.expect([], "tests/oracle/o.hpp", "1'000'000;", "1'000'000; // it's large")
        self.expect([], "perf/papers/p.py", "  # all", "")
        self.expect([], "perf/papers/experiments.py", "Makes calls.", "Makes\n    calls, one by one.")
        self.change("tests/unit/t.cpp", "int t = 1;\n")
        self.assertEqual(self.digests(), self.before)

    def test_code_decides(self):
        programs = ["one", "two-b", "python", "kubature"]
        self.expect(programs, "core/include/kubature/a.hpp", "a = 1", "a = 2")
        self.expect(programs, "core/include/kubature/a.hpp", "// no comment", "// a comment")
        self.expect(["two-b", "python", "kubature"], "runtime/src/r.cpp", "1", "2")
        self.expect(["one", "kubature"], "suite/include/kubature/suite/s.hpp", "1", "2")
        self.expect(["kubature"], "suite/include/kubature/suite/other.hpp", "1", "2")
        self.expect(["one"], "tests/oracle/o.hpp", "1'000", "2'000")
        self.expect(["one", "two-b"], "perf/record.cpp", "1", "2")
        self.expect(["two-b"], "perf/studies/two.cpp", "1", "2")

    def test_what_a_script_measures_with_decides(self):
        self.expect(["papers/p.py"], "perf/common.py", "SIZE = 3", "SIZE = 4")
        self.expect(["papers/p.py"], "perf/papers/p.py", "program(i)", "program(2 * i)")
        self.expect([], "perf/common.py", "return 1", "return 2")
        self.expect([], "perf/papers/p.py", "return PAPER", "return record")
        self.expect([], "perf/papers/p.json", "1", "2")
        uses = FILES["perf/papers/p.py"].replace("range(SIZE)", "PAPER")
        self.change("perf/papers/p.py", uses)
        self.before = self.digests()
        self.change("perf/papers/p.json", '{"a": 2}\n')
        self.assertNotEqual(self.digests(), self.before)

    def test_a_record_keeps_digests_arguments_and_time(self):
        study = self.root / "study"
        study.write_text("#!/bin/sh\necho '" + json.dumps({"commit": "unknown", "digest": self.before}) + "'\n")
        study.chmod(0o755)
        words = ["--repeat", "3", "--json", "FILE", "--json=FILE", "--sources", "STUDY", "--programs", "FOLDER"]
        record = json.loads(self.run_python("perf/script.py", study, *words))
        self.assertEqual(record["arguments"], [str(study), "--repeat", "3"])
        self.assertEqual(record["digest"]["python"], self.before["python"])
        self.assertEqual(list(record["digest"]), ["script.py", "python"])
        self.assertLess(record["wall_seconds"], 60)
        ages = "import sys; sys.path.insert(0, 'perf'); import digest, json; print(digest.age(json.loads(sys.argv[1])))"
        self.assertEqual(self.run_python("-c", ages, json.dumps(record)).strip(), "")
        self.change("core/include/kubature/a.hpp", "int a = 2;\n")
        self.assertEqual(self.run_python("-c", ages, json.dumps(record)).strip(), ", of older code")
        self.assertEqual(self.run_python("-c", ages, "{}").strip(), ", of older code")

    def test_a_header_has_all_programs(self):
        self.run_python("perf/digest.py", "--header", "digests.hpp")
        text = (self.root / "digests.hpp").read_text()
        for part in PARTS[:-1]:
            self.assertIn(f'{{"{part}", "{self.before[part]}"}}', text)


class Studies(unittest.TestCase):
    def test_each_has_a_digest_and_names_itself_as_its_program(self):
        run = subprocess.run([sys.executable, ROOT / "perf/digest.py"], capture_output=True, text=True, check=True)
        names = [line.split()[1] for line in run.stdout.splitlines()]
        text = "".join(file.read_text() for file in (ROOT / "perf/studies").glob("*.cpp"))
        for study in set(names) - {"python", "kubature"}:
            self.assertIn(f'perf::study("{study}"', text)
        self.assertEqual(text.count("perf::study("), len(names) - 2)

    def test_records_are_listed(self):
        run = subprocess.run([sys.executable, ROOT / "perf/records.py"], capture_output=True, text=True, check=True)
        for file in (ROOT / "perf/results").glob("*/*.json*"):
            self.assertIn(f"{file.parent.name}/{file.name}  commit ", run.stdout)


if __name__ == "__main__":
    unittest.main()
