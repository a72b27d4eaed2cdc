"""Paths of Gaussian processes, as domains of functions of arrays."""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from . import _kubature
from ._kubature import InvalidArgument


def _dates(dates: Any) -> Any:
    import numpy

    try:
        array = numpy.array(dates, dtype=numpy.float64)
    except (TypeError, ValueError):
        array = numpy.empty(())
    if array.ndim != 1 or array.size == 0:
        raise InvalidArgument(f"dates = {dates!r}: a sequence of numbers is needed")
    for i, date in enumerate(array.tolist()):
        if not (math.isfinite(date) and date >= 0):
            raise InvalidArgument(f"dates[{i}] = {date!r}: must be finite and not negative")
        if i > 0 and date <= array[i - 1]:
            raise InvalidArgument(f"dates[{i}] = {date!r}: must be after the date before")
    return array


def _covariance(covariance: Any, dates: Any) -> Any:
    """The covariance as a matrix."""
    import numpy

    n = len(dates)
    if covariance is None:
        return numpy.minimum.outer(dates, dates)
    if callable(covariance):
        try:
            return numpy.array([[float(covariance(s, t)) for t in dates] for s in dates.tolist()])
        except TypeError:
            raise InvalidArgument(f"covariance = {covariance!r}: must give a number for two dates") from None
    try:
        matrix = numpy.array(covariance, dtype=numpy.float64, order="C")
    except (TypeError, ValueError):
        matrix = numpy.empty(())
    if matrix.shape != (n, n):
        shape = f"an array of shape {matrix.shape}" if matrix.ndim else repr(covariance)
        raise InvalidArgument(f"covariance = {shape}: {n} rows of {n} numbers, or a function of two dates, are needed")
    return matrix


class Path:
    """The values of a Gaussian process with mean zero at some dates, as a domain for functions of arrays: f gets paths,
    (n, d), one column per date. The integral over the domain is an expectation.

    dates       ascending numbers, not negative
    covariance  None: Brownian motion, min(s, t). A function k(s, t) of two dates, or a matrix
    by          what the first variables decide, in which quasi-Monte Carlo is best: "bridge", the last date and then the
                middles of ever shorter gaps; "principal", the principal components; "steps", the dates in their order

    >>> import kubature, numpy
    >>> path = Path([0.25, 0.5, 0.75, 1])
    >>> found = kubature.integrate(lambda w: numpy.exp(w[:, 3]), path, method="qmc", evaluations=2**16)
    >>> abs(found.value / numpy.exp(0.5) - 1) < 1e-3
    True
    """

    def __init__(self, dates: Sequence[float], covariance: Any = None, by: str = "bridge") -> None:
        import numpy

        self._dates, self._by = _dates(dates), by
        if by not in ("steps", "bridge", "principal"):
            raise InvalidArgument(f"by = {by!r}: must be steps, bridge or principal")
        self._matrix = numpy.ascontiguousarray(_covariance(covariance, self._dates))
        _kubature.path_matrix(self._matrix, by)

    @property
    def dates(self) -> Any:
        """The dates, as an array."""
        return self._dates.copy()

    @property
    def dimension(self) -> int:
        """The number of dates, and of variables."""
        return len(self._dates)

    @property
    def matrix(self) -> Any:
        """A, with A @ A.T the covariance: A @ z is the path of d independent normal numbers z."""
        return self._matrix.copy()

    def __call__(self, u: Any) -> Any:
        """The paths of points u of the unit cube: arrays (n, d)."""
        import numpy

        z = numpy.array(numpy.transpose(u), dtype=numpy.float64, order="C")  # the coordinates side by side
        _kubature.normal_quantiles(z)
        return (self._matrix @ z).T

    def __repr__(self) -> str:
        return f"<Path of {self.dimension} dates, by={self._by!r}>"


class PathMap:
    """The map from the unit cube to paths, in the form of _limits.Sides."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lower, self.upper = [0.0] * path.dimension, [1.0] * path.dimension

    @staticmethod
    def wanted(f: Any) -> str:
        """What is wrong with an integrand that is no function of arrays."""
        return "paths are for functions that get NumPy's arrays"

    def inside(self, parts: Sequence[float]) -> Any:
        """As many paths as there are parts, for a trial call of a function."""
        return self._path([[part] * self._path.dimension for part in parts])

    def over(self, f: Callable[[Any, Any], Any], components: int) -> Callable[[Any], Any]:
        """The integrand in the variables of the cube, of f(paths, None)."""
        return lambda u: f(self._path(u), None)
