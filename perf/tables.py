#!/usr/bin/env python3
"""Prints the records of vegas-throughput, cubature-ladder, vegas-plus, wrong-converged, calibration, qmc, choice,
components and scaling as Markdown tables, beside target figures and those of other codes, and those of other studies row
by row. The records of scaling, one for each number of processes, make one table."""
import argparse
import itertools
import math
import statistics

import digest
import ladder
import page_table
from markdown_table import cell, head, row, share
from choice_tables import show_choice
from scaling_tables import show_scaling
from trust_tables import lines, show_calibration, show_wrong_converged


def beside(quantity, targets):
    """{key: (m-Cubes, cuVegas, target)} of perf/peers/h200-sampling.csv, for the keys of the targets."""
    found = {}
    for each in page_table.peers("h200-sampling"):
        if each["quantity"] == quantity:
            work, size = each["work"], each["evaluations"]
            key = (work, float(size)) if size else (work, each["precision"], each["map"])
            found[(*key, each["code"])] = float(each["value"])
    return {key: (found.get((*key, "m-Cubes")), found.get((*key, "cuVegas")), target) for key, target in targets.items()}


# By work, precision and map, in Geval/s.
THROUGHPUT = beside("samples per second", {
    ("5-D f4", "fp64", "refined"): 75,
    ("5-D f4", "fp64", "frozen"): 100,
    ("8-D f5", "fp64", "refined"): 45,
    ("10-D linear", "fp64", "refined"): 38,
    ("4-D ridge", "fp64", "refined"): 0.40,
    ("5-D f4", "fp32", "refined"): 95,
})
# By work and evaluations per iteration, in milliseconds for 20 iterations.
CALLS = beside("milliseconds", {
    ("4-D Gaussian", 1e6): 1.5,
    ("5-D f4", 1e7): 6,
    ("5-D f4", 1e8): 40,
    ("8-D f5", 1e8): 70,
    ("10-D Roos & Arnold", 1e8): 80,
})


def show_throughput(record):
    on_device = ladder.on_cuda(record)
    peers = ("m-Cubes (CUDA)", "cuVegas", "to reach") if on_device else ()
    head("Geval/s", "precision", "map", "evaluations per iteration", "kubature", *peers)
    for entry in record["throughput"]:
        other = THROUGHPUT.get((entry["work"], entry["precision"], entry["map"]), (None,) * 3) if on_device else ()
        row(entry["work"], entry["precision"], entry["map"], f"{entry['evaluations']:.1e}",
            cell(entry["geval_per_second"]), *map(cell, other))

    print()
    peers = ("m-Cubes (CUDA)", "cuVegas", "at most") if on_device else ()
    head("whole call, 20 iterations, ms", "evaluations per iteration", "kubature", "second call", *peers)
    for entry in record["whole_calls"]:
        other = CALLS.get((entry["work"], entry["evaluations"]), (None,) * 3) if on_device else ()
        row(entry["work"], f"{entry['evaluations']:.0e}", cell(entry["milliseconds"]),
            cell(entry["second_call_milliseconds"]), *map(cell, other))

    if "against_scalar_loop" in record:
        loop = record["against_scalar_loop"]
        print()
        head("5-D f4, frozen map, same samples", "Geval/s", "times the loop")
        base = loop["scalar_loop_geval_per_second"]
        for name, key in (("plain scalar loop, one thread", "scalar_loop_geval_per_second"),
                          ("kubature, one thread", "one_thread_geval_per_second"),
                          (f"kubature, {loop['threads']} threads", "all_threads_geval_per_second")):
            row(name, f"{loop[key]:.4f}", f"{loop[key] / base:.2f}")


def figure(number):
    """Three digits, without an exponent."""
    return "-" if number is None else f"{number:.3g}" if number < 999.5 else f"{number:.0f}"


def listed(rungs):
    """Their number, and the tolerances of each integrand."""
    by_integrand = {}
    for rung in rungs:
        by_integrand.setdefault(rung.integrand, []).append(f"{rung.tolerance:.3g}")
    names = "; ".join(f"{integrand} {', '.join(found)}" for integrand, found in by_integrand.items())
    return f"{len(rungs)} ({names})" if rungs else "0"


class Comparison:
    """Pagani compared to the other code: pairs of rungs of one integrand and level; None: not tried."""

    def __init__(self, record):
        self.ladder = ladder.Ladder(record)
        methods = self.ladder.methods()
        self.other = next((m for m in (ladder.PUBLISHED, ladder.CUHRE) if m in methods), None)
        self.smallest = 1 if self.other == ladder.CUHRE else 0  # shorter calls of the other code do not count, in ms

    def pairs(self, integrand):
        """Every rung that Pagani tried, and those of the other code below the one that Pagani missed."""
        ours, theirs = self.ladder[integrand, ladder.PAGANI], self.ladder[integrand, self.other]
        missed = any(not rung.converged for rung in ours.values())
        for level in sorted(ours.keys() | (theirs.keys() if missed else set())):
            yield ours.get(level), theirs.get(level)

    def speed_up(self, ours, theirs):
        """Their time divided by ours, if both are right."""
        if ours and theirs and ours.right and theirs.right and theirs.milliseconds > self.smallest:
            return theirs.milliseconds / ours.milliseconds
        return None

    def speed_ups(self, integrand):
        found = [self.speed_up(*pair) for pair in self.pairs(integrand)]
        return [ratio for ratio in found if ratio is not None]


def state(rung):
    """The state of a rung of the other code."""
    return "-" if rung is None else "missed" if not rung.converged else "**wrong**" if rung.wrong else "converged"


def ladder_rungs(comparison):
    """One row per integrand and rung."""
    other, on_host = comparison.other, comparison.other == ladder.CUHRE
    heads = [f"{other}, ms", "its state", "its true error", "speed-up"] if other else []
    head("integrand", "tolerance", "kubature, ms", "regions", "estimated error", "true error", *heads,
         *(["evaluations, Cuhre / kubature"] if on_host else []))
    for integrand in comparison.ladder.integrands:
        for ours, theirs in comparison.pairs(integrand):
            cells = [integrand, f"{(ours or theirs).tolerance:.3g}"]
            cells += ["-"] * 4 if ours is None else [
                figure(ours.milliseconds) if ours.converged else ours.status.replace("_", " "), str(ours.regions),
                cell(ours.estimate), cell(ours.truth)]
            if other:
                ratio = comparison.speed_up(ours, theirs)
                cells += [figure(theirs and theirs.milliseconds), state(theirs), cell(theirs and theirs.truth),
                          figure(ratio)]
                if on_host:
                    cells.append(figure(None if ratio is None else theirs.evaluations / ours.evaluations))
            row(*cells)


def ladder_integrands(comparison):
    """One row per integrand: the tightest rung at which each method converges."""
    methods, other = comparison.ladder.methods(), comparison.other
    head("tightest tolerance reached", *methods, *(["median speed-up", "minimum"] if other else []), "share of evaluation")
    for integrand in comparison.ladder.integrands:
        cells = []
        for method in methods:
            rungs = [rung for rung in comparison.ladder[integrand, method].values() if rung.converged and not rung.wrong]
            cells.append(f"{min(rung.tolerance for rung in rungs):.3g}" if rungs else "-")
        if other:
            ratios = comparison.speed_ups(integrand)
            cells += [figure(statistics.median(ratios)), figure(min(ratios))] if ratios else ["-", "-"]
        shares = [rung for rung in comparison.ladder[integrand, ladder.PAGANI].values()
                  if rung.converged and rung.share is not None]
        cells.append(share(max(shares, key=lambda rung: rung.level).share if shares else None))
        row(integrand, *cells)


def ladder_summary(comparison):
    print()
    for method in comparison.ladder.methods():
        rungs = comparison.ladder.of(method)
        converged = [rung for rung in rungs if rung.converged]
        line = f"- {method}: {len(converged)} of {len(rungs)} rows converge"
        if method != ladder.PUBLISHED:
            line += f"; true error above the estimate on {listed([r for r in converged if r.dishonest])}"
        print(line + f"; above the tolerance on {listed([r for r in converged if r.wrong])}")

    other = comparison.other
    if not other:
        return
    pairs = [pair for integrand in comparison.ladder.integrands for pair in comparison.pairs(integrand)]
    ratios = [(comparison.speed_up(*pair), *pair) for pair in pairs]
    ratios = [entry for entry in ratios if entry[0] is not None]
    what = f"speed-up over {other}"
    if comparison.smallest:
        what += f" where that takes more than {comparison.smallest} ms"
    if ratios:
        least = min(ratios, key=lambda entry: entry[0])
        print(f"- {what}: {len(ratios)} rows, median {figure(statistics.median(entry[0] for entry in ratios))}, "
              f"minimum {figure(least[0])} ({least[1].integrand} {least[1].tolerance:.3g})")
        goal = 3 if other == ladder.PUBLISHED else 1
        print(f"- below {goal}x: {listed([ours for ratio, ours, _ in ratios if ratio < goal])}")
        if other == ladder.PUBLISHED:
            short = [entry for entry in ratios if entry[2].milliseconds < 5]
            print(f"- below 5x, of the {len(short)} where {other} takes less than 5 ms: "
                  f"{listed([ours for ratio, ours, _ in short if ratio < 5])}")
        else:
            evaluations = [(theirs.evaluations / ours.evaluations, ours) for _, ours, theirs in ratios]
            least = min(evaluations, key=lambda entry: entry[0])
            print(f"- evaluations of {other} over ours, same rows: median "
                  f"{figure(statistics.median(entry[0] for entry in evaluations))}, minimum {figure(least[0])} "
                  f"({least[1].integrand} {least[1].tolerance:.3g})")
    else:
        print(f"- {what}: no row")
    print(f"- kubature converges and {other} does not: "
          f"{listed([a for a, b in pairs if a and a.converged and not (b and b.converged)])}")
    print(f"- {other} converges and kubature does not: "
          f"{listed([b for a, b in pairs if b and b.converged and not (a and a.converged)])}")


def show_ladder(record, compact):
    comparison = Comparison(record)
    (ladder_integrands if compact else ladder_rungs)(comparison)
    ladder_summary(comparison)


def table(record, section, first, columns):
    """Prints the rows of a section: the cells of `first`, then those of `columns`, each a heading and a function."""
    if section not in record:
        return
    print(f"\n{section.replace('_', ' ')}:\n")
    head("integrand", *(name for name, _ in first + columns))
    for entry in record[section]:
        row(ladder.work(entry), *(make(entry) for _, make in first + columns))


def plain(key):
    return lambda entry: cell(entry.get(key))


def whole(key):
    return lambda entry: str(entry[key])


def power_of_ten(key):
    return lambda entry: f"{entry[key]:.0e}"


def peers(record, figures):
    """Columns for the other codes, if the record is of the device that they were measured on; `figures` takes a row."""
    if not ladder.on_cuda(record):
        return []
    return [(name, lambda entry, index=index: cell((figures(entry) or (None,) * 3)[index]))
            for index, name in enumerate(("m-Cubes (CUDA)", "cuVegas"))]


def rate_of_peers(entry):
    work, _, precision = ladder.work(entry).partition(", ")
    return THROUGHPUT.get((work, precision or "fp64", entry["map"])) if entry["series"] == "integrands" else None


def show_vegas_plus(record, compact):
    method = [("method", lambda entry: entry["method"])]
    sampled = method + [("evaluations per iteration", power_of_ten("evaluations"))]
    errors = [("ms", plain("milliseconds")), ("estimated error", plain("estimated_relative_error")),
              ("true error", plain("true_relative_error"))]
    spread = [("seeds", whole("seeds")), ("mean", lambda entry: f"{entry['mean']:.8g}"),
              ("spread of values", plain("spread")), ("reported error, rms", plain("rms_error")),
              ("ms", plain("milliseconds"))]
    if compact:
        record = {key: value for key, value in record.items() if key != "error_against_time"}
        if "throughput" in record:
            record["throughput"] = [entry for entry in record["throughput"] if entry["series"] == "integrands"]
    table(record, "throughput", sampled, [("map", lambda entry: entry["map"]), ("bins", whole("bins")),
                                          ("Geval/s", plain("geval_per_second"))] + peers(record, rate_of_peers))
    table(record, "whole_calls", sampled, [("second call, ms", plain("second_call_milliseconds"))] + errors +
          peers(record, lambda entry: CALLS.get((ladder.work(entry), entry["evaluations"]))))
    table(record, "error_against_time", sampled, errors)
    table(record, "requested_achieved", method, [
        ("tolerance", plain("tolerance")), ("converged", lambda entry: f"{entry['converged']} of {entry['seeds']}"),
        ("of them within", lambda entry: share(entry.get("within"))),
        ("median true error", lambda entry: cell(entry["quantiles"][2] if "quantiles" in entry else None)),
        ("ms", plain("milliseconds"))])
    table(record, "one_map", sampled, errors)
    table(record, "zmcintegral", sampled, [("value", lambda entry: f"{entry['value']:.6g}"), ("error", plain("error")),
                                           ("ms", plain("milliseconds"))])
    table(record, "beta", sampled, [("beta", plain("beta"))] + spread)
    table(record, "spread", sampled, spread)
    table(record, "pulls", sampled, [
        ("seeds", whole("seeds")), ("mean pull", lambda entry: f"{entry['mean']:+.3g}"),
        ("deviation", plain("deviation")), ("within 1", lambda entry: share(entry["within_1"])),
        ("within 2", lambda entry: share(entry["within_2"])), ("chi2/dof", plain("chi2_per_dof"))])
    labels = sorted({label for entry in record.get("sections", ()) for label in entry["shares"]})
    table(record, "sections", sampled, [("ms", plain("milliseconds")), ("kernels, ms", plain("kernel_milliseconds"))] + [
        (label.removeprefix("kubature::"), lambda entry, label=label: share(entry["shares"].get(label)))
        for label in labels])


def error_at(rows, milliseconds):
    """The error of a method after this time: interpolated, and proportional to 1/sqrt(time) beyond its longest call."""
    rows = sorted((row for row in rows if row["error"]), key=lambda row: row["milliseconds"])
    if not rows or milliseconds < rows[0]["milliseconds"]:
        return None
    for low, high in itertools.pairwise(rows):
        if milliseconds <= high["milliseconds"]:
            part = math.log(milliseconds / low["milliseconds"]) / math.log(high["milliseconds"] / low["milliseconds"])
            return low["error"] ** (1 - part) * high["error"] ** part
    return rows[-1]["error"] * math.sqrt(rows[-1]["milliseconds"] / milliseconds)


def signed(x):
    return f"{x:+.2f}" if abs(x) < 1e3 else f"{x:+.0e}"


def show_qmc(record, compact):
    """How much smaller than those of VEGAS+ the errors are, for equally many evaluations and for equal time; calls to a
    tolerance; throughput; pulls; and all errors."""
    rows = lines(record["columns"], record["rows"])
    wanted = sorted({round(math.log2(row["evaluations"])) for row in rows if row["method"] == "qmc"})[-3:]
    if rows:
        head("VEGAS+'s error / error, at equal evaluations, in equal time", *(f"2^{power}" for power in wanted))
    for integrand in dict.fromkeys(row["integrand"] for row in rows):
        of = {method: [row for row in rows if (row["integrand"], row["method"]) == (integrand, method)]
              for method in ("qmc", "vegas+")}
        gains = []
        for power in wanted:
            error, milliseconds = next(((row["error"], row["milliseconds"]) for row in of["qmc"]
                                        if round(math.log2(row["evaluations"])) == power), (None, None))
            if error is None:
                gains.append("-")
                continue
            vegas = min(of["vegas+"], key=lambda row: abs(math.log2(row["evaluations"]) - power))
            timed = error_at(of["vegas+"], milliseconds)
            gains.append(", ".join(cell(other / error if other else None) for other in (vegas["error"], timed)))
        row(integrand, *gains)
    if record["reach"]:
        print()
        head("to a tolerance", "", "transform, map", "status", "evaluations", "seconds", "Geval/s", "error", "true error")
    for entry in record["reach"]:
        row(entry["integrand"], f"{entry['relative']:.0e}", entry["how"], entry["status"], f"{entry['evaluations']:.2g}",
            cell(entry["seconds"]), cell(1e-9 * entry["evaluations"] / entry["seconds"]), cell(entry["error"]),
            cell(entry["true_error"]))
    print()
    head("throughput", "map", "evaluations", "Geval/s")
    for entry in record["throughput"]:
        row(entry["work"], entry["map"], f"{entry['evaluations']:.2g}", cell(entry["geval_per_second"]))
    if record["pulls"]:
        print()
        head("pulls", "seeds", "relative error", "mean", "deviation", "within 1", "within 2")
    for entry in lines(record["pull_columns"], record["pulls"]):
        row(f"{entry['integrand']}, {entry['dimension']:.0f}-D", f"{entry['seeds']:.0f}", cell(entry["error"]),
            signed(entry["mean"]), signed(entry["deviation"]).lstrip("+"), share(entry["within_1"]), share(entry["within_2"]))
    if rows and not compact:
        print()
        head("integral", "method", "evaluations", "error", "true error", "ms")
        for entry in rows:
            row(entry["integrand"], entry["method"], f"{entry['evaluations']:.2g}", cell(entry["error"]),
                cell(entry["true_error"]), cell(entry["milliseconds"]))


def show_components(record):
    """Samples per second with and without full covariance, and the share of its matrix products."""
    rows = record["throughput"]
    head("components", "known", "million samples/s", "with full covariance", "share of the products")
    for entry in rows:
        if entry["covariance"] == "full":
            continue
        full = [e for e in rows if e["covariance"] == "full" and (e["components"], e["known"]) ==
                (entry["components"], entry["known"])]
        rate, share = [full[0][key] if full else None for key in ("million_samples_per_second", "share_of_products")]
        row(str(entry["components"]), entry["known"], cell(entry["million_samples_per_second"]), cell(rate), cell(share))


def show_sections(record):
    """A table for each list of rows in the record of a study that has no tables of its own."""
    for name, rows in record.items():
        if name == "backends" or not (isinstance(rows, list) and rows and isinstance(rows[0], dict)):
            continue
        print(f"{name}:\n")
        columns = list(dict.fromkeys(column for entry in rows for column in entry))
        head(*columns)
        for entry in rows:
            row(*[cell(x) if isinstance(x, float) else str(x) for x in map(entry.get, columns)])
        print()


def show(record, compact):
    print(f"\n{ladder.machine(record)}, Kokkos {record['kokkos']}, {record['compiler']} {record['flags']}, "
          f"commit {record['commit']}{digest.age(record)}\n")
    if record["study"] == "cubature-ladder":
        show_ladder(record, compact)
    elif record["study"] == "vegas-plus":
        show_vegas_plus(record, compact)
    elif record["study"] == "wrong-converged":
        show_wrong_converged(record, compact)
    elif record["study"] == "qmc":
        show_qmc(record, compact)
    elif record["study"] == "choice":
        show_choice(record)
    elif record["study"] == "components":
        show_components(record)
    elif record["study"] == "calibration":
        show_calibration(record, compact)
    elif record["study"] == "vegas-throughput":
        show_throughput(record)
    else:
        show_sections(record)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--compact", action="store_true", help="cubature-ladder: a row per integrand, not per rung; "
                           "vegas-plus: without the series that plots.py draws; wrong-converged and calibration: without the "
                           "list of what is wrong; qmc: without the errors that plots.py draws")
    arguments.add_argument("records", nargs="+", metavar="RECORD.json")
    chosen = arguments.parse_args()
    records = [ladder.load(name) for name in chosen.records]
    for each in records:
        if each["study"] != "scaling":
            show(each, chosen.compact)
    if scaling := [each for each in records if each["study"] == "scaling"]:
        show_scaling(scaling)
