#!/usr/bin/env python3
"""The experiments of the paper on mixed precision, beside its numbers. Integrands are formulas, as in the paper, and
once more compiled, when all precisions have the same kernels.

perf/papers/mixed_precision.py --programs build/cuda/perf --output perf/results/MACHINE
"""

import math

from experiments import (
    Energy,
    cell,
    formula,
    head,
    milliseconds,
    paper,
    row,
    rows_of,
    run,
    table,
    verdict,
)

PAPER = paper("mixed_precision")
EQUATIONS = {
    "mixed-eq9": (formula("sin(x+y)-log(x)+x^4/y+5", "xy", (1, 2)), 9.04096324295375),
    "mixed-eq10": (formula("x^2+y^2+z^2", "xyz"), 1),
    "mixed-eq11": (
        formula("sin(x+y+z+w)+cos(x*y)-z^2+x^12-w^3+sin(z*w^2)-log(1+z*w)*x^5+y^4*exp(-w)-4", "xyzw"),
        -2.53923963654469,
    ),
    "mixed-eq12": (
        formula(
            "sin(2*pi*(a+b))+cos(5*c*d)+exp(-0.5*(x^2+v^2))+exp(-abs(y))+1/(1+exp(-25*(z-0.05)))+log(1+abs(a*x))"
            "+0.01*(sqrt(1+1e-5*(b*c+d*x))-1)+(log(1+1e-5*(v+y))-1e-5*(v+y))"
            "+0.001/sqrt(1e-12+(y-0.02)^2+(z+0.03)^2)+(exp(8*a)-exp(8*a-1e-5))",
            "abcdxyzv",
        ),
        2.8282944324665,
    ),
}
# The paper's FP32 has sums in FP32, too: fp32_pure. fp32 has them in FP64.
PLAIN, STRATEGIES = ("fp16", "fp32_pure", "fp32", "fp64"), ("term", "region", "hybrid", "automatic")
NAMES = {
    "fp16": "FP16",
    "fp32_pure": "FP32, sums as well",
    "fp32": "FP32",
    "fp64": "FP64",
    "region-4": "by 4 regions, as the paper",
    "region": "by up to 256 regions",
}
THEIRS = {"fp32_pure": "fp32", "region-4": "region"}
# The paper does not say its tolerances. Table 1 is measured at seven, and compared at the middle one; at the others P
# decides as in tables 3 and 4.
MIDDLE, TERMS_AT, REGIONS_AT = 1e-4, 1e-5, 5e-5


def by(program, way, equation, asked, **options):
    options = {"iterations": 1, "non_finite": "discard", **options}
    if way in PLAIN:
        return program(EQUATIONS[equation][0], "mc", {"precision": way, **asked}, **options)
    if way == "region-4":
        way, options["regions"] = "region", 4
    return program(EQUATIONS[equation][0], "mixed", asked, strategy=way, **options)


def ways_of(number):
    """Precisions and strategies; the paper has 4 regions for equation 9, and 256 for the others."""
    return (*PLAIN, *(("region-4",) if number == 2 else ()), *STRATEGIES)


def table_rows(program, number):
    of = PAPER[f"table {number}"]
    evaluations = program.size(of["evaluations"])
    rows = []
    for way in ways_of(number):
        asked = {"repeat": 5, "budget": program.seconds / 60, "kernels": way not in PLAIN}
        answer = by(program, way, of["integrand"], asked, evaluations=evaluations)
        keys = ("value", "error", "milliseconds", "precision", "remarks")
        row = {"table": number, "way": way, "evaluations": evaluations, **{key: answer[key] for key in keys}}
        if "kernels" in answer:
            row["probing_milliseconds"] = sum(t for label, t in answer["kernels"].items() if label.endswith("::probe"))
        rows.append(row)
    return rows


def choices(program, strategy, **options):
    answer = by(program, strategy, "mixed-eq9", {}, evaluations=1_000_000, **options)
    return answer["choices"]


def table_5(program):
    rows = []
    for of in rows_of(PAPER["table 5"]):
        for way in PLAIN:
            count = program.size(of["evaluations"])
            answer = by(program, way, "mixed-eq10", {"seeds": 10}, evaluations=count)
            errors = [abs(value - 1) for value in answer["values"]]
            rows.append(
                {
                    "evaluations": count,
                    "of": of["evaluations"],
                    "way": way,
                    "average": sum(errors) / len(errors),
                    "maximum": max(errors),
                }
            )
    return rows


def figure_2(program):
    rows = []
    for power in range(4, 10):
        for way in ("fp32", "fp64", "term", "region"):
            count = program.size(10.0**power)
            answer = by(program, way, "mixed-eq11", {"repeat": 3}, evaluations=count)
            rows.append({"evaluations": count, "way": way, "milliseconds": answer["milliseconds"]})
    return rows


def energy(program):
    """Joules for 1e9 samples of eq. 12, over some seconds of each way; without a counter there are none."""
    counter, rows = Energy(), []
    if not program.on_device or counter() is None:
        return rows
    for way in ("fp64", "fp32", "term", "region"):
        evaluations = program.size(1e9)
        once = by(program, way, "mixed-eq12", {}, evaluations=evaluations)["milliseconds"]
        iterations = max(1, round(3000 / once))
        before = counter()
        answer = by(program, way, "mixed-eq12", {}, evaluations=evaluations, iterations=iterations)
        joules = (counter() - before) / answer["evaluations"] * 1e9
        seconds = answer["milliseconds"] / 1000
        rows.append({"way": way, "joules": joules, "watts": joules * answer["evaluations"] / 1e9 / seconds})
    return rows


def measure(program):
    record = {
        "algorithm_1": program.study(
            "mixed-precision", "--section", "algorithm_1", "--scale", min(1, 100 * program.scale)
        )["algorithm_1"],
        "equations": [each for number in (2, 6, 7, 8) for each in table_rows(program, number)],
        "compiled": program.study("mixed-precision", "--section", "strategies", "--scale", program.scale)["strategies"],
        "terms": choices(program, "term"),
        "regions": choices(program, "region", regions=4),
        "samples": table_5(program),
        "times": figure_2(program),
        "energy": energy(program),
    }
    return record


# ---- beside the paper --------------------------------------------------------------------------------------


@table("Table 1: Algorithm 1 as written, 210 integrals in FP32 or FP64 by the rule P")
def table_1(record):
    theirs = PAPER["table 1"]
    head("tolerance", "FP32 by P", "acceptable", "too low", "too high", "right: neither")
    right = theirs["acceptable"] - theirs["too_high"]
    row("not stated: the paper", "-", theirs["acceptable"], theirs["too_low"], theirs["too_high"], right)
    for each in record["algorithm_1"]:
        counts = each["fp32"], each["acceptable"], each["too_low"], each["too_high"]
        row(f"{each['tolerance']:.0e}", *counts, each["acceptable"] - each["too_high"])


def against(record, number):
    """The rows of a table by way: ours with the saved part of FP64's time, and the paper's."""
    of = PAPER[f"table {number}"]
    theirs = {each["way"]: each for each in rows_of(of)}
    ours = {each["way"]: dict(each) for each in record["equations"] if each["table"] == number}
    base, true_value = ours["fp64"], EQUATIONS[of["integrand"]][1]
    for each in ours.values():
        each["saved"] = 100 * (1 - each["milliseconds"] / base["milliseconds"])
        equal = each["milliseconds"] * (each["error"] / base["error"]) ** 2
        each["saved_at_equal_error"] = 100 * (1 - equal / base["milliseconds"])
        each["off_percent"] = 100 * abs(each["value"] / true_value - 1)
    return ours, theirs


@table("Tables 2, 6, 7 and 8: equations 9, 11 and 12 by precision and strategy")
def equations(record):
    head(
        "equation",
        "samples",
        "way",
        "value off by, %",
        "the paper",
        "time",
        "the paper",
        "time saved, %",
        "the paper",
        "time saved",
        "probing, % of the time",
        "saved at the error of FP64, %",
    )
    for number, name in ((2, "9"), (6, "11"), (7, "12"), (8, "12, H100")):
        ours, theirs = against(record, number)
        for way, each in ours.items():
            lacks = way == "fp32" or (way == "region" and "region-4" in ours)
            other = {} if lacks else theirs.get(THEIRS.get(way, way), {})
            probing = each.get("probing_milliseconds")
            saved, their_saved = (None, None) if way == "fp64" else (each["saved"], other.get("saved_percent"))
            row(
                name,
                f"{each['evaluations']:.0e}",
                NAMES.get(way, f"by {way}"),
                cell(each["off_percent"]),
                cell(off(number, other)),
                milliseconds(each["milliseconds"]),
                milliseconds(1000 * other["seconds"] if other else None),
                cell(saved),
                cell(their_saved),
                verdict(saved, their_saved, larger=True),
                cell(None if probing is None else 100 * probing / each["milliseconds"]),
                "-" if way == "fp64" else cell(each["saved_at_equal_error"]),
            )


def off(number, theirs):
    """How far the paper's value is from the true one, in per cent."""
    true_value = EQUATIONS[PAPER[f"table {number}"]["integrand"]][1]
    return 100 * abs(theirs["value"] / true_value - 1) if theirs else None


def predicted(choice, tolerance):
    """P's decision."""
    errors = zip(("fp16", "fp32"), choice["predicted"])
    return next((name for name, error in errors if error <= tolerance), "fp64")


def decisions(first, tolerance, chosen, theirs, name):
    rule = f"P at {tolerance:.0e}"
    head(first, "average", "the paper", "variance", "the paper", "gradient", "the paper", rule, "the paper", "here")
    for each, other in zip(chosen, theirs):
        row(
            name(each, other),
            cell(each["average"]),
            cell(other["average"]),
            cell(each["variance"]),
            cell(other["variance"]),
            cell(each["gradient"]),
            cell(other["gradient"]),
            predicted(each, tolerance),
            other["format"],
            each["precision"],
        )


@table("Equal kernels: equations 9 to 12 compiled, times and what precisions and strategies save of FP64's, %")
def compiled(record):
    if not record.get("compiled"):
        print("Not measured.")
        return
    ways = ("fp32_pure", "fp32", "fp16", "term", "region", "hybrid")
    head("equation", "samples", "FP64", *(NAMES.get(way, f"by {way}") for way in ways))
    for equation in EQUATIONS:
        found = {each["way"]: each for each in record["compiled"] if each["integrand"] == equation}
        base = found["fp64"]["milliseconds"]
        saved = (cell(100 * (1 - found[way]["milliseconds"] / base)) for way in ways)
        row(equation.removeprefix("mixed-eq"), f"{found['fp64']['evaluations']:.0e}", milliseconds(base), *saved)


@table("Table 3: decisions by term of equation 9")
def terms(record):
    decisions("term", TERMS_AT, record["terms"], rows_of(PAPER["table 3"]), lambda _, other: f"`{other['term']}`")


@table("Table 4: decisions in four regions of equation 9")
def regions(record):
    mine = sorted(record["regions"], key=lambda each: each["average"])
    theirs = sorted(rows_of(PAPER["table 4"]), key=lambda each: each["average"])
    decisions("region", REGIONS_AT, mine, theirs, lambda each, _: each["name"])


@table("Table 5: average and largest error of equation 10 over ten seeds")
def samples(record):
    head("samples", *(f"{NAMES[way]}: {what}" for way in PLAIN for what in ("here", "the paper")), "expected average")
    theirs = {each["evaluations"]: each for each in rows_of(PAPER["table 5"])}
    for of, other in theirs.items():
        mine = {each["way"]: each for each in record["samples"] if each["of"] == of}
        cells = []
        for way in PLAIN:
            cells.append(f"{mine[way]['average']:.1e}, {mine[way]['maximum']:.1e}")
            key = THEIRS.get(way, way)
            known = way != "fp32"
            cells.append(f"{other[f'{key}_average']:.1e}, {other[f'{key}_maximum']:.1e}" if known else "-")
        count = mine["fp64"]["evaluations"]  # the variance of eq. 10 is 4/15
        row(f"{count:.0e}", *cells, f"{(8 / 15 / math.pi / count) ** 0.5:.1e}")


@table("Figure 2: times of equation 11")
def times(record):
    ways = ("fp32", "fp64", "term", "region")
    head("samples", *(NAMES.get(way, f"by {way}") for way in ways), "fastest but for FP32")
    for count in dict.fromkeys(each["evaluations"] for each in record["times"]):
        mine = {each["way"]: each["milliseconds"] for each in record["times"] if each["evaluations"] == count}
        fastest = min(ways[1:], key=mine.get)
        row(f"{count:.0e}", *(milliseconds(mine[way]) for way in ways), NAMES.get(fastest, f"by {fastest}"))


@table("Energy of equation 12, which the paper does not measure")
def energies(record):
    if not record["energy"]:
        print("The machine lends no counter of energy.")
        return
    head("way", "joules for 1e9 samples", "watts", "of FP64's joules, %")
    base = record["energy"][0]["joules"]
    for each in record["energy"]:
        share = f"{100 * each['joules'] / base:.0f}"
        row(NAMES.get(each["way"], f"by {each['way']}"), cell(each["joules"]), cell(each["watts"]), share)


def verdicts(record):
    """(experiment, the paper, here, verdict) of each experiment."""
    middle = next(each for each in record["algorithm_1"] if each["tolerance"] == MIDDLE)
    theirs = PAPER["table 1"]
    yield (
        f"table 1, P alone, at {MIDDLE:.0e} here",
        f"{theirs['acceptable']} of {theirs['cases']}; {theirs['too_low']} too low, {theirs['too_high']} too high",
        f"{middle['acceptable']} of {middle['cases']}; {middle['too_low']} too low, {middle['too_high']} too high",
        verdict(middle["acceptable"] - middle["too_high"], theirs["acceptable"] - theirs["too_high"], larger=True),
    )
    for number, name in ((2, "9"), (6, "11"), (7, "12"), (8, "12")):
        ours, theirs = against(record, number)
        mine = 1e6 * ours["fp64"]["milliseconds"] / ours["fp64"]["evaluations"]
        its = 1e9 * theirs["fp64"]["seconds"] / PAPER[f"table {number}"]["evaluations"]
        yield f"table {number}, eq. {name}: ns per sample in FP64", cell(its), cell(mine), verdict(mine, its)
        for way in ("term", "region-4" if "region-4" in ours else "region"):
            mine, saved = ours[way]["saved"], theirs[THEIRS.get(way, way)]["saved_percent"]
            said = verdict(mine, saved, larger=True)
            few = number == 2 and way == "region"
            how = f"{way.removesuffix('-4')}{' (256, the paper 4)' if few else ''}"
            yield f"table {number}, eq. {name}: time saved by {how}", f"{saved:.0f} %", f"{mine:.0f} %", said


if __name__ == "__main__":
    run(__file__, measure)
