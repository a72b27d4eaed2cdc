#!/usr/bin/env python3
"""Tables of docs/ from the committed records. A page holds a table between `<!-- record NAME -->` and
`<!-- end of record -->`; the test `documentation` compares it with the records.

    perf/page_tables.py            names the pages whose tables are not those of the records
    perf/page_tables.py --write    writes them anew
    perf/page_tables.py NAME       prints one
"""
import contextlib
import csv
import io
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import ladder
import tables
from markdown_table import cell, head, row
from trust_tables import Calls, lines, percent

MARKED = re.compile(r"(<!-- record ([\w+-]+) -->\n).*?(<!-- end of record -->)", re.DOTALL)
TABLES = {}


def record(name, machine="h200"):
    return ladder.load(HERE / "results" / machine / f"{name}.json")


def commit(of):
    """The commit of a record, or of each of its parts, in seven digits."""
    found = of["commit"]
    if isinstance(found, str):
        return f"commit {found[:7]}"
    return "; ".join(f"{what}: commit {value[:7]}" for what, value in found.items())


def caption(name, of=None, machine="h200", device="one NVIDIA H200"):
    of = of or record(name, machine)
    print(f"\n*{device[0].upper() + device[1:]}; `perf/results/{machine}/{name}.json`, {commit(of)}.*")


def named(function):
    TABLES[function.__name__.replace("_", "-")] = function
    return function


def printed(function, *arguments):
    """The tables that a function prints, each as a list of lines."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    found, current = [], []
    for line in [*out.getvalue().split("\n"), ""]:
        if line.startswith("|"):
            current.append(line)
        elif current:
            found.append(current)
            current = []
    return found


def peers(name):
    """The rows of perf/peers/NAME.csv as dictionaries."""
    with open(HERE / "peers" / f"{name}.csv", encoding="utf-8") as file:
        text = file.read().split("\n")
    comments = [line for line in text if line.startswith("#")]
    columns = comments[-1].lstrip("# ").split(";")
    return [dict(zip(columns, each)) for each in csv.reader((t for t in text if t and not t.startswith("#")), delimiter=";")]


def time(milliseconds):
    """A time with its unit, to two or three digits."""
    for unit, size in (("us", 1e-3), ("ms", 1), ("s", 1e3)):
        if milliseconds < 1000 * size or unit == "s":
            return f"{milliseconds / size:.3g} {unit}"


# ---- methods -------------------------------------------------------------------------------------------------

@named
def pagani():
    of = record("cubature-ladder")
    rungs, tolerances = ladder.Ladder(of), (1e-3, 1.6e-6, 2.56e-9, 1.024e-10)
    head("integrand", *(f"{tolerance:.2g}" for tolerance in tolerances), "published code: 0.001", "1.6e-06", "2.6e-09")
    for integrand in ("f3-3d", "f4-5d", "f6", "f7", "f4-8d", "f5-8d"):
        def cells(method, wanted, integrand=integrand):
            by_level = rungs[integrand, method]
            for tolerance in wanted:
                found = next((r for r in by_level.values() if abs(r.tolerance / tolerance - 1) < 1e-3), None)
                yield time(found.milliseconds) if found and found.converged and not found.wrong else "-"
        row(f"{rungs.integrands[integrand]}-D {integrand.split('-')[0]}", *cells(ladder.PAGANI, tolerances),
            *cells(ladder.PUBLISHED, tolerances[:3]))
    caption("cubature-ladder", of, device="whole calls by relative tolerance on one NVIDIA H200")


@named
def vegas_plus():
    of = record("vegas-plus")
    head("integrand", "samples per iteration", "time", "reported error", "cuVegas, time")
    for entry in of["whole_calls"]:
        if entry["method"] == "vegas+":
            other = tables.CALLS[ladder.work(entry), entry["evaluations"]]
            row(ladder.work(entry), f"{entry['evaluations']:.0e}", time(entry["milliseconds"]),
                cell(entry["estimated_relative_error"]), time(other[1]))
    caption("vegas-plus", of, device="20 iterations on one NVIDIA H200")


@named
def m_cubes():
    of = record("vegas-plus")
    rates = {(ladder.work(entry), entry["method"]): entry["geval_per_second"] for entry in of["throughput"]
             if (entry["series"], entry["map"], entry["evaluations"]) == ("integrands", "refined", 1e9)}
    head("1e9 samples per second", "m-Cubes", "VEGAS+", "m-Cubes, the authors' code")
    for work in ("5-D f4", "8-D f5", "10-D linear"):
        row(work, cell(rates[work, "mcubes"]), cell(rates[work, "vegas+"]), cell(tables.THROUGHPUT[work, "fp64", "refined"][0]))
    caption("vegas-plus", of, device="1e9 samples per iteration on one NVIDIA H200")


@named
def quasi_monte_carlo():
    of = record("qmc")
    rows = lines(of["columns"], of["rows"])
    powers = (20, 24, 28)
    head("integrand", *(f"2^{power} evaluations" for power in powers), "VEGAS+ in the time of 2^28")
    names = {"asian-16": "16-D Asian call", "correlated-10": "10-D correlated peak", "feynman-path": "8-D feynman-path",
             "f1-8d": "8-D f1", "f2": "6-D f2", "f3-8d": "8-D f3", "f4-8d": "8-D f4", "f5-8d": "8-D f5"}
    for integrand, name in names.items():
        mine = [each for each in rows if (each["integrand"], each["method"]) == (integrand, "qmc")]
        vegas = [each for each in rows if (each["integrand"], each["method"]) == (integrand, "vegas+")]
        chosen = [min(mine, key=lambda each, power=power: abs(each["evaluations"] - 2**power)) for power in powers]
        row(name, *(f"{cell(each['error'])} in {time(each['milliseconds'])}" for each in chosen),
            cell(float(f"{tables.error_at(vegas, chosen[-1]['milliseconds']):.2g}")))
    caption("qmc", of, device="reported relative errors on one NVIDIA H200")


@named
def mixed_precision():
    of = record("mixed-precision")
    head("eq. 12 of the paper, 1e9 samples", "compiled", "for the error of fp64", "formula", "for the error of fp64")
    for way in ("fp64", "fp32", "term", "region", "hybrid"):
        found = [next(each for each in of["strategies"] if (each["integrand"], each["way"]) == (name, way))
                 for name in ("mixed-eq12", "mixed-eq12 expression")]
        row(way if way.startswith("fp") else f"`strategy = {way}`",
            *(time(each[key]) for each in found for key in ("milliseconds", "milliseconds_at_fp64_error")))
    caption("mixed-precision", of)


@named
def auto_h200():
    of = record("choice")
    found = {line.split(" | ")[0].strip("| "): line for line in printed(tables.show_choice, of)[0]}
    for wanted, line in found.items():
        if not wanted.startswith("converged and wrong") or wanted.endswith(": auto"):
            print(line)
    caption("choice", of, device="600 random integrands on one NVIDIA H200")


@named
def two_phase():
    of = record("cubature-ladder")
    head("tightest tolerance reached", "two-phase", "PAGANI")
    rungs = ladder.Ladder(of)
    for integrand, dimension in rungs.integrands.items():
        reached = []
        for method in (ladder.TWO_PHASE, ladder.PAGANI):
            right = [rung.tolerance for rung in rungs[integrand, method].values() if rung.converged and not rung.wrong]
            reached.append(f"{min(right):.3g}" if right else "-")
        row(f"{dimension}-D {integrand.split('-')[0]}", *reached)
    caption("cubature-ladder", of, device="at most 8 s (PAGANI) and 1.6 s (two-phase) per call on one NVIDIA H200")


# ---- trust ---------------------------------------------------------------------------------------------------

CUBA = ("Cuba's Cuhre", "Cuba's Divonne", "Cuba's Vegas")


@named
def wrong_converged_summary():
    of = record("wrong-converged")
    with open(HERE / "peers" / "cuba-wrong-converged.csv", encoding="utf-8") as file:
        text = [line.strip() for line in file if not line.startswith("#")]
    rows = lines(of["columns"], of["rows"]) + lines(text[0], text[1:])
    shown = {"auto": "Auto", "pagani": "PAGANI", "two-phase": "two-phase", "vegas+ 1e5": "VEGAS+", "mcubes 1e5": "m-Cubes",
             "qmc": "QMC", **{name: name for name in CUBA}}
    head("difficulty", *shown.values())
    for difficulty, name in ((1, "usual"), (3, "3 times"), (10, "10 times")):
        calls = [Calls([each for each in rows if (each["method"], each["difficulty"]) == (method, difficulty)])
                 for method in shown]
        row(name, *(f"{each.wrong:.0f} of {each.converged:.0f} ({percent(each.wrong, each.converged)})" for each in calls))
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
    rows = [[each.strip() for each in line.strip("|").split("|")] for line in printed(tables.show_calibration, of, True)[0][2:]]
    head("method", "integrands", "samples per iteration", "pulls", "rms, median", "rms, largest", "where",
         "rms of agreeing iterations, largest", "within 1", "2", "3")
    for each in rows:
        if each[1] == ("adaptive" if each[0] == "mixed" else "fp64") and each[0] in names and each[3] in ("2e+04", "2e+06"):
            row(names[each[0]], *each[2:12])
    caption("calibration", of)


@named
def qmc_pulls():
    of = record("qmc-pulls")
    found = [[each.strip() for each in line.strip("|").split("|")] for line in printed(tables.show_qmc, of, True)[-1][2:]]
    found = [each for each in found if not each[0].startswith(("fB", "linear", "roos"))]
    half = (len(found) + 1) // 2
    head(*2 * ("integrand", "mean pull", "deviation"))
    for left, right in zip(found[:half], found[half:] + [[""] * 7]):
        row(left[0], left[3], left[4], right[0], right[3], right[4])
    caption("qmc-pulls", of, device="300 calls of 2^17 points each on one NVIDIA H200")


# ---- speed ---------------------------------------------------------------------------------------------------

@named
def sampling_rates():
    of = record("vegas-plus")
    rates = {(ladder.work(entry), entry["method"], entry["map"], entry["evaluations"]): entry["geval_per_second"]
             for entry in of["throughput"] if entry["series"] == "integrands"}
    head("1e9 samples per second", "map", "samples per iteration", "m-Cubes", "VEGAS+", "m-Cubes, the authors' code", "cuVegas")
    for work, map_, evaluations in dict.fromkeys((key[0], key[2], key[3]) for key in rates):
        name, _, precision = work.partition(", ")
        other = tables.THROUGHPUT.get((name, precision or "fp64", map_), (None, None))
        row(work, map_, f"{evaluations:.0e}", *(cell(rates.get((work, method, map_, evaluations))) for method in ("mcubes", "vegas+")),
            *map(cell, other[:2]))
    caption("vegas-plus", of, device="500 intervals per axis, on one NVIDIA H200")


@named
def sampling_calls():
    of = record("vegas-plus")
    head("20 iterations", "samples per iteration", "m-Cubes", "VEGAS+", "VEGAS+, second call", "m-Cubes, the authors' code", "cuVegas")
    for entry in of["whole_calls"]:
        if entry["method"] == "vegas+":
            cubes = next(each for each in of["whole_calls"] if each["method"] == "mcubes" and
                         (each["integrand"], each["evaluations"]) == (entry["integrand"], entry["evaluations"]))
            other = tables.CALLS[ladder.work(entry), entry["evaluations"]]
            row(ladder.work(entry), f"{entry['evaluations']:.0e}", time(cubes["milliseconds"]), time(entry["milliseconds"]),
                time(entry["second_call_milliseconds"]), *map(time, other[:2]))
    caption("vegas-plus", of, device="whole calls on one NVIDIA H200")


@named
def beside_cuvegas():
    of = record("vegas-plus")
    theirs = {(each["integrand"].split("-")[0], int(each["dimension"]), float(each["evaluations"])): each
              for each in peers("h200-cuvegas") if float(each["beta"]) == 0.75}
    head("integrand", "samples per iteration", "VEGAS+, spread", "reported error", "cuVegas, spread", "reported error",
         "cuVegas's time / VEGAS+'s")
    for entry in of["spread"]:
        other = theirs.get((entry["integrand"].split("-")[0], entry["dimension"], entry["evaluations"]))
        size = abs(entry["true_value"])
        row(ladder.work(entry), f"{entry['evaluations']:.0e}", f"{entry['spread'] / size:.1e}", f"{entry['rms_error'] / size:.1e}",
            *((f"{float(other['spread']) / size:.1e}", f"{float(other['reported']) / size:.1e}",
               f"{float(other['milliseconds']) / entry['milliseconds']:.2g}") if other else "---"))
    caption("vegas-plus", of, device="20 iterations on one NVIDIA H200, relative to the integral; `perf/peers/h200-cuvegas.csv`")


@named
def vegas_pulls():
    of = record("vegas-plus")
    head("1000 seeds", "mean pull", "deviation", "within 1", "within 2", "chi2/dof")
    for entry in of["pulls"]:
        if entry["method"] == "vegas+":
            row(ladder.work(entry), f"{entry['mean']:+.2f}", f"{entry['deviation']:.2f}", f"{100 * entry['within_1']:.0f} %",
                f"{100 * entry['within_2']:.0f} %", f"{entry['chi2_per_dof']:.2f}")
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
    records = [record(f"scaling-{n}") for n in (1, 2, 3, 4)]
    print("\n".join(printed(tables.show_scaling, records)[0]))
    caption("scaling-1", records[0], device="1 to 4 NVIDIA H200s of one host")


@named
def python_vegas():
    machines = (("xeon-2-cores", "two cores of an Intel Xeon"), ("epyc-2-cores", "two cores of an AMD EPYC"))
    for machine, device in machines:
        of = record("python-vegas", machine)
        head("20 iterations of 1e6 samples", "seconds", "processor seconds", "times as fast")
        for entry in of["runs"]:
            row(entry["name"], f"{entry['seconds']:.2f}", f"{entry['processor_seconds']:.2f}", f"{entry['times_as_fast']:.1f}")
        found = re.search(r"commit (\w{7})", of["kubature"])[1]
        print(f"\n*{device[0].upper() + device[1:]}; `perf/results/{machine}/python-vegas.json`, commit {found}.*")
        if machine != machines[-1][0]:
            print()


@named
def python_gpu():
    of = record("python-gpu")
    found = {entry["name"].removeprefix("kubature VEGAS+, "): entry.get("nanoseconds_per_sample") for entry in of["runs"]}
    head("nanoseconds per sample", "ten iterations of 1e7", "five of 1e8", "the function alone")
    for name, alone in (("torch function", "torch function alone, 1e+07 points at once"),
                        ("torch.compile", "torch.compile alone, 5e+06 points at once"), ("CuPy function", ""),
                        ("CuPy ElementwiseKernel", ""), ("CUDA kernel", ""), ("formula", "")):
        row(name, *(cell(found.get(key)) for key in (f"{name}, 10 x 1e+07", f"{name}, 5 x 1e+08", alone)))
    commit_of = re.search(r"commit (\w{7})", of["kubature"])[1]
    print(f"\n*f4 in five variables by VEGAS+ on one {of['device']}; `perf/results/h200/python-gpu.json`, commit {commit_of}.*")


@named
def components():
    of = record("components")
    print("\n".join(printed(tables.show_components, of)[0]))
    caption("components", of)


# ---- pages ---------------------------------------------------------------------------------------------------

def text_of(name):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        TABLES[name]()
    return "\n" + out.getvalue().strip("\n") + "\n\n"


def with_tables(text):
    return MARKED.sub(lambda found: found[1] + text_of(found[2]) + found[3], text)


def main(wanted):
    if wanted and wanted != ["--write"]:
        for name in wanted:
            print(text_of(name))
        return
    stale = []
    for page in sorted([*HERE.parent.glob("*.md"), *(HERE.parent / "docs").rglob("*.md")]):
        text = page.read_text()
        new = with_tables(text)
        if new != text:
            stale.append(page.relative_to(HERE.parent).as_posix())
            if wanted:
                page.write_text(new)
    if stale and not wanted:
        sys.exit("not the tables of the records: " + ", ".join(stale))


if __name__ == "__main__":
    main(sys.argv[1:])
