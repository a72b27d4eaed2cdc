#!/usr/bin/env python3
"""The experiments of the m-Cubes paper, beside its numbers. The integral from cosmology is examples/cluster_count.cpp,
looked for beside the studies and in ../examples; its models are simpler than the paper's, whose code is not published.

    perf/papers/m_cubes.py --programs build/cuda/perf --output perf/results/MACHINE --seconds 180
"""

import re
import statistics
import subprocess

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
    """100 runs at each tolerance, or as many as fit in what is left of the time, which all integrands share."""
    rows = []
    for place, integrand in enumerate(INTEGRANDS):
        end = program.left() * (1 - 1 / (len(INTEGRANDS) - place))
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
    """Medians over 20 seeds, most of which have to converge with either map."""
    rows = []
    for integrand in SYMMETRIC:
        evaluations = program.size(1e5, 10_000)
        for digits in PAPER["figure 3"]["digits"]:
            evaluations = evaluations and enough(program, integrand, "mcubes", 10.0**-digits, evaluations)
            if not evaluations:
                break
            row = {"integrand": integrand, "digits": digits}
            for _ in range(3):
                asked, size = {"seeds": 20, "budget": program.seconds / 90}, evaluations
                answers = {
                    method: program(integrand, method, asked, relative=10.0**-digits, evaluations=size)
                    for method in ("mcubes", "mcubes-1d")
                }
                row |= {"evaluations": size, "seeds": min(len(each["met"]) for each in answers.values())}
                row |= {name: each["milliseconds"] if mostly(each["met"]) else None for name, each in answers.items()}
                if row["mcubes"] and row["mcubes-1d"]:
                    break
                evaluations *= 2
            rows.append(row)
    return rows


def mostly(met):
    return sum(met) > 0.8 * len(met)


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
                    "limit": options["seconds"],
                    **{key: answer[key] for key in keys},
                    "kernel_milliseconds": sum(answer["kernels"].values()),
                }
            )
    return rows


def section_5(program):
    """What evaluating takes: the time of calls less that of calls with the sum of the variables for an integrand."""
    rows = []
    for integrand, trivial in (("fA", "sum-6d"), ("f4-5d", "sum-5d"), ("f4-8d", "sum-8d"), ("f5-8d", "sum-8d")):
        row = {"integrand": integrand, "sum": trivial}
        for what, name in (("", integrand), ("sum_", trivial)):
            asked = {"kernels": True, "repeat": 9, "budget": program.seconds / 90}
            answer = program(name, "mcubes", asked, evaluations=program.size(1e8), iterations=10)
            row[f"{what}milliseconds"] = answer["milliseconds"]
            row[f"{what}kernels"] = sum(answer["kernels"].values())
            row[f"{what}sampling"] = sum(t for label, t in answer["kernels"].items() if label.endswith("::sample"))
        rows.append(row)
    return rows


def cosmology(program):
    """Each of two cosmologies, one after the other with the same integrator: the median of five runs of the example."""
    places = (program.folder, program.folder.parent / "examples", program.folder.parent / "bin")
    found = [each / "example_cluster_count" for each in places if (each / "example_cluster_count").exists()]
    if not found:
        return []
    runs = []
    for _ in range(5):
        run = subprocess.run([found[0]], stdout=subprocess.PIPE, text=True, check=True)
        runs.append(calls_in(run.stdout))
    return [
        {**call, "milliseconds": statistics.median(run[k]["milliseconds"] for run in runs)}
        for k, call in enumerate(runs[0])
    ]


CALL = re.compile(r" +(\w+) variables: (\S+) .* ([\d,]+) evaluations?,.* ([\d.]+) (ms|s) by (\S+)$")


def calls_in(text):
    """The calls that the example prints."""
    found, of = [], ""
    for line in text.splitlines():
        if line.startswith("Omega_m"):
            of = line
        elif call := CALL.match(line):
            variables, value, evaluations, time, unit, method = call.groups()
            found.append(
                {
                    "cosmology": of,
                    "variables": variables,
                    "method": method,
                    "value": value,
                    "evaluations": int(evaluations.replace(",", "")),
                    "milliseconds": float(time) * (1 if unit == "ms" else 1000),
                }
            )
    return found


def measure(program):
    return {
        "zmcintegral": table_1(program),
        "sections": section_5(program),
        "cosmology": cosmology(program),
        "one_map": figure_3(program),
        "achieved": figure_1(program),
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
    head("integrand", *(f"{each} digits" for each in digits), "seeds")
    for integrand in SYMMETRIC:
        found = {each["digits"]: each for each in record["one_map"] if each["integrand"] == integrand}
        seeds = sorted({each.get("seeds", 1) for each in found.values()})
        row(integrand, *(cell(speed_up(found.get(each))) for each in digits), " to ".join(map(str, ends(seeds))))


def ends(numbers):
    return dict.fromkeys((numbers[0], numbers[-1])) if numbers else ()


def speed_up(of):
    return of["mcubes"] / of["mcubes-1d"] if of and of["mcubes"] and of["mcubes-1d"] else None


def evaluating(each):
    """The part of the whole call that evaluating takes, in per cent; None where the record lacks the sum's time."""
    return 100 * (1 - each["sum_milliseconds"] / each["milliseconds"]) if "sum" in each else None


@table("Section 5.3: what evaluating the integrand takes of a call")
def sections(record):
    head("integrand", "call", "with a sum for an integrand", "evaluation", "the paper", "the kernel that samples")
    theirs = PAPER["section 5.3"]["evaluation_percent"]
    for each in record["sections"]:
        sampling = 100 * each["share"] if "share" in each else 100 * each["sampling"] / each["kernels"]
        share = evaluating(each)
        usual = f"usually below {theirs['usually below']} %"
        row(
            each["integrand"],
            milliseconds(each.get("milliseconds")),
            milliseconds(each.get("sum_milliseconds")),
            "not measured" if share is None else f"{share:.1f} %",
            f"{theirs[each['integrand']]} %" if each["integrand"] in theirs else usual,
            f"{sampling:.0f} % of all kernels",
        )


@table("Section 6.1: an integral from cosmology, in six variables")
def cosmological(record):
    if not record.get("cosmology"):
        print("Not measured.")
        return
    head("cosmology", "variables", "method", "value", "evaluations", "time")
    for each in record["cosmology"]:
        row(
            each["cosmology"],
            each["variables"],
            each["method"],
            each["value"],
            f"{each['evaluations']:.1e}",
            milliseconds(each["milliseconds"]),
        )


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    for each in record["zmcintegral"]:
        base = theirs(each["integrand"])
        stopped = "" if each["status"] == "converged" else f" ({each['status'].replace('_', ' ')})"
        yield (
            f"table 1, {each['integrand']} to an error of {base['error']:.2g}, {each['method']}",
            milliseconds(base["milliseconds"]),
            milliseconds(each["milliseconds"]) + stopped,
            said(each, base["milliseconds"]),
        )
        if each["method"] == "mcubes":
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
        boxes = [
            (each["quartiles"][1] / each["tolerance"], each["quartiles"][3] / each["tolerance"])
            for each in record["achieved"]
            if each["quartiles"]
        ]
        around, below = sum(low <= 1 <= high for low, high in boxes), sum(high < 1 for _, high in boxes)
        yield (
            "figure 1, boxes of the errors",
            "most enclose the requested one",
            f"{around} of {len(boxes)} enclose it, {below} are below",
            "-",
        )
        share = f"{100 * statistics.median(shares):.0f} %"
        yield "figure 1, runs within the requested error, median", "-", share, "-"
    if gains := [gain for gain in map(speed_up, record["one_map"]) if gain]:
        yield "figure 3, one map: median gain", "at most 2.5", f"{statistics.median(gains):.2f}", "-"
    known = {each["integrand"]: evaluating(each) for each in record["sections"]}
    for integrand, percent in PAPER["section 5.3"]["evaluation_percent"].items():
        if known.get(integrand) is not None:
            yield f"section 5.3, {integrand}: share of evaluation", f"{percent} %", f"{known[integrand]:.1f} %", "-"


if __name__ == "__main__":
    run(__file__, measure)
