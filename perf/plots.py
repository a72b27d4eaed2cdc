#!/usr/bin/env python3
"""Draws a record as SVGs beside it. For cubature-ladder: cubature-ladder-time.svg, -errors.svg, -regions.svg (figure 9
of the PAGANI paper) and -threshold.svg (figure 8). For vegas-plus, as far as it has the sections:
vegas-plus-errors.svg, -requested.svg (figure 1 of the m-Cubes paper), -one-map.svg (figure 3), -throughput.svg (figure
3 of the cuVegas paper) and -beta.svg (figure 8). For mixed-precision: mixed-precision-regions.svg (figure 1 of its
paper), -time.svg (figure 2) and -errors.svg (table 5). For qmc: qmc-evaluations.svg and qmc-time.svg. For scaling-1:
scaling.svg, of all records scaling-N there (figure 5 of the cuVegas paper). For evidence-beside.jsonl:
evidence-evaluations.svg and evidence-time.svg."""
import json
import math
import pathlib
import sys

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

import evidence_tables
import ladder
from page_table import commit
from scaling_tables import efficiencies, records_of
from trust_tables import lines

matplotlib.rcParams.update({ "svg.hashsalt": "kubature", "svg.fonttype": "none", "font.size": 9, "axes.titlesize": 9,
"axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 9, "axes.spines.top": False,
"axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "lines.linewidth": 1.3,
"lines.markersize": 4.5})

# Okabe and Ito's colours; every method also has its own marker.
STYLE = {ladder.PAGANI: ("#0072B2", "o", "-"), ladder.NO_THRESHOLD: ("#E69F00", "^", "-"),
         ladder.TWO_PHASE: ("#009E73", "s", "-"), ladder.CUHRE: ("#CC79A7", "D", "-"),
         ladder.PUBLISHED: ("#000000", "x", "--")}
NAME = {ladder.PAGANI: "PAGANI", ladder.NO_THRESHOLD: "PAGANI, no threshold", ladder.TWO_PHASE: "two-phase",
        ladder.CUHRE: "sequential Cuhre, one core", ladder.PUBLISHED: "PAGANI, its authors' code"}
VEGAS_STYLE = {"vegas+": ("#0072B2", "o", "VEGAS+"), "mcubes": ("#E69F00", "^", "m-Cubes"),
               "mcubes-1d": ("#009E73", "s", "m-Cubes, one map")}
WRONG = "#D55E00"
SMALLEST = 1e-16  # stands for smaller errors


def write(figure, record, name, title):
    figure.suptitle(f"{title} ({ladder.machine(record)}, {commit(record)})", fontsize=11)
    figure.savefig(name, metadata={"Date": None, "Creator": "kubature, perf/plots.py"})


def by_integrand(record, rungs, name, title, methods, value, label):
    """One panel per integrand: a value of each rung against digits. Missed rungs have open markers and no line."""
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
    """Line segments, drawn as one path with gaps so that the file stays small."""
    gap = (math.nan,)
    panel.plot([x for piece in xs for x in piece + gap], [y for piece in ys for y in piece + gap],
               color=colour, linewidth=width)


def errors(record, rungs, name):
    """One panel per method: at each requested tolerance, the true error of every integrand below its estimate."""
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


def select(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def distinct(rows, key):
    """Its values, in order of appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def log_panel(panel, title):
    panel.set(xscale="log", yscale="log", title=title)
    panel.tick_params(left=False, bottom=False, labelbottom=True, labelleft=True)
    panel.xaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_minor_locator(NullLocator())


def integrand_panels(rows, columns, legend):
    """A figure with one panel for each integrand of the rows and, if `legend` is set, one more for the legend."""
    names = distinct(rows, "integrand")
    count = len(names) + (1 if legend else 0)
    high = math.ceil(count / columns)
    figure = Figure(figsize=(9.6, 2.5 * high + 0.7), layout="constrained")
    panels = list(figure.subplots(high, columns, squeeze=False).flat)
    for panel, name in zip(panels, names):
        log_panel(panel, ladder.work(select(rows, integrand=name)[0]))
    for panel in panels[len(names):]:
        panel.axis("off")
    return figure, dict(zip(names, panels)), panels[len(names):]


def method_keys(methods):
    return [Line2D([], [], color=VEGAS_STYLE[m][0], marker=VEGAS_STYLE[m][1], label=VEGAS_STYLE[m][2]) for m in methods]


def errors_against_time(record, rows, name, title, columns):
    """One panel per integrand: estimated errors as lines and true ones as open markers, against time."""
    figure, panels, rest = integrand_panels(rows, columns, len(distinct(rows, "integrand")) % columns > 0)
    for integrand, panel in panels.items():
        for method in distinct(select(rows, integrand=integrand), "method"):
            colour, marker, _ = VEGAS_STYLE[method]
            chosen = select(rows, integrand=integrand, method=method)
            times = [row["milliseconds"] for row in chosen]
            panel.plot(times, [row["estimated_relative_error"] for row in chosen], color=colour, marker=marker)
            panel.plot(times, [max(row["true_relative_error"], SMALLEST) for row in chosen], color=colour, marker=marker,
                       markerfacecolor="white", linestyle="none")
    keys = method_keys(distinct(rows, "method"))
    keys.append(Line2D([], [], color="#666666", marker="o", markerfacecolor="white", linestyle="none",
                       label="true error"))
    (rest or list(panels.values()))[0].legend(handles=keys, loc="center" if rest else "best", frameon=False)
    figure.supxlabel("time of 20 iterations, ms", fontsize=9)
    figure.supylabel("relative error, estimated and true", fontsize=9)
    write(figure, record, name, title)


def requested_and_achieved(record, rows, name):
    """One panel per integrand: at each tolerance, a box of the true errors of converged calls for each method."""
    figure, panels, rest = integrand_panels(rows, 4, True)
    methods = distinct(rows, "method")
    for integrand, panel in panels.items():
        tolerances = sorted(set(row["tolerance"] for row in rows))
        panel.plot(tolerances, tolerances, color="#666666", linewidth=1)
        for index, method in enumerate(methods):
            for row in select(rows, integrand=integrand, method=method):
                if "quantiles" not in row:
                    continue
                least, low, middle, high, most = (max(value, SMALLEST) for value in row["quantiles"])
                place = row["tolerance"] * 1.35 ** (2 * index - len(methods) + 1)
                box = {"med": middle, "q1": low, "q3": high, "whislo": least, "whishi": most}
                colour = VEGAS_STYLE[method][0]
                line = {"color": colour, "linewidth": 1}
                panel.bxp([box], positions=[place], widths=[0.4 * place], showfliers=False, manage_ticks=False,
                          boxprops=line, whiskerprops=line, capprops=line, medianprops={"color": colour, "linewidth": 2})
        panel.set_xticks(tolerances[::2], [f"{tolerance:.0e}" for tolerance in tolerances[::2]])
        panel.invert_xaxis()
    keys = [Line2D([], [], color=VEGAS_STYLE[m][0], label=VEGAS_STYLE[m][2]) for m in methods]
    keys.append(Line2D([], [], color="#666666", linewidth=1, label="requested"))
    rest[0].legend(handles=keys, loc="center", frameon=False)
    figure.supxlabel("requested relative tolerance", fontsize=9)
    figure.supylabel("true relative error of converged calls", fontsize=9)
    write(figure, record, name, "Requested and achieved errors: extremes, quartiles and median over seeds")


def throughput(record, rows, name):
    figure = Figure(figsize=(9.6, 3.2), layout="constrained")
    for panel, (series, key, label) in zip(figure.subplots(1, 3), (
            ("dimension", "dimension", "dimension, sum of the variables"), ("bins", "bins", "bins an axis, 5-D f4"),
            ("evaluations", "evaluations", "evaluations per iteration, 5-D f4"))):
        chosen = select(rows, series=series)
        for method in distinct(chosen, "method"):
            colour, marker, label_of_method = VEGAS_STYLE[method]
            of_method = select(chosen, method=method)
            panel.plot([row[key] for row in of_method], [row["geval_per_second"] for row in of_method], color=colour,
                       marker=marker, label=label_of_method)
        if series == "dimension":
            panel.set_xticks(sorted(set(row[key] for row in chosen)))
        else:
            panel.set_xscale("log", base=2 if series == "bins" else 10)
        panel.set(xlabel=label, ylim=(0, None))
        panel.tick_params(left=False, bottom=False)
        panel.xaxis.set_minor_locator(NullLocator())
    figure.axes[0].set_ylabel("Geval/s")
    figure.axes[0].legend(frameon=False)
    write(figure, record, name, "Evaluations a second while the map is refined")


def beta(record, rows, name):
    """Reported errors as lines, and the spread of the values over the seeds as open markers."""
    figure, panels, _ = integrand_panels(rows, 2, False)
    styles = dict(zip(distinct(rows, "beta"), (("#E69F00", "^"), ("#0072B2", "o"))))
    for integrand, panel in panels.items():
        for exponent, (colour, marker) in styles.items():
            chosen = select(rows, integrand=integrand, beta=exponent)
            evaluations = [row["evaluations"] for row in chosen]
            panel.plot(evaluations, [abs(row["mean_error"] / row["true_value"]) for row in chosen], color=colour,
                       marker=marker, label=f"$\\beta$ = {exponent:g}")
            panel.plot(evaluations, [abs(row["spread"] / row["true_value"]) for row in chosen], color=colour,
                       marker=marker, markerfacecolor="white", linestyle="none")
        panel.plot([], [], color="#666666", marker="o", markerfacecolor="white", linestyle="none",
                   label="spread of the values")
        panel.legend(frameon=False)
    figure.supxlabel("evaluations per iteration", fontsize=9)
    figure.supylabel("relative error", fontsize=9)
    write(figure, record, name, "VEGAS+ with adaptive strata and without")


def draw_ladder(record, folder):
    rungs = ladder.Ladder(record)
    methods = rungs.methods()
    threshold = [method for method in (ladder.PAGANI, ladder.NO_THRESHOLD) if method in methods]
    by_integrand(record, rungs, folder / "cubature-ladder-time.svg", "Time of whole calls", methods,
                 lambda rung: rung.milliseconds, "time, ms")
    by_integrand(record, rungs, folder / "cubature-ladder-regions.svg", "Regions generated", methods,
                 lambda rung: rung.regions, "regions")
    by_integrand(record, rungs, folder / "cubature-ladder-threshold.svg", "Time with and without threshold classification",
                 threshold, lambda rung: rung.milliseconds, "time, ms")
    errors(record, rungs, folder / "cubature-ladder-errors.svg")


def draw_vegas_plus(record, folder):
    if rows := record.get("error_against_time"):
        errors_against_time(record, rows, folder / "vegas-plus-errors.svg", "Error against time", 4)
    if rows := record.get("requested_achieved"):
        requested_and_achieved(record, rows, folder / "vegas-plus-requested.svg")
    if rows := record.get("one_map"):
        errors_against_time(record, rows, folder / "vegas-plus-one-map.svg", "One map for all axes", 3)
    if rows := record.get("throughput"):
        throughput(record, rows, folder / "vegas-plus-throughput.svg")
    if rows := record.get("beta"):
        beta(record, rows, folder / "vegas-plus-beta.svg")


FORMATS = {"fp16": "#F0E442", "fp32": "#56B4E9", "fp64": "#D55E00"}
WAYS = {"fp64": ("#D55E00", "o"), "fp32": ("#56B4E9", "s"), "fp16": ("#E69F00", "^"), "term": ("#0072B2", "v"),
        "region": ("#009E73", "D"), "hybrid": ("#CC79A7", "x"), "automatic": ("#999999", "*"),
        "fp32_pure": ("#000000", "+")}


def format_regions(record, rows, name):
    """One panel per integrand of two variables: the regions, coloured by format."""
    figure = Figure(figsize=(4.6 * len(rows), 4.6), layout="constrained")
    for panel, row in zip(figure.subplots(1, len(rows), squeeze=False).flat, rows):
        panel.set_title(f"{row['integrand']}, absolute tolerance {row['absolute']:g}")
        panel.grid(False)
        for region in row["regions"]:
            (x, right), (y, top) = [map(float, side.strip("[]").split(",")) for side in region["region"].split("x")]
            panel.add_patch(Rectangle((x, y), right - x, top - y, facecolor=FORMATS[region["format"]],
                                      edgecolor="white", linewidth=0.4))
        panel.autoscale()
        panel.set_aspect("equal")
    figure.legend(handles=[Line2D([], [], color=colour, marker="s", linestyle="none", markersize=8, label=label)
                           for label, colour in FORMATS.items()], loc="outside lower center", ncols=3, frameon=False)
    write(figure, record, name, "Formats by region")


def against_samples(record, rows, key, label, name, title):
    """One panel per integrand: a value against the number of samples, for each way to integrate."""
    integrands = list(dict.fromkeys(row["integrand"] for row in rows))
    figure = Figure(figsize=(3.4 * max(2, len(integrands)), 3.4), layout="constrained")
    for panel, integrand in zip(figure.subplots(1, len(integrands), sharey=True, squeeze=False).flat, integrands):
        panel.set_title(integrand)
        panel.set_xscale("log")
        panel.set_yscale("log")
        for way, (colour, marker) in WAYS.items():
            if mine := [row for row in rows if row["integrand"] == integrand and row["way"] == way]:
                panel.plot([row["evaluations"] for row in mine], [row[key] for row in mine], color=colour,
                           marker=marker, label=way)
    panel.legend(frameon=False)
    figure.supxlabel("samples", fontsize=9)
    figure.supylabel(label, fontsize=9)
    write(figure, record, name, title)


def draw_mixed_precision(record, folder):
    if rows := record.get("regions"):
        format_regions(record, rows, folder / "mixed-precision-regions.svg")
    if rows := record.get("time_against_samples"):
        against_samples(record, rows, "milliseconds", "milliseconds", folder / "mixed-precision-time.svg",
                        "Time against samples")
    if rows := record.get("error_against_samples"):
        against_samples(record, rows, "true_error", "root mean square of the true error",
                        folder / "mixed-precision-errors.svg", "Error against samples")


QMC_STYLE = {"qmc": ("#0072B2", "o", "lattice, map chosen"), "qmc no map": ("#56B4E9", "v", "lattice, no map"),
             "qmc korobov3": ("#000000", "x", "Korobov 3, no map"), "qmc sobol": ("#009E73", "s", "Sobol', map chosen"),
             "vegas+": ("#D55E00", "^", "VEGAS+"), "mcubes": ("#E69F00", "<", "m-Cubes"),
             "pagani": ("#CC79A7", "D", "PAGANI")}


def draw_qmc(record, folder):
    """One panel per integrand: estimated errors as lines and true ones as dots, against evaluations and time."""
    rows = lines(record["columns"], record["rows"])
    for key, label, name in (("evaluations", "evaluations", "qmc-evaluations.svg"),
                             ("milliseconds", "time of a call, ms", "qmc-time.svg")):
        figure, panels, rest = integrand_panels(rows, 5, True)
        for integrand, panel in panels.items():
            panel.set_title(integrand)
            for method, (colour, marker, _) in QMC_STYLE.items():
                chosen = select(rows, integrand=integrand, method=method)
                for column, style in (("error", {"marker": marker}), ("true_error", {"marker": ".", "linestyle": "none"})):
                    panel.plot([row[key] for row in chosen], [max(row[column], SMALLEST) for row in chosen], color=colour,
                               markersize=3, linewidth=1, **style)
        keys = [Line2D([], [], color=colour, marker=marker, label=text) for colour, marker, text in QMC_STYLE.values()]
        keys.append(Line2D([], [], color="#666666", marker=".", linestyle="none", label="true error"))
        rest[0].legend(handles=keys, loc="center", frameon=False)
        figure.supxlabel(label, fontsize=9)
        figure.supylabel("relative error, estimated and true", fontsize=9)
        write(figure, record, folder / name, "Quasi-Monte Carlo: relative error against " + key.replace("milliseconds", "time"))


SCALING = {("ridge", "vegas+"): ("#0072B2", "o", "VEGAS+, ridge"), ("f4-5d", "vegas+"): ("#56B4E9", "v", "VEGAS+, f4"),
           ("peaks-4d", "vegas+"): ("#CC79A7", "D", "VEGAS+ by channels"), ("f4-5d", "mcubes"): ("#E69F00", "^", "m-Cubes, f4"),
           ("f5-8d", "qmc"): ("#009E73", "s", "quasi-Monte Carlo, f5 in eight variables"),
           ("f4-8d-1", "pagani"): ("#D55E00", "P", "PAGANI, f4 in eight variables")}


def draw_scaling(record, folder):
    """The efficiency of each work's largest size by the number of GPUs, beside cuVegas's."""
    records = records_of(folder)
    figure = Figure(figsize=(7.4, 3.4), layout="constrained")
    panel = figure.subplots()
    theirs = json.loads((pathlib.Path(__file__).parent / "papers/cuvegas.json").read_text())["table 8"]["rows"]
    panel.plot([n for n, *_ in theirs], [share for *_, share in theirs], color="#000000", marker="x", linestyle="--",
               label="cuVegas, ridge (its paper)")
    for key, (colour, marker, label) in SCALING.items():
        shares = efficiencies(records, *key)
        panel.plot(list(shares), list(shares.values()), color=colour, marker=marker, label=label)
    panel.set_ylim(0, 1.05)
    panel.set_xlabel("GPUs")
    panel.set_ylabel("efficiency")
    panel.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    write(figure, record, folder / "scaling.svg", "Efficiency of several GPUs")


EVIDENCE_STYLE = {"log_evidence": ("#0072B2", "o"), "vegas+:always": ("#D55E00", "^"), "vegas+:never": ("#E69F00", "v"),
                  "ultranest": ("#009E73", "D"), "nautilus": ("#CC79A7", "P"),
                  "dynesty": ("#000000", "x"), "paris": ("#56B4E9", "*"), "sunburst": ("#882255", "+"),
                  "vegas": ("#666666", "h")}


def draw_evidence(folder):
    """One panel per problem: the deviation of log Z of each code against evaluations and time."""
    theirs = evidence_tables.peers()
    ours = [call for call in evidence_tables.ours() if "beside" in call]
    for key, equal, label in (("evaluations", "evaluations", "evaluations"), ("seconds", "time", "processor time, s")):
        calls = [call for call in theirs + evidence_tables.of(ours, equal=equal) if not math.isnan(call["off"])]
        shown = [name for name in evidence_tables.problems() if evidence_tables.of(calls, problem=name)]
        figure, panels, rest = integrand_panels([{"integrand": name, "dimension": 0} for name in shown], 4, True)
        for problem, panel in panels.items():
            panel.set_title(problem)
            for code, (colour, marker) in EVIDENCE_STYLE.items():
                chosen = select(calls, problem=problem, code=code)
                panel.plot([call[key] for call in chosen], [max(call["off"], 1e-7) for call in chosen], color=colour,
                           marker=marker, linestyle="none")
        keys = [Line2D([], [], color=colour, marker=marker, linestyle="none", label=evidence_tables.name_of(code))
                for code, (colour, marker) in EVIDENCE_STYLE.items()]
        rest[0].legend(handles=keys, loc="center", frameon=False)
        figure.supxlabel(label, fontsize=9)
        figure.supylabel("deviation of log Z", fontsize=9)
        figure.suptitle(f"log Z beside other codes, against {label.split(',')[0]} (one thread of an AMD EPYC)", fontsize=11)
        figure.savefig(folder / f"evidence-{equal}.svg", metadata={"Date": None, "Creator": "kubature, perf/plots.py"})


def main(path):
    if pathlib.Path(path).name == "evidence-beside.jsonl":
        draw_evidence(pathlib.Path(path).parent)
        return
    record = ladder.load(path)
    draw = {"cubature-ladder": draw_ladder, "vegas-plus": draw_vegas_plus,
            "mixed-precision": draw_mixed_precision, "qmc": draw_qmc, "scaling": draw_scaling}.get(record["study"])
    if draw is None:
        sys.exit(f"{path}: nothing to draw of {record['study']}")
    draw(record, pathlib.Path(path).parent)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: plots.py RECORD.json")
    main(sys.argv[1])
