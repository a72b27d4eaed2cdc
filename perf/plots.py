#!/usr/bin/env python3
"""Draws a record of cubature-ladder as SVGs beside it: cubature-ladder-time.svg, -errors.svg, -regions.svg (figure 9 of the
PAGANI paper) and -threshold.svg (figure 8)."""
import math
import pathlib
import sys

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

import ladder

matplotlib.rcParams.update({
    "svg.hashsalt": "kubature", "svg.fonttype": "none", "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9,
    "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "lines.linewidth": 1.3, "lines.markersize": 4.5})

# Okabe and Ito's colours; every method has a marker of its own, too.
STYLE = {ladder.PAGANI: ("#0072B2", "o", "-"), ladder.NO_THRESHOLD: ("#E69F00", "^", "-"),
         ladder.TWO_PHASE: ("#009E73", "s", "-"), ladder.CUHRE: ("#CC79A7", "D", "-"),
         ladder.PUBLISHED: ("#000000", "x", "--")}
NAME = {ladder.PAGANI: "PAGANI", ladder.NO_THRESHOLD: "PAGANI, no threshold", ladder.TWO_PHASE: "two-phase",
        ladder.CUHRE: "sequential Cuhre, one core", ladder.PUBLISHED: "PAGANI, its authors' code"}
WRONG = "#D55E00"
SMALLEST = 1e-16  # stands for errors below it


def write(figure, record, name, title):
    figure.suptitle(f"{title} ({ladder.machine(record)})", fontsize=11)
    figure.savefig(name, metadata={"Date": None, "Creator": "kubature, perf/plots.py"})


def by_integrand(record, rungs, name, title, methods, value, label):
    """A panel an integrand: a value of each rung against digits. Rungs that were missed have open markers and no line."""
    columns = 4
    count = len(rungs.integrands)
    rows = math.ceil((count + 1) / columns)
    figure = Figure(figsize=(9.6, 1.9 * rows + 0.9), layout="constrained")
    panels = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    for index, (integrand, dimension) in enumerate(rungs.integrands.items()):
        panel = panels[index]
        panel.set_title(f"{integrand.split('-')[0]}, {dimension}-D")
        panel.set_yscale("log")
        panel.yaxis.set_minor_locator(NullLocator())
        panel.set_xticks(range(4, 11, 2))
        panel.tick_params(left=False, bottom=False, labelbottom=index + columns >= count)
        for method in methods:
            colour, marker, line = STYLE[method]
            tried = list(rungs[integrand, method].values())
            done, missed = [r for r in tried if r.converged], [r for r in tried if not r.converged]
            panel.plot([r.digits for r in done], [value(r) for r in done], color=colour, marker=marker, linestyle=line)
            panel.plot([r.digits for r in missed], [value(r) for r in missed], color=colour, linestyle="none",
                       marker="+" if marker == "x" else marker, markerfacecolor="white")
    for panel in panels[count:]:
        panel.axis("off")
    keys = [Line2D([], [], color=STYLE[m][0], marker=STYLE[m][1], linestyle=STYLE[m][2], label=NAME[m]) for m in methods]
    missed = "not converged" + (" (theirs: +)" if ladder.PUBLISHED in methods else "")
    keys.append(Line2D([], [], color="#666666", marker="o", markerfacecolor="white", linestyle="none", label=missed))
    panels[count].legend(handles=keys, loc="center", frameon=False)
    figure.supxlabel("digits, $-\\log_{10}$ of the relative tolerance", fontsize=9)
    figure.supylabel(label, fontsize=9)
    write(figure, record, name, title)


def bars(panel, xs, ys, colour, width):
    """Pieces of line, drawn as one path with gaps so that the file stays small."""
    gap = (math.nan,)
    panel.plot([x for piece in xs for x in piece + gap], [y for piece in ys for y in piece + gap],
               color=colour, linewidth=width)


def errors(record, rungs, name):
    """A panel a method: at each requested tolerance the true error of every integrand, below its estimate, side by side."""
    methods = rungs.methods()
    rows = math.ceil(len(methods) / 2)
    figure = Figure(figsize=(9.6, 3.2 * rows + 0.8), layout="constrained")
    panels = list(figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).flat)
    order = {integrand: index for index, integrand in enumerate(rungs.integrands)}
    for panel, method in zip(panels, methods):
        colour = STYLE[method][0]
        done = [r for r in rungs.of(method) if r.converged]
        panel.set(xscale="log", yscale="log", title=NAME[method])
        panel.tick_params(left=False, bottom=False, labelbottom=True)
        panel.xaxis.set_minor_locator(NullLocator())
        panel.yaxis.set_minor_locator(NullLocator())
        tolerances = sorted({r.tolerance for r in rungs.of(method)})
        bars(panel, [(t / 5 ** 0.42, t * 5 ** 0.42) for t in tolerances], [(t, t) for t in tolerances], "#666666", 1)
        places = [r.tolerance * 5 ** (0.8 * ((order[r.integrand] + 0.5) / len(order) - 0.5)) for r in done]
        truths = [max(r.truth, SMALLEST) for r in done]
        if method != ladder.PUBLISHED:
            estimates = [max(r.estimate, SMALLEST) for r in done]
            bars(panel, [(x, x) for x in places], list(zip(truths, estimates)), colour, 0.4)
            panel.plot(places, estimates, color=colour, marker="_", markersize=4, linestyle="none")
        for wrong in (False, True):
            chosen = [(x, y) for x, y, r in zip(places, truths, done) if (r.wrong or r.dishonest) == wrong]
            panel.plot([x for x, _ in chosen], [y for _, y in chosen], linestyle="none", markersize=6 if wrong else 2.8,
                       color=WRONG if wrong else colour, marker="X" if wrong else "o")
    for panel in panels[len(methods):]:
        panel.axis("off")
    panels[0].invert_xaxis()
    keys = [Line2D([], [], color="#666666", linewidth=1, label="requested"),
            Line2D([], [], color="#333333", marker="_", linestyle="none", label="estimated error"),
            Line2D([], [], color="#333333", marker="o", markersize=2.8, linestyle="none", label="true error"),
            Line2D([], [], color=WRONG, marker="X", markersize=6, linestyle="none",
                   label="true error above either")]
    panels[0].legend(handles=keys, loc="lower left", frameon=False)
    figure.supxlabel(f"requested relative tolerance; at each, the {len(order)} integrands side by side", fontsize=9)
    figure.supylabel("relative error of converged results", fontsize=9)
    write(figure, record, name, "True, estimated and requested errors")


def main(path):
    record = ladder.load(path)
    if record["study"] != "cubature-ladder":
        sys.exit(f"{path}: not a record of cubature-ladder")
    rungs = ladder.Ladder(record)
    methods = rungs.methods()
    threshold = [method for method in (ladder.PAGANI, ladder.NO_THRESHOLD) if method in methods]
    folder = pathlib.Path(path).parent
    by_integrand(record, rungs, folder / "cubature-ladder-time.svg", "Time of whole calls", methods,
                 lambda rung: rung.milliseconds, "time, ms")
    by_integrand(record, rungs, folder / "cubature-ladder-regions.svg", "Regions generated", methods,
                 lambda rung: rung.regions, "regions")
    by_integrand(record, rungs, folder / "cubature-ladder-threshold.svg", "Time with and without threshold classification",
                 threshold, lambda rung: rung.milliseconds, "time, ms")
    errors(record, rungs, folder / "cubature-ladder-errors.svg")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: plots.py RECORD.json")
    main(sys.argv[1])
