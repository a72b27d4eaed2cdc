"""What the tables of pages have in common: records, peers, captions and the list of all tables."""

import contextlib
import csv
import io
import pathlib
import re

import digest
import ladder

HERE = pathlib.Path(__file__).resolve().parent
TABLES = {}


def record(name, machine="h200"):
    return ladder.load(HERE / "results" / machine / f"{name}.json")


def commit(of):
    """The commit of a record, of each of its parts, or of the first of several records, in seven digits, and whether
    the code is older than that here."""
    first = of[0] if isinstance(of, list) else of
    found = first.get("commit") or re.search(r"commit (\w+)", first["kubature"])[1]
    if isinstance(found, str):
        return f"commit {found[:7]}{digest.age(of)}"
    return "; ".join(f"{what}: commit {value[:7]}" for what, value in found.items()) + digest.age(of)


def caption(name, of=None, machine="h200", device="one NVIDIA H200"):
    of = of or record(name, machine)
    print(f"\n*{device[0].upper() + device[1:]}; `perf/results/{machine}/{name}.json`, {commit(of)}.*")


def named(function):
    TABLES[function.__name__.replace("_", "-")] = function
    return function


def printed(function, *arguments):
    """The tables that a function prints, each as a list of lines."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    found, current = [], []
    for line in [*out.getvalue().split("\n"), ""]:
        if line.startswith("|"):
            current.append(line)
        elif current:
            found.append(current)
            current = []
    return found


def peers(name):
    """The rows of perf/peers/NAME.csv as dictionaries."""
    with open(HERE / "peers" / f"{name}.csv", encoding="utf-8") as file:
        text = file.read().split("\n")
    comments = [line for line in text if line.startswith("#")]
    columns = comments[-1].lstrip("# ").split(";")
    return [
        dict(zip(columns, each)) for each in csv.reader((t for t in text if t and not t.startswith("#")), delimiter=";")
    ]


def time(milliseconds):
    """A time with its unit, to two or three digits."""
    for unit, size in (("us", 1e-3), ("ms", 1), ("s", 1e3)):
        if milliseconds < 1000 * size or unit == "s":
            return f"{milliseconds / size:.3g} {unit}"
