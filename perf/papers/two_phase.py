#!/usr/bin/env python3
"""The experiments of the paper on the two-phase method, beside its numbers, with a sequential Cuhre on one core of the
host. Integrands in numbers of variables that the suite lacks are formulas.

    perf/papers/two_phase.py --programs build/cuda/perf --output perf/results/MACHINE
"""

from experiments import cell, converged, formula, head, milliseconds, paper, row, rows_of, run, table, true_error, verdict

PAPER = paper("two_phase")
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


def figure_1(program):
    """By tolerance, until half of the time has passed; a method that misses one is not tried at tighter ones."""
    rows, share = [], program.seconds / 90
    alive = {(f, n): ["Cuhre", "two-phase", "pagani"] for f, sizes in INSTANCES.items() for n in sizes}
    for tolerance in TOLERANCES:
        for (function, n), methods in alive.items():
            name, integrand = names(function, n)
            times = dict.fromkeys(("Cuhre", "two-phase", "pagani"))
            for method in list(methods):
                if program.left() < program.seconds / 2:
                    return rows
                if method == "Cuhre":
                    most = int(PAPER["limit"]["evaluations"] * min(1, 0.3 * share))
                    answer = program(name, "cuhre", relative=tolerance, max_evaluations=most)
                else:
                    asked = {"repeat": 3, "budget": 0.05 * share}
                    answer = program(integrand, method, asked, relative=tolerance, seconds=0.7 * share)
                if converged(answer):
                    times[method] = answer["milliseconds"]
                else:
                    methods.remove(method)
            by_formula = integrand != name
            rows.append({"function": function, "variables": n, "tolerance": tolerance, "formula": by_formula, **times})
    return rows


def phases(program):
    """Tables II and III: iterations and times of the phases, with and without the first, and evaluations."""
    rows, share = [], program.seconds / 90
    for of in rows_of(PAPER["table II"]):
        row_of = {"integrand": of["integrand"], "tolerance": of["tolerance"]}
        for name, method, options, policy in (
            ("with", "two-phase", {}, {}),
            ("without", "two-phase", {"regions": 1}, {}),
            ("published", "two-phase", {}, AS_PUBLISHED),
            ("pagani", "pagani", {}, {}),
        ):
            asked = {"kernels": method == "two-phase", **policy}
            answer = program(of["integrand"], method, asked, relative=of["tolerance"], seconds=2 * share, **options)
            keys = ("status", "milliseconds", "iterations", "evaluations")
            row_of[name] = {key: answer[key] for key in keys}
            row_of[name]["error"] = true_error(answer, answer["true_value"])
            if kernels := answer.get("kernels"):
                row_of[name]["second"] = kernels.get(SECOND, 0)
                row_of[name]["first"] = sum(kernels.values()) - kernels.get(SECOND, 0)
        most = int(PAPER["limit"]["evaluations"] * min(1, 0.2 * share))
        cuhre = program(of["integrand"], "cuhre", relative=of["tolerance"], max_evaluations=most)
        row_of["cuhre"] = {key: cuhre[key] for key in ("status", "milliseconds", "evaluations")}
        rows.append(row_of)
    return rows


def measure(program):
    return {"speed_up": figure_1(program), "phases": phases(program)}


# ---- beside the paper --------------------------------------------------------------------------------------


def timed(of, key="milliseconds"):
    return milliseconds(of[key]) + ("" if of["status"] == "converged" else f" ({of['status'].replace('_', ' ')})")


@table("Table II: iterations of the first phase, and the kernels' time in each, with and without the first")
def table_2(record):
    head(
        "integrand",
        "tolerance",
        "iterations",
        "the paper",
        "first phase",
        "the paper",
        "second phase",
        "the paper",
        "second phase alone",
        "the paper",
        "first and second",
    )
    for each, other in zip(record["phases"], rows_of(PAPER["table II"])):
        mine, alone = each["with"], each["without"]
        theirs = other["first_seconds"] + (other["second_seconds"] or 0)
        second = milliseconds(other["second_seconds"] and 1000 * other["second_seconds"])
        said = verdict(mine["milliseconds"] / 1000, theirs) if mine["status"] == "converged" else "worse: not converged"
        row(
            each["integrand"],
            f"{each['tolerance']:.0e}",
            mine["iterations"],
            other["iterations"],
            milliseconds(mine["first"]),
            milliseconds(1000 * other["first_seconds"]),
            timed(mine, "second"),
            second,
            timed(alone, "second"),
            milliseconds(1000 * other["second_seconds_alone"]),
            said,
        )


@table("Table III: time and evaluations of Cuhre on one core and of the two-phase method")
def table_3(record):
    head(
        "integrand",
        "tolerance",
        "Cuhre",
        "at the paper's evaluations",
        "the paper",
        "two-phase",
        "as published",
        "the paper",
        "PAGANI",
        "evaluations: Cuhre",
        "the paper",
        "two-phase",
        "as published",
        "the paper",
        "PAGANI",
        "evaluations of two-phase",
    )
    for each, other in zip(record["phases"], rows_of(PAPER["table III"])):
        cuhre, two, pagani = each["cuhre"], each["with"], each["pagani"]
        said = (
            verdict(two["evaluations"], other["gpu_evaluations"])
            if two["status"] == "converged"
            else "worse: not converged"
        )
        row(
            each["integrand"],
            f"{each['tolerance']:.0e}",
            timed(cuhre),
            milliseconds(cuhre["milliseconds"] / cuhre["evaluations"] * other["cpu_evaluations"]),
            milliseconds(1000 * other["cpu_seconds"]),
            timed(two),
            timed(each["published"]),
            milliseconds(1000 * other["gpu_seconds"]),
            timed(pagani),
            f"{cuhre['evaluations']:.2e}",
            f"{other['cpu_evaluations']:.2e}",
            f"{two['evaluations']:.2e}",
            f"{each['published']['evaluations']:.2e}",
            f"{other['gpu_evaluations']:.2e}",
            f"{pagani['evaluations']:.2e}",
            said,
        )


def ratio(each, method):
    return each["Cuhre"] / each[method] if each["Cuhre"] and each[method] else None


@table("Figure 1: how many times as fast as Cuhre on one core the two-phase method is, and PAGANI")
def speed_up(record):
    head("integrand", "variables", *(f"{tolerance:.0e}" for tolerance in TOLERANCES))
    for function, n in dict.fromkeys((each["function"], each["variables"]) for each in record["speed_up"]):
        found = {
            each["tolerance"]: each
            for each in record["speed_up"]
            if (each["function"], each["variables"]) == (function, n)
        }
        by_formula = " (formula)" if any(each["formula"] for each in found.values()) else ""
        cells = []
        for tolerance in TOLERANCES:
            each = found.get(tolerance)
            cells.append(f"{cell(ratio(each, 'two-phase'))}, {cell(ratio(each, 'pagani'))}" if each else "-")
        row(function, f"{n}{by_formula}", *cells)


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    for each, three in zip(record["phases"], rows_of(PAPER["table III"])):
        mine = each["with"]
        name, good = f"{each['integrand']} to {each['tolerance']:.0e}", mine["status"] == "converged"
        said = verdict(mine["milliseconds"] / 1000, three["gpu_seconds"]) if good else "worse: not converged"
        yield f"table III, {name}: time", milliseconds(1000 * three["gpu_seconds"]), timed(mine), said
        said = verdict(mine["evaluations"], three["gpu_evaluations"]) if good else "worse: not converged"
        yield f"table III, {name}: evaluations", f"{three['gpu_evaluations']:.1e}", f"{mine['evaluations']:.1e}", said
    found = [value for each in record["speed_up"] if (value := ratio(each, "two-phase"))]
    if found:
        yield (
            "figure 1: largest speed-up over Cuhre",
            str(PAPER["figure 1"]["most"]),
            cell(max(found)),
            verdict(max(found), PAPER["figure 1"]["most"], larger=True),
        )


if __name__ == "__main__":
    run(__file__, measure)
