"""Sets of random integrals with known values.

    python3 perf/real_integrals/generate.py --set 1 --output perf/real_integrals/set1.json
    python3 perf/real_integrals/generate.py --set 1 --check 0.1        # a tenth of the true values by other means

Needs mpmath. An integral is named by its kind, set and number, and its name decides all about it."""

import argparse
import json
import sys

import cuts
import divergent
import singular
import smooth
from integral import Draw, Integral
from mpmath import mp, mpf


def scaled(draw):
    """An integral of another kind times 1e-300 or 1e300."""
    kind = draw.pick([each for each in KINDS if each not in ("scaled", "zero", "several", "divergent")])
    integral = KINDS[kind](draw)
    while not 1e-4 < abs(integral.truth) < 1e6:
        integral = KINDS[kind](draw)
    factor = draw.pick(["1e-300", "1e300"])
    before = integral.again
    return Integral(
        f"{factor}*({integral.formula})",
        integral.box,
        integral.truth * mpf(factor),
        size=None if integral.size is None else integral.size * mpf(factor),
        again=before and (lambda: (lambda value: None if value is None else value * mpf(factor))(before())),
    )


KINDS = {
    "upper-end": singular.upper_end,
    "lower-end": singular.lower_end,
    "inside": singular.inside,
    "diagonal": singular.diagonal,
    "pairs": singular.pairs,
    "point": singular.point,
    "ends": cuts.ends,
    "tails": smooth.tails,
    "heavy": smooth.heavy,
    "gaussians": smooth.gaussians,
    "oscillation": smooth.oscillation,
    "cuts": cuts.cuts,
    "narrow": smooth.narrow,
    "zero": cuts.zero,
    "constants": smooth.constants,
    "scaled": scaled,
    "several": cuts.several,
    "divergent": divergent.divergent,
}


def generate(kind, set_number, number):
    return KINDS[kind](Draw(kind, set_number, number))


def plain(kind, set_number, number):
    """An integral as texts and numbers that JSON keeps."""
    integral = generate(kind, set_number, number)
    number_text = lambda x: None if x is None else [float(each) for each in x] if isinstance(x, list) else float(x)
    return dict(
        kind=kind,
        set=set_number,
        number=number,
        formula=integral.formula,
        box=",".join(":".join(side) for side in integral.box),
        truth=number_text(integral.truth),
        **({} if integral.size is None else {"size": float(f"{float(integral.size):.3g}")}),
    )


def write(set_number, count, path):
    integrals = [plain(kind, set_number, number) for kind in KINDS for number in range(count)]
    with open(path, "w", encoding="ascii") as file:
        file.write("[\n" + ",\n".join(json.dumps(each) for each in integrals) + "\n]\n")


def check(set_number, count, share):
    """Compares a share of the true values with those found by other means, and prints those that differ."""
    draw, compared, worst, differ = Draw("check", set_number, 0), 0, mpf(0), 0
    for kind in KINDS:
        for number in range(count):
            if not draw.chance(share):
                continue
            integral = generate(kind, set_number, number)
            with mp.workdps(20):
                again = integral.again and integral.again()
            if again is None:
                continue
            off = abs(again / integral.truth - 1)
            compared, worst = compared + 1, max(worst, off)
            if off > 1e-9:
                differ += 1
                print(kind, number, integral.formula, integral.box, mp.nstr(integral.truth, 17), mp.nstr(again, 17))
    print(f"{compared} true values compared, {differ} differ, largest relative difference {mp.nstr(worst, 2)}")
    return differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="integrals of each kind")
    parser.add_argument("--output")
    parser.add_argument("--check", type=float, metavar="SHARE")
    given = parser.parse_args()
    if given.output:
        write(given.set, given.count, given.output)
    if given.check:
        sys.exit(1 if check(given.set, given.count, given.check) else 0)


if __name__ == "__main__":
    main()
