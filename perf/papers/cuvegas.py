#!/usr/bin/env python3
"""The experiments of the cuVegas paper, beside its numbers. Lepage's vegas is that of perf/peers
(perf/papers/vegas_peer.py), since a machine with a GPU may have no Python packages.

    perf/papers/cuvegas.py --programs build/cuda/perf --output perf/results/MACHINE --seconds 240

The ridge with 1e9 samples takes a minute on an H200, and is left out where less time is left.
"""

import math
import statistics
import subprocess
import time

from experiments import HERE, cell, head, milliseconds, paper, row, rows_of, run, table, verdict
from page_table import peers
from scaling_tables import records_of

PAPER = paper("cuvegas")
SEVEN = ("sine-exponential", "linear", "cosine", "exponential", "roos-arnold", "morokoff-caflisch", "gaussian")
APPLICATIONS = {"arithmetic-asian": "table 9", "fixed-path": "table 10"}
CONFIGURATIONS = {name: PAPER["table 2"][name] for name in ("def", "vf")}
SAMPLES = (1e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8)  # the paper doubles: a run is close to any error
VEGAS, CUVEGAS = "epyc-2-cores-vegas", "h200-cuvegas"


def configured(program, integrand, configuration, evaluations, asked=None):
    of = CONFIGURATIONS[configuration]
    return program(integrand, "vegas+", asked, evaluations=evaluations, **of)


def benchmarks(program):
    """Tables 7, 9 and 10: 20 iterations, all of which count; errors over seeds, from the mean if no value is known."""
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
                        "value": truth,
                        "reported": statistics.mean(answer["errors"]) / abs(truth),
                        "off": math.sqrt(statistics.mean(e * e for e in errors)),
                    }
                )
    return rows


def same_as_cuvegas(program):
    """The calls of cuVegas itself on an H200 (perf/peers), with as many samples as it makes."""
    rows = []
    for of in peers(CUVEGAS):
        beta, evaluations = float(of["beta"]), program.size(float(of["evaluations_done"]))
        options = {"iterations": 20, "skip": 5, "bins": 1024, "alpha": 0.5, "beta": beta}
        if beta == 0:
            options["redistribute"] = 0
        asked = {"seeds": 20, "budget": program.seconds / 60}
        answer = program(of["integrand"], "vegas+", asked, evaluations=evaluations, **options)
        truth = answer["true_value"]
        rows.append(
            {
                "integrand": of["integrand"],
                "beta": beta,
                "of": float(of["evaluations"]),
                "evaluations": evaluations,
                "seeds": len(answer["values"]),
                "milliseconds": answer["milliseconds"],
                "off": math.sqrt(statistics.mean((value - truth) ** 2 for value in answer["values"])),
                "reported": statistics.mean(answer["errors"]),
            }
        )
    return rows


def sections(program):
    """Table 1. The last row is tried if ten times the time of the last but one is left."""
    rows = []
    for of in rows_of(PAPER["table 1"]):
        evaluations = program.size(of["evaluations"])
        row = {"integrand": of["integrand"], "of": of["evaluations"], "evaluations": evaluations}
        if of["evaluations"] > 1e8 and rows[-1]["milliseconds"] > 100 * program.left():
            rows.append({**row, "milliseconds": None, "kernels": None})
            continue
        asked = {"kernels": of["milliseconds"] < 20000, "repeat": 5, "budget": program.seconds / 60}
        answer = program(of["integrand"], "vegas+", asked, evaluations=evaluations, iterations=20, skip=0)
        rows.append({**row, "milliseconds": answer["milliseconds"], "kernels": answer.get("kernels")})
    return rows


def parameters(program):
    """Figure 3: nanoseconds per sample of the sum of the variables, by one parameter at a time: of a call, and of the
    kernel that samples, which the paper has."""
    rows, samples = [], program.size(1e8)

    def add(parameter, value, integrand="linear", **options):
        options = {"evaluations": samples, "bins": 1024, "iterations": 20, **options}
        asked = {"repeat": 3, "budget": program.seconds / 150, "kernels": True}
        answer = program(integrand, "vegas+", asked, **options)
        sampling = sum(time for label, time in answer["kernels"].items() if label.endswith("::sample"))
        rows.append(
            {
                "parameter": parameter,
                "value": value,
                "integrand": integrand,
                "nanoseconds": 1e6 * answer["milliseconds"] / answer["evaluations"],
                "sampling_nanoseconds": 1e6 * sampling / answer["evaluations"],
            }
        )

    for bins in PAPER["table 6"]["bins"]:
        add("bins", bins, bins=bins)
    for dimensions in PAPER["table 6"]["dimensions"]:
        add("dimensions", dimensions, f"sum-{dimensions}d")
    for evaluations in (1e6, 1e7, 1e8, 1e9, 1e10, PAPER["table 6"]["evaluations_to"]):
        size = program.size(evaluations)
        add("evaluations", size, evaluations=size, iterations=3 if evaluations > 1e9 else 20)
    return rows


def strata(program):
    """Figure 8, by errors from the true value."""
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
                    {"seeds": 20, "budget": program.seconds / 60},
                    evaluations=evaluations,
                    iterations=20,
                    skip=5,
                    bins=500,
                    alpha=1.5,
                    **options,
                )
                truth = answer["true_value"]
                rows.append(
                    {
                        "integrand": integrand,
                        "evaluations": evaluations,
                        "way": name,
                        "seeds": len(answer["values"]),
                        "milliseconds": answer["milliseconds"],
                        "error": statistics.mean(answer["errors"]) / abs(truth),
                        "off": math.sqrt(statistics.mean((value / truth - 1) ** 2 for value in answer["values"])),
                    }
                )
    return rows


def memory(program):
    """Section 4.8: the most bytes that a call holds, by samples per iteration; one more call each."""
    rows = []
    for evaluations in (1e6, 1e7, 1e8, 1e9, 1e10):
        for method, options in (("vegas+", {"bins": 1024}), ("mcubes", {"bins": 500})):
            size = program.size(evaluations)
            answer = program("linear", method, {"memory": True}, evaluations=size, iterations=2, skip=0, **options)
            rows.append({"method": method, "evaluations": size, "bytes": answer["bytes"]})
    return rows


def start(program):
    """Milliseconds of a process that makes no call: loading, creating the device's context, and ending."""
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([program.folder / "calls"], input="", stdout=subprocess.DEVNULL, text=True, check=True)
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def measure(program):
    return {
        "benchmarks": benchmarks(program),
        "same_as_cuvegas": same_as_cuvegas(program),
        "parameters": parameters(program),
        "strata": strata(program),
        "memory": memory(program),
        "start_milliseconds": start(program),
        "sections": sections(program),
    }


# ---- beside the paper --------------------------------------------------------------------------------------


def vegas_rows():
    return {(each["integrand"], each["configuration"], float(each["evaluations"])): each for each in peers(VEGAS)}


RIGHT = 5  # a result further off than this many of its errors counts as wrong


def right(record, theirs, mine):
    """Whether vegas's value is right by ours, and ours by the true value, where the record has it."""
    value = mine[-1].get("value")
    good = [each for each in mine if each["off"] <= RIGHT * each["reported"]]
    known = value is None or abs(float(theirs["value"]) - value) <= RIGHT * float(theirs["reported"])
    return good if known else []


def at_vegas_error(record, integrand, configuration):
    """The longest run of vegas whose error is reached here, that error, and the shortest call that does; both right."""
    which = integrand, configuration
    mine = [each for each in record["benchmarks"] if (each["integrand"], each["configuration"]) == which]
    runs = [(size, each) for (*of, size), each in vegas_rows().items() if tuple(of) == which]
    for _, theirs in sorted(runs, key=lambda run: -run[0]):
        error = float(theirs["reported"]) / abs(float(theirs["value"]))
        reached = [each for each in right(record, theirs, mine) if each["reported"] <= error]
        if reached:
            break
    return theirs, error, min(reached, key=lambda each: each["milliseconds"], default=None)


def speed_up(record, integrand, configuration):
    """Over vegas on one core."""
    theirs, _, mine = at_vegas_error(record, integrand, configuration)
    return mine and float(theirs["processor milliseconds"]) / mine["milliseconds"]


def over_two_cores(ratio):
    """The paper's vegas has two CPUs, which take half the time of one at best."""
    return ratio and ratio / 2


def geometric(values):
    values = list(values)
    return math.exp(statistics.mean(map(math.log, values))) if values and all(values) else None


def theirs_over_vegas(number, configuration):
    return next(each[configuration] for each in rows_of(PAPER[number]) if each["code"] == "Vegas")


@table("Tables 7, 9 and 10: how many times as fast as vegas, for the same error")
def over_vegas(record):
    head(
        "configuration",
        "integrand",
        "vegas: samples per iteration",
        "time of one core",
        "error",
        "here: samples per iteration",
        "time",
        "error",
        "times as fast as one core",
        "as two cores at best",
        "the paper, two CPUs",
        "",
    )
    for configuration in CONFIGURATIONS:
        for integrand in (*SEVEN, *APPLICATIONS):
            theirs, error, mine = at_vegas_error(record, integrand, configuration)
            number = APPLICATIONS.get(integrand)
            said = theirs_over_vegas(number, configuration) if number else None
            ratio = speed_up(record, integrand, configuration)
            row(
                configuration,
                integrand,
                f"{float(theirs['evaluations']):.0e}",
                milliseconds(float(theirs["processor milliseconds"])),
                cell(error),
                f"{mine['evaluations']:.0e}" if mine else "-",
                milliseconds(mine and mine["milliseconds"]),
                cell(mine and mine["reported"]),
                cell(ratio),
                cell(over_two_cores(ratio)),
                cell(said),
                verdict(over_two_cores(ratio), said, larger=True),
            )
        ratio, said = mean_of_seven(record, configuration), theirs_over_vegas("table 7", configuration)
        two = over_two_cores(ratio)
        means = cell(ratio), cell(two), cell(said), verdict(two, said, larger=True)
        row(configuration, "geometric mean of the first seven", *[""] * 6, *means)


def mean_of_seven(record, configuration):
    return geometric(speed_up(record, integrand, configuration) for integrand in SEVEN)


@table("cuVegas itself on an H200, with the same number of samples")
def beside_cuvegas(record):
    if not record.get("same_as_cuvegas"):
        print("Not measured.")
        return
    head(
        "integrand",
        "beta",
        "samples per iteration",
        "cuVegas",
        "spread",
        "here",
        "spread",
        "times as fast",
        "for the same spread",
    )
    theirs = {(o["integrand"], float(o["beta"]), float(o["evaluations"])): o for o in peers(CUVEGAS)}
    ratios = []
    for each in record["same_as_cuvegas"]:
        other = theirs[each["integrand"], each["beta"], each["of"]]
        time, spread = float(other["milliseconds"]), float(other["spread"])
        ratios.append((time / each["milliseconds"], time / each["milliseconds"] * (spread / each["off"]) ** 2))
        row(
            each["integrand"],
            f"{each['beta']:g}",
            f"{each['evaluations']:.2g}",
            milliseconds(time),
            f"{spread:.1e}",
            milliseconds(each["milliseconds"]),
            f"{each['off']:.1e}",
            *map(cell, ratios[-1]),
        )
    row("median", *[""] * 6, *(cell(statistics.median(each)) for each in zip(*ratios)))


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


@table("Table 1: time of 20 iterations, and the shares of sampling and evaluation, of other kernels, and of the host")
def program_time(record):
    head(
        "integrand",
        "samples per iteration",
        "the paper",
        "fill",
        "here",
        "fill",
        "other kernels",
        "the rest",
        "times as fast for each sample",
        "time",
    )
    theirs = {(each["integrand"], each["evaluations"]): each for each in rows_of(PAPER["table 1"])}
    for each in sorted(record["sections"], key=lambda each: each["integrand"] == "ridge"):
        other = theirs.pop((each["integrand"], each["of"]))
        shares = ["-"] * 3
        if each["kernels"]:
            fill = sum(time for label, time in each["kernels"].items() if label.endswith("::sample"))
            others = sum(each["kernels"].values()) - fill
            whole = max(each["milliseconds"], fill + others)
            shares = [f"{100 * part / whole:.0f} %" for part in (fill, others, whole - fill - others)]
        its = other["milliseconds"] / other["evaluations"]
        mine = each["milliseconds"] and each["milliseconds"] / each["evaluations"]
        row(
            each["integrand"],
            f"{each['evaluations']:.0e}"
            + ("" if each["evaluations"] == each["of"] else f" (the paper {each['of']:.0e})"),
            milliseconds(other["milliseconds"]),
            f"{other['fill']:.0f} %",
            milliseconds(each["milliseconds"]) if mine else "not tried",
            *shares,
            cell(mine and its / mine),
            verdict(mine, its),
        )
    for (integrand, of), other in theirs.items():
        cells = milliseconds(other["milliseconds"]), f"{other['fill']:.0f} %", "not tried"
        row(integrand, f"{of:.0e}", *cells, *["-"] * 5)


@table("Figure 3 and table 6: nanoseconds per sample of a sum, by intervals, variables and samples")
def by_parameter(record):
    head("parameter", "value", "integrand", "a call", "the kernel that samples")
    for each in record["parameters"]:
        formula = "sum, a formula" if each["parameter"] == "dimensions" else "linear"  # where the record has no name
        row(
            each["parameter"],
            f"{each['value']:.0e}" if each["value"] > 1e5 else each["value"],
            each.get("integrand", formula),
            cell(each["nanoseconds"]),
            cell(each.get("sampling_nanoseconds")),
        )


def error_of(each):
    """From the true value; as reported, where the record has no other."""
    return each.get("off", each["error"])


def both_right(found):
    """Whether no error is more than three times the reported one."""
    return all(error_of(each) <= 3 * each["error"] for each in found.values())


@table("Figure 8: what adaptive strata gain: time for the error of m-Cubes, relative to it")
def strata_gain(record):
    of = "true error" if "off" in record["strata"][0] else "reported error"
    ways = ("m-Cubes", "beta 0", "beta 0.75")
    head(
        "integrand",
        "samples per iteration",
        *(text for way in ways for text in (f"{way}: {of}", "time")),
        "times as fast as m-Cubes at equal error",
    )
    for integrand in dict.fromkeys(each["integrand"] for each in record["strata"]):
        for size, found in by_size(record, integrand).items():
            cells = [
                text
                for way in ways
                for text in (f"{error_of(found[way]):.1e}", milliseconds(found[way]["milliseconds"]))
            ]
            row(integrand, f"{size:.0e}", *cells, cell(gain(found)) + ("" if both_right(found) else " (wrong results)"))
        row(integrand, "median", *[""] * (2 * len(ways)), cell(median_gain(record, integrand)))


def by_size(record, integrand):
    sizes = {}
    for each in record["strata"]:
        if each["integrand"] == integrand:
            sizes.setdefault(each["evaluations"], {})[each["way"]] = each
    return sizes


def gain(found):
    """How many times as fast VEGAS+ is for the error of m-Cubes."""
    cubes, plus = found["m-Cubes"], found["beta 0.75"]
    return cubes["milliseconds"] * error_of(cubes) ** 2 / (plus["milliseconds"] * error_of(plus) ** 2)


def median_gain(record, integrand):
    gains = [gain(found) for found in by_size(record, integrand).values() if both_right(found)]
    return statistics.median(gains) if gains else None


@table("Section 4.8: memory that a call of the linear function in ten variables holds at once")
def memory_held(record):
    if not record.get("memory"):
        print("Not measured.")
        return
    head("samples per iteration", "VEGAS+", "m-Cubes")
    for size in dict.fromkeys(each["evaluations"] for each in record["memory"]):
        held = {each["method"]: each["bytes"] for each in record["memory"] if each["evaluations"] == size}
        row(f"{size:.0e}", *(f"{held[method] / 2**20:.3g} MiB" for method in ("vegas+", "mcubes")))


def times_on_ridge():
    """Milliseconds of an iteration by the number of samples, to a digit, and by that of devices: those of
    perf/results/h200/scaling-N.json."""
    times = {}
    for record in records_of(HERE.parent / "results/h200"):
        for each in record["strong_scaling"]:
            if (each["work"], each["method"]) == ("ridge", "vegas+"):
                times.setdefault(float(f"{each['evaluations']:.0e}"), {})[record["processes"]] = each["milliseconds"]
    return times


SAMPLES_OF_TABLE_8 = 1e9  # of table 1, by whose time the paper's contexts are left out


def say_scaling_records():
    found = [(each["processes"], each["commit"][:7]) for each in records_of(HERE.parent / "results/h200")]
    said = ", ".join(f"`perf/results/h200/scaling-{processes}.json` (commit {commit})" for processes, commit in found)
    print(f"\nOf {said}.")


def efficiency(times, start_of_all=None):
    """By the number of devices, from the times of a whole run, less or plus what starting them takes."""
    whole = {n: time + (start_of_all(n) if start_of_all else 0) for n, time in times.items()}
    return {n: whole[1] / time / n for n, time in whole.items()}


def efficiencies_of_paper():
    """As printed, and without the creation of contexts, one after another, in a run as long as that of table 1."""
    of = PAPER["table 8"]
    one = rows_of(PAPER["table 1"])[-1]["milliseconds"]  # the ridge with 1e9 samples
    times = {each["devices"]: one / each["speed_up"] for each in rows_of(of)}
    printed = {each["devices"]: each["efficiency"] for each in rows_of(of)}
    return printed, efficiency(times, lambda n: -n * of["context_milliseconds"])


@table("Figure 5: milliseconds of an iteration of the ridge by several H200s")
def by_devices(_):
    times = times_on_ridge()
    devices = sorted({n for each in times.values() for n in each})
    head("samples", *(f"{n} GPU{'s' * (n > 1)}" for n in devices), *(f"efficiency, {n}" for n in devices[1:]))
    for samples, each in sorted(times.items()):
        shares = efficiency(each)
        row(
            f"{samples:.0e}",
            *(milliseconds(each.get(n)) for n in devices),
            *(f"{shares[n]:.2f}" if n in shares else "-" for n in devices[1:]),
        )
    say_scaling_records()


@table("Table 8: efficiency of several GPUs on the ridge, H200s")
def several_devices(record):
    iterations, begin = times_on_ridge()[SAMPLES_OF_TABLE_8], record.get("start_milliseconds")
    mine = efficiency(iterations)
    with_start = efficiency({n: 20 * time for n, time in iterations.items()}, lambda _: begin) if begin else {}
    printed, without = efficiencies_of_paper()
    head(
        "devices",
        "the paper, with creation of contexts",
        "here, with the start of a process",
        "the paper, without",
        "here, iterations alone",
        "efficiency without",
    )
    for n, of in printed.items():
        cells = [f"{found[n]:.2f}" if n in found else "-" for found in (with_start, without, mine)]
        row(n, of, *cells, verdict(mine.get(n), without[n], larger=True))
    say_scaling_records()
    if begin:
        print(f"\nA process that makes no call takes {milliseconds(begin)}.")


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    cases = [("table 7", f"table 7, {c}", c, mean_of_seven(record, c)) for c in CONFIGURATIONS]
    cases += [
        (number, f"{number}, {integrand}, {c}", c, speed_up(record, integrand, c))
        for integrand, number in APPLICATIONS.items()
        for c in CONFIGURATIONS
    ]
    for number, name, configuration, ratio in cases:
        said, ours = theirs_over_vegas(number, configuration), over_two_cores(ratio)
        yield f"{name}: over vegas on two cores", cell(said), cell(ours), verdict(ours, said, larger=True)
    theirs = {(each["integrand"], each["evaluations"]): each["milliseconds"] for each in rows_of(PAPER["table 1"])}
    for each in record["sections"]:
        if each["milliseconds"]:
            mine, its = each["milliseconds"] / each["evaluations"], theirs[each["integrand"], each["of"]] / each["of"]
            name = f"table 1, {each['integrand']}, {each['of']:.0e}: ns per sample"
            yield name, cell(its * 1e6 / 20), cell(mine * 1e6 / 20), verdict(mine, its)
    last, mine = max(efficiency(times_on_ridge()[SAMPLES_OF_TABLE_8]).items())
    said = efficiencies_of_paper()[1][last]
    name = f"table 8: efficiency of {last} GPUs, without creation of contexts"
    yield name, f"{said:.2f}", f"{mine:.2f}", verdict(mine, said, larger=True)
    for integrand, said in PAPER["figure 8"]["speed_up"].items():
        mine = median_gain(record, integrand)
        yield f"figure 8, {integrand}: over m-Cubes, median", cell(said), cell(mine), verdict(mine, said, larger=True)


if __name__ == "__main__":
    run(__file__, measure)
