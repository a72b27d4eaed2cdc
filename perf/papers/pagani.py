#!/usr/bin/env python3
"""The experiments of the PAGANI paper, beside what it says: the ladder of tolerances by PAGANI with and without its
threshold and as published, by the two-phase method, by quasi-Monte Carlo, and by a sequential Cuhre on the host
(tests/oracle/cuhre.hpp); where PAGANI's time goes; joules. With --seconds 240, the default, a call may take 1.5 s,
and Cuhre 25 s.

    perf/papers/pagani.py --programs build/cuda/perf --output perf/results/MACHINE
"""

import contextlib
import csv
import pathlib

from experiments import HERE, Energy, cell, head, milliseconds, paper, row, run, table, true_error, verdict
from ladders import ENDS, MARKS, MISSED, UNTRIED, median, said, short, within
from ladders import outcome as outcome_of

PAPER = paper("pagani")
SECONDS = 240
TOLERANCES = [1e-3 / 5**k for k in range(11)]
INTEGRANDS = ("f1-8d", "f2", "f3-3d", "f3-8d", "f4-5d", "f4-8d", "f5-5d", "f5-8d", "f6", "f7", "f8")
PUBLISHED = {"policy": "cubature.published_errors=true,cubature.published_threshold=true"}
METHODS = {  # name: method, options, and what is asked besides
    "PAGANI": ("pagani", {}, {}),
    "no threshold": ("pagani", {"threshold": False}, {}),
    "as published": ("pagani", {}, PUBLISHED),
    "two-phase": ("two-phase", {}, {}),
    "two-phase, published": ("two-phase", {}, {"policy": "cubature.published_two_phase=true"}),
    "QMC": ("qmc", {}, {}),
}
NAMES = (*METHODS, "Cuhre")
CHALLENGING = 1000  # regions of Cuhre at least, as in section 4.3: "a few thousand subdivisions"
PHASES = {  # what kernels belong to, by the beginning of their labels; all others are of the third kind
    "evaluation": ("kubature::regions::evaluate",),
    "sums, errors and threshold": tuple(
        f"kubature::regions::{each}" for each in ("add_up", "join", "summarise", "count_errors", "compare_with_whole")
    ),
    "filter and bisection": (),
    "second look": (
        *(f"kubature::{each}::" for each in ("second_opinion", "peaks", "audit", "moved_points")),
        "kubature::regions::raise_about_pole",
    ),
}


def call(program, name, integrand, tolerance, asked, seconds):
    method, options, more = METHODS[name]
    cancels = {"relative_filter": False} if method == "pagani" and integrand == "f1-8d" else {}
    limits = {"relative": tolerance, "seconds": seconds}
    return program(integrand, method, {**more, **asked}, **limits, **options, **cancels)


def rung(integrand, name, tolerance, answer, truth):
    return {
        "integrand": integrand,
        "method": name,
        "tolerance": tolerance,
        **{key: answer[key] for key in ("status", "milliseconds", "evaluations", "regions")},
        "estimate": answer["error"] / abs(answer["value"]) if answer["value"] else None,
        "true_error": true_error(answer, truth),
    }


def by_cuhre(program, limits):
    """The ladders of Cuhre, several at once, and what the processors have taken meanwhile."""
    most = {"max_evaluations": limits["evaluations"], "seconds": limits["seconds"]}
    runs = [{"integrand": each, "tolerances": TOLERANCES, **most} for each in INTEGRANDS]
    before = package_joules()
    answer = program({"runs": runs}, "cuhre")
    joules = package_joules() - before if before is not None else None
    rows = [
        rung(of["integrand"], "Cuhre", each["tolerance"], each, program.truth(of["integrand"]))
        for of in answer["runs"]
        for each in of["rungs"]
    ]
    return rows, {**limits, "threads": answer["threads"], "joules": joules}


def package_joules():
    """The energy that the processors have taken, by RAPL; None where it cannot be read."""
    with contextlib.suppress(OSError):
        files = pathlib.Path("/sys/class/powercap").glob("intel-rapl:?/energy_uj")
        return sum(int(each.read_text()) for each in files) / 1e6 or None
    return None


def by_method(program, name, limit, end):
    """The ladders of a method, a tolerance after the other, each until it is missed; all until no more than `end`
    seconds are left to the script."""
    rows, alive = [], list(INTEGRANDS)
    for tolerance in TOLERANCES:
        for integrand in list(alive):
            if tolerance < TOLERANCES[0] and program.left() < end:
                return rows
            asked = {"repeat": 3, "budget": limit / 20}
            answer = call(program, name, integrand, tolerance, asked, limit)
            rows.append(rung(integrand, name, tolerance, answer, program.truth(integrand)))
            if answer["status"] != "converged":
                alive.remove(integrand)
    return rows


def phases(program, rows, limit):
    """The times of kernels in the call to the tightest tolerance that took a fifth of the limit at most."""
    found = []
    for name in ("PAGANI", "as published"):
        for integrand in INTEGRANDS:
            tolerances = [
                each["tolerance"]
                for each in rows
                if (each["integrand"], each["method"], each["status"]) == (integrand, name, "converged")
                and each["milliseconds"] <= 200 * limit
            ]
            if tolerances:
                tolerance = min(tolerances)
                answer = call(program, name, integrand, tolerance, {"repeat": 3, "kernels": True}, limit)
                what = {"integrand": integrand, "method": name, "tolerance": tolerance}
                found.append({**what, "milliseconds": answer["milliseconds"], "kernels": answer["kernels"]})
    return found


def joules(program, rows, limit):
    """The joules of a call of PAGANI, over many; without a counter there are none."""
    counter, found = Energy(), []
    if not program.on_device or counter() is None:
        return found
    for integrand in INTEGRANDS:
        for tolerance in (TOLERANCES[0], TOLERANCES[4]):
            if outcome({"ladder": rows}, integrand, "PAGANI", tolerance) in MARKS:
                continue
            before = counter()
            answer = call(program, "PAGANI", integrand, tolerance, {"repeat": 10**6, "budget": limit}, limit)
            taken = (counter() - before) / answer["calls"]
            found.append({"integrand": integrand, "tolerance": tolerance, "joules": taken, "calls": answer["calls"]})
    return found


def measure(program):
    share = program.seconds / SECONDS
    limits = {
        "seconds": 1.5 * share,
        "Cuhre": {"evaluations": int(PAPER["cuhre"]["evaluations"]), "seconds": 25 * share},
    }
    rows, limits["Cuhre"] = by_cuhre(program, limits["Cuhre"])
    rest = 40 * share  # for phases and joules
    for place, name in enumerate(METHODS):
        own = (program.left() - rest) / (len(METHODS) - place)
        rows += by_method(program, name, limits["seconds"], program.left() - own)
    return {
        "limits": limits,
        "ladder": rows,
        "phases": phases(program, rows, limits["seconds"]),
        "joules": joules(program, rows, limits["seconds"]),
    }


# ---- beside the paper --------------------------------------------------------------------------------------


def ladder(record, integrand, method):
    """The rungs that were tried, by tolerance, the widest first."""
    found = (each for each in record["ladder"] if (each["integrand"], each["method"]) == (integrand, method))
    return {each["tolerance"]: each for each in found}


def outcome(record, integrand, method, tolerance, limit=None):
    return outcome_of(ladder(record, integrand, method), tolerance, limit)


def common_limit(record, *methods):
    """The milliseconds that each of these methods had for a call. Records without limits tell them by their longest
    calls; None where none was ended by its time."""
    if "limits" in record:
        return None  # the same for all
    return min((found for method in methods if (found := longest(record, method))), default=None)


def longest(record, method):
    """The longest call that time has ended."""
    found = [x["milliseconds"] for x in record["ladder"] if x["method"] == method and x["status"] == "time_limit"]
    return max(found, default=None)


def reached(record, integrand, method, limit=None):
    """The tightest tolerance with a right result."""
    right = [t for t in TOLERANCES if outcome(record, integrand, method, t, limit) not in MARKS]
    return min(right, default=None)


def pairs(record, method, other, integrands=INTEGRANDS):
    """(integrand, tolerance, rung of the method, of the other) where both are right."""
    limit = common_limit(record, method, other)
    for integrand in integrands:
        for tolerance in TOLERANCES:
            two = [outcome(record, integrand, each, tolerance, limit) for each in (method, other)]
            if not any(each in MARKS for each in two):
                yield integrand, tolerance, *two


def ratios(record, other, wanted=lambda tolerance, theirs: True, **which):
    """How many times as fast as another method PAGANI is, where both are right."""
    return [
        theirs["milliseconds"] / ours["milliseconds"]
        for _, tolerance, ours, theirs in pairs(record, "PAGANI", other, **which)
        if wanted(tolerance, theirs)
    ]


def has(record, method):
    return any(each["method"] == method for each in record["ladder"])


def names(record):
    return [each for each in NAMES if has(record, each)]


def compared(record, integrand, other, tolerance, limit):
    """How many times as fast PAGANI is, or which of the two alone is right, or why neither is."""
    ours, theirs = (outcome(record, integrand, each, tolerance, limit) for each in ("PAGANI", other))
    if UNTRIED in (ours, theirs):
        return UNTRIED
    if ours in MARKS or theirs in MARKS:
        return "-" if ours in MARKS and theirs in MARKS else other if ours in MARKS else "PAGANI"
    return cell(theirs["milliseconds"] / ours["milliseconds"])


def speed_ups(record, other):
    if not has(record, other):
        print("Not measured in this record.")
        return
    limit = common_limit(record, "PAGANI", other)
    head("integrand", *map(short, TOLERANCES), "median")
    for integrand in INTEGRANDS:
        found = [compared(record, integrand, other, tolerance, limit) for tolerance in TOLERANCES]
        row(integrand, *found, cell(median(ratios(record, other, integrands=[integrand]))))
    row("all", *[""] * len(TOLERANCES), cell(median(ratios(record, other))))


@table("The limits of a call, and how the ladders of the integrands ended")
def limits(record):
    ends = ("ladders: to the last tolerance", *ENDS.values(), "otherwise", "by the clock")
    head("method", "limit", "right", "wrong", *ends)
    for name in names(record):
        right = correct(record, name)
        last = [list(rungs.values())[-1] for each in INTEGRANDS if (rungs := ladder(record, each, name))]
        done = sum(each["tolerance"] == TOLERANCES[-1] for each in last if each["status"] == "converged")
        counts = [sum(each["status"] == status for each in last) for status in ENDS]
        others = sum(each["status"] not in (*ENDS, "converged") for each in last)
        clock = len(INTEGRANDS) - done - sum(counts) - others
        row(name, limit_of(record, name), sum(right), len(right) - sum(right), done, *counts, others, clock)


def limit_of(record, name):
    given = record.get("limits")
    if name == "Cuhre":
        on = f"on one core of an {record['backends'][-1]['device']}"
        if given is None:
            most = max(each["evaluations"] for each in record["ladder"] if each["method"] == name)
            return f"{most:.2g} evaluations {on}"
        of = given[name]
        return f"{of['evaluations']:.0e} evaluations, {milliseconds(1e3 * of['seconds'])} {on}, {of['threads']} at once"
    return milliseconds(1e3 * given["seconds"]) if given else f"longest call {milliseconds(longest(record, name))}"


@table("Evaluations to 1e-3 of Cuhre here and of Cuba's with its flag final (perf/peers)")
def beside_cuba(record):
    with open(HERE.parent / "peers/epyc-2-cores-cuhre.csv", encoding="utf-8") as file:
        runs = [each for each in csv.DictReader(file) if each["method"] == "cuhre-last" and each["met"] == "1"]
    theirs = {each["integral"]: int(each["evaluations"]) for each in runs if float(each["tolerance"]) == 1e-3}
    head("integrand", "here", "Cuba")
    for integrand in INTEGRANDS:
        ours = ladder(record, integrand, "Cuhre").get(1e-3)
        if integrand in theirs and ours and ours["status"] == "converged":
            row(integrand, ours["evaluations"], theirs[integrand])


@table("Figure 4: tightest tolerance at which the true error is within it, and how often a converged result is not")
def accuracy(record):
    head("integrand", *names(record))
    for integrand in INTEGRANDS:
        row(integrand, *(tightest(record, integrand, method) for method in names(record)))
    counts = (correct(record, method) for method in names(record))
    row("converged and wrong", *(f"{len(each) - sum(each)} of {len(each)}" for each in counts))


def correct(record, method):
    """Of each converged result whether it is right."""
    return [
        each["true_error"] <= each["tolerance"]
        for each in record["ladder"]
        if (each["method"], each["status"]) == (method, "converged")
    ]


def tightest(record, integrand, method):
    """The tightest tolerance, and whether tighter ones were not tried."""
    found = reached(record, integrand, method)
    more = outcome(record, integrand, method, TOLERANCES[-1]) == UNTRIED
    return (short(found) if found else "-") + (f", then {UNTRIED}" if more else "")


@table("Figure 5: times of PAGANI, of the two-phase method and of Cuhre on one core")
def time_of_methods(record):
    methods = ("PAGANI", "two-phase", "Cuhre")
    wanted = (TOLERANCES[0], TOLERANCES[4], TOLERANCES[8])
    head("integrand", *(f"{name}, {short(tolerance)}" for tolerance in wanted for name in methods))
    for integrand in INTEGRANDS:
        found = (outcome(record, integrand, name, tolerance) for tolerance in wanted for name in methods)
        row(integrand, *(each if each in MARKS else milliseconds(each["milliseconds"]) for each in found))


@table("Figure 6, left: how many times as fast as Cuhre on one core of the same machine PAGANI is, by tolerance")
def over_cuhre(record):
    speed_ups(record, "Cuhre")


@table("Figure 6, right: how many times as fast as the two-phase method PAGANI is")
def over_two_phase(record):
    speed_ups(record, "two-phase")


@table("Figure 6, right: how many times as fast as the published two-phase method PAGANI is")
def over_published_two_phase(record):
    speed_ups(record, "two-phase, published")


@table("Figure 7: how many times as fast as quasi-Monte Carlo PAGANI is")
def over_qmc(record):
    speed_ups(record, "QMC")


@table("Figure 7: the tightest tolerances of both, and how many times as fast as a published GPU code PAGANI is")
def beside_qmc(record):
    head("integrand", "PAGANI", "QMC", "over mppmu/qmc at 1e-3", "at its last tolerance")
    limit = common_limit(record, "PAGANI", "QMC")
    for integrand in INTEGRANDS:
        peer = published_qmc(record, integrand)
        ours = reached(record, integrand, "PAGANI", limit)
        last = f"{cell(list(peer.values())[-1])} ({short(list(peer)[-1])})" if peer else "-"
        row(integrand, short(ours) if ours else "-", tightest(record, integrand, "QMC"), cell(peer.get(1e-3)), last)


def published_qmc(record, integrand):
    """How many times as fast PAGANI is as the fastest run of mppmu/qmc (perf/peers) whose errors, estimated and true,
    are that small."""
    with open(HERE.parent / "peers/h200-mppmu-qmc.csv", encoding="utf-8") as file:
        runs = [each for each in csv.DictReader(file) if each["integrand"] == integrand]
    found = {}
    for tolerance in TOLERANCES:
        ours = outcome(record, integrand, "PAGANI", tolerance)
        theirs = [
            float(each["milliseconds"])
            for each in runs
            if max(float(each["error"]), float(each["true_error"])) <= tolerance
        ]
        if ours not in MARKS and theirs:
            found[tolerance] = min(theirs) / ours["milliseconds"]
    return found


@table("Figure 3: regions with a threshold in every iteration (PAGANI), by the published trigger, and with none")
def threshold_use(record):
    methods = ("PAGANI", "as published", "no threshold")
    head("integrand", "tolerance", *methods, "as published / PAGANI", "none / PAGANI")
    for integrand in INTEGRANDS:
        for tolerance in reversed(TOLERANCES):
            found = [outcome(record, integrand, each, tolerance) for each in methods]
            if not any(each in MARKS for each in found):
                ours, theirs, none = (each["regions"] for each in found)
                row(integrand, short(tolerance), ours, theirs, none, cell(theirs / ours), cell(none / ours))
                break
        else:
            row(integrand, *["-"] * 6)


@table("Figure 8: time without the threshold, as a multiple of that with it")
def threshold(record):
    speed_ups(record, "no threshold")


@table("PAGANI's published errors and trigger of the threshold: time, as a multiple of ours")
def published(record):
    speed_ups(record, "as published")


def regions_or_mark(each):
    return each if each in MARKS else each["regions"]


@table("Figure 9: regions by PAGANI, two-phase and Cuhre")
def regions(record):
    methods = ("PAGANI", "two-phase", "Cuhre")
    wanted = (TOLERANCES[0], TOLERANCES[4], TOLERANCES[8])
    head("integrand", *(f"{name}, {short(tolerance)}" for tolerance in wanted for name in methods))
    for integrand in INTEGRANDS:
        found = (outcome(record, integrand, name, tolerance) for tolerance in wanted for name in methods)
        row(integrand, *map(regions_or_mark, found))


@table("Figure 9: the same for the paper's integrands at all tolerances")
def regions_by_tolerance(record):
    methods, wanted = ("PAGANI", "two-phase", "Cuhre"), ("f4-5d", "f6", "f7")
    head("tolerance", *(f"{integrand}, {name}" for integrand in wanted for name in methods))
    for tolerance in TOLERANCES:
        found = (outcome(record, integrand, name, tolerance) for integrand in wanted for name in methods)
        row(short(tolerance), *map(regions_or_mark, found))


def shares(kernels):
    """The part of each phase in the time of a call's kernels."""
    parts = dict.fromkeys(PHASES, 0.0)
    for label, time in kernels.items():
        phase = next((name for name, labels in PHASES.items() if label.startswith(labels)), "filter and bisection")
        parts[phase] += time
    return {name: part / sum(parts.values()) for name, part in parts.items()}


@table("Section 4.3.2: shares of the kernels' time, in %")
def breakdown(record):
    if not record.get("phases"):
        print("Not measured in this record.")
        return
    head("integrand", "method", "tolerance", "call", "kernels, each waited for", *PHASES)
    for each in record["phases"]:
        parts = (f"{100 * part:.0f}" for part in shares(each["kernels"]).values())
        both = milliseconds(each["milliseconds"]), milliseconds(sum(each["kernels"].values()))
        row(each["integrand"], each["method"], short(each["tolerance"]), *both, *parts)


@table("Joules to a tolerance, which the paper does not have")
def energy(record):
    if not record.get("joules"):
        print("Not measured in this record.")
        return
    wanted = (TOLERANCES[0], TOLERANCES[4])
    of_pagani = {(each["integrand"], each["tolerance"]): each["joules"] for each in record["joules"]}
    cuhre = record["limits"]["Cuhre"]["joules"]
    every = sum(max(x["evaluations"] for x in ladder(record, i, "Cuhre").values()) for i in INTEGRANDS)
    head("integrand", *(f"{name}, {short(tolerance)}" for tolerance in wanted for name in ("PAGANI", "Cuhre")))
    for integrand in INTEGRANDS:
        cells = []
        for tolerance in wanted:
            cells.append(cell(of_pagani.get((integrand, tolerance))))
            theirs = outcome(record, integrand, "Cuhre", tolerance)
            if not cuhre:
                cells.append("not measurable")
            else:
                cells.append(theirs if theirs in MARKS else cell(cuhre / every * theirs["evaluations"]))
        row(integrand, *cells)


def digits(tolerance):
    """The paper's digits: the number of whole ones."""
    return 0 if tolerance is None else next(d for d in range(10, 0, -1) if tolerance <= 1.03 * 10.0**-d)


def of_all(sure, possible, theirs):
    """How many integrands it is, where some were not tried, and what that is beside the paper's number."""
    low, high = sum(sure), sum(map(max, sure, possible))
    both = {verdict(number, theirs, larger=True) for number in (low, high)}
    count = f"{low}" if low == high else f"{low} to {high}"
    return f"{count} of {len(INTEGRANDS)}", both.pop() if len(both) == 1 else f"-: some were {UNTRIED}"


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment. Speed-ups are medians where both results are right."""
    right = correct(record, "PAGANI")
    wrong = len(right) - sum(right)
    yield "figure 4: converged and right", "all", f"{sum(right)} of {len(right)}", "worse" if wrong else "equal"
    for method, theirs in (("PAGANI", PAPER["digits"]), ("two-phase", PAPER["figure 4"]["two_phase_digits"])):
        for integrand, number in theirs.items():
            mine = digits(reached(record, integrand, method))
            judged = verdict(mine, number, larger=True)
            if judged == "worse" and outcome(record, integrand, method, TOLERANCES[-1]) == UNTRIED:
                judged = f"-: more were {UNTRIED}"
            yield f"{integrand}: digits of {method}", str(number), str(mine), judged
    yield from beside_cuhre(record)
    of = PAPER["figure 6 right"]
    for name in ("two-phase", "two-phase, published"):
        if found := ratios(record, name):
            what = f"figure 6 right: speed-up over {name}"
            yield what, f"{of['least']} to {of['most']}", said(found), within(found, of["least"], of["most"])
    yield from beside_quasi_monte_carlo(record)
    without = outcome(record, "f4-8d", "no threshold", 1e-3)
    if without != UNTRIED:
        yield (
            "figure 8: f4-8d to 1e-3 without the threshold",
            MISSED,
            without if without in MARKS else "met",
            "equal" if without == MISSED else "better",
        )
    if found := [
        theirs["regions"] / ours["regions"] for *_, ours, theirs in pairs(record, "PAGANI", "two-phase")
    ]:
        yield "figure 9: regions of two-phase, as a multiple of PAGANI's", "similar", said(found), "-"
    for name in ("PAGANI", "as published"):
        found = [100 * shares(x["kernels"])["evaluation"] for x in record.get("phases", []) if x["method"] == name]
        if found:
            least = PAPER["section 4.3.2"]["evaluation_percent"]
            what = f"section 4.3.2: evaluation, % of the kernels' time, {name}"
            yield what, f"more than {least}", said(found), within(found, least, 100)


def beside_cuhre(record):
    """Figure 6, left, of challenging integrands, with few and with many digits."""
    low, high = PAPER["figure 6 left"]["low_precision"], PAPER["figure 6 left"]["high_precision"]
    given = record.get("limits", {}).get("Cuhre", {}).get("evaluations", 0)
    for what, there, few, ends in (
        ("3 to 6 digits", f"{low} at least", True, (low, high)),
        ("more digits", "thousands", False, (high, 10 * high)),
    ):
        found = ratios(
            record, "Cuhre", lambda t, theirs, few=few: (t > 9e-7) == few and theirs["regions"] >= CHALLENGING
        )
        if found:
            fair = given >= PAPER["cuhre"]["evaluations"]
            judged = within(found, *ends) if fair else "-: Cuhre had fewer evaluations than there"
            yield f"figure 6 left: speed-up over Cuhre, {what}", there, said(found), judged


def beside_quasi_monte_carlo(record):
    """Figure 7: how far, and how fast."""
    limit = common_limit(record, "PAGANI", "QMC")
    farther, possibly_farther, faster, possibly_faster = [], [], [], []
    for integrand in INTEGRANDS:
        ours, theirs = (reached(record, integrand, method, limit) or 1 for method in ("PAGANI", "QMC"))
        open_ends = [outcome(record, integrand, each, TOLERANCES[-1]) == UNTRIED for each in ("PAGANI", "QMC")]
        farther.append(ours == TOLERANCES[-1] or (ours < 1 and ours <= theirs and not open_ends[1]))
        possibly_farther.append(open_ends[0] or (ours < 1 and ours <= theirs))
        found = ratios(record, "QMC", integrands=[integrand])
        faster.append(bool(found) and median(found) > 1 and not any(open_ends))
        possibly_faster.append(any(open_ends))
    of = PAPER["figure 7"]
    there = f"{of['integrands']} of {len(INTEGRANDS)}"
    for what, sure, possible in (
        ("PAGANI goes as far as QMC", farther, possibly_farther),
        ("it is faster in the median", faster, possibly_faster),
    ):
        yield f"figure 7: integrands on which {what}", there, *of_all(sure, possible, of["integrands"])
    if found := ratios(record, "QMC"):
        yield "figure 7: speed-up over QMC", of["speed_up"], said(found), within(found, 10, 1e9)


if __name__ == "__main__":
    run(__file__, measure, SECONDS)
