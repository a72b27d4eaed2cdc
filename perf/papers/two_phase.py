#!/usr/bin/env python3
"""The experiments of the paper on the two-phase method, beside its numbers: by this library's variant and as published,
by PAGANI, and by a sequential Cuhre on the host (tests/oracle/cuhre.hpp). Integrands in numbers of variables that the
suite lacks are formulas on the device. With --seconds 180, the default, a call may take 2 s in figure 1 and 3 s in the
tables, and Cuhre 20 and 80 s.

    perf/papers/two_phase.py --programs build/cuda/perf --output perf/results/MACHINE
"""

import re

from experiments import cell, formula, head, milliseconds, paper, row, rows_of, run, table, true_error, verdict
from ladders import MARKS, MISSED, UNTRIED, WRONG, outcome, said, short

PAPER = paper("two_phase")
SECONDS = 180
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
IN_SUITE = (
    "two-phase-f1-5d",
    "two-phase-f1-6d",
    "two-phase-f1-7d",
    "two-phase-f2",
    "two-phase-f3-3d",
    "two-phase-f3-5d",
    "two-phase-f4",
    "two-phase-f5",
)
AS_PUBLISHED = {"policy": "cubature.published_two_phase=true"}
METHODS = {  # method, and what is asked besides
    "two-phase": ("two-phase", {}),
    "published": ("two-phase", AS_PUBLISHED),
    "pagani": ("pagani", {}),
}
SHOWN = {"two-phase": "two-phase", "published": "two-phase, as published", "pagani": "PAGANI"}
WAYS = {  # of tables II and III: method, options, and what is asked besides
    "with": ("two-phase", {}, {}),
    "without": ("two-phase", {"regions": 1}, {}),
    "published": ("two-phase", {}, AS_PUBLISHED),
    "pagani": ("pagani", {}, {}),
}
SECOND = "kubature::two_phase::refine_alone"


def variables(n):
    return [f"x{k + 1}" for k in range(n)]


def text(function, n):
    """The formula of f1 to f5 in n variables."""
    x = variables(n)
    squares = "+".join(f"{each}^2" for each in x)
    if function == "f1":
        return f"1/(0.1+cos({squares})^2)^2"
    if function == "f2":
        return "cos(" + "*".join(f"cos({4**k}*{each})" for k, each in enumerate(x)) + ")"
    if function == "f3":
        return "sin(" + "*".join(f"{k + 1}*arcsin({each}^{k + 1})" for k, each in enumerate(x)) + ")"
    if function == "f4":
        return "sin(" + "*".join(f"arcsin({each})" for each in x) + ")"
    return "1/(2*-0.054402111088937)*(" + "+".join(f"cos(10*{each})" for each in x) + ")"


INSTANCES = {"f1": (3, 4, 5, 6, 7), "f2": (3, 4, 5), "f3": (3, 4, 5), "f4": (4, 5, 6), "f5": (6, 7, 8)}


def names(function, n):
    """The name for Cuhre, and what the other methods integrate. f2, f4 and f5 stand in the suite in one size each."""
    with_size = f"two-phase-{function}-{n}d"
    alone = f"two-phase-{function}" if (function, n) in (("f2", 5), ("f4", 6), ("f5", 8)) else with_size
    return alone, alone if alone in IN_SUITE else formula(text(function, n), variables(n))


def true_value(program, function, n, seconds):
    """Of an instance: where the suite lacks it, f5's from its formula, and PAGANI's to 1e-8 or none."""
    name, integrand = names(function, n)
    if name in IN_SUITE:
        return program.truth(name)
    if function == "f5":
        return n / 2
    answer = program(integrand, "pagani", relative=1e-8, seconds=seconds)
    return answer["value"] if answer["status"] == "converged" else None


def by_cuhre(program, limits):
    """The runs of Cuhre, several at once: those of table III, which take longest, and the ladders of figure 1."""
    free = {"max_evaluations": 10**11, "seconds": limits["seconds"]}
    wanted = rows_of(PAPER["table III"])
    runs = [{"integrand": of["integrand"], "tolerances": [of["tolerance"]], **free} for of in wanted]
    most = {"max_evaluations": int(PAPER["limit"]["evaluations"]), "seconds": limits["figure 1"]}
    instances = sorted(((f, n) for f, sizes in INSTANCES.items() for n in sizes), key=lambda of: -of[1])
    ladders = [{"integrand": names(*of)[0], "tolerances": TOLERANCES, **most} for of in instances]
    answer = program({"runs": runs + ladders}, "cuhre")
    found = [each["rungs"] for each in answer["runs"]]
    limits["threads"] = answer["threads"]
    return [rungs[0] for rungs in found[: len(runs)]], dict(zip(instances, found[len(runs) :], strict=True))


def figure_1(program, of_cuhre, limits):
    """Ladders of each instance by each method, with the paper's limit on evaluations, a tolerance after the other, each
    method as long as its share of the time that is left."""
    rows, instances = [], list(of_cuhre)
    truths = {of: true_value(program, *of, limits["seconds"]) for of in instances}

    def add(method, of, tolerance, answer):
        truth = truths[of]
        keys = ("status", "milliseconds", "evaluations")
        rows.append(
            {
                "function": of[0],
                "variables": of[1],
                "method": method,
                "tolerance": tolerance,
                "formula": names(*of)[0] not in IN_SUITE,
                **{key: answer[key] for key in keys},
                "true_error": true_error(answer, truth) if truth is not None else None,
            }
        )

    for of, rungs in of_cuhre.items():
        for each in rungs:
            add("Cuhre", of, each["tolerance"], each)
    for place, (method, (name, asked)) in enumerate(METHODS.items()):
        end = program.left() * (1 - 1 / (len(METHODS) - place))
        alive = list(instances)
        for tolerance in TOLERANCES:
            for of in list(alive):
                if tolerance < TOLERANCES[0] and program.left() < end:
                    break
                answer = program(
                    names(*of)[1],
                    name,
                    {**asked, "repeat": 3, "budget": limits["seconds"] / 20},
                    relative=tolerance,
                    seconds=limits["seconds"],
                    evaluations=int(limits["evaluations"]),
                )
                add(method, of, tolerance, answer)
                if answer["status"] != "converged":
                    alive.remove(of)
    return rows


def phases(program, of_cuhre, seconds):
    """Tables II and III: iterations and times of the phases, with and without the first, and evaluations."""
    rows = []
    for of, cuhre in zip(rows_of(PAPER["table II"]), of_cuhre, strict=True):
        row_of = {"integrand": of["integrand"], "tolerance": of["tolerance"]}
        for way, (method, options, asked) in WAYS.items():
            asked = {**asked, "kernels": method == "two-phase"}
            answer = program(of["integrand"], method, asked, relative=of["tolerance"], seconds=seconds, **options)
            row_of[way] = kept(answer)
            if kernels := answer.get("kernels"):
                row_of[way]["second"] = kernels.get(SECOND, 0)
                row_of[way]["first"] = sum(kernels.values()) - kernels.get(SECOND, 0)
        row_of["cuhre"] = {key: cuhre[key] for key in ("status", "milliseconds", "evaluations")}
        row_of["cuhre"]["error"] = true_error(cuhre, program.truth(of["integrand"]))
        rows.append(row_of)
    return rows


def kept(answer):
    keys = ("status", "milliseconds", "iterations", "evaluations", "regions", "remarks")
    return {**{key: answer[key] for key in keys}, "error": true_error(answer, answer["true_value"])}


def load(program, seconds):
    """Figure 2: the regions of the second phase, and how they are divided."""
    rows = []
    for tolerance in (1e-2, 1e-3):
        for way in ("published", "with", "without"):
            method, options, asked = WAYS[way]
            options = {"relative": tolerance, "seconds": seconds, **options}
            whole = kept(program("two-phase-f3-5d", method, asked, **options))
            iterations = max(1, whole["iterations"] - 1)  # the last one is the second phase
            first = program("two-phase-f3-5d", method, asked, **options, iterations=iterations)
            told = re.search(r"(\d+) of (\d+) regions did not meet", " ".join(whole["remarks"]))
            unfinished, refined = map(int, told.groups()) if told else (None, None)
            rows.append(
                {
                    "tolerance": tolerance,
                    "way": way,
                    **whole,
                    "first_regions": first["regions"],
                    "refined": refined,
                    "unfinished": unfinished,
                }
            )
    return rows


def grids(program, seconds):
    """f5 as published from two first grids: the paper's evaluations are those of the second alone."""
    rows = []
    for tolerance in (1e-5, 1e-7):
        for most in (2**15, 2**16):
            answer = program(
                "two-phase-f5", "two-phase", AS_PUBLISHED, relative=tolerance, seconds=seconds, regions=most
            )
            rows.append({"tolerance": tolerance, "most": most, **kept(answer)})
    return rows


def measure(program):
    share = program.seconds / SECONDS
    limits = {
        "seconds": 2 * share,
        "evaluations": PAPER["limit"]["evaluations"],
        "tables": 3 * share,
        "Cuhre": {"figure 1": 20 * share, "seconds": 80 * share},
    }
    tables, ladders = by_cuhre(program, limits["Cuhre"])
    return {
        "limits": limits,
        "phases": phases(program, tables, limits["tables"]),
        "load": load(program, limits["tables"]),
        "grids": grids(program, limits["tables"]),
        "ladder": figure_1(program, ladders, limits),
    }


# ---- beside the paper --------------------------------------------------------------------------------------


def timed(of, key="milliseconds"):
    return milliseconds(of[key]) + ("" if of["status"] == "converged" else f" ({of['status'].replace('_', ' ')})")


def small(number):
    return "-" if number is None else f"{number:.1e}"


def right(of, tolerance):
    """Whether a result has converged and is right."""
    return of["status"] == "converged" and of["error"] <= tolerance


def beside(of, tolerance, mine, theirs):
    if of["status"] != "converged":
        return "worse: not converged"
    return verdict(mine, theirs) if right(of, tolerance) else "worse: wrong"


def first_iterations(of):
    """The second phase is an iteration of its own."""
    return of["iterations"] - (of["second"] > 0)


@table("Table II: iterations of the first phase, and the kernels' time in each, with and without the first")
def table_2(record):
    ways = ("the paper", "as published", "here")
    head(
        "integrand",
        "tolerance",
        *(f"{what}: {way}" for what in ("iterations", "first phase", "second phase") for way in ways),
        "second phase alone: the paper",
        "here",
        "both phases as published",
    )
    for each, other in zip(record["phases"], rows_of(PAPER["table II"]), strict=True):
        published, mine = each["published"], each["with"]
        theirs = [1000 * seconds if seconds else None for seconds in (other["first_seconds"], other["second_seconds"])]
        row(
            each["integrand"],
            short(each["tolerance"]),
            other["iterations"],
            first_iterations(published),
            first_iterations(mine),
            milliseconds(theirs[0]),
            milliseconds(published["first"]),
            milliseconds(mine["first"]),
            milliseconds(theirs[1]),
            timed(published, "second"),
            timed(mine, "second"),
            milliseconds(1000 * other["second_seconds_alone"]),
            timed(each["without"], "second"),
            beside(published, each["tolerance"], published["milliseconds"], theirs[0] + (theirs[1] or 0)),
        )


@table("Table III: time of Cuhre on one core and of the two-phase method")
def table_3(record):
    head(
        "integrand",
        "tolerance",
        "Cuhre",
        "computed for the paper's evaluations",
        "the paper",
        "two-phase",
        "as published",
        "the paper",
        "PAGANI",
        "two-phase",
        "as published",
    )
    for each, other in zip(record["phases"], rows_of(PAPER["table III"]), strict=True):
        cuhre, theirs = each["cuhre"], 1000 * other["gpu_seconds"]
        row(
            each["integrand"],
            short(each["tolerance"]),
            timed(cuhre),
            milliseconds(cuhre["milliseconds"] / cuhre["evaluations"] * other["cpu_evaluations"]),
            milliseconds(1000 * other["cpu_seconds"]),
            timed(each["with"]),
            timed(each["published"]),
            milliseconds(theirs),
            timed(each["pagani"]),
            *(
                beside(each[way], each["tolerance"], each[way]["milliseconds"], theirs)
                for way in ("with", "published")
            ),
        )


@table("Table III: evaluations, and true relative errors here")
def evaluations(record):
    head(
        "integrand",
        "tolerance",
        "Cuhre",
        "the paper",
        "two-phase",
        "as published",
        "the paper",
        "PAGANI",
        "two-phase",
        "as published",
        *(f"error of {way}" for way in ("two-phase", "as published", "PAGANI")),
    )
    for each, other in zip(record["phases"], rows_of(PAPER["table III"]), strict=True):
        ways = ("with", "published")
        row(
            each["integrand"],
            short(each["tolerance"]),
            f"{each['cuhre']['evaluations']:.2e}",
            f"{other['cpu_evaluations']:.2e}",
            *(f"{each[way]['evaluations']:.2e}" for way in ways),
            f"{other['gpu_evaluations']:.2e}",
            f"{each['pagani']['evaluations']:.2e}",
            *(
                beside(each[way], each["tolerance"], each[way]["evaluations"], other["gpu_evaluations"])
                for way in ways
            ),
            *(small(each[way]["error"]) for way in (*ways, "pagani")),
        )


@table("Table III, f5: as published, from the finest grids of at most 2^15 and 2^16 regions")
def f5_grids(record):
    if "grids" not in record:
        print("Not measured in this record.")
        return
    theirs = rows_of(PAPER["table III"])[-1]["gpu_evaluations"]
    head("tolerance", "first grid", "iterations", "evaluations", "the paper", "time", "true relative error")
    for each in record["grids"]:
        grid = f"{int(each['most'] ** 0.125 + 1e-9)}^8"
        counts = each["iterations"], f"{each['evaluations']:.2e}", f"{theirs:.2e}"
        row(short(each["tolerance"]), grid, *counts, timed(each), small(each["error"]))


@table("Figure 2: division of the regions of the second phase, f3 in five variables")
def figure_2(record):
    if "load" not in record:
        print("Not measured in this record.")
        return
    ways = {"published": "as published", "with": "here", "without": "second phase alone"}
    head("tolerance", "method", "iterations", "regions", "unfinished", "parts of a region in the mean", "status")
    for each in record["load"]:
        divided = each["refined"] and 1 + (each["regions"] - each["first_regions"]) / 2 / each["refined"]
        counts = (each[key] if each[key] is not None else "-" for key in ("iterations", "refined", "unfinished"))
        row(short(each["tolerance"]), ways[each["way"]], *counts, cell(divided), each["status"].replace("_", " "))


# ---- figure 1 ----------------------------------------------------------------------------------------------


def ladders(record):
    """{(function, variables, method): {tolerance: rung}}. Older records have times alone: of what converged, right or
    not, with a hole where a method missed a tolerance."""
    found = {}
    for each in record.get("ladder") or from_times(record["speed_up"]):
        key = each["function"], each["variables"], each["method"]
        found.setdefault(key, {})[each["tolerance"]] = each
    return found


def from_times(rows):
    missed = set()
    for each in rows:
        for method in ("Cuhre", "two-phase", "pagani"):
            key = each["function"], each["variables"], method
            if key not in missed:
                time = each[method]
                status = "converged" if time else MISSED
                yield {**each, "method": method, "status": status, "milliseconds": time, "true_error": None}
                if not time:
                    missed.add(key)


def measured(record, method):
    return any(key[2] == method for key in ladders(record))


def times(record, method, tolerance, function, n, of_cuhre=0):
    """How many times as fast as Cuhre, in as many variables more, a method is; its name where it alone is right; or why
    it is not."""
    found = ladders(record)
    mine = outcome(found.get((function, n, method), {}), tolerance)
    theirs = outcome(found.get((function, n + of_cuhre, "Cuhre"), {}), tolerance)
    if UNTRIED in (mine, theirs):
        return UNTRIED
    if mine in MARKS or theirs in MARKS:
        return SHOWN[method] if mine not in MARKS else mine if theirs not in MARKS else "-"
    return theirs["milliseconds"] / mine["milliseconds"]


def shown(value):
    return value if isinstance(value, str) else cell(value)


def instances(record):
    return {(of["function"], of["variables"]): of["formula"] for of in record.get("ladder") or record["speed_up"]}


def speed_ups(record, method):
    if not measured(record, method):
        print("Not measured in this record.")
        return
    head("integrand", "variables", *map(short, TOLERANCES))
    for (function, n), by_formula in sorted(instances(record).items()):
        cells = (shown(times(record, method, tolerance, function, n)) for tolerance in TOLERANCES)
        row(function, f"{n} (formula)" if by_formula else n, *cells)
    if of := record.get("limits"):
        most, others, cuhre = f"{of['evaluations']:.0e}", of["seconds"], of["Cuhre"]["figure 1"]
        print(f"\nAt most {most} evaluations; {others:.3g} s for a call, and {cuhre:.3g} s for Cuhre.")
    else:
        print("\nTrue errors and limits are not in this record: what has converged counts.")


@table("Figure 1: how many times as fast as Cuhre on one core the two-phase method is")
def speed_up(record):
    speed_ups(record, "two-phase")


@table("Figure 1: how many times as fast as Cuhre on one core the published two-phase method is")
def speed_up_published(record):
    speed_ups(record, "published")


@table("Figure 1: how many times as fast as Cuhre on one core PAGANI is")
def speed_up_pagani(record):
    speed_ups(record, "pagani")


def with_a_variable_less(record, method):
    """What is compared with Cuhre in one variable less: {(function, variables): by tolerance}."""
    found = instances(record)
    return {
        (function, n): [times(record, method, tolerance, function, n, of_cuhre=-1) for tolerance in TOLERANCES]
        for function, n in sorted(found)
        if (function, n - 1) in found
    }


@table("How many times as fast PAGANI is as Cuhre in one variable less")
def dimensions(record):
    head("integrand", "variables", *map(short, TOLERANCES))
    for (function, n), values in with_a_variable_less(record, "pagani").items():
        row(function, n, *map(shown, values))


def counts(record, method):
    """How often Cuhre in one variable less takes longer and shorter where both are right, how often of these less than
    5 ms, and how often it alone is right."""
    longer = shorter = brief = alone = 0
    for (function, n), values in with_a_variable_less(record, method).items():
        theirs = ladders(record).get((function, n - 1, "Cuhre"), {})
        for tolerance, value in zip(TOLERANCES, values, strict=True):
            if value in (MISSED, WRONG):
                alone += 1
            elif not isinstance(value, str):
                longer += value >= 1
                shorter += value < 1
                brief += value < 1 and theirs[tolerance]["milliseconds"] < 5
    return longer, shorter, brief, alone


@table("Cuhre in one variable less: how often it takes longer than the method, and shorter")
def earned(record):
    head("method", "longer", "shorter", "of these, below 5 ms", "Cuhre alone is right")
    for method in filter(lambda each: measured(record, each), METHODS):
        row(SHOWN[method], *counts(record, method))


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    rows = rows_of(PAPER["table III"])
    for way in ("with", "published", "pagani"):
        met = sum(right(each[way], each["tolerance"]) for each in record["phases"])
        what = f"table III: tolerances met, {SHOWN['two-phase' if way == 'with' else way]}"
        there, here = (f"{number} of {len(rows)}" for number in (len(rows), met))
        yield what, there, here, verdict(met, len(rows), larger=True)
    for each, three in zip(record["phases"], rows, strict=True):
        mine, tolerance = each["with"], each["tolerance"]
        name = f"table III, {each['integrand']} to {short(tolerance)}"
        seconds, count = three["gpu_seconds"], three["gpu_evaluations"]
        judged = beside(mine, tolerance, mine["milliseconds"] / 1000, seconds)
        yield f"{name}: time", milliseconds(1000 * seconds), timed(mine), judged
        judged = beside(mine, tolerance, mine["evaluations"], count)
        yield f"{name}: evaluations", f"{count:.1e}", f"{mine['evaluations']:.1e}", judged
    compiled = [of for of, by_formula in instances(record).items() if not by_formula]
    for method in filter(lambda each: measured(record, each), METHODS):
        found = [times(record, method, tolerance, *of) for of in compiled for tolerance in TOLERANCES]
        found = [value for value in found if not isinstance(value, str)]
        if found:
            what = f"figure 1: speed-up over Cuhre, {SHOWN[method]}"
            yield what, f"up to {PAPER['figure 1']['most']}", said(found), "-"
    for method in filter(lambda each: measured(record, each), METHODS):
        longer, shorter, _, alone = counts(record, method)
        every = longer + shorter + alone
        what = f"no longer than Cuhre in one variable less, {SHOWN[method]}"
        yield what, "always", f"{longer} of {every}", verdict(longer, every, larger=True)


if __name__ == "__main__":
    run(__file__, measure, SECONDS)
