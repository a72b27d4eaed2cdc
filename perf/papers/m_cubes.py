#!/usr/bin/env python3
"""The experiments of the m-Cubes paper, beside its numbers.

perf/papers/m_cubes.py --programs build/cuda/perf --output perf/results/MACHINE
"""

import statistics

from experiments import cell, converged, head, milliseconds, paper, row, rows_of, run, table, verdict

PAPER = paper("m_cubes")
INTEGRANDS = ("f2", "f3-3d", "f3-8d", "f4-5d", "f4-8d", "f5-8d", "f6")
TOLERANCES = [1e-3 / 5**k for k in range(9)]  # the last above 1e-9
SYMMETRIC = PAPER["figure 3"]["integrands"]
MOST = 2e9  # samples per iteration, beyond which a tolerance counts as out of reach


def theirs(integrand):
    """The paper's m-Cubes in table 1."""
    return next(o for o in rows_of(PAPER["table 1"]) if (o["integrand"], o["code"]) == (integrand, "m-Cubes"))


def enough(program, integrand, method, tolerance, evaluations, end=0):
    """The samples per iteration with which a tolerance is met, from a number on that is doubled, while more than `end`
    seconds are left to the script; None: too many."""
    while evaluations <= program.size(MOST, 20_000) and program.left() > end:
        if converged(program(integrand, method, relative=tolerance, evaluations=evaluations)):
            return evaluations
        evaluations *= 2
    return None


def figure_1(program):
    """100 runs at each tolerance, or as many as fit in two thirds of the time, which all integrands share."""
    rows, last = [], program.seconds / 3
    for place, integrand in enumerate(INTEGRANDS):
        end = program.left() - (program.left() - last) / (len(INTEGRANDS) - place)
        evaluations = program.size(1e5, 10_000)
        for tolerance in TOLERANCES:
            if program.left() < end:
                break
            evaluations = enough(program, integrand, "mcubes", tolerance, evaluations, end)
            if not evaluations:
                break
            budget = max(0.1, (program.left() - end) / 3)
            answer = program(
                integrand, "mcubes", {"seeds": 100, "budget": budget}, relative=tolerance, evaluations=evaluations
            )
            met = [value for value, good in zip(answer["values"], answer["met"]) if good]
            errors = sorted(abs(value / answer["true_value"] - 1) for value in met)
            rows.append(
                {
                    "integrand": integrand,
                    "tolerance": tolerance,
                    "evaluations": evaluations,
                    "runs": len(answer["values"]),
                    "converged": len(met),
                    "within": sum(error <= tolerance for error in errors),
                    "quartiles": [errors[round(k * (len(errors) - 1) / 4)] for k in range(5)] if errors else None,
                    "milliseconds": answer["milliseconds"],
                }
            )
    return rows


def figure_3(program):
    rows = []
    for integrand in SYMMETRIC:
        evaluations = program.size(1e5, 10_000)
        for digits in PAPER["figure 3"]["digits"]:
            evaluations = evaluations and enough(program, integrand, "mcubes", 10.0**-digits, evaluations)
            if not evaluations:
                break
            times = {}
            for method in ("mcubes", "mcubes-1d"):
                answer = program(
                    integrand, method, {"repeat": 5, "budget": 1}, relative=10.0**-digits, evaluations=evaluations
                )
                times[method] = answer["milliseconds"] if converged(answer) else None
            rows.append({"integrand": integrand, "digits": digits, "evaluations": evaluations, **times})
    return rows


def table_1(program):
    """fA and fB to the error that the paper reports for its m-Cubes, within its iterations; and as in table 2, the time
    of kernels beside that of a call."""
    rows = []
    for integrand, iterations in PAPER["table 1"]["iterations"].items():
        for method in ("mcubes", "vegas+"):
            of = theirs(integrand)
            options = {"relative": of["error"] / abs(of["true_value"]), "seconds": program.seconds / 40}
            evaluations, limit = program.size(1e6, 10_000), program.size(5 * MOST, 20_000)  # fA nearly cancels
            if method == "mcubes":  # VEGAS+ takes more iterations and samples by itself
                options["iterations"] = iterations
                answer = program(integrand, method, evaluations=evaluations, **options)
                while not converged(answer) and 2 * evaluations <= limit and program.left() > program.seconds / 6:
                    evaluations *= 2
                    answer = program(integrand, method, evaluations=evaluations, **options)
            asked = {"repeat": 3, "budget": 1, "kernels": True}
            answer = program(integrand, method, asked, evaluations=evaluations, **options)
            keys = ("value", "error", "status", "milliseconds", "true_value")
            rows.append(
                {
                    "integrand": integrand,
                    "method": method,
                    "evaluations": evaluations,
                    **{key: answer[key] for key in keys},
                    "kernel_milliseconds": sum(answer["kernels"].values()),
                }
            )
    return rows


def section_5(program):
    """The kernel that takes most of the time, and how much of it."""
    rows = []
    for integrand in ("fA", "f4-5d", "f4-8d", "f5-8d"):
        answer = program(integrand, "mcubes", {"kernels": True}, evaluations=program.size(1e8), iterations=10)
        largest = max(answer["kernels"], key=answer["kernels"].get)
        total = sum(answer["kernels"].values())
        rows.append({"integrand": integrand, "kernel": largest, "share": answer["kernels"][largest] / total})
    return rows


def measure(program):
    return {
        "achieved": figure_1(program),
        "zmcintegral": table_1(program),
        "one_map": figure_3(program),
        "sections": section_5(program),
    }


# ---- beside the paper --------------------------------------------------------------------------------------


@table("Table 1: fA and fB to the error that the paper reports for m-Cubes")
def zmcintegral(record):
    head("integrand", "code", "value", "error", "off by", "time", "times as fast as the paper's m-Cubes", "time")
    for integrand in PAPER["table 1"]["iterations"]:
        base = theirs(integrand)["milliseconds"]
        for each in (other for other in rows_of(PAPER["table 1"]) if other["integrand"] == integrand):
            off = abs(each["value"] - each["true_value"])
            speed = cell(base / each["milliseconds"])
            row(
                integrand,
                f"{each['code']}, the paper",
                each["value"],
                each["error"],
                cell(off),
                milliseconds(each["milliseconds"]),
                speed,
                "",
            )
        for each in record["zmcintegral"]:
            if each["integrand"] == integrand:
                time = milliseconds(each["milliseconds"]) + (
                    "" if each["status"] == "converged" else f" ({each['status']})"
                )
                row(
                    integrand,
                    f"{each['method']}, here",
                    f"{each['value']:.6g}",
                    cell(each["error"]),
                    cell(abs(each["value"] - each["true_value"])),
                    time,
                    cell(base / each["milliseconds"]),
                    said(each, base),
                )


def said(each, base, key="milliseconds"):
    return verdict(each[key], base) if each["status"] == "converged" else "worse: not converged"


@table("Table 2: time of the kernels and of the whole call")
def kokkos(record):
    head("integrand", "code", "kernels", "whole call", "kernels", "whole call")
    for integrand in PAPER["table 1"]["iterations"]:
        others = [each for each in rows_of(PAPER["table 2"]) if each["integrand"] == integrand]
        for each in others:
            row(
                integrand,
                f"{each['platform']}, the paper",
                milliseconds(each["kernel_milliseconds"]),
                milliseconds(each["total_milliseconds"]),
                "",
                "",
            )
        for each in record["zmcintegral"]:
            if (each["integrand"], each["method"]) == (integrand, "mcubes"):
                kernels, whole = each["kernel_milliseconds"], each["milliseconds"]
                best = {
                    key: min(other[key] for other in others) for key in ("kernel_milliseconds", "total_milliseconds")
                }
                row(
                    integrand,
                    "m-Cubes, here",
                    milliseconds(kernels),
                    milliseconds(whole),
                    said(each, best["kernel_milliseconds"], "kernel_milliseconds"),
                    said(each, best["total_milliseconds"]),
                )


@table("Figure 1: errors achieved in up to 100 runs, by the error that was requested")
def achieved(record):
    head(
        "integrand",
        "requested",
        "samples per iteration",
        "runs",
        "converged",
        "within it",
        "lower quartile",
        "median",
        "upper quartile",
        "largest",
        "time",
    )
    for each in record["achieved"]:
        quartiles = (
            [f"{value / each['tolerance']:.2f}" for value in each["quartiles"][1:]] if each["quartiles"] else ["-"] * 4
        )
        share = f"{100 * each['within'] / each['converged']:.0f} %" if each["converged"] else "-"
        row(
            each["integrand"],
            cell(each["tolerance"]),
            f"{each['evaluations']:.1e}",
            each["runs"],
            each["converged"],
            share,
            *quartiles,
            milliseconds(each["milliseconds"]),
        )


@table("Figure 3: how many times as fast one map for all axes is")
def one_map(record):
    digits = PAPER["figure 3"]["digits"]
    head("integrand", *(f"{each} digits" for each in digits))
    for integrand in SYMMETRIC:
        found = {each["digits"]: each for each in record["one_map"] if each["integrand"] == integrand}
        row(integrand, *(cell(speed_up(found.get(each))) for each in digits))


def speed_up(of):
    return of["mcubes"] / of["mcubes-1d"] if of and of["mcubes"] and of["mcubes-1d"] else None


@table("Section 5.3: the kernel that samples and evaluates, as a share of all kernels")
def sections(record):
    head("integrand", "kernel", "share")
    for each in record["sections"]:
        row(each["integrand"], f"`{each['kernel']}`", f"{100 * each['share']:.0f} %")


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    for each in record["zmcintegral"]:
        base = theirs(each["integrand"])
        if each["method"] == "mcubes":
            name = f"table 1, {each['integrand']} to an error of {base['error']:.2g}"
            yield (
                name,
                milliseconds(base["milliseconds"]),
                milliseconds(each["milliseconds"]),
                said(each, base["milliseconds"]),
            )
            best = min(
                o["kernel_milliseconds"] for o in rows_of(PAPER["table 2"]) if o["integrand"] == each["integrand"]
            )
            mine = each["kernel_milliseconds"]
            yield (
                f"table 2, {each['integrand']}: kernels",
                milliseconds(best),
                milliseconds(mine),
                said(each, best, "kernel_milliseconds"),
            )
    shares = [each["within"] / each["converged"] for each in record["achieved"] if each["converged"]]
    if shares:
        yield (
            "figure 1, runs within the requested error",
            "boxes enclose it",
            f"{100 * statistics.mean(shares):.0f} %",
            "-",
        )
    if gains := [gain for gain in map(speed_up, record["one_map"]) if gain]:
        yield "figure 3, one map: largest gain", "at most 2.5", f"{max(gains):.2f}", "-"


if __name__ == "__main__":
    run(__file__, measure)
