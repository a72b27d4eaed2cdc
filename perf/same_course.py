#!/usr/bin/env python3
"""same_course.py measure [PROGRAM] > RECORD, same_course.py compare RECORD RECORD: whether a method takes the same course
on two backends. Measures the errors of VEGAS+ and m-Cubes with 20 seeds on each reference integral, 1e5 samples an
iteration, and PAGANI's regions to 1e-3; compares the medians of the errors, and says how many values agree to 1e-9."""
import json
import math
import statistics
import subprocess
import sys

SEEDS = 20


def measure(program):
    record = {"backend": "", "rows": {}}
    for method in ("vegas+", "mcubes"):
        for seed in range(1, SEEDS + 1):
            text = subprocess.run([program, "suite", "all", "--method", method, "--evaluations", "1e5", "--seed",
                                   str(seed), "--seconds", "20", "--json"], stdout=subprocess.PIPE, text=True).stdout
            for one in json.loads(text):
                record["backend"] = one["backend"]
                record["rows"].setdefault(f"{one['integrand']} {method}", []).append([one["value"], one["error"]])
    text = subprocess.run([program, "suite", "all", "--method", "pagani", "--relative", "1e-3", "--seconds", "2",
                           "--json"], stdout=subprocess.PIPE, text=True).stdout
    record["regions"] = {one["integrand"]: [one["value"], one["regions"]] for one in json.loads(text)
                         if one["status"] == "converged"}
    json.dump(record, sys.stdout)


def compare(first, second):
    print(f"{first['backend']} and {second['backend']}: ratio of the median errors, values that agree to 1e-9")
    ratios, agree = [], 0
    for name, one in first["rows"].items():
        other = second["rows"].get(name)
        if not other or len(other) != len(one) or any(math.isnan(e) or e == 0 for _, e in one + other):
            continue
        ratio = statistics.median(e for _, e in other) / statistics.median(e for _, e in one)
        same = sum(abs(a - b) <= 1e-9 * abs(a) for (a, _), (b, _) in zip(one, other))
        ratios.append(ratio)
        agree += same
        print(f"{name:28} {ratio:6.3f} {same:3} of {len(one)}")
    within = sum(1 / 1.05 <= ratio <= 1.05 for ratio in ratios)
    print(f"within 5 %: {within} of {len(ratios)}, from {min(ratios):.3f} to {max(ratios):.3f}; "
          f"{agree} of {SEEDS * len(ratios)} values agree")
    both = [(name, one, second["regions"][name]) for name, one in first["regions"].items() if name in second["regions"]]
    print(f"regions: the same for {sum(a[1] == b[1] for _, a, b in both)} of {len(both)}; others: " +
          ", ".join(f"{name} {a[1]} and {b[1]}" for name, a, b in both if a[1] != b[1]))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", *program]:
            measure(*program or ["kubature"])
        case ["compare", *records]:
            compare(*(json.load(open(record)) for record in records))
        case _:
            sys.exit(__doc__)
