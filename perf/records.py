#!/usr/bin/env python3
"""Lists the records of perf/results from the oldest to the newest: commit, date, whether the code is that of today (or
which parts of it are not), the seconds that it took, and the command that makes it.

    perf/records.py [MACHINE]                          all, or those of a folder of perf/results
    perf/records.py --renew MACHINE [--build FOLDER]   only the commands that renew those of older code

The commands take programs from a build's folder, by default that of the preset of the record's backend. Records of
earlier versions of the studies know neither their arguments nor, most of them, their time.
"""

import argparse
import json
import pathlib
import re
import shlex

import digest

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
SCRIPTS = {"evidence-beside": "evidence_beside_samplers.py", "architecture": "study.py"}


class Record:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        text = path.read_text(encoding="utf-8")
        self.lines = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
        self.runs = [each for each in self.lines if "problem" not in each]
        self.first = self.runs[0]
        self.study = self.first.get("study", self.name)
        self.backend = (self.first.get("backends") or [{"backend": self.first.get("backend")}])[0]

    @property
    def machine(self):
        return self.path.parent.name

    @property
    def commit(self):
        found = self.first.get("commit") or re.search(r"commit (\w+)|$", self.first.get("kubature", ""))[1] or "unknown"
        return found[:7] if isinstance(found, str) else ", ".join(each[:7] for each in dict.fromkeys(found.values()))

    @property
    def date(self):
        return self.first.get("time", "")[:10] or "unknown"

    @property
    def age(self):
        if digest.is_of_today(self.runs):
            return "today"
        parts = dict.fromkeys(part for run in self.runs for part in digest.changed(run))
        return f"older: {', '.join(parts)}" if parts else "older"

    @property
    def seconds(self):
        """The wall time; of calls one after the other, their sum; None where it is not known."""
        wall = [run.get("wall_seconds") for run in self.runs]
        if all(wall):
            return sum(wall)
        if len(self.lines) > len(self.runs):
            return sum(each.get("seconds", 0) for each in self.lines)
        return self.first.get("seconds") if self.study == "architecture" else None

    @property
    def script(self):
        """The script that made it, below perf; None for a study's program."""
        known = next((part for part in self.first.get("digest", {}) if part.endswith(".py")), None)
        if known or (self.study in digest.studies() and "machine" not in self.first):
            return known
        stem = self.study.removeprefix("papers-").replace("-", "_")
        return SCRIPTS.get(self.study) or (f"papers/{stem}.py" if self.study.startswith("papers-") else f"{stem}.py")

    def commands(self, build=None):
        """A command for each run."""
        backend = self.backend["backend"] or ("Cuda" if "(Cuda" in self.first["kubature"] else "OpenMP")
        return [self.command(run, build or f"build/{backend.lower()}") for run in self.runs]

    def command(self, run, build):
        file = self.path.relative_to(RESULTS.parent.parent).as_posix()
        folder, words, variables = pathlib.Path(file).parent.as_posix(), run.get("arguments", []), {}
        if "concurrency" in self.backend and self.backend["backend"] == "OpenMP" and self.script != "study.py":
            variables["OMP_NUM_THREADS"] = self.backend["concurrency"]
        if self.script is None:
            launcher = ["mpirun", "-n", str(run["processes"])] if run.get("processes", 1) > 1 else []
            words, end = [*launcher, f"{build}/perf/{self.study}", *words], f"--output {file}"
        elif self.script.startswith("papers/"):
            words, end = [f"perf/{self.script}", *words], f"--programs {build}/perf --output {folder}"
        elif self.script == "study.py":
            processes = run.get("processes", 1)
            words = words or ["quick", *(["--launcher", f"mpirun -n {processes}"] if processes > 1 else [])]
            words, end = ["perf/study.py", *words], f"--build {build} --output {folder}"
        elif self.script == "same_course.py":
            words, end = ["perf/same_course.py", "measure"], f"{build}/app/kubature {build}/perf/calls > {file}"
        else:
            variables["PYTHONPATH"] = f"{build}/bindings/python"
            end = f"{'>' if run is self.first else '>>'} {file}" if self.path.suffix == ".jsonl" else f"--json {file}"
            words, end = ["python3", f"perf/{self.script}", *words], f"--sources {build}/perf/calls {end}"
        known = "arguments" in run or self.script == "same_course.py"
        settings = "".join(f"{name}={value} " for name, value in variables.items())
        return f"{settings}{shlex.join(words)} {end}" + ("" if known else "  # its arguments are not known")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machine", nargs="?", help="a folder of perf/results")
    parser.add_argument("--renew", metavar="MACHINE", help="print the commands that renew its records of older code")
    parser.add_argument("--build", help="the folder of a build")
    given = parser.parse_args()
    wanted = given.renew or given.machine or "*"
    records = [Record(path) for path in sorted(RESULTS.glob(f"{wanted}/*.json*"))]
    if not records:
        parser.error(f"no records in perf/results/{wanted}")
    if given.renew:
        records = [each for each in records if each.age != "today"]
        known = [each.seconds for each in records if each.seconds is not None]
        print(f"# {len(records)} records; {len(known)} of them took {sum(known):.0f} s, the others are not known")
        for each in records:
            print("\n".join(each.commands(given.build)))
        return
    for each in sorted(records, key=lambda record: record.date.replace("unknown", "")):
        took = "unknown" if each.seconds is None else f"{each.seconds:.0f} s"
        print(f"{each.machine}/{each.path.name}  commit {each.commit}  {each.date}  {each.age}  {took}")
        print("\n".join(f"    {command}" for command in each.commands(given.build)))


if __name__ == "__main__":
    main()
