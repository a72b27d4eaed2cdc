"""Histograms: parts of an integral, by the value of an observable."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Sequence

from ._integrand import Formulas
from ._integrator import integrate
from ._kubature import InvalidArgument
from ._numbers import Estimate, format
from ._result import Result

#: Names in formulas.
_value, _of = "kubature_value", "kubature_observable"


@dataclasses.dataclass(frozen=True, eq=False)
class Histogram:
    """An integral, and its parts in which an observable falls into each bin."""

    #: The ends of the bins, one more than there are bins.
    edges: Any
    #: The part of the integral in each bin, an array, and its error.
    value: Any
    error: Any
    #: The whole integral, with what lies outside of all bins.
    integral: Estimate
    #: That of the call: the integral is its first component, the bins are the others.
    result: Result

    @property
    def density(self) -> Any:
        """The value over the width of each bin."""
        import numpy

        return self.value / numpy.diff(self.edges)

    @property
    def covariance(self) -> Any:
        """That of the errors of the bins; None if it is not known."""
        return None if self.result.covariance is None else self.result.covariance[1:, 1:]

    def __str__(self) -> str:
        lines = [
            f"{low:g} to {high:g}  {format(value, error)}"
            for low, high, value, error in zip(self.edges, self.edges[1:], self.value, self.error)
        ]
        return "\n".join((str(self.integral), *lines))


def _edges(bins: Any, range: Sequence[float] | None) -> Any:
    import numpy

    try:
        edges = numpy.array(bins, dtype=numpy.float64)
        if edges.ndim == 0:
            number = int(bins)
            low, high = (float(end) for end in (range if range is not None else (math.nan, math.nan)))
            if number != bins or number < 1 or not low < high:
                raise ValueError
            edges = numpy.linspace(low, high, number + 1)
    except (TypeError, ValueError, OverflowError):
        edges = numpy.zeros(0)
    if edges.ndim != 1 or len(edges) < 2 or not numpy.isfinite(edges).all() or not (numpy.diff(edges) > 0).all():
        raise InvalidArgument(
            f"bins = {bins!r}: edges that ascend are needed, or a number of bins with range=(lower, upper), not {range!r}"
        )
    return edges


def _of_formula(f: str, observable: str, edges: Sequence[float]) -> Formulas:
    definitions, semicolon, value = f.rpartition(";")
    text = f"{definitions}{semicolon} let {_value} = {value.strip()}; let {_of} = {observable}; {_value}"
    for low, high in zip(edges, edges[1:]):
        text += f"; if({low!r} <= {_of} && {_of} < {high!r}, {_value}, 0)"
    return Formulas(text)


def _of_function(f: Callable[..., Any], observable: Callable[..., Any], edges: Any) -> Callable[..., Any]:
    def values(x: Any) -> Any:
        import numpy

        value, of = numpy.asarray(f(x)), numpy.asarray(observable(x))
        if value.shape != (len(x),) or of.shape != (len(x),):
            raise ValueError(f"f and observable returned arrays of shapes {value.shape} and {of.shape} for {len(x)} points")
        columns = numpy.zeros((len(x), len(edges)))
        columns[:, 0] = value
        bins = numpy.searchsorted(edges, of, side="right")  # 0 and len(edges): outside
        inside = (bins > 0) & (bins < len(edges))
        columns[numpy.nonzero(inside)[0], bins[inside]] = value[inside]
        return columns

    return values


def histogram(
    f: Any,
    box: Any,
    observable: Any,
    bins: Any = 10,
    range: Sequence[float] | None = None,
    **options: Any,
) -> Histogram:
    """Integrates f, and its parts in which an observable falls into each bin, with the same points.

    >>> found = histogram("exp(-x-y)", [(0, 1)] * 2, "x + y", bins=4, range=(0, 2), evaluations=1e5, iterations=8)
    >>> bool(abs(found.value.sum() - found.integral.value) < 1e-12), found.density.shape
    (True, (4,))

    f           a formula, or a function of arrays of points
    box         the sides, or what else integrate() takes
    observable  of a formula a formula, of a function a function of arrays
    bins        the number of bins of equal width in range, (lower, upper); or the edges of all bins, as of numpy.histogram
    options     those of integrate(); a tolerance is that of the integral and of each bin

    Points outside of all bins count in the integral alone. A bin contains its lower edge.
    """
    edges = _edges(bins, range)
    if isinstance(f, str) and isinstance(observable, str):
        integrand: Any = _of_formula(f, observable, edges.tolist())
    elif callable(f) and callable(observable):
        integrand = _of_function(f, observable, edges)
    else:
        raise InvalidArgument(f"observable = {observable!r}: a formula is needed for a formula, and a function for a function")
    result = integrate(integrand, box, **options)
    return Histogram(edges, result.value[1:], result.error[1:], Estimate(result.value[0], result.error[0]), result)
