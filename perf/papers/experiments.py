"""What the scripts of this folder share: the study `calls`, which makes calls with warm kernels; sizes; records; tables
beside the papers' numbers."""

import argparse
import contextlib
import ctypes
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import digest  # noqa: E402
import markdown_table  # noqa: E402
from markdown_table import cell, head  # noqa: E402


def row(*cells):
    markdown_table.row(*map(str, cells))


def paper(name):
    """The paper's numbers: perf/papers/NAME.json."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def rows_of(table):
    """The rows of a paper's table as dictionaries."""
    return [dict(zip(table["columns"], each, strict=True)) for each in table["rows"]]


class Program:
    """The study `calls`: a call is a line to it, and a line from it."""

    def __init__(self, folder, scale, seconds):
        self.folder = pathlib.Path(folder)
        self.process = subprocess.Popen(
            [self.folder / "calls"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.truths, self.digests = {}, []
        self.begin, self.seconds, self.scale, self.on_device = time.monotonic(), seconds, 1, True
        backend = self("linear", "mc", evaluations=1000)["backend"]
        self.on_device = backend not in ("OpenMP", "Serial", "Threads")
        self.scale = scale or (1 if self.on_device else 0.01)

    def left(self):
        """The seconds that are left to the script."""
        return self.seconds - (time.monotonic() - self.begin)

    def size(self, number, least=1000):
        """A number of evaluations, scaled."""
        return max(least, round(number * self.scale))

    def __call__(self, integrand, method, asked=None, **options):
        """Makes a call: `asked` has repeat, seeds and so on (calls.cpp); an integrand that is a dictionary is a formula
        with its variables and box."""
        what = integrand if isinstance(integrand, dict) else {"integrand": integrand}
        line = {**what, "method": method, **(asked or {}), "options": options}
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "refused" in answer:
            raise ValueError(f"{line}: {answer['refused']}")
        return answer

    def truth(self, integrand):
        """The true value of a reference integral."""
        if integrand not in self.truths:
            self.truths[integrand] = self(integrand, "mc", evaluations=1000, iterations=1)["true_value"]
        return self.truths[integrand]

    def study(self, name, *arguments):
        """The record of another study."""
        run = subprocess.run([self.folder / name, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True)
        return self.noted(name, json.loads(run.stdout))

    def noted(self, study, record):
        """The record of a study, whose digest is kept."""
        self.digests.append(record.get("digest", {study: None}))
        return record

    def heading(self):
        """Ends the study and gives what a record begins with."""
        self.process.stdin.close()
        heading = json.loads(self.process.stdout.read())
        self.process.wait()
        return self.noted("calls", heading)


def converged(answer):
    return answer["status"] == "converged"


def true_error(answer, truth):
    """Relative to the true value; None where a limit came before any value."""
    return None if answer["value"] is None else abs(answer["value"] / truth - 1)


def formula(text, variables, *sides):
    """An integrand by its formula, on one side for all variables or on one for each."""
    return {"formula": text, "variables": list(variables), "box": [list(side) for side in sides or ((0, 1),)]}


class Energy:
    """The energy that the first NVIDIA GPU has taken, in joules, by the counter of its driver; None without one."""

    def __init__(self):
        self.library, self.device = None, ctypes.c_void_p()
        with contextlib.suppress(OSError):
            library = ctypes.CDLL("libnvidia-ml.so.1")
            if library.nvmlInit_v2() == 0 and library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)) == 0:
                self.library = library

    def __call__(self):
        millijoules = ctypes.c_ulonglong()
        if not self.library or self.library.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(millijoules)):
            return None
        return millijoules.value / 1000


def verdict(ours, theirs, larger=False):
    """What our number is beside theirs: the smaller is the better one, or the larger. Within 10 % they are equal."""
    if ours is None or theirs is None:
        return "-"
    if abs(ours - theirs) <= 0.1 * abs(theirs):
        return "equal"
    return "better" if (ours > theirs) == larger else "worse"


def milliseconds(number):
    """A time with its unit, to three digits."""
    if number is None:
        return "-"
    for unit, size in (("us", 1e-3), ("ms", 1), ("s", 1e3)):
        if number < 1000 * size or unit == "s":
            return f"{number / size:.3g} {unit}"


def device(record):
    """The machine of a record, in words."""
    first = record["backends"][0]
    if first["backend"] not in ("OpenMP", "Serial", "Threads"):
        return f"one {first['device']}"
    threads = first["concurrency"]
    return f"{'one thread' if threads == 1 else f'{threads} threads'} of an {first['device']}"


TABLES = {}


def table(title):
    """A function that prints a table of a record; its module and name are those on pages."""

    def add(function):
        TABLES.setdefault(function.__globals__["__file__"], []).append((title, function))
        return function

    return add


def run(file, measure, seconds=90):
    """The main() of a script."""
    name = pathlib.Path(file).stem
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--programs", default="build/perf", help="the folder of the built studies")
    parser.add_argument("--output", help="the folder for the record, papers-PAPER.json; by default none is kept")
    parser.add_argument("--show", help="print the tables of this record; measure nothing")
    parser.add_argument("--scale", type=float, help="multiplies evaluations; by default 1 on a GPU, 0.01 on a CPU")
    parser.add_argument("--seconds", type=float, default=seconds, help="what would begin later is left out")
    parser.add_argument("--quick", action="store_true", help="little work, to see that the script runs")
    arguments = parser.parse_args()
    if arguments.show:
        record = json.loads(pathlib.Path(arguments.show).read_text(encoding="utf-8"))
    else:
        scale = arguments.scale or (1e-4 if arguments.quick else None)
        program = Program(arguments.programs, scale, 4 if arguments.quick else arguments.seconds)
        measured = measure(program)
        heading = {**program.heading(), "study": f"papers-{name.replace('_', '-')}", "scale": program.scale}
        record = {**heading, **digest.heading(file, *program.digests), **measured}
        print(f"{time.monotonic() - program.begin:.0f} s", file=sys.stderr)
    if arguments.output:
        to = pathlib.Path(arguments.output) / f"papers-{name.replace('_', '-')}.json"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    of_paper = f" The paper: {paper(name)['hardware']}." if (HERE / f"{name}.json").exists() else ""
    print(f"Here: {device(record)}, commit {record['commit'][:7]}.{of_paper}")
    for title, show in TABLES[file]:
        print(f"\n{title[0].upper() + title[1:]}\n")
        show(record)


__all__ = [
    "HERE",
    "Energy",
    "Program",
    "cell",
    "converged",
    "device",
    "formula",
    "head",
    "milliseconds",
    "paper",
    "row",
    "rows_of",
    "run",
    "table",
    "true_error",
    "verdict",
]
