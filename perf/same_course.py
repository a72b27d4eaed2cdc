#!/usr/bin/env python3
"""same_course.py measure [PROGRAM [STUDY]] > RECORD, same_course.py compare RECORD RECORD: whether a method takes the
same course on two backends. Measures the errors of VEGAS+ and m-Cubes with 20 seeds on each reference integral, 1e5
samples an iteration, and PAGANI's regions to 1e-3; compares the medians of the errors, and says how many values agree
to 1e-9. A STUDY of the same build knows the digest of the sources, if these are not here at the program's commit."""
import json
import math
import statistics
import subprocess
import sys

import digest
from markdown_table import head, row

SEEDS = 20


def measure(program, study=None):
    info = json.loads(subprocess.run([program, "info", "--json"], stdout=subprocess.PIPE, text=True, check=True).stdout)
    record = {"study": "same-course", "commit": info["commit"], "backends": info["backends"],
              "backend": info["backends"][0]["backend"], "rows": {}}
    for method in ("vegas+", "mcubes"):
        for seed in range(1, SEEDS + 1):
            text = subprocess.run([program, "suite", "all", "--method", method, "--evaluations", "1e5", "--seed",
                                   str(seed), "--seconds", "20", "--json"], stdout=subprocess.PIPE, text=True).stdout
            for one in json.loads(text):
                record["rows"].setdefault(f"{one['integrand']} {method}", []).append([one["value"], one["error"]])
    text = subprocess.run([program, "suite", "all", "--method", "pagani", "--relative", "1e-3", "--seconds", "2",
                           "--json"], stdout=subprocess.PIPE, text=True).stdout
    record["regions"] = {one["integrand"]: [one["value"], one["regions"]] for one in json.loads(text)
                         if one["status"] == "converged"}
    about = digest.heading(__file__, digest.of_build("kubature", f"commit {info['commit']}", study))
    json.dump(record | about, sys.stdout)


def ratios(first, second):
    """[(row, ratio of the median errors, values that agree to 1e-9)] of the rows that both have in full."""
    found = []
    for name, one in first["rows"].items():
        other = second["rows"].get(name)
        if not other or len(other) != len(one) or any(math.isnan(e) or e == 0 for _, e in one + other):
            continue
        ratio = statistics.median(e for _, e in other) / statistics.median(e for _, e in one)
        found.append((name, ratio, sum(abs(a - b) <= 1e-9 * abs(a) for (a, _), (b, _) in zip(one, other))))
    return found


def show(first, second):
    """A row for each method."""
    head("method", "integrals", "median errors within 5 %", "least ratio", "largest", "values that agree to 1e-9")
    for method, name in (("mcubes", "m-Cubes"), ("vegas+", "VEGAS+")):
        of = [each for each in ratios(first, second) if each[0].endswith(f" {method}")]
        within = sum(1 / 1.05 <= ratio <= 1.05 for _, ratio, _ in of)
        row(name, f"{len(of)}", f"{within}", *(f"{f(ratio for _, ratio, _ in of):.2f}" for f in (min, max)),
            f"{sum(same for _, _, same in of)} of {SEEDS * len(of)}")
    both = [(one[1], second["regions"][name][1]) for name, one in first["regions"].items() if name in second["regions"]]
    print(f"\nPAGANI's regions to 1e-3 are as many for {sum(a == b for a, b in both)} of {len(both)} integrals.")


def compare(first, second):
    print(f"{first['backend']} and {second['backend']}: ratio of the median errors, values that agree to 1e-9")
    for name, ratio, same in ratios(first, second):
        print(f"{name:28} {ratio:6.3f} {same:3}")
    for name, one in first["regions"].items():
        other = second["regions"].get(name)
        if other and other[1] != one[1]:
            print(f"regions of {name}: {one[1]} and {other[1]}")
    show(first, second)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", *program]:
            measure(*program or ["kubature"])
        case ["compare", *records]:
            compare(*(json.load(open(record)) for record in records))
        case _:
            sys.exit(__doc__)
