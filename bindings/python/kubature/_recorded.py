"""The points and the regions at which a method evaluates an integrand."""

from __future__ import annotations

from typing import Any, Callable

from . import _kubature
from ._device import on_device
from ._domain import Region
from ._integrator import Integrator, integrate
from ._result import Progress, Result


def regions(f: Callable[..., Any], sides: Any, **options: Any) -> tuple[list[list[tuple[Any, Any]]], Result]:
    """For each iteration of PAGANI, the (centre, half widths) of the regions that it evaluates, found from the points
    at which it calls f: those of a rule, the same for all regions up to size and position; and the result."""
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
    result = integrate(on_device(record, "numpy"), sides, method="pagani", bar=False, callback=count, **options)
    whole = numpy.array([b - a for a, b in sides])
    rule = _rule(batches[0][1], whole) if batches else None
    if rule is None:
        return [], result
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
    return [list(zip(centre.tolist(), (reach * scale).tolist())) for centre, reach in joined], result


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


def points(f: Callable[..., Any], region: Region, method: str, **options: Any) -> tuple[Any, Result]:
    """The points at which a method evaluates f of arrays, an array (n, d): those of the last iteration, of cubature all
    of them; and the result."""
    import numpy

    batches: list[list[Any]] = [[]]

    def record(x: Any) -> Any:
        batches[-1].append(numpy.array(x))
        return f(x)

    def count(progress: Progress) -> None:
        if progress.iteration >= len(batches) and batches[-1]:
            batches.append([])

    result = Integrator(region, method, **options)(record, components=1, bar=False, callback=count)
    # After the last iteration a sampling method looks at values near the faces of the box.
    kept = batches if result.regions else batches[:-1][-1:] or batches
    return numpy.concatenate([batch for each in kept for batch in each]), result
