"""The results of calls from the numbers that the extension module returns."""

from __future__ import annotations

import math
from typing import Any

from ._integrand import Prepared
from ._result import Iteration, Part, Progress, Result, averages


class History:
    """The values so far, by iteration, as reported to callbacks, for each call that "auto" makes; other methods make
    one."""

    def __init__(self) -> None:
        self.calls: list[dict[int, tuple[float, float]]] = [{}]
        self.iteration = 0

    def add(self, progress: Progress) -> None:
        if progress.iteration < self.iteration:
            self.calls.append({})
        self.iteration = progress.iteration
        self.calls[-1][progress.iteration] = progress.value, progress.error

    def of(self, iterations: int, value: float) -> dict[int, tuple[float, float]]:
        """The values of the call that ended with this value."""
        if len(self.calls) == 1:
            return self.calls[0]
        ended = (call for call in reversed(self.calls) if call.get(iterations, (math.nan,))[0] == value)
        return next(ended, {})


def result(found: dict[str, Any], integrand: Prepared, history: History) -> Result:
    """What the extension module returned of a call, as a Result."""
    layout = integrand.layout
    found["text"] = "\n  ".join((found["text"], *integrand.remarks))
    found["remarks"] += integrand.remarks
    first = [Iteration(values[0], errors[0], *rest) for values, errors, *rest in found["iterations"]]
    iterations = [Iteration(layout.pack(value), layout.pack(error), *rest) for value, error, *rest in found["iterations"]]
    so_far = history.of(len(first), found["value"][0])
    if first and first[-1].included:
        so_far[len(first)] = found["value"][0], found["error"][0]
    found["averages"] = averages(first, so_far)
    found["iterations"] = tuple(iterations)
    found["parts"] = tuple(Part(*part) for part in found["parts"])
    found["layout"] = layout
    found["values"], found["errors"] = tuple(found["value"]), tuple(found["error"])
    if not layout.one and found["covariance"] is not None:
        import numpy

        found["covariance"] = numpy.reshape(found["covariance"], (layout.components, layout.components))
    elif layout.one:
        found["covariance"] = None
    for name in ("value", "error"):
        found[name] = layout.pack(found[name])
    for name in ("chi2_per_dof", "q_value"):
        found[name] = layout.pack(found[name], pairs=True)
    return Result(**found)
