"""The table of a record of run.py: by kind and method how many calls converged, how many of these are wrong, and more.

    python3 perf/real_integrals/table.py all.json [--worst 5]

A converged call is wrong where its true error is above the tolerance, for methods that sample above three tolerances.
Auto is judged by the rule of the method that gave its result. An error is too small where the true one is more than
five times as large. True errors of 1e-14 of the size of the integral are put down to rounding."""

import argparse
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from markdown_table import head, row  # pylint: disable=wrong-import-position

CUBATURE = ("pagani", "two-phase", "scipy-quad", "scipy-cubature", "cuba-divonne", "cuba-cuhre")
ROUNDING = 1e-14


def listed(x):
    return x if isinstance(x, list) else [x]


def magnitude(value, truth):
    """|value - truth|, without overflow."""
    return math.inf if not math.isfinite(value) else abs(value / 2 - truth / 2) * 2


class Call:
    """A call beside the truth."""

    def __init__(self, record, integral, seconds):
        self.record, self.integral = record, integral
        self.converged = record["status"] == "converged"
        self.failed = record["status"] in ("exception", "hang", "crash")
        self.late = seconds > 0 and record.get("wall", 0) > 1.5 * seconds
        self.divergent = integral["truth"] is None
        values, errors = listed(record.get("value")), listed(record.get("error"))
        given = values != [None]
        self.not_a_number = (
            given and not self.divergent and (not all(map(math.isfinite, values)) or any(map(math.isnan, errors)))
        )
        #: The true error in tolerances and in errors, the largest of all components.
        self.in_tolerances = self.in_errors = 0.0
        if not given or self.divergent:
            return
        for value, error, truth in zip(values, errors, listed(integral["truth"])):
            off = magnitude(value, truth)
            if off <= ROUNDING * max(abs(truth), integral.get("size", 0)):
                continue
            tolerance = record["tolerance"] * abs(truth)
            self.in_tolerances = max(self.in_tolerances, off / tolerance if tolerance else math.inf)
            if math.isfinite(value) and math.isfinite(error):
                self.in_errors = max(self.in_errors, off / error if error else math.inf)

    @property
    def wrong(self):
        allowed = 1 if self.record.get("rule", self.record["method"]) in CUBATURE else 3
        return self.converged and not self.divergent and self.in_tolerances > allowed

    @property
    def too_small(self):
        return self.in_errors > 5

    def text(self):
        record, integral = self.record, self.integral
        truth = listed(integral["truth"])
        told = f"{record.get('value')} +- {record.get('error')}, true {truth if len(truth) > 1 else truth[0]}"
        off = f"off by {self.in_tolerances:.2g} tolerances, {self.in_errors:.2g} errors"
        rule = record.get("rule", record["method"])
        name = record["method"] if rule == record["method"] else f"{record['method']} ({rule})"
        remarks = "".join(f"\n      {each}" for each in record.get("remarks", ()))
        return (
            f"{integral['kind']} {integral['number']}, {name}, {record['tolerance']:g}: {record['status']}, {told}, "
            f"{off}, {record.get('evaluations', 0):.2g} evaluations, {record.get('wall', 0):.2f} s\n"
            f"      {integral['formula']}   over {integral['box']}{remarks}"
        )


def read(path):
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    known = {(each["kind"], each["number"]): each for each in record["integrals"]}
    return record, [Call(each, known[each["kind"], each["number"]], record["seconds"]) for each in record["calls"]]


def percent(part, whole):
    return f"{100 * part / whole:.2g} %" if whole else "-"


COLUMNS = (
    "calls",
    "converged",
    "wrong",
    "share",
    "errors too small",
    "share",
    "nan",
    "divergent converged",
    "failed",
    "late",
)


def counts(calls):
    """The cells of COLUMNS."""
    converged = [each for each in calls if each.converged and not each.divergent]
    real = [each for each in calls if not each.divergent]
    wrong, small = sum(each.wrong for each in calls), sum(each.too_small for each in calls)
    return [
        f"{len(calls)}",
        f"{len(converged)}",
        f"{wrong}",
        percent(wrong, len(converged)),
        f"{small}",
        percent(small, len(real)),
        f"{sum(each.not_a_number for each in calls)}",
        f"{sum(each.divergent and each.converged for each in calls)}",
        f"{sum(each.failed for each in calls)}",
        f"{sum(each.late for each in calls)}",
    ]


def reached(calls, tolerances):
    """How many integrals converged to each tolerance, and how many of these are right."""
    cells = []
    for tolerance in tolerances:
        here = [
            each for each in calls if each.record["tolerance"] == tolerance and each.converged and not each.divergent
        ]
        cells.append(f"{sum(not each.wrong for each in here)}")
    return cells


def show(record, calls, worst):
    tolerances = sorted({each.record["tolerance"] for each in calls}, reverse=True)
    kinds = list(dict.fromkeys(each.record["kind"] for each in calls))
    methods = list(dict.fromkeys(each.record["method"] for each in calls))
    print(f"set {record['set']}, {record['seconds']:g} s per call, {record['versions']}\n")
    head("kind", "method", *COLUMNS, *(f"right to {each:g}" for each in tolerances), "seconds")
    for kind in kinds + ["all"]:
        for method in methods:
            mine = [each for each in calls if each.record["method"] == method and kind in (each.record["kind"], "all")]
            if mine:
                seconds = sum(each.record.get("wall", 0) for each in mine)
                row(kind, method, *counts(mine), *reached(mine, tolerances), f"{seconds:.3g}")
    for title, chosen, key in (
        ("wrong", lambda each: each.wrong, lambda each: -each.in_tolerances),
        ("errors too small", lambda each: each.too_small and not each.wrong, lambda each: -each.in_errors),
        ("nan", lambda each: each.not_a_number, lambda each: 0),
        ("divergent, converged", lambda each: each.divergent and each.converged, lambda each: 0),
        ("failed", lambda each: each.failed, lambda each: 0),
        ("late", lambda each: each.late, lambda each: -each.record["wall"]),
    ):
        for kind in kinds:
            found = sorted((each for each in calls if each.record["kind"] == kind and chosen(each)), key=key)
            if found:
                print(f"\n{title}: {kind}, {min(worst, len(found))} of {len(found)}")
                for each in found[:worst]:
                    print("  ", each.text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    parser.add_argument("--worst", type=int, default=5, help="cases shown of each kind of fault and integral")
    given = parser.parse_args()
    show(*read(given.record), given.worst)


if __name__ == "__main__":
    main()
