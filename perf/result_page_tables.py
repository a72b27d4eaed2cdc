"""The tables of the pages of results (page_tables.py)."""

import re
import statistics

import ladder
import tables
from markdown_table import cell, head, row
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
    half = (len(found) + 1) // 2
    head(*2 * ("integrand", "mean pull", "deviation"))
    for left, right in zip(found[:half], found[half:] + [[""] * 7]):
        row(left[0], left[3], left[4], right[0], right[3], right[4])
    caption("qmc-pulls", of, device="300 calls of 2^17 points each on one NVIDIA H200")


@named
def headlines():
    """The results of several records in a line each."""
    comparison = tables.Comparison(record("cubature-ladder"))
    ratios = [ratio for integrand in comparison.ladder.integrands for ratio in comparison.speed_ups(integrand)]
    converged = {
        method: [rung for rung in comparison.ladder.of(method) if rung.converged]
        for method in (ladder.PAGANI, ladder.PUBLISHED)
    }
    wrong = {method: f"{sum(rung.wrong for rung in rungs)} of {len(rungs)}" for method, rungs in converged.items()}
    rates = {
        entry["method"]: entry["evaluations"] / entry["milliseconds"] / 1e6
        for entry in record("scaling-1")["strong_scaling"]
        if entry["work"] == "f4-5d" and round(entry["evaluations"], -8) == 1e9
    }
    others = tables.THROUGHPUT["5-D f4", "fp64", "refined"]
    python = record("python-vegas", "xeon-2-cores")["runs"]
    head("", "kubature", "others")
    row(
        f"PAGANI, {len(ratios)} tolerances of {len(comparison.ladder.integrands)} integrals that both reach",
        f"{statistics.median(ratios):.1f} times as fast in the median",
        "1 (the authors' code)",
    )
    row("converged PAGANI results off by more than the tolerance", wrong[ladder.PAGANI], wrong[ladder.PUBLISHED])
    row(
        "m-Cubes, samples per second of f4 in five variables",
        f"{rates['mcubes']:.1f}e9",
        f"{others[0]}e9 (the authors' code)",
    )
    row("VEGAS+, the same", f"{rates['vegas+']:.1f}e9", f"{others[1]}e9 (cuVegas)")
    row(
        "VEGAS+ from Python on two CPU cores, a NumPy function",
        f"{python[1]['times_as_fast']:.1f} times as fast",
        "1 (vegas)",
    )
    of = wrong_rows()
    found = {
        name: Calls([each for each in of if (each["method"], each["difficulty"]) == (name, 1)])
        for name in ("pagani", "auto", "Cuba's Cuhre")
    }
    row(
        "converged and wrong, 3000 random integrands at the usual difficulty",
        f"PAGANI {found['pagani'].share()}, Auto {found['auto'].share()}",
        f"{found[CUBA[0]].share()} (Cuba's Cuhre)",
    )
    print("\n*GPU results on one NVIDIA H200; the records are in `perf/results`.*")


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
    caption("vegas-plus", of, device="500 intervals per axis, on one NVIDIA H200")


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
    )
    for entry in of["whole_calls"]:
        if entry["method"] == "vegas+":
            cubes = next(
                each
                for each in of["whole_calls"]
                if each["method"] == "mcubes"
                and (each["integrand"], each["evaluations"]) == (entry["integrand"], entry["evaluations"])
            )
            other = tables.CALLS[ladder.work(entry), entry["evaluations"]]
            row(
                ladder.work(entry),
                f"{entry['evaluations']:.0e}",
                time(cubes["milliseconds"]),
                time(entry["milliseconds"]),
                time(entry["second_call_milliseconds"]),
                *map(time, other[:2]),
            )
    caption("vegas-plus", of, device="whole calls on one NVIDIA H200")


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


@named
def vegas_pulls():
    of = record("vegas-plus")
    head("1000 seeds", "mean pull", "deviation", "within 1", "within 2", "chi2/dof")
    for entry in of["pulls"]:
        if entry["method"] == "vegas+":
            row(
                ladder.work(entry),
                f"{entry['mean']:+.2f}",
                f"{entry['deviation']:.2f}",
                f"{100 * entry['within_1']:.0f} %",
                f"{100 * entry['within_2']:.0f} %",
                f"{entry['chi2_per_dof']:.2f}",
            )
    caption("vegas-plus", of, device="VEGAS+ with 1e5 samples per iteration (ridge 2e4) on one NVIDIA H200")


@named
def cubature_ladder():
    of = record("cubature-ladder")
    found = printed(tables.show_ladder, of, True)
    print("\n".join(found[0]))
    caption("cubature-ladder", of)


@named
def cubature_rungs():
    print("\n".join(printed(tables.show_ladder, record("cubature-ladder"), False)[0]))


@named
def cubature_ladder_cpu():
    of = record("cubature-ladder", "epyc-2-cores")
    print("\n".join(printed(tables.show_ladder, of, True)[0]))
    caption("cubature-ladder", of, "epyc-2-cores", "two cores of an AMD EPYC")


@named
def scaling():
    records = records_of(HERE / "results/h200")
    print("\n".join(printed(show_scaling, records)[0]))
    *others, most = (str(each["processes"]) for each in records)
    caption("scaling-1", records[0], device=f"{', '.join(others)} and {most} NVIDIA H200s of one host")


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
        found = re.search(r"commit (\w{7})", of["kubature"])[1]
        print(f"\n*{device[0].upper() + device[1:]}; `perf/results/{machine}/python-vegas.json`, commit {found}.*")
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
    commit_of = re.search(r"commit (\w{7})", of["kubature"])[1]
    print(
        f"\n*f4 in five variables by VEGAS+ on one {of['device']}; `perf/results/h200/python-gpu.json`, commit {commit_of}.*"
    )


@named
def components():
    of = record("components")
    print("\n".join(printed(tables.show_components, of)[0]))
    caption("components", of)
