"""The tables of the pages of results (page_tables.py)."""

import csv
import statistics

import digest
import ladder
import tables
from markdown_table import cell, head, row, share
from page_table import HERE, caption, named, peers, printed, record, time
from scaling_tables import records_of, show_scaling
from trust_tables import Calls, lines, percent

CUBA = ("Cuba's Cuhre", "Cuba's Divonne", "Cuba's Vegas")


def wrong_rows():
    """The rows of wrong-converged, and those of Cuba."""
    of = record("wrong-converged")
    with open(HERE / "peers" / "cuba-wrong-converged.csv", encoding="utf-8") as file:
        text = [line.strip() for line in file if not line.startswith("#")]
    return lines(of["columns"], of["rows"]) + lines(text[0], text[1:])


@named
def wrong_converged_summary():
    of, rows = record("wrong-converged"), wrong_rows()
    shown = {
        "auto": "Auto",
        "pagani": "PAGANI",
        "two-phase": "two-phase",
        "vegas+ 1e5": "VEGAS+",
        "mcubes 1e5": "m-Cubes",
        "qmc": "QMC",
        **{name: name for name in CUBA},
    }
    head("difficulty", *shown.values())
    for difficulty, name in ((1, "usual"), (3, "3 times"), (10, "10 times")):
        calls = [
            Calls([each for each in rows if (each["method"], each["difficulty"]) == (method, difficulty)])
            for method in shown
        ]
        row(
            name,
            *(f"{each.wrong:.0f} of {each.converged:.0f} ({percent(each.wrong, each.converged)})" for each in calls),
        )
    caption("wrong-converged", of, device="converged and wrong, on one NVIDIA H200 (Cuba on one CPU core)")


@named
def wrong_converged():
    of = record("wrong-converged")
    print("\n".join(printed(tables.show_wrong_converged, of, True)[0]))
    caption("wrong-converged", of)


@named
def wrong_converged_by_family():
    print("\n".join(printed(tables.show_wrong_converged, record("wrong-converged"), True)[1]))


@named
def wrong_converged_by_tolerance():
    print("\n".join(printed(tables.show_wrong_converged, record("wrong-converged"), True)[2]))


@named
def calibration():
    of = record("calibration")
    names = {"mc": "plain", "mcubes": "m-Cubes", "vegas+": "VEGAS+", "mixed": "mixed"}
    rows = [
        [each.strip() for each in line.strip("|").split("|")]
        for line in printed(tables.show_calibration, of, True)[0][2:]
    ]
    head(
        "method",
        "integrands",
        "samples per iteration",
        "pulls",
        "rms, median",
        "rms, largest",
        "where",
        "rms of agreeing iterations, largest",
        "within 1",
        "2",
        "3",
    )
    for each in rows:
        if (
            each[1] == ("adaptive" if each[0] == "mixed" else "fp64")
            and each[0] in names
            and each[3] in ("2e+04", "2e+06")
        ):
            row(names[each[0]], *each[2:12])
    caption("calibration", of)


@named
def qmc_pulls():
    of = record("qmc-pulls")
    found = [
        [each.strip() for each in line.strip("|").split("|")] for line in printed(tables.show_qmc, of, True)[-1][2:]
    ]
    found = [each for each in found if not each[0].startswith(("fB", "linear", "roos"))]
    found += -len(found) % 3 * [[""] * 7]
    third = len(found) // 3
    head(*3 * ("integrand", "mean pull", "deviation"))
    for of_row in zip(found[:third], found[third:], found[2 * third :]):
        row(*(each[k] for each in of_row for k in (0, 3, 4)))
    caption("qmc-pulls", of, device="300 calls of 2^17 points each on one NVIDIA H200")


def both_right(comparison):
    """The times as fast and the rungs of Pagani, where it and the other code are right."""
    pairs = [pair for integrand in comparison.ladder.integrands for pair in comparison.pairs(integrand)]
    return [(ratio, pair[0]) for pair in pairs if (ratio := comparison.speed_up(*pair)) is not None]


def headline(of, what, *cells):
    """A line from the record MACHINE/NAME, which says whether that is of older code; for the test `documentation` a
    comment names the record."""
    machine, name = of.split("/")
    older = "" if digest.is_of_today(record(name, machine)) else " (of older code)"
    row(f"{what}{older} <!-- {of} -->", *cells)


@named
def headlines():
    """The results of several records in a line each."""
    newest, of_ladder = ladder.newest(HERE / "results/h200")
    comparison = tables.Comparison(of_ladder)
    ratios = [ratio for ratio, _ in both_right(comparison)]
    converged = {
        method: [rung for rung in comparison.ladder.of(method) if rung.converged]
        for method in (ladder.PAGANI, ladder.PUBLISHED)
    }
    wrong = {method: f"{sum(rung.wrong for rung in rungs)} of {len(rungs)}" for method, rungs in converged.items()}
    calls = {
        entry["method"]: entry["milliseconds"]
        for entry in record("vegas-plus")["whole_calls"]
        if (ladder.work(entry), entry["evaluations"]) == ("5-D f4", 1e8)
    }
    cuvegas = cuvegas_calls()["5-D f4", 1e8]
    python = record("python-vegas", "xeon-2-cores")["runs"]
    head("", "kubature", "others")
    headline(
        f"h200/{newest}",
        f"PAGANI, {len(ratios)} tolerances of {len(comparison.ladder.integrands)} integrals on which both are right",
        f"{statistics.median(ratios):.1f} times as fast in the median, {min(ratios):.1f} to {max(ratios):.0f}; "
        f"slower on {sum(ratio < 1 for ratio in ratios)}",
        "1 (the authors' code)",
    )
    headline(
        f"h200/{newest}",
        "converged PAGANI results off by more than the tolerance",
        wrong[ladder.PAGANI],
        wrong[ladder.PUBLISHED],
    )
    headline(
        "h200/vegas-plus",
        "m-Cubes, 20 iterations of 1e8 samples of f4 in five variables",
        time(calls["mcubes"]),
        f"{time(tables.CALLS['5-D f4', 1e8][0])} (the authors' code)",
    )
    headline(
        "h200/vegas-plus",
        "VEGAS+, the same",
        time(calls["vegas+"]),
        f"{time(cuvegas['ms'])} (cuVegas, which takes {100 * cuvegas['done'] / 1e8 - 100:.0f} % more samples)",
    )
    ratio = python[0]["processor_seconds"] / python[1]["processor_seconds"]
    headline(
        "xeon-2-cores/python-vegas",
        "VEGAS+ from Python, a NumPy function, two threads on two CPU cores",
        f"{python[1]['times_as_fast']:.1f} times as fast, in {100 / ratio:.0f} % of the processor time",
        "1 (vegas, one thread)",
    )
    of = wrong_rows()
    found = {
        name: Calls([each for each in of if (each["method"], each["difficulty"]) == (name, 1)])
        for name in ("pagani", "auto", "Cuba's Cuhre")
    }
    headline(
        "h200/wrong-converged",
        "converged and wrong, 3000 random integrands at the usual difficulty",
        f"PAGANI {found['pagani'].share()}, Auto {found['auto'].share()} (at most 1e7 evaluations)",
        f"{found[CUBA[0]].share()} (Cuba's Cuhre with its default error, at most 1e6)",
    )
    print("\n*GPU results on one NVIDIA H200; the records are in `perf/results` and `perf/peers`.*")


def cuvegas_calls():
    """{(work, samples an iteration): milliseconds of a call of 20 iterations, samples done in one} of cuVegas."""
    works = {"gaussian": "4-D Gaussian", "roos-arnold": "10-D Roos & Arnold", "feynman-path": "8-D Feynman path"}
    return {
        (
            works.get(each["integrand"], f"{each['dimension']}-D {each['integrand'].split('-')[0]}"),
            float(each["evaluations"]),
        ): {"ms": float(each["milliseconds"]), "done": float(each["evaluations_done"])}
        for each in peers("h200-cuvegas")
        if float(each["beta"]) == 0.75
    }


@named
def sampling_rates():
    of = record("vegas-plus")
    rates = {
        (ladder.work(entry), entry["method"], entry["map"], entry["evaluations"]): entry["geval_per_second"]
        for entry in of["throughput"]
        if entry["series"] == "integrands"
    }
    head(
        "1e9 samples per second",
        "map",
        "samples per iteration",
        "m-Cubes",
        "VEGAS+",
        "m-Cubes, the authors' code",
        "cuVegas",
    )
    for work, map_, evaluations in dict.fromkeys((key[0], key[2], key[3]) for key in rates):
        name, _, precision = work.partition(", ")
        other = tables.THROUGHPUT.get((name, precision or "fp64", map_), (None, None))
        row(
            work,
            map_,
            f"{evaluations:.0e}",
            *(cell(rates.get((work, method, map_, evaluations))) for method in ("mcubes", "vegas+")),
            *map(cell, other[:2]),
        )
    caption(
        "vegas-plus",
        of,
        device="500 intervals per axis, on one NVIDIA H200; of the other codes f4 with 1e8 to 1e9 samples per "
        "iteration, `perf/peers/h200-sampling.csv`",
    )


@named
def sampling_calls():
    of = record("vegas-plus")
    head(
        "20 iterations",
        "samples per iteration",
        "m-Cubes",
        "VEGAS+",
        "VEGAS+, second call",
        "m-Cubes, the authors' code",
        "cuVegas",
        "its samples",
    )
    theirs = cuvegas_calls()
    for entry in of["whole_calls"]:
        if entry["method"] == "vegas+":
            cubes = next(
                each
                for each in of["whole_calls"]
                if each["method"] == "mcubes"
                and (each["integrand"], each["evaluations"]) == (entry["integrand"], entry["evaluations"])
            )
            key = ladder.work(entry), entry["evaluations"]
            row(
                key[0],
                f"{key[1]:.0e}",
                time(cubes["milliseconds"]),
                time(entry["milliseconds"]),
                time(entry["second_call_milliseconds"]),
                time(tables.CALLS[key][0]),
                time(theirs[key]["ms"]),
                f"{theirs[key]['done']:.2e}",
            )
    caption(
        "vegas-plus",
        of,
        device="whole calls on one NVIDIA H200, cuVegas with 1024 intervals per axis, the others 500; "
        "`perf/peers/h200-cuvegas.csv`, `perf/peers/h200-sampling.csv`",
    )


@named
def beside_cuvegas():
    of = record("vegas-plus")
    theirs = {
        (each["integrand"].split("-")[0], int(each["dimension"]), float(each["evaluations"])): each
        for each in peers("h200-cuvegas")
        if float(each["beta"]) == 0.75
    }
    head(
        "integrand",
        "samples per iteration",
        "VEGAS+, spread",
        "reported error",
        "cuVegas, spread",
        "at equal evaluations",
        "reported error",
        "cuVegas's time / VEGAS+'s",
    )
    for entry in of["spread"]:
        other = theirs[entry["integrand"].split("-")[0], entry["dimension"], entry["evaluations"]]
        size, done = abs(entry["true_value"]), float(other["evaluations_done"]) / entry["evaluations"]
        spreads = entry["spread"], entry["rms_error"], float(other["spread"])
        row(
            ladder.work(entry),
            f"{entry['evaluations']:.0e}",
            *(f"{each / size:.1e}" for each in (*spreads, spreads[2] * done**0.5, float(other["reported"]))),
            f"{float(other['milliseconds']) / entry['milliseconds']:.2g}",
        )
    caption(
        "vegas-plus",
        of,
        device="20 iterations on one NVIDIA H200, relative to the integral; `perf/peers/h200-cuvegas.csv`",
    )


def pulls_of(method, name):
    of = record("vegas-plus")
    head("1000 seeds", "mean pull", "deviation", "within 1", "within 2", "chi2/dof")
    for entry in of["pulls"]:
        if entry["method"] == method:
            row(
                ladder.work(entry),
                f"{entry['mean']:+.2f}",
                f"{entry['deviation']:.2f}",
                f"{100 * entry['within_1']:.0f} %",
                f"{100 * entry['within_2']:.0f} %",
                f"{entry['chi2_per_dof']:.2f}",
            )
    caption("vegas-plus", of, device=f"1e5 samples per iteration (ridge 2e4) by {name} on one NVIDIA H200")


@named
def vegas_pulls():
    pulls_of("vegas+", "VEGAS+")


@named
def m_cubes_pulls():
    pulls_of("mcubes", "m-Cubes")


def rung_limits(of):
    """How long a rung may take: what those took that ended with the time."""
    found = {}
    for method, name in ((ladder.PAGANI, "PAGANI"), (ladder.TWO_PHASE, "others")):
        ended = [r["milliseconds"] for r in of["rows"] if r["method"] == method and r["status"] == "time_limit"]
        if ended:
            found[name] = f"{1e-3 * min(ended):.2g} s"
    return "at most " + ", ".join(f"{limit} ({name})" for name, limit in found.items()) + " a rung" if found else ""


@named
def cubature_ladder():
    of = record("cubature-ladder")
    found = printed(tables.show_ladder, of, True)
    print("\n".join(found[0]))
    caption("cubature-ladder", of, device=f"one NVIDIA H200, {rung_limits(of)}")


def facts(of, goal):
    """What a ladder says beside the other code."""
    comparison = tables.Comparison(of)
    other = {ladder.PUBLISHED: "the authors' code", ladder.CUHRE: "Cuhre"}[comparison.other]
    pairs = [pair for integrand in comparison.ladder.integrands for pair in comparison.pairs(integrand)]
    right = both_right(comparison)
    least = min(right, key=lambda each: each[0])
    ours, theirs = (
        [rung for rung in comparison.ladder.of(method) if rung.converged]
        for method in (ladder.PAGANI, comparison.other)
    )
    longer = f" and {other} takes more than {comparison.smallest} ms" if comparison.smallest else ""
    head("", "")
    row(f"rungs on which both are right{longer}", f"{len(right)}")
    row(f"times as fast as {other}, median of these", tables.figure(statistics.median(ratio for ratio, _ in right)))
    row("least of these", f"{tables.figure(least[0])} ({least[1].integrand} {least[1].tolerance:.3g})")
    row(f"less than {goal} times as fast", tables.listed([rung for ratio, rung in right if ratio < goal]))
    if goal > 1:
        row("slower", tables.listed([rung for ratio, rung in right if ratio < 1]))
    else:
        evaluations = [
            theirs.evaluations / ours.evaluations
            for ours, theirs in pairs
            if comparison.speed_up(ours, theirs)
        ]
        row(f"evaluations of {other} over PAGANI's, median", tables.figure(statistics.median(evaluations)))
    row("PAGANI alone reaches", f"{sum(bool(a and a.right and not (b and b.right)) for a, b in pairs)}")
    row(f"{other} alone reaches", f"{sum(bool(b and b.right and not (a and a.right)) for a, b in pairs)}")
    row("PAGANI converged, true error above the tolerance", f"{sum(r.wrong for r in ours)} of {len(ours)}")
    row("PAGANI converged, true error above the estimate", f"{sum(r.dishonest for r in ours)} of {len(ours)}")
    wrong = [rung for rung in theirs if rung.wrong]
    row(f"{other} converged, true error above the tolerance", f"{tables.listed(wrong)} of {len(theirs)}")


@named
def cubature_facts():
    of = record("cubature-ladder")
    facts(of, 3)
    caption("cubature-ladder", of, device="PAGANI and its authors' code on one NVIDIA H200")


@named
def cubature_rungs():
    of = record("cubature-ladder")
    comparison = tables.Comparison(of)
    pairs = {
        integrand: {round((a or b).level): (a, b) for a, b in comparison.pairs(integrand)}
        for integrand in comparison.ladder.integrands
    }
    levels = range(1 + max(level for each in pairs.values() for level in each))
    head("integrand", *(f"{1e-3 / 5**level:.3g}" for level in levels))

    def shown(rung):
        if rung is None or not rung.converged:
            return "-"
        return "wrong" if rung.wrong else tables.figure(rung.milliseconds)

    for integrand, each in pairs.items():
        row(integrand, *(" / ".join(map(shown, each.get(level, (None, None)))) for level in levels))
    caption("cubature-ladder", of, device=f"one NVIDIA H200, {rung_limits(of)}")


@named
def cubature_130gb():
    """Beside the published code with all of the card's memory."""
    of = record("cubature-ladder")
    rungs = ladder.Ladder(of)
    names = {(each.split("-")[0], dimension): each for each, dimension in rungs.integrands.items()}
    theirs = {}
    for each in peers("h200-pagani-130gb"):
        integrand = names[each["integrand"], int(each["dimension"])]
        right = each["status"] == "0" and float(each["true_relative_error"]) <= float(each["tolerance"])
        theirs.setdefault(integrand, []).append((float(each["tolerance"]), float(each["milliseconds"]), right))
    head("integrand", "reached here", "there", "rungs on which both are right", "times as fast, median", "least")
    everything = []
    for integrand, found in theirs.items():
        mine = [rung for rung in rungs[integrand, ladder.PAGANI].values() if rung.right]
        ratios = [
            milliseconds / rung.milliseconds
            for tolerance, milliseconds, right in found
            for rung in mine
            if right and abs(rung.tolerance / tolerance - 1) < 0.01
        ]
        everything += ratios
        row(
            integrand,
            f"{min(rung.tolerance for rung in mine):.3g}",
            f"{min(tolerance for tolerance, _, right in found if right):.3g}",
            f"{len(ratios)}",
            tables.figure(statistics.median(ratios)),
            tables.figure(min(ratios)),
        )
    row(
        "all",
        "",
        "",
        f"{len(everything)}",
        tables.figure(statistics.median(everything)),
        tables.figure(min(everything)),
    )
    caption("cubature-ladder", of, device=f"one NVIDIA H200, {rung_limits(of)}; `perf/peers/h200-pagani-130gb.csv`")


@named
def second_look():
    """What the second look adds to PAGANI's calls, by the rungs that both have."""
    of = record("cubature-ladder")
    rungs = ladder.Ladder(of)
    pairs = {
        integrand: [
            (with_it.milliseconds, without.milliseconds)
            for level, without in rungs[integrand, ladder.NO_LOOK].items()
            if (with_it := rungs[integrand, ladder.PAGANI].get(level)) and with_it.converged and without.converged
        ]
        for integrand in rungs.integrands
    }
    if not any(pairs.values()):
        print("The record has no calls without it.")
        return
    head("integrand", "rungs", "it adds, median", "at most", "of the call, median", "at most")
    for integrand, found in [*pairs.items(), ("all", [pair for each in pairs.values() for pair in each])]:
        if found:
            added = [a - b for a, b in found]
            shares = [(a - b) / a for a, b in found]
            row(
                integrand,
                f"{len(found)}",
                *(f"{of_all(added):.3g} ms" for of_all in (statistics.median, max)),
                *(share(of_all(shares)) for of_all in (statistics.median, max)),
            )
    caption("cubature-ladder", of, device="PAGANI on one NVIDIA H200")


@named
def cubature_ladder_cpu():
    of = record("cubature-ladder", "epyc-2-cores")
    print("\n".join(printed(tables.show_ladder, of, True)[0]))
    caption("cubature-ladder", of, "epyc-2-cores", f"two cores of an AMD EPYC, {rung_limits(of)}")


@named
def cubature_facts_cpu():
    of = record("cubature-ladder", "epyc-2-cores")
    facts(of, 1)
    caption("cubature-ladder", of, "epyc-2-cores", "two cores of an AMD EPYC, Cuhre on one")


def channels_of(machine, device):
    """A row for each method and number of variables of the study channels, and Genz's families."""
    of = record("channels", machine)
    rows = [dict(zip(of["columns"].split(","), each)) for each in of["rows"]]
    ways = ("never", "automatic", "always")
    of_all = f"of {rows[0]['sums']}"
    head("method", "variables", *(f"wrong {of_all}: never" if way == "never" else way for way in ways),
         "rms pull, always", *(f"median time: {way}" if way == "never" else way for way in ways))
    for method, variables in dict.fromkeys((each["method"], each["variables"]) for each in rows):
        mine = {each["channels"]: each for each in rows if (each["method"], each["variables"]) == (method, variables)}
        row(method, f"{variables}", *(f"{mine[way]['wrong']}" for way in ways), f"{mine['always']['pull']:.2f}",
            *(time(mine[way]["milliseconds"]) for way in ways))
    print()
    head("Genz's families, `Auto`", "calls", "values that change", "a millisecond and more",
         "of these times as long, median", "largest", "in all")
    for each in (dict(zip(of["genz columns"].split(","), each)) for each in of["genz"]):
        row(f"to {each['tolerance']:.0e}", f"{each['calls']}", f"{each['changed']}", f"{each['of a millisecond']}",
            f"{each['median ratio']:.2f}", f"{each['largest ratio']:.1f}",
            f"{each['seconds'] / each['seconds without']:.2f}")
    caption("channels", of, machine, device)


@named
def channels():
    channels_of("epyc-2-cores", "two cores of an AMD EPYC")


@named
def channels_gpu():
    if (HERE / "results/h200/channels.json").exists():
        channels_of("h200", "one NVIDIA H200")
    else:
        print("There is no record of a GPU.")


def rows_of_csv(name):
    with open(HERE / "peers" / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Met:
    """A call: whether it says that it has met its tolerance, and whether it is off by more than some tolerances."""

    def __init__(self, tolerance, seconds, true, met, tolerances=1):
        self.milliseconds, self.converged = 1e3 * float(seconds), met == "1"
        self.wrong = self.converged and float(true) > tolerances * float(tolerance)
        self.right = self.converged and not self.wrong

    def __str__(self):
        digits = f"{self.milliseconds:.2g}" if self.milliseconds < 99.5 else f"{self.milliseconds:.0f}"
        return "wrong" if self.wrong else digits if self.right else "–"


def faster(pairs, ours, theirs):
    """How often each is the faster one where both are right, and by how much."""
    ratios = [b.milliseconds / a.milliseconds for a, b in pairs if a and b and a.right and b.right]
    more, less = [ratio for ratio in ratios if ratio > 1], [1 / ratio for ratio in ratios if ratio <= 1]
    said = [f"{who} on {len(of)}" + (f", {min(of):.2g} to {max(of):.2g} times" if of else "")
            for who, of in ((ours, more), (theirs, less))]
    alone = sum(bool(a and a.right and not (b and b.right)) for a, b in pairs)
    wrong = [sum(bool(each and each.wrong) for each in of) for of in zip(*pairs)]
    made = [sum(bool(each and each.converged) for each in of) for of in zip(*pairs)]
    return (f"Both right: {len(ratios)}. Faster: {'; '.join(said)}. {ours} alone right: {alone}. Converged and wrong: "
            f"{ours} {wrong[0]} of {made[0]}, {theirs} {wrong[1]} of {made[1]}.")


@named
def cuba_cuhre():
    calls = {
        (each["integral"], each["tolerance"], each["method"]): Met(
            each["tolerance"], each["seconds"], each["true"], each["met"]
        )
        for each in rows_of_csv("epyc-2-cores-cuhre")
    }
    tolerances = list(dict.fromkeys(key[1] for key in calls))
    integrals = list(dict.fromkeys(key[0] for key in calls))
    head("PAGANI / Cuhre / Cuhre, the last", *(f"{float(tolerance):.0e}" for tolerance in tolerances))
    for integral in integrals:
        row(integral, *(" / ".join(str(calls.get((integral, tolerance, method), "–"))
                                   for method in ("pagani", "cuhre", "cuhre-last")) for tolerance in tolerances))
    rungs = [(integral, tolerance) for integral in integrals for tolerance in tolerances]
    for method, name in (("cuhre", "Cuhre"), ("cuhre-last", "Cuhre with the last estimate")):
        pairs = [(calls.get((*rung, "pagani")), calls.get((*rung, method))) for rung in rungs]
        print("\n" + faster(pairs, "PAGANI", name))
    print("\n*Two cores of an AMD EPYC, Cuhre on one; `perf/peers/epyc-2-cores-cuhre.csv`, commit 60bc19f, of older "
          "code.*")


@named
def cuba_vegas():
    with open(HERE / "peers/epyc-2-cores-cuba-vegas.csv", encoding="utf-8") as file:
        rows = [line for line in csv.reader(file) if not line[0].startswith("#")][1:]
    calls = {(each[0], each[1]): (Met(each[1], float(each[2]) / 1e3, each[4], each[6], 10),
                                  Met(each[1], float(each[7]) / 1e3, each[9], each[11], 10)) for each in rows}
    tolerances = list(dict.fromkeys(key[1] for key in calls))
    head("VEGAS+ / Cuba's Vegas", *(f"{float(tolerance):.0e}" for tolerance in tolerances))
    for integral in dict.fromkeys(key[0] for key in calls):
        row(integral, *(" / ".join(map(str, calls[integral, tolerance])) if (integral, tolerance) in calls else "–"
                        for tolerance in tolerances))
    print("\n" + faster(list(calls.values()), "VEGAS+", "Cuba"))
    print("\n*Two cores of an AMD EPYC, Cuba on one; `perf/peers/epyc-2-cores-cuba-vegas.csv`, commit 5bcd76f, of "
          "older code.*")


@named
def gsl_vegas():
    calls = {
        (each["integral"], each["tolerance"], each["method"]): Met(
            each["tolerance"], each["seconds"], each["true"], each["met"], 10
        )
        for each in rows_of_csv("xeon-2-cores-cuba-gsl")
    }
    rungs = dict.fromkeys(key[:2] for key in calls if key[2] == "gsl-vegas")
    print(faster([(calls.get((*rung, "vegas+")), calls.get((*rung, "gsl-vegas"))) for rung in rungs], "VEGAS+", "GSL"))
    print("\n*Two cores of an Intel Xeon, GSL on one; `perf/peers/xeon-2-cores-cuba-gsl.csv`, of older code.*")


@named
def scaling():
    records = records_of(HERE / "results/h200")
    print("\n".join(printed(show_scaling, records)[0]))
    *others, most = (str(each["processes"]) for each in records)
    caption("scaling-1", records, device=f"{', '.join(others)} and {most} NVIDIA H200s of one host")


@named
def scalar_loop():
    of = record("vegas-throughput-native", "epyc-2-cores")
    print("\n".join(printed(tables.show_throughput, of)[-1]))
    caption("vegas-throughput-native", of, "epyc-2-cores", "two cores of an AMD EPYC, -march=native")


@named
def python_vegas():
    machines = (("xeon-2-cores", "two cores of an Intel Xeon"), ("epyc-2-cores", "two cores of an AMD EPYC"))
    for machine, device in machines:
        of = record("python-vegas", machine)
        head("20 iterations of 1e6 samples", "seconds", "processor seconds", "times as fast", "to the same error")
        for entry in of["runs"]:
            row(
                entry["name"],
                f"{entry['seconds']:.2f}",
                f"{entry['processor_seconds']:.2f}",
                f"{entry['times_as_fast']:.1f}",
                f"{entry['times_as_fast'] * (of['runs'][0]['error'] / entry['error']) ** 2:.1f}",
            )
        caption("python-vegas", of, machine, device)
        if machine != machines[-1][0]:
            print()


@named
def python_gpu():
    of = record("python-gpu")
    found = {
        entry["name"].removeprefix("kubature VEGAS+, "): entry.get("nanoseconds_per_sample") for entry in of["runs"]
    }
    head("nanoseconds per sample", "ten iterations of 1e7", "five of 1e8", "the function alone")
    for name, alone in (
        ("torch function", "torch function alone, 1e+07 points at once"),
        ("torch.compile", "torch.compile alone, 5e+06 points at once"),
        ("CuPy function", ""),
        ("CuPy ElementwiseKernel", ""),
        ("CUDA kernel", ""),
        ("formula", ""),
    ):
        row(name, *(cell(found.get(key)) for key in (f"{name}, 10 x 1e+07", f"{name}, 5 x 1e+08", alone)))
    if torchquad := found.get("torchquad VEGAS, N = 1e+08, call 3"):
        row("torchquad's VEGAS, N = 1e8, torch function", "-", cell(torchquad), "-")
    theirs = (cuvegas_calls()["5-D f4", size] for size in (1e7, 1e8))
    row("cuVegas, 20 iterations, without Python", *(cell(1e6 * each["ms"] / 20 / each["done"]) for each in theirs), "-")
    caption(
        "python-gpu",
        of,
        device=f"VEGAS+ for f4 in five variables on one {of['device']}; cuVegas: `perf/peers/h200-cuvegas.csv`",
    )


@named
def components():
    of = record("components")
    print("\n".join(printed(tables.show_components, of)[0]))
    caption("components", of)
