#!/usr/bin/env python3
"""compare.py RECORD ... [--pictures FOLDER]: shows records of the study `architecture` (folders that study.py has
written, or files) side by side, as Markdown tables on standard output, and as SVGs in the folder if there is one:
architectures-throughput.svg, -calls.svg and -threads.svg.

A share is the ratio to the machine's own limit, what a bare loop with the same random numbers and integrand does there,
and a map where the method has one (study `limits`); portability is the harmonic mean of the shares over the machines, of
which those above 1 count as 1, and 0 if one lacks the work (Pennycook, Sewall and Lee, "Implications of a metric for
performance portability", 2019, doi:10.1016/j.future.2017.08.007). Gains are at equal samples and tolerances. A value marked with * differs from the first machine's by more than rounding, 1e-9 of
its size; one with ** by more than five of their errors as well."""
import argparse
import collections
import json
import math
import pathlib
import statistics
import sys

import ladder
from markdown_table import cell, head, row

METHOD = {"mc": "plain Monte Carlo", "mcubes": "m-Cubes", "vegas+": "VEGAS+", "qmc": "quasi-Monte Carlo",
          "pagani": "PAGANI"}
LIMIT_OF = {"f4-5d-formula": "f4-5d"}  # the integrand whose limit a row is compared with, where its name differs
MAPPED = {"mcubes", "vegas+"}  # whose points a map moves
LOOPS = {"with_random_numbers": "bare loop", "with_map": "bare loop with a map",
         "recorded": "bare loop with a map and its histograms"}


class Machine:
    def __init__(self, folder):
        path = pathlib.Path(folder)
        self.record = json.loads((path if path.is_file() else path / "architecture.json").read_text())
        about = self.record["machine"]
        cores = about["cores"]
        self.name = (f"{about['cpu'].replace('(R)', '')}, {cores} core{'s' * (cores > 1)}" if ladder.on_host(self.record)
                     else self.record["backends"][0]["device"].replace("NVIDIA ", ""))
        self.processes = self.record.get("processes", 1)  # by MPI, each with a device
        if self.processes > 1:
            self.name = f"{self.processes} {self.name}"
        self.limits = {one["work"]: one for one in self.record["limits"]["samples"]}

    def rows(self, part, record=None):
        return {tuple(one.get(k) for k in ("work", "method", "samples" if part != "calls" else "tolerance")): one
                for one in (record or self.record).get(part) or []}

    def limit(self, one):
        """Samples a second of a bare loop in units of 1e9; None where it was not measured."""
        found = self.limits.get(LIMIT_OF.get(one["work"], one["work"]))
        kind = ("alone" if "tolerance" in one else "with_map" if one["method"] in MAPPED and "with_map" in (found or {})
                else "with_random_numbers")
        return found and self.processes * found[kind]


def rate(one):
    """Evaluations a second in units of 1e9."""
    return 1e-6 * one.get("samples", one.get("evaluations", 0)) / one["milliseconds"]


def mark(one, first):
    """Whether a machine has another result than the first one."""
    difference = abs(one["value"] - first["value"])
    if difference <= 1e-9 * abs(first["value"]):
        return ""
    return "*" if difference <= 5 * math.hypot(one["error"], first["error"]) else "**"


def portability(shares):
    return len(shares) / sum(1 / min(1, share) for share in shares) if all(shares) else 0.0


def span(values):
    """From the least to the largest of some numbers."""
    if not values:
        return "-"
    low, high = (f"{value:.2g}" if value < 99.5 else f"{value:.0f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def of_all(machines, part):
    """[(key, [row or None of each machine])] in the order of the first machine that has the key."""
    rows = [machine.rows(part) for machine in machines]
    return [(key, [of.get(key) for of in rows]) for key in dict.fromkeys(key for of in rows for key in of)]


def first_of(ones):
    return next(one for one in ones if one)


def limits(machines):
    machines = [machine for machine in machines if machine.processes == 1]
    head("limit of the machine", *(machine.name for machine in machines))
    for name, label in (("bandwidth", "memory, GB/s"), ("arithmetic", "products and sums in FP64, Gflop/s"),
                        ("random_numbers", "random numbers, G/s"), ("histogram", "counts in histograms, G/s")):
        row(label, *(cell(machine.record["limits"]["limits"].get(name)) for machine in machines))
    for work in dict.fromkeys(work for machine in machines for work in machine.limits):
        for kind, label in LOOPS.items():
            row(f"{work}: {label}, Geval/s",
                *(cell(m.limits.get(work, {}).get(kind)) for m in machines))


def nominal(samples):
    """The power of ten that a number of samples is near to."""
    return round(math.log10(samples))


def throughput(machines, equal=False):
    """The largest work that each machine did in its time, as the rate grows with the work, or the largest of all."""
    head("method", "work", *(f"{m.name}: Geval/s at samples, share" for m in machines), "portability")
    rates = collections.defaultdict(lambda: [{} for _ in machines])
    for (work, method, samples), ones in of_all(machines, "throughput"):
        for one, machine, of in zip(ones, machines, rates[method, work]):
            if one:
                limit = machine.limit(one)
                of[nominal(samples)] = rate(one), rate(one) / limit if limit else None
    for (method, work), of in sorted(rates.items(), key=lambda item: list(METHOD).index(item[0][0])):
        if equal:
            common = set.intersection(*(set(each) for each in of))
            of = [{size: each[size] for size in common} for each in of]
        largest = [max(each.items(), default=None) for each in of]
        shares = [found[1][1] if found else 0 for found, machine in zip(largest, machines) if machine.processes == 1]
        row(METHOD[method], work,
            *("-" if not found else f"{found[1][0]:.3g} at 1e{found[0]}" +
              (f", {100 * found[1][1]:.0f} %" if found[1][1] is not None else "") for found in largest),
            "-" if None in shares else f"{portability(shares):.2f}")


def gains(machines):
    """How many times as fast as each of the others the first machine is: by samples an iteration, over all integrands;
    and by integrand, over all tolerances."""
    first, *others = machines
    sizes = sorted({nominal(key[2]) for machine in machines for key in machine.rows("throughput")})
    head(f"{first.name} over", "samples an iteration", *(f"1e{size}" for size in sizes))
    for other in others:
        found = collections.defaultdict(list)
        ours, theirs = ({(work, method, nominal(samples)): rate(one) for (work, method, samples), one in
                         machine.rows("throughput").items()} for machine in (first, other))
        for (work, method, size), speed in ours.items():
            if (work, method, size) in theirs:
                found[method, size].append(speed / theirs[work, method, size])
        for method in METHOD:
            if any(key[0] == method for key in found):
                row(other.name, METHOD[method], *(span(found[method, size]) for size in sizes))
    print()
    works = list(dict.fromkeys(key[0] for machine in machines for key in machine.rows("calls")))
    head(f"{first.name} over", "calls to tolerances", *works)
    for other in others:
        found = collections.defaultdict(list)
        for (work, method, tolerance), (ours, theirs) in of_all([first, other], "calls"):
            if ours and theirs:
                found[method, work].append((tolerance, theirs["milliseconds"] / ours["milliseconds"]))
        for method in dict.fromkeys(key[0] for key in found):
            row(other.name, METHOD[method], *(
                span([gain for _, gain in found[method, work]]) +
                (f" ({found[method, work][-1][1]:.2g} at {found[method, work][-1][0]:.0e})"
                 if len(found[method, work]) > 1 else "") for work in works))


def same_work(machines, part, size):
    """Milliseconds of the same work on all machines, with the results that differ marked."""
    head("method", "work", size, *(f"{m.name}: ms" for m in machines))
    for (work, method, amount), ones in of_all(machines, part):
        if sum(one is not None for one in ones) > 1:
            row(METHOD[method], work, f"{amount:.0e}",
                *("-" if not one else f"{one['milliseconds']:.3g}{mark(one, first_of(ones))}" for one in ones))


def calls(machines):
    """The same in less space: a row for each integrand and method, in whose cells are the machines."""
    rows = of_all(machines, "calls")
    tolerances = sorted({key[2] for key, _ in rows}, reverse=True)
    tolerances = [at for at in tolerances if sum(key[2] == at for key, _ in rows) > 1]
    head("method", "work", *(f"{tolerance:.0e}" for tolerance in tolerances))
    for work, method in dict.fromkeys(key[:2] for key, _ in rows):
        of = {key[2]: ones for key, ones in rows if key[:2] == (work, method)}
        row(METHOD[method], work, *(" / ".join(
            "-" if not one else f"{one['milliseconds']:.3g}{mark(one, first_of(of[at]))}" for one in of[at])
            if at in of else "-" for at in tolerances))


def by_threads(machine):
    """{(part, method, work, amount): {threads: speed relative to one thread}}"""
    speeds = collections.defaultdict(dict)
    for of in machine.record.get("threads") or []:
        for part in ("throughput", "calls", "small"):
            for key, one in machine.rows(part, of).items():
                speeds[(part, *key)][of["threads"]] = 1 / one["milliseconds"]
    return {key: {n: speed / of[1] for n, speed in of.items()} for key, of in speeds.items() if len(of) > 1 and 1 in of}


def loops_of(machine):
    """{(kind, work, threads): samples a second of a bare loop}"""
    return {(kind, one["work"], of["threads"]): one[kind] for of in machine.record["threads"]
            for one in of.get("limits", []) for kind in LOOPS if kind in one}


def largest_of(speeds, most):
    """{(part, work, method): (size, speeds)}: of throughput the largest size, of calls the tightest tolerance that has
    all numbers of threads."""
    found = {}
    for (part, work, method, amount), of in speeds.items():
        if part != "small" and most in of:
            found[part, work, method] = amount, of
    return found


SUMMED = (("mc", "throughput"), ("mcubes", "throughput"), ("vegas+", "throughput"), ("vegas+", "calls"),
          ("qmc", "calls"), ("pagani", "calls"))


def gains_by_threads(machines):
    """How many times as fast as one thread all are, from the least to the largest of all integrands: at the largest
    size of throughput and the tightest tolerance of calls, and of small calls."""
    head("all threads over one", "bare loops", *(f"{METHOD[method]}, {part}" for method, part in SUMMED),
         "small calls")
    for machine in machines:
        speeds = by_threads(machine)
        if not speeds:
            continue
        most = max(n for of in speeds.values() for n in of)
        loops = loops_of(machine)
        largest = largest_of(speeds, most)
        row(machine.name, span([loops[kind, work, most] / loops[kind, work, 1] for kind, work, n in loops if n == 1]),
            *(span([of[most] for (part, _, method), (_, of) in largest.items() if (method, part) == wanted])
              for wanted in SUMMED),
            span([of[most] for key, of in speeds.items() if key[0] == "small" and most in of]))


def threads(machines):
    """By the number of threads, where there are more than two."""
    for machine in machines:
        speeds = by_threads(machine)
        numbers = sorted({n for of in speeds.values() for n in of})
        if len(numbers) < 3:
            continue
        head(f"{machine.name}: times one thread", "work", "size", *map(str, numbers))
        loops = loops_of(machine)
        for kind, work in dict.fromkeys(key[:2] for key in loops if key[1] in LIMIT_OF.values()):
            row(LOOPS[kind], work, "-", *(f"{loops[kind, work, n] / loops[kind, work, 1]:.2f}" for n in numbers))
        for (_, work, method), (amount, of) in largest_of(speeds, numbers[-1]).items():
            row(METHOD[method], work, f"{amount:.0e}", *(f"{of[n]:.2f}" if n in of else "-" for n in numbers))
        for (part, work, method, amount), of in speeds.items():
            if part == "small":
                row(METHOD[method], work, f"{amount:.0e}", *(f"{of[n]:.2f}" if n in of else "-" for n in numbers))
        print()


def serial(machines):
    """How long Serial takes beside OpenMP with one thread."""
    head("Serial's time over OpenMP's with one thread", "of throughput", "least", "median", "largest")
    for machine in machines:
        found = machine.rows("throughput", machine.record.get("serial") or {})
        alone = machine.rows("throughput", (machine.record.get("threads") or [{}])[0])
        ratios = [one["milliseconds"] / alone[key]["milliseconds"] for key, one in found.items() if key in alone]
        if ratios:
            row(machine.name, f"{len(ratios)} rows", *(f"{of(ratios):.2f}" for of in (min, statistics.median, max)))


def pictures(machines, folder):
    from plots import Figure, matplotlib  # sets the style
    colours = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#000000", "#56B4E9"]
    meta = {"Date": None, "Creator": "kubature, perf/compare.py"}

    def panels(count, width=9.6):
        figure = Figure(figsize=(width, 3.0), layout="constrained")
        return figure, list(figure.subplots(1, count, squeeze=False).flat)

    def finish(figure, panel, name):
        handles, labels = panel.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=min(3, len(labels)))
        figure.savefig(folder / name, metadata=meta)
        print(folder / name, file=sys.stderr)

    methods = [m for m in METHOD if any(key[1] == m for machine in machines for key in machine.rows("throughput"))]
    figure, axes = panels(len(methods))
    for panel, method in zip(axes, methods):
        panel.set(title=METHOD[method], xscale="log", yscale="log", xlabel="samples an iteration")
        for machine, colour in zip(machines, colours):
            of = sorted((key[2], rate(one)) for key, one in machine.rows("throughput").items()
                        if key[:2] == ("f4-5d", method))
            if of:
                panel.plot(*zip(*of), color=colour, marker="o", label=machine.name)
            if "f4-5d" in machine.limits:
                panel.axhline(machine.limits["f4-5d"]["with_random_numbers"], color=colour, linestyle=":", linewidth=0.9)
    axes[0].set_ylabel("Geval/s (dotted: bare loop)")
    finish(figure, axes[0], "architectures-throughput.svg")

    works = list(dict.fromkeys(key[0] for machine in machines for key in machine.rows("calls")))
    figure, axes = panels(len(works))
    for panel, work in zip(axes, works):
        panel.set(title=work, xscale="log", yscale="log", xlabel="ms")
        for machine, colour in zip(machines, colours):
            for method, style in (("pagani", "-"), ("vegas+", "--")):
                of = sorted((one["milliseconds"], max(abs(one["value"] / one["truth"] - 1), 1e-16))
                            for key, one in machine.rows("calls").items() if key[:2] == (work, method))
                if of:
                    panel.plot(*zip(*of), color=colour, marker="o", linestyle=style,
                               label=machine.name if style == "-" else None)
    axes[0].set_ylabel("true relative error\nby PAGANI, by VEGAS+ (dashed)")
    finish(figure, axes[0], "architectures-calls.svg")

    hosts = [(machine, by_threads(machine)) for machine in machines if by_threads(machine)]
    if hosts:
        figure, axes = panels(len(hosts), 4.8 * len(hosts))
        for panel, (machine, speeds) in zip(axes, hosts):
            panel.set(title=machine.name, xscale="log", yscale="log", xlabel="threads")
            for (method, work, part), colour in zip((("mc", "f4-5d", "throughput"), ("mcubes", "f4-5d", "throughput"),
                                                     ("vegas+", "f4-5d", "throughput"), ("qmc", "f4-5d", "calls"),
                                                     ("pagani", "f5-8d", "calls")), colours):
                of = [(key[3], of) for key, of in speeds.items() if key[:3] == (part, work, method)]
                if of:
                    # the largest work of a sampling method, the tightest tolerance of another
                    amount, of = (max if part == "throughput" else min)(of, key=lambda one: one[0])
                    panel.plot(*zip(*sorted(of.items())), color=colour, marker="o",
                               label=f"{METHOD[method]}, {work}, {amount:.0e}")
            numbers = sorted({n for of in speeds.values() for n in of})
            panel.set_xticks(numbers, map(str, numbers), minor=False)
            panel.minorticks_off()
            panel.plot(numbers, numbers, color="#999999", linestyle=":", label="one thread's speed each")
        axes[0].set_ylabel("times one thread")
        finish(figure, axes[0], "architectures-threads.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="folders")
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    machines = [Machine(folder) for folder in options.records]
    for table in (limits, throughput, *([gains] if len(machines) > 1 else [])):
        table(machines)
        print()
    same_work(machines, "throughput", "samples an iteration")
    print()
    same_work(machines, "calls", "tolerance")
    print()
    same_work(machines, "small", "samples an iteration, or tolerance")
    print()
    for table in (gains_by_threads, threads, serial):
        table(machines)
        print()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
        pictures(machines, options.pictures)


if __name__ == "__main__":
    main()
