"""Plots with matplotlib, which must be installed: the convergence of iterations, the map that VEGAS+ trains, the points
at which a method evaluates, the regions that cubature bisects, the precisions of regions. Each function returns the
figure, whose savefig("name.svg") or savefig("name.png") saves it.

Integrands are formulas, or functions as integrate() takes them; options are those of integrate(). A command does the
same: python3 -m kubature.plot "exp(-x*y)".
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Sequence

from . import _convergence, _recorded
from ._convergence import component_names, short, subplots
from ._domain import Region
from ._formula import function, single
from ._integrator import Integrator, integrate, separated
from ._layout import formulas
from ._pointwise import PointFunction, tried
from ._result import Result

__all__ = ["convergence", "map", "points", "precisions", "regions"]

_formats = {"fp16": "#4daf4a", "fp32": "#0b62a4", "fp64": "#d1495b"}
_graph, _points, _lines = "#8c8c8c", "#0b62a4", "#d1495b"
#: What ends a call unless its options do.
_enough = {"relative": 1e-6, "max_evaluations": 1e6}


def _limited(options: dict[str, Any]) -> dict[str, Any]:
    """Options that end a call."""
    given = {"relative", "absolute", "evaluations", "max_evaluations", "iterations", "seconds"} & options.keys()
    return options if given else {**_enough, **options}


def _few_regions(options: dict[str, Any]) -> dict[str, Any]:
    """Options that end a call before there are more regions than can be seen."""
    options = _limited(options)
    return options if {"evaluations", "max_evaluations"} & options.keys() else {"max_evaluations": 1e6, **options}


class _Drawn:
    """An integrand that is drawn: one component, as a function of arrays of points."""

    def __init__(self, f: Any, region: Region, options: dict[str, Any], component: Any = 0) -> None:
        self.options, parameters = separated(f, options, self._taken(options, "parameters"))
        names = region.names(self._taken(self.options, "variables"))
        args = self._taken(self.options, "args") or ()
        self.label = "integrand"
        if isinstance(f, str):
            several = formulas(f) > 1
            self.values: Callable[[Any], Any] = function(single(f, component) if several else f, names, parameters or {})
            self.label = f"formula {component + 1}" if several else f if len(f) < 40 else "integrand"
            return
        keywords = dict(parameters or {})
        call, layout = tried(
            lambda x: f(x, *args, **keywords), PointFunction(f, args, keywords, arrays=True), region.inside()
        )
        place = layout.place(component) if component != 0 else 0
        if layout.components > 1:
            self.label = component_names(layout)[place]
        self.values = lambda x: layout.columns(call(x), len(x))[:, place]

    @staticmethod
    def _taken(options: dict[str, Any], name: str) -> Any:
        return options.pop(name, None)


def convergence(f: Any, box: Any = None, *, truth: float | None = None, **options: Any) -> Any:
    """The errors so far on a logarithmic axis, with the tolerance; of a sampling method also the iterations with the
    value so far, for the first component, and chi^2 per degree of freedom. Hollow points are left out of the result.

    f      a Result, or an integrand to integrate over the box
    truth  the exact value of the first component, if it is known
    """
    return _convergence.drawn(f if isinstance(f, Result) else integrate(f, box, **_limited(options)), truth)


def _two_sides(box: Any, what: str) -> tuple[list[tuple[float, float]], tuple[str, str], Region]:
    """The bounds and the names of two variables."""
    region = box if isinstance(box, Region) else Region(box, None, None)
    sides = list(zip(region.lower, region.upper))
    if len(sides) != 2 or region.sides is not None or not all(math.isfinite(x) for side in sides for x in side):
        raise ValueError(f"box = {region.shown}: a plot of {what} needs two variables with finite limits")
    names = region.variables or ["x", "y"]
    return sides, (names[0], names[1]), region


def _plane(sides: Sequence[tuple[float, float]], names: Sequence[str], bars: int = 1) -> tuple[Any, Any]:
    """A figure and axes for two variables, to the same scale unless the box is narrow.

    bars  number of colour bars at its right
    """
    (a, b), (c, d) = sides
    shape = (d - c) / (b - a)
    equal = 0.2 <= shape <= 5
    shape = shape if equal else 0.8
    width, height = (4.6, 4.6 * shape) if shape <= 1 else (4.6 / shape, 4.6)
    figure, axes = subplots(figsize=(max(width, 2.6) + 0.7 + 1.1 * bars, max(height, 1.6) + 0.9))
    if equal:
        axes.set_aspect("equal")
    axes.set_xlim(a, b)
    axes.set_ylim(c, d)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    return figure, axes


def _background(axes: Any, f: Callable[[Any], Any], sides: Any, label: str) -> None:
    """The integrand as shading, at the centres of a fine grid."""
    import numpy

    (a, b), (c, d) = sides
    size = 300
    x, y = (low + (high - low) * (numpy.arange(size) + 0.5) / size for low, high in sides)
    at = numpy.stack(numpy.meshgrid(x, y), axis=-1).reshape(-1, 2)
    with numpy.errstate(all="ignore"):
        values = numpy.asarray(f(numpy.asfortranarray(at)), dtype=float).reshape(size, size)
    values = numpy.where(numpy.isfinite(values) & (abs(values) < 1e300), values, numpy.nan)
    aspect, limits = axes.get_aspect(), (axes.get_xlim(), axes.get_ylim())
    shown = axes.imshow(
        values, origin="lower", extent=(a, b, c, d), aspect="auto", cmap="Greys", alpha=0.6, interpolation="nearest"
    )
    axes.set_aspect(aspect)
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
    axes.figure.colorbar(shown, ax=axes, label=label, shrink=0.9)


def map(map: Any, box: Any, f: Any = None, lines: int = 40, **options: Any) -> Any:
    """The grid of a VEGAS map of two variables: between neighbouring lines lie equally many samples, strata aside.

    map      an integrand, with which VEGAS+ trains a map; or an Integrator, or the edges that its map() returns
    f        with one of the latter, an integrand to be shown below
    lines    approximate number of lines along each axis
    options  of a map to be trained; evaluations is 1e5 unless it is given
    """
    sides, names, region = _two_sides(box, "a map")
    title = "map"
    if isinstance(map, str) or (callable(map) and not isinstance(map, Integrator)):
        integrand, f = map, map
        call = {"evaluations": 1e5, **options}
        call_options = {name: call.pop(name) for name in ("args", "parameters", "variables") if name in call}
        call, call_options["parameters"] = separated(f, call, call_options.get("parameters"))
        map = Integrator(region, "vegas+", **call)
        title = f"map of vegas+: {short(map(integrand, bar=False, **call_options))}"
    edges = map.map() if isinstance(map, Integrator) else [list(axis) for axis in map]
    if len(edges) == 1:
        edges = edges * 2
    if len(edges) != 2:
        raise ValueError(f"map = {len(edges)} axes: a plot of a map needs two variables")
    figure, axes = _plane(sides, names, 1 if f is not None else 0)
    if f is not None:
        drawn = _Drawn(f, region, dict(options))
        _background(axes, drawn.values, sides, drawn.label)
    for axis, (low, high), draw in zip(edges, sides, (axes.axvline, axes.axhline)):
        bins = len(axis) - 1
        shown = min(lines, bins)
        for k in range(shown + 1):
            draw(low + (high - low) * axis[round(k * bins / shown)], color=_lines, linewidth=0.6)
    axes.set_title(title)
    return figure


def regions(f: Any, box: Any, component: Any = 0, **options: Any) -> Any:
    """The regions of PAGANI for an integrand of two variables, by the iteration that made them; finer ones lie above
    those that they were bisected from. In builds for hosts. There are at most 1e6 evaluations unless options say so.

    component  which one of several, by its place or key
    """
    sides, names, region = _two_sides(box, "regions")
    from matplotlib import cm, collections, colors

    drawn = _Drawn(f, region, options, component)
    levels, result = _recorded.regions(drawn.values, sides, **_few_regions(drawn.options))
    figure, axes = _plane(sides, names, 2 if len(levels) > 1 else 1)
    _background(axes, drawn.values, sides, drawn.label)
    shades = colors.LinearSegmentedColormap.from_list("iterations", cm.viridis([x / 255 for x in range(220)]))
    norm = colors.BoundaryNorm([n - 0.5 for n in range(1, len(levels) + 2)], 256) if levels else None
    for number, level in enumerate(levels, 1):
        corners = [
            [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)] for (x, y), (w, h) in level
        ]
        colour = shades(norm(number)) if norm else None
        axes.add_collection(
            collections.PolyCollection(corners, facecolors="none", edgecolors=[colour], linewidths=0.8, zorder=number + 1)
        )
    if norm and len(levels) > 1:
        step = max(1, len(levels) // 10)
        figure.colorbar(
            cm.ScalarMappable(norm, shades), ax=axes, label="iteration", ticks=range(1, len(levels) + 1, step), shrink=0.9
        )
    count = sum(len(level) for level in levels)
    axes.set_title(f"pagani: {short(result)}\n{count:,} regions in {len(levels)} iteration{'s' * (len(levels) != 1)}")
    return figure


def points(f: Any, box: Any, method: str = "vegas+", number: int | None = None, component: Any = 0, **options: Any) -> Any:
    """The points at which a method evaluates an integrand: those of its last iteration, of cubature all of them. In one
    variable they lie on the graph of the integrand; of more than two variables, the first two are shown.

    box        as integrate() takes it, or a shape
    method     a sampling method draws 1e4 points per iteration unless options say otherwise
    number     up to this many points are shown, chosen at random; None: 3000, and 300 in one variable
    component  which one of several, by its place or key
    """
    import numpy

    region = box if isinstance(box, Region) else Region(box, None, None)
    drawn = _Drawn(f, region, options, component)
    alone = {} if method == "mixed" else {"channels": "never"}
    if method in ("pagani", "two-phase"):
        alone["close_look"] = False
    own = {**alone, **drawn.options}
    if not {"relative", "absolute", "evaluations", "max_evaluations", "iterations"} & own.keys():
        own = {**(_enough if method in ("pagani", "two-phase", "auto") else {"evaluations": 1e4}), **own}
    x, result = _recorded.points(drawn.values, region, method=method, **own)
    d = x.shape[1]
    number = number or (300 if d == 1 else 3000)
    if len(x) > number:  # at random: their order is that of strata
        x = x[numpy.random.default_rng(0).choice(len(x), number, replace=False)]
    names = [*(region.variables or (f"xyzwvuts"[:d] if d <= 8 else [f"x{i + 1}" for i in range(d)]))]
    if d == 1:
        figure, axes = subplots(figsize=(6.4, 4.4))
        order = numpy.argsort(x[:, 0])
        axes.plot(x[order, 0], drawn.values(numpy.asfortranarray(x[order])), color=_graph, linewidth=1, zorder=1)
        axes.scatter(x[:, 0], drawn.values(numpy.asfortranarray(x)), s=6, color=_points, zorder=2)
        axes.set_xlabel(names[0])
        axes.set_ylabel(drawn.label)
    else:
        lower, upper = x[:, :2].min(axis=0), x[:, :2].max(axis=0)
        ends = list(zip(region.lower, region.upper))[:2] or [(-math.inf, math.inf)] * 2
        finite = region.sides is None and all(math.isfinite(each) for end in ends for each in end)
        sides = ends if finite else [(a - 0.03 * (b - a), b + 0.03 * (b - a)) for a, b in zip(lower, upper)]
        shaded = finite and d == 2
        figure, axes = _plane(sides, names, 1 if shaded else 0)
        if shaded:
            _background(axes, drawn.values, sides, drawn.label)
        axes.scatter(x[:, 0], x[:, 1], s=3, color=_points, linewidths=0)
    axes.set_title(f"{result.method}: {short(result)}\n{len(x):,} points, {result.evaluations:,} evaluations")
    return figure


def precisions(result: Result, box: Any, f: Any = None) -> Any:
    """The precision given to each region of two variables by the method "mixed" with strategy="region".

    >>> import kubature
    >>> square = [(0, 1)] * 2
    >>> mixed = kubature.integrate("1/(1e-4 + (x-.3)^2 + (y-.4)^2)", square, method="mixed", strategy="region", evaluations=1e4)
    >>> mixed.parts[0].precision in ("fp16", "fp32", "fp64")
    True

    f  the integrand, to be shown below
    """
    sides, names, region = _two_sides(box, "precisions")
    regions = [(bounds, part.precision) for part in result.parts if (bounds := _bounds(part.name))]
    if not regions or len(regions) < len(result.parts):
        raise ValueError(f"result of {result.method}: precisions were not chosen by region in two variables")
    from matplotlib import collections, patches

    figure, axes = _plane(sides, names, 1 if f is not None else 0)
    if f is not None:
        drawn = _Drawn(f, region, {})
        _background(axes, drawn.values, sides, drawn.label)
    shown = []
    for precision, colour in _formats.items():
        corners = [
            [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])] for (x, y), chosen in regions if chosen == precision
        ]
        if corners:
            axes.add_collection(
                collections.PolyCollection(corners, facecolors=colour, edgecolors="white", linewidths=0.4, alpha=0.55)
            )
            share = sum(part.share for part in result.parts if part.precision == precision)
            label = f"{precision}: {len(corners)} regions, {share:.0%} of the box"
            shown.append(patches.Patch(color=colour, alpha=0.55, label=label))
    figure.legend(handles=shown, loc="outside lower center", ncols=1, frameon=False)
    axes.set_title(f"{result.method}: precision by region")
    return figure


def _bounds(name: str) -> list[list[float]] | None:
    """[[0, 0.25], [0.5, 1]] for "[0,0.25]x[0.5,1]"; None for other parts."""
    if not (name.startswith("[") and name.endswith("]")):
        return None
    try:
        bounds = [[float(bound) for bound in side.split(",")] for side in name[1:-1].split("]x[")]
    except ValueError:
        return None
    return bounds if [len(side) for side in bounds] == [2, 2] else None


if __name__ == "__main__":
    import sys

    from ._plot_command import main

    sys.exit(main(sys.argv[1:]))
