#!/usr/bin/env python3
"""The experiments of the cuVegas paper, beside its numbers. Lepage's vegas is that of perf/peers
(perf/papers/vegas_peer.py), since a machine with a GPU may have no Python packages; cuVegas itself was measured on one
NVIDIA H200.

    perf/papers/cuvegas.py --programs build/cuda/perf --output perf/results/MACHINE
"""

import csv
import json
import math
import statistics

from experiments import HERE, cell, formula, head, milliseconds, paper, row, rows_of, run, table, verdict
from scaling_tables import efficiencies, records_of

PAPER = paper("cuvegas")
SEVEN = ("sine-exponential", "linear", "cosine", "exponential", "roos-arnold", "morokoff-caflisch", "gaussian")
APPLICATIONS = {"arithmetic-asian": "table 9", "fixed-path": "table 10"}
CONFIGURATIONS = {name: PAPER["table 2"][name] for name in ("def", "vf")}
SAMPLES = (1e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8)  # the paper doubles: a run is close to any error


def peers(name):
    """The rows of perf/peers/NAME.csv, whose last comment names the columns."""
    with open(HERE.parent / "peers" / f"{name}.csv", encoding="utf-8") as file:
        lines = file.read().splitlines()
    columns = [line for line in lines if line.startswith("#")][-1].lstrip("# ").split(";")
    return [dict(zip(columns, each)) for each in csv.reader((x for x in lines if not x.startswith("#")), delimiter=";")]


VEGAS = "xeon-2-cores-vegas"


def configured(program, integrand, configuration, evaluations, asked=None):
    of = CONFIGURATIONS[configuration]
    return program(integrand, "vegas+", asked, evaluations=evaluations, **of)


def benchmarks(program):
    """Tables 7, 9 and 10: 20 iterations, all of which count; errors over seeds where the value is known."""
    rows = []
    for integrand in (*SEVEN, *APPLICATIONS):
        for configuration in CONFIGURATIONS:
            for samples in SAMPLES:
                evaluations = program.size(samples)
                asked = {"seeds": 5, "budget": program.seconds / 150}
                answer = configured(program, integrand, configuration, evaluations, asked)
                truth = answer["true_value"] or statistics.mean(answer["values"])
                errors = [abs(value / truth - 1) for value in answer["values"]]
                rows.append(
                    {
                        "integrand": integrand,
                        "configuration": configuration,
                        "evaluations": evaluations,
                        "milliseconds": answer["milliseconds"],
                        "reported": statistics.mean(answer["errors"]) / abs(truth),
                        "off": math.sqrt(statistics.mean(e * e for e in errors)),
                    }
                )
    return rows


def sections(program):
    rows = []
    for of in rows_of(PAPER["table 1"]):
        evaluations = program.size(of["evaluations"])
        if of["integrand"] == "ridge" and of["evaluations"] > 1e8:
            continue  # 50 s
        asked = {"kernels": of["milliseconds"] < 2000}
        answer = program(of["integrand"], "vegas+", asked, evaluations=evaluations, iterations=20, skip=0)
        rows.append(
            {
                "integrand": of["integrand"],
                "of": of["evaluations"],
                "evaluations": evaluations,
                "milliseconds": answer["milliseconds"],
                "kernels": answer.get("kernels"),
            }
        )
    return rows


def parameters(program):
    """Figure 3: nanoseconds per sample of the sum of the variables, by one parameter at a time."""
    rows, samples = [], program.size(1e8)

    def add(parameter, value, integrand, **options):
        answer = program(
            integrand,
            "vegas+",
            {"repeat": 3, "budget": program.seconds / 150},
            **{"evaluations": samples, "bins": 1024, "iterations": 20, **options},
        )
        rows.append(
            {
                "parameter": parameter,
                "value": value,
                "nanoseconds": 1e6 * answer["milliseconds"] / answer["evaluations"],
            }
        )

    for bins in PAPER["table 6"]["bins"]:
        add("bins", bins, "linear", bins=bins)
    for dimensions in PAPER["table 6"]["dimensions"]:
        if dimensions <= 20 or not program.on_device:
            names = [f"x{k + 1}" for k in range(dimensions)]
            add("dimensions", dimensions, formula("+".join(names), names))
    for evaluations in (1e6, 1e7, 1e8, 1e9, 1e10):
        add(
            "evaluations",
            program.size(evaluations),
            "linear",
            evaluations=program.size(evaluations),
            iterations=3 if evaluations > 1e9 else 20,
        )
    return rows


def strata(program):
    """Figure 8."""
    rows = []
    for integrand in ("ridge", "fixed-path", "linear", "roos-arnold"):
        for samples in (1e5, 1e6, 1e7):
            evaluations = program.size(samples / (10 if integrand == "ridge" else 1))
            for name, method, options in (
                ("beta 0.75", "vegas+", {"beta": 0.75}),
                ("beta 0", "vegas+", {"beta": 0, "redistribute": 0}),
                ("m-Cubes", "mcubes", {"adapt": 20}),
            ):
                answer = program(
                    integrand,
                    method,
                    {"seeds": 5, "budget": program.seconds / 90},
                    evaluations=evaluations,
                    iterations=20,
                    skip=5,
                    bins=500,
                    alpha=1.5,
                    **options,
                )
                error = statistics.mean(answer["errors"]) / abs(answer["true_value"])
                rows.append(
                    {
                        "integrand": integrand,
                        "evaluations": evaluations,
                        "way": name,
                        "milliseconds": answer["milliseconds"],
                        "error": error,
                    }
                )
    return rows


def measure(program):
    return {
        "benchmarks": benchmarks(program),
        "sections": sections(program),
        "parameters": parameters(program),
        "strata": strata(program),
    }


# ---- beside the paper --------------------------------------------------------------------------------------


def vegas_rows():
    return {(each["integrand"], each["configuration"], float(each["evaluations"])): each for each in peers(VEGAS)}


def at_vegas_error(record, integrand, configuration):
    """The longest run of vegas whose error is reached here, that error, and the shortest call here that reaches it."""
    which = integrand, configuration
    mine = [each for each in record["benchmarks"] if (each["integrand"], each["configuration"]) == which]
    runs = [(size, each) for (*of, size), each in vegas_rows().items() if tuple(of) == which]
    for _, theirs in sorted(runs, key=lambda run: -run[0]):
        error = float(theirs["reported"]) / abs(float(theirs["value"]))
        reached = [each for each in mine if each["reported"] <= error]
        if reached:
            break
    return theirs, error, min(reached, key=lambda each: each["milliseconds"], default=None)


def speed_up(record, integrand, configuration):
    theirs, _, mine = at_vegas_error(record, integrand, configuration)
    return mine and float(theirs["processor milliseconds"]) / mine["milliseconds"]


def geometric(values):
    values = list(values)
    return math.exp(statistics.mean(map(math.log, values))) if values and all(values) else None


def theirs_over_vegas(number, configuration):
    return next(each[configuration] for each in rows_of(PAPER[number]) if each["code"] == "Vegas")


@table("Tables 7, 9 and 10: how many times as fast as vegas on one core of a Xeon, for the same error")
def over_vegas(record):
    head(
        "integrand",
        *(
            f"{configuration}: {what}"
            for configuration in CONFIGURATIONS
            for what in ("vegas", "its error", "here", "its error", "times as fast", "the paper", "")
        ),
    )
    for integrand in (*SEVEN, *APPLICATIONS):
        cells = []
        for configuration in CONFIGURATIONS:
            theirs, error, mine = at_vegas_error(record, integrand, configuration)
            cells += [milliseconds(float(theirs["processor milliseconds"])), cell(error)]
            number = APPLICATIONS.get(integrand)
            said = theirs_over_vegas(number, configuration) if number else None
            ratio = speed_up(record, integrand, configuration)
            cells += [milliseconds(mine["milliseconds"]), cell(mine["reported"])] if mine else ["-", "-"]
            cells += [cell(ratio), cell(said), verdict(ratio, said, larger=True)]
        row(integrand, *cells)
    cells = []
    for configuration in CONFIGURATIONS:
        ratio, said = (
            geometric(speed_up(record, i, configuration) for i in SEVEN),
            theirs_over_vegas("table 7", configuration),
        )
        cells += ["", "", "", "", cell(ratio), cell(said), verdict(ratio, said, larger=True)]
    row("geometric mean of the first seven", *cells)


@table("Figures 4, 6 and 7: error against time")
def curves(record):
    sizes = sorted({each["evaluations"] for each in record["benchmarks"] if math.log10(each["evaluations"]) % 1 == 0})
    head("integrand", "configuration", *(f"{size:.0e} samples per iteration" for size in sizes))
    for integrand in ("7 test integrands", *APPLICATIONS):
        for configuration in CONFIGURATIONS:
            cells = []
            for size in sizes:
                found = [
                    each
                    for each in record["benchmarks"]
                    if (each["configuration"], each["evaluations"]) == (configuration, size)
                    and (
                        each["integrand"] == integrand or (integrand not in APPLICATIONS and each["integrand"] in SEVEN)
                    )
                ]
                error, time = (geometric(each[key] for each in found) for key in ("reported", "milliseconds"))
                cells.append(f"{error:.1e} in {milliseconds(time)}" if error else "-")
            row(integrand, configuration, *cells)


@table("Table 1: time of 20 iterations, and the share of sampling and evaluation")
def program_time(record):
    head(
        "integrand",
        "samples per iteration",
        "the paper",
        "fill",
        "here",
        "fill",
        "times as fast for each sample",
        "time",
    )
    theirs = {(each["integrand"], each["evaluations"]): each for each in rows_of(PAPER["table 1"])}
    for each in record["sections"]:
        other = theirs[each["integrand"], each["of"]]
        share = "-"
        if each["kernels"]:
            fill = sum(time for label, time in each["kernels"].items() if label.endswith("::sample"))
            share = f"{100 * fill / sum(each['kernels'].values()):.0f} %"
        mine, its = each["milliseconds"] / each["evaluations"], other["milliseconds"] / other["evaluations"]
        row(
            each["integrand"],
            f"{each['evaluations']:.0e}"
            + ("" if each["evaluations"] == each["of"] else f" (the paper {each['of']:.0e})"),
            milliseconds(other["milliseconds"]),
            f"{other['fill']:.0f} %",
            milliseconds(each["milliseconds"]),
            share,
            cell(its / mine),
            verdict(mine, its),
        )


@table("Figure 3 and table 6: nanoseconds per sample by intervals, variables (a formula) and samples")
def by_parameter(record):
    head("parameter", "value", "nanoseconds per sample")
    for each in record["parameters"]:
        row(each["parameter"], f"{each['value']:.3g}", cell(each["nanoseconds"]))


@table("Figure 8: what adaptive strata gain: time for the error of m-Cubes, relative to it")
def strata_gain(record):
    head(
        "integrand",
        "samples per iteration",
        "m-Cubes: error",
        "time",
        "beta 0: error",
        "time",
        "beta 0.75: error",
        "time",
        "times as fast as m-Cubes at equal error",
    )
    for integrand, size in dict.fromkeys((each["integrand"], each["evaluations"]) for each in record["strata"]):
        found = {
            each["way"]: each
            for each in record["strata"]
            if (each["integrand"], each["evaluations"]) == (integrand, size)
        }
        cells = [
            text
            for way in ("m-Cubes", "beta 0", "beta 0.75")
            for text in (f"{found[way]['error']:.1e}", milliseconds(found[way]["milliseconds"]))
        ]
        row(integrand, f"{size:.0e}", *cells, cell(gain(found)))


def gain(found):
    """How many times as fast VEGAS+ is for the error of m-Cubes."""
    cubes, plus = found["m-Cubes"], found["beta 0.75"]
    return cubes["milliseconds"] * cubes["error"] ** 2 / (plus["milliseconds"] * plus["error"] ** 2)


def largest_gain(record, integrand):
    by_size = {}
    for each in record["strata"]:
        if each["integrand"] == integrand:
            by_size.setdefault(each["evaluations"], {})[each["way"]] = each
    return max(map(gain, by_size.values()))


def efficiency_on_ridge():
    """By the number of devices, with most samples: perf/results/h200/scaling-N.json."""
    return efficiencies(records_of(HERE.parent / "results/h200"), "ridge", "vegas+")


@table("Table 8: efficiency of several GPUs on the ridge, H200s, by `perf/results/h200/scaling-1.json` and so on")
def several_devices(_):
    mine = efficiency_on_ridge()
    head("devices", "the paper", "here", "efficiency")
    for each in rows_of(PAPER["table 8"]):
        ours = mine.get(each["devices"])
        row(
            each["devices"],
            each["efficiency"],
            "not run" if ours is None else f"{ours:.2f}",
            verdict(ours, each["efficiency"], larger=True),
        )


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    for configuration in CONFIGURATIONS:
        ratio, said = (
            geometric(speed_up(record, i, configuration) for i in SEVEN),
            theirs_over_vegas("table 7", configuration),
        )
        yield f"table 7, {configuration}: over vegas", cell(said), cell(ratio), verdict(ratio, said, larger=True)
    for integrand, number in APPLICATIONS.items():
        for configuration in CONFIGURATIONS:
            ratio, said = speed_up(record, integrand, configuration), theirs_over_vegas(number, configuration)
            yield (
                f"{number}, {integrand}, {configuration}: over vegas",
                cell(said),
                cell(ratio),
                verdict(ratio, said, larger=True),
            )
    theirs = {(each["integrand"], each["evaluations"]): each["milliseconds"] for each in rows_of(PAPER["table 1"])}
    for each in record["sections"]:
        mine, its = each["milliseconds"] / each["evaluations"], theirs[each["integrand"], each["of"]] / each["of"]
        name = f"table 1, {each['integrand']}, {each['of']:.0e}: ns per sample"
        yield name, cell(its * 1e6 / 20), cell(mine * 1e6 / 20), verdict(mine, its)
    last, mine = max(efficiency_on_ridge().items())
    said = next(each["efficiency"] for each in rows_of(PAPER["table 8"]) if each["devices"] == last)
    yield f"table 8: efficiency of {last} GPUs", str(said), f"{mine:.2f}", verdict(mine, said, larger=True)
    for integrand in ("ridge", "fixed-path"):
        mine = largest_gain(record, integrand)
        yield (
            f"figure 8, {integrand}: over m-Cubes",
            str(PAPER["figure 8"]["speed_up"]),
            cell(mine),
            verdict(mine, PAPER["figure 8"]["speed_up"], larger=True),
        )


if __name__ == "__main__":
    run(__file__, measure)
