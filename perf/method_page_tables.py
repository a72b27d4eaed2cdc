"""The tables of the methods' pages (page_tables.py)."""

import ladder
import tables
from result_page_tables import cuvegas_calls, rung_limits
from markdown_table import cell, head, row
from page_table import HERE, caption, named, printed, record, time
from trust_tables import lines


@named
def pagani():
    name, of = ladder.newest(HERE / "results/h200")
    rungs, tolerances = ladder.Ladder(of), (1e-3, 1.6e-6, 2.56e-9, 1.024e-10)
    head("integrand", *(f"{tolerance:.2g}" for tolerance in tolerances), "published code: 0.001", "1.6e-06", "2.6e-09")
    for integrand in ("f3-3d", "f4-5d", "f6", "f7", "f4-8d", "f5-8d"):

        def cells(method, wanted, integrand=integrand):
            by_level = rungs[integrand, method]
            for tolerance in wanted:
                found = next((r for r in by_level.values() if abs(r.tolerance / tolerance - 1) < 1e-3), None)
                yield time(found.milliseconds) if found and found.converged and not found.wrong else "-"

        row(
            f"{rungs.integrands[integrand]}-D {integrand.split('-')[0]}",
            *cells(ladder.PAGANI, tolerances),
            *cells(ladder.PUBLISHED, tolerances[:3]),
        )
    caption(name, of, device="whole calls by relative tolerance on one NVIDIA H200")


@named
def vegas_plus():
    of = record("vegas-plus")
    head("integrand", "samples per iteration", "time", "reported error", "cuVegas, time")
    for entry in of["whole_calls"]:
        if entry["method"] == "vegas+":
            other = cuvegas_calls()[ladder.work(entry), entry["evaluations"]]
            row(
                ladder.work(entry),
                f"{entry['evaluations']:.0e}",
                time(entry["milliseconds"]),
                cell(entry["estimated_relative_error"]),
                time(other["ms"]),
            )
    caption("vegas-plus", of, device="20 iterations on one NVIDIA H200; `perf/peers/h200-cuvegas.csv`")


@named
def m_cubes():
    of = record("vegas-plus")
    rates = {
        (ladder.work(entry), entry["method"]): entry["geval_per_second"]
        for entry in of["throughput"]
        if (entry["series"], entry["map"], entry["evaluations"]) == ("integrands", "refined", 1e9)
    }
    head("1e9 samples per second", "m-Cubes", "VEGAS+", "m-Cubes, the authors' code")
    for work in ("5-D f4", "8-D f5", "10-D linear"):
        row(
            work,
            cell(rates[work, "mcubes"]),
            cell(rates[work, "vegas+"]),
            cell(tables.THROUGHPUT[work, "fp64", "refined"][0]),
        )
    caption(
        "vegas-plus",
        of,
        device="1e9 samples per iteration on one NVIDIA H200; the authors' code, `perf/peers/h200-sampling.csv`, f4 "
        "with 1e8 to 1e9",
    )


@named
def quasi_monte_carlo():
    of = record("qmc")
    rows = lines(of["columns"], of["rows"])
    powers = (20, 24, 28)
    head("integrand", *(f"2^{power} evaluations" for power in powers), "VEGAS+ in the time of 2^28")
    names = {
        "asian-16": "16-D Asian call",
        "correlated-10": "10-D correlated peak",
        "feynman-path": "8-D feynman-path",
        "f1-8d": "8-D f1",
        "f2": "6-D f2",
        "f3-8d": "8-D f3",
        "f4-8d": "8-D f4",
        "f5-8d": "8-D f5",
    }
    for integrand, name in names.items():
        mine = [each for each in rows if (each["integrand"], each["method"]) == (integrand, "qmc")]
        vegas = [each for each in rows if (each["integrand"], each["method"]) == (integrand, "vegas+")]
        chosen = [min(mine, key=lambda each, power=power: abs(each["evaluations"] - 2**power)) for power in powers]
        row(
            name,
            *(f"{cell(each['error'])} in {time(each['milliseconds'])}" for each in chosen),
            cell(float(f"{tables.error_at(vegas, chosen[-1]['milliseconds']):.2g}")),
        )
    caption("qmc", of, device="reported relative errors on one NVIDIA H200")


@named
def mixed_precision():
    of = record("mixed-precision")
    head("eq. 12 of the paper, 1e9 samples", "compiled", "for the error of fp64", "formula", "for the error of fp64")
    for way in ("fp64", "fp32", "term", "region", "hybrid"):
        found = [
            next(each for each in of["strategies"] if (each["integrand"], each["way"]) == (name, way))
            for name in ("mixed-eq12", "mixed-eq12 expression")
        ]
        row(
            way if way.startswith("fp") else f"`strategy = {way}`",
            *(time(each[key]) for each in found for key in ("milliseconds", "milliseconds_at_fp64_error")),
        )
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
    caption("cubature-ladder", of, device=f"one NVIDIA H200, {rung_limits(of)}")
