"""Plots of the iterations of a result."""

from __future__ import annotations

import math
from typing import Any, Sequence

from ._layout import Layout
from ._result import Result, _first

_own, _so_far, _exact = "#8c8c8c", "#0b62a4", "#d1495b"
#: Of several components, Okabe and Ito's.
_colours = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#999999")


def subplots(*args: Any, **kwargs: Any) -> Any:
    from matplotlib import pyplot

    return pyplot.subplots(*args, layout="constrained", **kwargs)


def short(result: Result) -> str:
    """The value, as far as there is room."""
    text = str(result)
    return text if len(text) < 40 else text[:37].rsplit(" ", 1)[0] + " ..."


def _number(x: float) -> float:
    """A number that matplotlib can draw; NaN, which is left out, for infinities and numbers near them."""
    return x if abs(x) < 1e300 else math.nan


def component_names(layout: Layout) -> list[str]:
    """Of each number."""
    names: list[str] = []
    keys = layout.keys if layout.keys is not None else [None] * len(layout.shapes)
    for key, shape in zip(keys, layout.shapes):
        size = math.prod(shape)
        words = [str(i + 1) for i in range(size)]
        if layout.complex:
            words = [f"{i // 2 + 1} " * (size > 2) + ("real", "imaginary")[i % 2] for i in range(size)]
        if key is None:
            names += words if layout.complex else [f"component {word}" for word in words]
        else:
            names += [str(key)] if size == 1 else [f"{key} {word}" for word in words]
    return names


def _flat(x: Any, layout: Layout) -> list[float]:
    """The real numbers of a value."""
    import numpy

    parts = [x] if layout.keys is None else [x[key] for key in layout.keys]
    kind = numpy.complex128 if layout.complex else numpy.float64
    return [float(each) for part in parts for each in numpy.atleast_1d(numpy.asarray(part, kind)).ravel().view(numpy.float64)]


def _errors(result: Result, place: int) -> list[tuple[int, float]]:
    """The errors so far of a component after each iteration. Of a single component they are known; of several they follow from
    the iterations of a sampling method, each weighted by its variance, and from the last one of cubature."""
    found, inverse = [], 0.0
    for number, (iteration, average) in enumerate(zip(result.iterations, result.averages), 1):
        own = _flat(iteration.error, result.layout)[place]
        if result.layout.components == 1:
            found.append((number, average.error))
        elif result.regions or result.method == "qmc":  # whose iterations begin with all points so far
            found.append((number, own))
        elif iteration.included and own > 0:
            inverse += (1 / own) ** 2 if own > 1e-150 else math.inf
            found.append((number, inverse**-0.5 if inverse < math.inf else 0.0))
    if found and result.iterations:
        found[-1] = (found[-1][0], result.errors[place])
    return [(number, error) for number, error in found if 0 < error < 1e300]


def _draw_estimates(axes: Any, result: Result, truth: float | None) -> None:
    """The first component of each iteration with its error, and the value so far."""
    for included in (True, False):
        chosen = [(n, each) for n, each in enumerate(result.iterations, 1) if each.included is included]
        if chosen:
            axes.errorbar(
                [n for n, _ in chosen],
                [_number(_first(each.value)) for _, each in chosen],
                [_number(_first(each.error)) for _, each in chosen],
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
        axes.plot(numbers, [_number(each.value) for _, each in known], color=_so_far, label="so far")
        band = [[_number(each.value + s * each.error) for _, each in known] for s in (-1, 1)]
        axes.fill_between(numbers, *band, color=_so_far, alpha=0.25, linewidth=0)
        _show(axes, numbers, band)
    if truth is not None:
        axes.axhline(truth, color=_exact, linewidth=1, linestyle="--", label="exact")
    axes.set_ylabel("integral" if result.layout.components == 1 else component_names(result.layout)[0])
    axes.legend(frameon=False)


def _show(axes: Any, numbers: Sequence[int], band: Sequence[Sequence[float]]) -> None:
    """Clips early iterations that are so far off that the value so far would look like a line."""
    middle = (band[0][-1] + band[1][-1]) / 2
    late = max(1, len(numbers) // 4)
    reach = 6 * max(abs(edge - middle) for side in band for edge in side[late:] or side)
    low, high = axes.get_ylim()
    if reach > 0 and math.isfinite(middle):
        axes.set_ylim(max(low, middle - reach), min(high, middle + reach))


def _draw_errors(axes: Any, result: Result, truth: float | None) -> None:
    """The error of each component on a logarithmic axis, and the tolerance."""
    names = component_names(result.layout)
    for place, colour in zip(range(len(names)), _colours):
        errors = _errors(result, place)
        label = "error" if len(names) == 1 else f"{names[place]}: error"
        axes.plot([n for n, _ in errors], [e for _, e in errors], "o-", markersize=3, color=colour, label=label)
        tolerance = max(result.relative * abs(result.values[place]), result.absolute)
        if 0 < tolerance < 1e300:
            last = place == min(len(names), len(_colours)) - 1
            label = "tolerance" if len(names) == 1 else "tolerances" if last else ""
            axes.axhline(tolerance, color=colour, linewidth=1, linestyle="--", label=label or None)
    if truth is not None:
        off = [(n, abs(each.value - truth)) for n, each in enumerate(result.averages, 1)]
        off = [(n, distance) for n, distance in off if 0 < distance < 1e300]
        axes.plot([n for n, _ in off], [d for _, d in off], "x", markersize=5, color=_exact, label="distance from exact")
    axes.set_yscale("log")
    axes.set_ylabel("error")
    axes.legend(frameon=False, fontsize="small" if len(names) > 3 else None)


def drawn(result: Result, truth: float | None) -> Any:
    """See plot.convergence()."""
    if not result.iterations:
        raise ValueError(f"result of {result.method}: it has no iterations")
    agreed = [(n, each.chi2 / each.dof) for n, each in enumerate(result.averages, 1) if each.dof > 0]
    agreed = [] if math.isnan(_first(result.chi2_per_dof)) else [(n, ratio) for n, ratio in agreed if not math.isnan(ratio)]
    heights: list[float] = [] if result.regions else [3]
    heights += [3] + [1.2] * bool(agreed)
    figure, axes = subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights, figsize=(7, 1.2 + sum(heights)))
    panels = list(axes[:, 0])
    if not result.regions:
        _draw_estimates(panels[0], result, truth)
    _draw_errors(panels[1 if len(panels) > 1 and not result.regions else 0], result, truth)
    if agreed:
        panels[-1].axhline(1, color=_own, linewidth=1)
        panels[-1].plot([n for n, _ in agreed], [_number(ratio) for _, ratio in agreed], "o-", markersize=3, color=_so_far)
        panels[-1].set_ylim(0, max([2.0, *(1.15 * ratio for _, ratio in agreed if ratio < 1e300)]))
        panels[-1].set_ylabel(r"$\chi^2$/dof")
    panels[0].set_title(f"{result.method}: {short(result)}, {result.evaluations:,} evaluations")
    panels[-1].set_xlabel("iteration")
    count = len(result.iterations)
    panels[-1].set_xticks(range(1, count + 1, max(1, round(count / 10))))
    panels[-1].set_xlim(0.5, count + 0.5)
    return figure
