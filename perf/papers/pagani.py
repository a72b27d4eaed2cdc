#!/usr/bin/env python3
"""The experiments of the PAGANI paper, beside what it says: the ladder of tolerances by PAGANI with and without its
threshold, by the two-phase method, by a sequential Cuhre on one core of the host, and by quasi-Monte Carlo.

    perf/papers/pagani.py --programs build/cuda/perf --output perf/results/MACHINE
"""

import csv
import statistics

from experiments import HERE, cell, head, milliseconds, paper, row, run, table, true_error, verdict

PAPER = paper("pagani")
TOLERANCES = [1e-3 / 5**k for k in range(11)]
INTEGRANDS = ("f1-8d", "f2", "f3-3d", "f3-8d", "f4-5d", "f4-8d", "f5-5d", "f5-8d", "f6", "f7", "f8")
METHODS = {
    "PAGANI": ("pagani", {}),
    "no threshold": ("pagani", {"threshold": False}),
    "as published": ("pagani", {}),
    "two-phase": ("two-phase", {}),
    "Cuhre": ("cuhre", {}),
    "QMC": ("qmc", {}),
}
POLICY = {"as published": {"policy": "cubature.published_errors=true,cubature.published_threshold=true"}}
CHALLENGING = 1000  # regions of Cuhre at least, as in section 4.3: "a few thousand subdivisions"


def options_of(name, integrand, seconds):
    method, options = METHODS[name]
    if method == "cuhre":
        return {"max_evaluations": int(seconds * 2e7)}
    cancels = {"relative_filter": False} if method == "pagani" and integrand == "f1-8d" else {}
    return {"seconds": seconds, **options, **cancels}


def measure(program):
    """The ladder, until a rung is missed. PAGANI and Cuhre may take longer, as the others need not go as far."""
    rows, share = [], program.seconds / 90
    for name, (method, _) in METHODS.items():
        seconds = share * {"PAGANI": 2.5, "Cuhre": 1.5}.get(name, 0.8)
        for integrand in INTEGRANDS:
            for tolerance in TOLERANCES:
                options = options_of(name, integrand, seconds)
                asked = {"repeat": 3, "budget": 0.05 * share, **POLICY.get(name, {})}
                answer = program(integrand, method, asked, relative=tolerance, **options)
                truth = program.truth(integrand)
                rows.append(
                    {
                        "integrand": integrand,
                        "method": name,
                        "tolerance": tolerance,
                        "status": answer["status"],
                        "milliseconds": answer["milliseconds"],
                        "evaluations": answer["evaluations"],
                        "regions": answer["regions"],
                        "estimate": answer["error"] / abs(answer["value"]) if answer["value"] else None,
                        "true_error": true_error(answer, truth),
                    }
                )
                if answer["status"] != "converged" or program.left() < 0:
                    break
    return {"ladder": rows}


# ---- beside the paper --------------------------------------------------------------------------------------


def by_rung(record):
    """The converged rungs: {(integrand, tolerance, method): row}."""
    return {
        (each["integrand"], each["tolerance"], each["method"]): each
        for each in record["ladder"]
        if each["status"] == "converged"
    }


def reached(record, integrand, method):
    found = [
        t for (i, t, m), each in by_rung(record).items() if (i, m) == (integrand, method) and each["true_error"] <= t
    ]
    return min(found, default=None)


def times(record, other, integrand, wanted=lambda theirs: True):
    """How many times as fast PAGANI is, by tolerance."""
    rungs = by_rung(record)
    for tolerance in TOLERANCES:
        ours, theirs = (rungs.get((integrand, tolerance, method)) for method in ("PAGANI", other))
        if ours and theirs and wanted(theirs):
            yield tolerance, theirs["milliseconds"] / ours["milliseconds"]


def ratios(record, other, *wanted):
    return [ratio for integrand in INTEGRANDS for _, ratio in times(record, other, integrand, *wanted)]


def challenging(theirs):
    return theirs["regions"] >= CHALLENGING


SHOWN = TOLERANCES[::2]


def speed_ups(record, other):
    head("integrand", *(f"{tolerance:.1e}" for tolerance in SHOWN), "median", "only PAGANI reaches")
    for integrand in INTEGRANDS:
        found = dict(times(record, other, integrand))
        mine, theirs = (reached(record, integrand, method) for method in ("PAGANI", other))
        further = cell(mine) if mine and (theirs is None or theirs > mine * 1.01) else ""
        row(
            integrand,
            *(cell(found.get(tolerance)) for tolerance in SHOWN),
            cell(statistics.median(found.values()) if found else None),
            further,
        )


@table("Figure 4: tightest tolerance at which the true error is within it, and how often a converged result is not")
def accuracy(record):
    head("integrand", *METHODS)
    for integrand in INTEGRANDS:
        row(integrand, *(cell(reached(record, integrand, method)) for method in METHODS))
    wrong = {
        method: [each["true_error"] > t for (_, t, m), each in by_rung(record).items() if m == method]
        for method in METHODS
    }
    row("converged and wrong", *(f"{sum(each)} of {len(each)}" for each in wrong.values()))


@table("Figure 6, left: how many times as fast as Cuhre on one core of the same machine PAGANI is, by tolerance")
def over_cuhre(record):
    speed_ups(record, "Cuhre")


@table("Figure 6, right: how many times as fast as the two-phase method PAGANI is")
def over_two_phase(record):
    speed_ups(record, "two-phase")


@table("Figure 7: how many times as fast as quasi-Monte Carlo PAGANI is, here and with a published GPU code's times")
def over_qmc(record):
    head(
        "integrand",
        *(f"{tolerance:.1e}" for tolerance in SHOWN),
        "median",
        "QMC reaches",
        "PAGANI reaches",
        "over mppmu/qmc at 1e-3",
        "at its last tolerance",
    )
    for integrand in INTEGRANDS:
        found = dict(times(record, "QMC", integrand))
        peer = published_qmc(record, integrand)
        row(
            integrand,
            *(cell(found.get(tolerance)) for tolerance in SHOWN),
            cell(statistics.median(found.values()) if found else None),
            cell(reached(record, integrand, "QMC")),
            cell(reached(record, integrand, "PAGANI")),
            cell(peer.get(1e-3)),
            f"{cell(list(peer.values())[-1])} ({list(peer)[-1]:.0e})" if peer else "-",
        )


def published_qmc(record, integrand):
    """How many times as fast PAGANI is as the first run of mppmu/qmc (perf/peers) with an error that small."""
    with open(HERE.parent / "peers/h200-mppmu-qmc.csv", encoding="utf-8") as file:
        runs = [each for each in csv.DictReader(file) if each["integrand"] == integrand]
    found = {}
    for tolerance in TOLERANCES:
        ours = by_rung(record).get((integrand, tolerance, "PAGANI"))
        theirs = [float(each["milliseconds"]) for each in runs if float(each["error"]) <= tolerance]
        if ours and theirs:
            found[tolerance] = min(theirs) / ours["milliseconds"]
    return found


@table("Figure 5: times of PAGANI, of the two-phase method and of Cuhre on one core")
def time_of_methods(record):
    names = ("PAGANI", "two-phase", "Cuhre")
    wanted = (TOLERANCES[0], TOLERANCES[4], TOLERANCES[8])
    head("integrand", *(f"{name}, {tolerance:.1e}" for tolerance in wanted for name in names))
    for integrand in INTEGRANDS:
        found = (by_rung(record).get((integrand, tolerance, name)) for tolerance in wanted for name in names)
        row(integrand, *(milliseconds(each and each["milliseconds"]) for each in found))


@table("Figure 8: time without the threshold, as a multiple of that with it")
def threshold(record):
    speed_ups(record, "no threshold")


@table("PAGANI's published errors and trigger of the threshold: time, as a multiple of ours")
def published(record):
    speed_ups(record, "as published")


@table("Figure 9: regions by PAGANI, two-phase and Cuhre")
def regions(record):
    wanted = (TOLERANCES[0], TOLERANCES[4], TOLERANCES[8])
    head(
        "integrand", *(f"{name}, {tolerance:.1e}" for tolerance in wanted for name in ("PAGANI", "two-phase", "Cuhre"))
    )
    for integrand in INTEGRANDS:
        found = (
            by_rung(record).get((integrand, tolerance, name))
            for tolerance in wanted
            for name in ("PAGANI", "two-phase", "Cuhre")
        )
        row(integrand, *(each["regions"] if each else "-" for each in found))


def digits(tolerance):
    """The paper's digits: the number of whole ones."""
    return 0 if tolerance is None else next(d for d in range(10, 0, -1) if tolerance <= 1.03 * 10.0**-d)


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    hard = ratios(record, "Cuhre", challenging)
    if hard:
        low, high = PAPER["figure 6 left"]["low_precision"], PAPER["figure 6 left"]["high_precision"]
        mine = f"{min(hard):.2g} to {max(hard):.3g}, median {statistics.median(hard):.3g}"
        yield "figure 6 left: speed-up over Cuhre", f"{low} to thousands", mine, verdict(max(hard), high, larger=True)
    two = ratios(record, "two-phase")
    if two:
        of = PAPER["figure 6 right"]
        mine = f"{min(two):.2g} to {max(two):.3g}, median {statistics.median(two):.3g}"
        yield (
            "figure 6 right: speed-up over two-phase",
            f"{of['least']} to {of['most']}",
            mine,
            verdict(max(two), of["most"], larger=True),
        )
    wins = [
        reached(record, i, "PAGANI") is not None and (reached(record, i, "QMC") or 1) >= reached(record, i, "PAGANI")
        for i in INTEGRANDS
    ]
    yield (
        "figure 7: integrands on which PAGANI goes as far as QMC",
        "10 of 11",
        f"{sum(wins)} of 11",
        verdict(sum(wins), 10, larger=True),
    )
    for integrand, theirs in PAPER["digits"].items():
        mine = digits(reached(record, integrand, "PAGANI"))
        yield f"{integrand}: digits reached", str(theirs), str(mine), verdict(mine, theirs, larger=True)
    rungs = [each["true_error"] <= t for (_, t, m), each in by_rung(record).items() if m == "PAGANI"]
    yield (
        "figure 4: converged and within the tolerance",
        "all",
        f"{sum(rungs)} of {len(rungs)}",
        "equal" if all(rungs) else "worse",
    )


if __name__ == "__main__":
    run(__file__, measure)
