"""Plots with matplotlib, which must be installed: the convergence of iterations, a trained map, the regions that
cubature bisects, the precisions of regions. Each function returns the figure, whose savefig("name.svg") or
savefig("name.png") saves it."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Sequence

from . import _kubature
from ._device import on_device
from ._integrator import Integrator, integrate
from ._result import Progress, Result, _first

__all__ = ["convergence", "map", "precisions", "regions"]

_formats = {"fp16": "#4daf4a", "fp32": "#0b62a4", "fp64": "#d1495b"}
_own, _so_far, _lines = "#8c8c8c", "#0b62a4", "#d1495b"


def _subplots(*args: Any, **kwargs: Any) -> Any:
    from matplotlib import pyplot

    return pyplot.subplots(*args, layout="constrained", **kwargs)


def _drawn(x: float) -> float:
    """A number that matplotlib can draw; NaN, which is left out, for infinities and numbers near them."""
    return x if abs(x) < 1e300 else math.nan


def convergence(result: Result, truth: float | None = None) -> Any:
    """The iterations of a Monte Carlo method with their errors, the value so far, and chi^2 per degree of freedom; for
    several components those of the first. Hollow points are left out of the result.

    truth  the exact value, if it is known
    """
    if not result.iterations:
        raise ValueError(f"result of {result.method}: it has no iterations")
    figure, (above, below) = _subplots(2, 1, sharex=True, height_ratios=(3, 1), figsize=(7, 5))
    for included in (True, False):
        chosen = [(n, each) for n, each in enumerate(result.iterations, 1) if each.included is included]
        if chosen:
            above.errorbar(
                [n for n, _ in chosen],
                [_drawn(_first(each.value)) for _, each in chosen],
                [_drawn(_first(each.error)) for _, each in chosen],
                fmt="o",
                markersize=4,
                color=_own,
                markerfacecolor=_own if included else "white",
                capsize=2,
                label="iteration" if included else "left out",
            )
    known = [(n, each) for n, each in enumerate(result.averages, 1) if not math.isnan(each.value)]
    if known:
        numbers = [n for n, _ in known]
        above.plot(numbers, [_drawn(each.value) for _, each in known], color=_so_far, label="so far")
        band = [[_drawn(each.value + s * each.error) for _, each in known] for s in (-1, 1)]
        above.fill_between(numbers, *band, color=_so_far, alpha=0.25, linewidth=0)
        _show(above, numbers, band)
    if truth is not None:
        above.axhline(truth, color=_lines, linewidth=1, linestyle="--", label="exact")
    above.set_ylabel("integral")
    above.set_title(f"{result.method}: {str(result).split('  ')[0]}")
    above.legend(frameon=False)
    agreed = [(n, each.chi2 / each.dof) for n, each in known if each.dof > 0]
    below.axhline(1, color=_own, linewidth=1)
    below.plot([n for n, _ in agreed], [_drawn(ratio) for _, ratio in agreed], "o-", markersize=3, color=_so_far)
    below.set_ylim(0, max([2.0, *(1.15 * ratio for _, ratio in agreed if ratio < 1e300)]))
    below.set_ylabel(r"$\chi^2$/dof")
    below.set_xlabel("iteration")
    from matplotlib.ticker import MaxNLocator

    below.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _show(axes: Any, numbers: Sequence[int], band: Sequence[Sequence[float]]) -> None:
    """Clips early iterations that are so far off that the value so far would look like a line."""
    middle = (band[0][-1] + band[1][-1]) / 2
    late = max(1, len(numbers) // 4)
    reach = 6 * max(abs(edge - middle) for side in band for edge in side[late:] or side)
    low, high = axes.get_ylim()
    if reach > 0 and math.isfinite(middle):
        axes.set_ylim(max(low, middle - reach), min(high, middle + reach))


def _two_sides(box: Any, what: str) -> list[tuple[float, float]]:
    sides = [(float(a), float(b)) for a, b in box]
    if len(sides) != 2 or not all(math.isfinite(x) for side in sides for x in side):
        raise ValueError(f"box = {sides}: a plot of {what} needs two variables with finite limits")
    return sides


def _background(axes: Any, f: Callable[..., Any] | None, sides: Any) -> None:
    """The integrand as shading, at the centres of a fine grid."""
    import numpy

    (a, b), (c, d) = sides
    axes.set_xlim(a, b)
    axes.set_ylim(c, d)
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    if f is None:
        return
    size = 300
    x, y = (low + (high - low) * (numpy.arange(size) + 0.5) / size for low, high in sides)
    at = numpy.stack(numpy.meshgrid(x, y), axis=-1).reshape(-1, 2)
    values = numpy.asarray(f(numpy.asfortranarray(at)), dtype=float).reshape(size, size)
    shown = axes.imshow(values, origin="lower", extent=(a, b, c, d), aspect="auto", cmap="Greys", alpha=0.6, interpolation="nearest")
    axes.figure.colorbar(shown, ax=axes, label="integrand")


def map(
    map: Any, box: Iterable[Sequence[float]], f: Callable[..., Any] | None = None, lines: int = 40
) -> Any:
    """The grid of a VEGAS map of two variables: between neighbouring lines lie equally many samples, strata aside.

    map    an Integrator, or the edges that its map() returns
    f      the integrand, a function of (n, 2) points, to be shown below
    lines  approximate number of lines along each axis
    """
    edges = map.map() if isinstance(map, Integrator) else [list(axis) for axis in map]
    sides = _two_sides(box, "a map")
    if len(edges) == 1:
        edges = edges * 2
    if len(edges) != 2:
        raise ValueError(f"map = {len(edges)} axes: a plot of a map needs two variables")
    figure, axes = _subplots(figsize=(6.4, 5.4))
    _background(axes, f, sides)
    for axis, (low, high), draw in zip(edges, sides, (axes.axvline, axes.axhline)):
        bins = len(axis) - 1
        shown = min(lines, bins)
        for k in range(shown + 1):
            draw(low + (high - low) * axis[round(k * bins / shown)], color=_lines, linewidth=0.6)
    axes.set_title("map")
    return figure


def regions(f: Callable[..., Any], box: Iterable[Sequence[float]], **options: Any) -> Any:
    """The regions of PAGANI for a function of (n, 2) points, by the iteration that made them; finer ones lie above
    those that they were bisected from.

    options  options of the method, tolerances and limits, such as relative=1e-6
    """
    sides = _two_sides(box, "regions")
    from matplotlib import cm, collections, colors

    levels = recorded(f, sides, **options)
    figure, axes = _subplots(figsize=(6.4, 5.4))
    _background(axes, f, sides)
    norm = colors.BoundaryNorm([n - 0.5 for n in range(1, len(levels) + 2)], 256) if levels else None
    for number, level in enumerate(levels, 1):
        corners = [
            [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)] for (x, y), (w, h) in level
        ]
        colour = cm.viridis(norm(number)) if norm else None
        axes.add_collection(
            collections.PolyCollection(corners, facecolors="none", edgecolors=[colour], linewidths=0.8, zorder=number + 1)
        )
    if norm:
        shades = cm.ScalarMappable(norm, "viridis")
        step = max(1, len(levels) // 10)
        figure.colorbar(shades, ax=axes, label="iteration", ticks=range(1, len(levels) + 1, step))
    axes.set_title(f"pagani: {sum(len(level) for level in levels)} regions in {len(levels)} iterations")
    return figure


def precisions(result: Result, box: Iterable[Sequence[float]], f: Callable[..., Any] | None = None) -> Any:
    """The precision given to each region of two variables by the method "mixed" with strategy="region".

    >>> import kubature
    >>> square = [(0, 1)] * 2
    >>> mixed = kubature.integrate("1/(1e-4 + (x-.3)^2 + (y-.4)^2)", square, method="mixed", strategy="region", evaluations=1e4)
    >>> mixed.parts[0].precision in ("fp16", "fp32", "fp64")
    True

    f  the integrand, a function of (n, 2) points, to be shown below
    """
    sides = _two_sides(box, "precisions")
    regions = [(bounds, part.precision) for part in result.parts if (bounds := _bounds(part.name))]
    if not regions or len(regions) < len(result.parts):
        raise ValueError(f"result of {result.method}: precisions were not chosen by region in two variables")
    from matplotlib import collections, patches

    figure, axes = _subplots(figsize=(6.4, 5.4))
    _background(axes, f, sides)
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
    figure.legend(handles=shown, loc="outside lower center", ncols=len(shown), frameon=False)
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


def recorded(f: Callable[..., Any], sides: Any, **options: Any) -> list[list[tuple[Any, Any]]]:
    """For each iteration of PAGANI, the (centre, half widths) of the regions that it evaluates, found from the points
    at which it calls f: those of a rule, the same for all regions up to size and position."""
    import numpy

    batches: list[tuple[int, Any]] = []
    done = 0

    def record(x: Any) -> Any:
        batches.append((done, numpy.array(x)))
        return f(x)

    def count(progress: Progress) -> None:
        nonlocal done
        done = progress.iteration

    if _kubature.device() != 1:
        raise RuntimeError("regions can only be recorded in builds for hosts")
    options.setdefault("close_look", False)  # which begins again on other grids
    integrate(on_device(record, "numpy"), sides, method="pagani", bar=False, callback=count, **options)
    whole = numpy.array([b - a for a, b in sides])
    rule = _rule(batches[0][1], whole) if batches else None
    if rule is None:
        return []
    levels: dict[int, list[Any]] = {}  # centres, and reaches of the rule's points
    for iteration, batch in batches:
        if len(batch) % len(rule) == 0:
            at = batch.reshape(len(rule), -1, 2)
            offsets = at - at[0]
            reach = abs(offsets).max(axis=0)
            # The others are second opinions, at other points.
            if numpy.allclose(offsets, rule[:, None, :] * reach, rtol=0, atol=1e-9 * whole.max()):
                levels.setdefault(iteration, []).append((at[0], reach))
    joined = [[numpy.concatenate(parts) for parts in zip(*levels[key])] for key in sorted(levels)]
    centres, reaches = joined[0]  # a grid
    cells = numpy.array([len(numpy.unique(centres[:, axis].round(12))) for axis in range(2)])
    scale = whole / (2 * cells * reaches[0])
    return [list(zip(centre.tolist(), (reach * scale).tolist())) for centre, reach in joined]


def _rule(batch: Any, whole: Any) -> Any:
    """The points of the rule around its centre, in units of the farthest ones, found from those of the first regions,
    which are of equal size. The centre comes first, and the points of all regions lie side by side. None if this is not
    so."""
    import numpy

    for points in range(5, len(batch) + 1):
        if len(batch) % points == 0:
            at = batch.reshape(points, -1, 2)
            offsets = at - at[0]
            if numpy.allclose(offsets, offsets[:, :1, :], rtol=0, atol=1e-12 * whole.max()):
                return offsets[:, 0, :] / abs(offsets[:, 0, :]).max(axis=0)
    return None
