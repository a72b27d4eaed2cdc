"""The map of kubature.vegas, with vegas's names."""

from __future__ import annotations

from typing import Any, Sequence

import numpy


def _nodes(nodes: Any) -> Any:
    axis = numpy.array(nodes, dtype=numpy.float64)
    if axis.ndim != 1 or len(axis) < 2 or not numpy.all(numpy.isfinite(axis)) or numpy.any(numpy.diff(axis) <= 0):
        raise ValueError(f"grid = {nodes!r}: two nodes or more that rise are needed for each axis")
    return axis


def _adapted(axis: Any, data: tuple[Any, Any], alpha: float, count: int) -> Any:
    """The nodes of an axis after training."""
    total, points = data
    average = total / numpy.maximum(points, 1)
    if len(average) > 1:  # over three bins, with weights 1, 6 and 1
        inside = numpy.pad(average, 1, mode="edge")
        average = (inside[:-2] + 6 * average + inside[2:]) / 8
    whole = average.sum()
    if not (numpy.isfinite(whole) and whole > 0):
        return numpy.interp(numpy.linspace(0, 1, count + 1), numpy.linspace(0, 1, len(axis)), axis)
    share = average / whole
    if alpha > 0:
        inner = (share > 0) & (share < 1)
        damped = numpy.where(share >= 1, 1.0, 0.0)
        damped[inner] = ((1 - share[inner]) / -numpy.log(share[inner])) ** alpha
        share = damped / damped.sum()
    reached = numpy.concatenate([[0], numpy.cumsum(share)])
    nodes = numpy.interp(numpy.linspace(0, reached[-1], count + 1), reached, axis)
    nodes[0], nodes[-1] = axis[0], axis[-1]
    return nodes


class AdaptiveMap:
    """The map x(y) with which VEGAS samples: piecewise linear between nodes along each axis, for y from 0 to 1.

    >>> m = AdaptiveMap([[0, 1], [-1, 1]], ninc=2)
    >>> print(m.settings())
        grid[ 0] = [0.  0.5 1. ]
        grid[ 1] = [-1.  0.  1.]
    <BLANKLINE>
    >>> m([[0.25, 0.25]]), m.jac([[0.25, 0.25]])
    (array([[ 0.25, -0.5 ]]), array([2.]))

    grid  for each axis the nodes in x, ascending; or another AdaptiveMap
    ninc  number of bins along each axis, or one number for all; None: as in the grid
    """

    grid: list[Any]  #: the nodes along each axis, an array

    def __init__(self, grid: Any, ninc: Any = None) -> None:
        if isinstance(grid, AdaptiveMap):
            grid = grid.grid
        self.grid = [_nodes(axis) for axis in grid]
        self.clear()
        if not self.grid:
            raise ValueError("grid = []: an axis or more is needed")
        if ninc is not None:
            self._refine(ninc, lambda axis, y: numpy.interp(y, numpy.linspace(0, 1, len(axis)), axis))

    def _refine(self, ninc: Any, node: Any) -> None:
        counts = numpy.broadcast_to(numpy.asarray(ninc, dtype=int), (self.dim,))
        if numpy.any(counts < 1):
            raise ValueError(f"ninc = {ninc!r}: an interval or more is needed")
        self.grid = [node(axis, numpy.linspace(0, 1, int(count) + 1)) for axis, count in zip(self.grid, counts)]

    @property
    def dim(self) -> int:
        return len(self.grid)

    @property
    def ninc(self) -> Any:
        return numpy.array([len(axis) - 1 for axis in self.grid])

    @property
    def inc(self) -> Any:
        return [numpy.diff(axis) for axis in self.grid]

    def region(self, d: int = -1) -> Any:
        """The limits (lower, upper) of axis d, or of all axes."""
        limits = [(float(axis[0]), float(axis[-1])) for axis in self.grid]
        return limits if d < 0 else limits[d]

    def extract_grid(self) -> list[list[float]]:
        return [axis.tolist() for axis in self.grid]

    def make_uniform(self, ninc: Any = None) -> None:
        self._refine(self.ninc if ninc is None else ninc, lambda axis, y: axis[0] + y * (axis[-1] - axis[0]))

    def __call__(self, y: Any) -> Any:
        """x(y) at points y[..., d]."""
        y = numpy.asarray(y, dtype=numpy.float64)
        self._check(y)
        x = numpy.empty(y.shape)
        for d, axis in enumerate(self.grid):
            x[..., d] = numpy.interp(y[..., d], numpy.linspace(0, 1, len(axis)), axis)
        return x

    def jac1d(self, y: Any) -> Any:
        """dx/dy along each axis at points y[..., d]."""
        y = numpy.asarray(y, dtype=numpy.float64)
        self._check(y)
        result = numpy.empty(y.shape)
        for d, axis in enumerate(self.grid):
            count = len(axis) - 1
            place = numpy.clip((y[..., d] * count).astype(int), 0, count - 1)
            result[..., d] = numpy.diff(axis)[place] * count
        return result

    def jac(self, y: Any) -> Any:
        """dx/dy at points y[..., d]."""
        return numpy.prod(self.jac1d(y), axis=-1)

    def _check(self, y: Any) -> None:
        if y.ndim < 1 or y.shape[-1] != self.dim:
            raise ValueError(f"y has shape {y.shape}: the map has {self.dim} axes")

    def map(self, y: Any, x: Any, jac: Any, ny: int = -1) -> None:
        """Fills x and jac for the first ny points y."""
        n = len(y) if ny < 0 else ny
        x[:n] = self(y[:n])
        jac[:n] = self.jac(y[:n])

    def invmap(self, x: Any, y: Any, jac: Any, nx: int = -1) -> None:
        """Fills y and jac for the first nx points x."""
        n = len(x) if nx < 0 else nx
        for d, axis in enumerate(self.grid):
            y[:n, d] = numpy.interp(x[:n, d], axis, numpy.linspace(0, 1, len(axis)))
        jac[:n] = self.jac(y[:n])

    def settings(self, ngrid: int = 5) -> str:
        """A few nodes along each axis, as text."""
        lines = []
        for d, axis in enumerate(self.grid):
            shown = axis
            if 0 < ngrid < len(axis):
                shown = axis[numpy.linspace(len(axis) / ngrid / 2, len(axis) * (1 - 1 / ngrid / 2), ngrid).astype(int)]
            text = numpy.array2string(shown, precision=3, prefix=f"    grid[{d:2d}] = ")
            lines.append(f"    grid[{d:2d}] = {text}")
        return "\n".join(lines) + "\n"

    # ---- training --------------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Discards training data."""
        self._data: list[tuple[Any, Any]] | None = None

    def add_training_data(self, y: Any, f: Any, ny: int = -1) -> None:
        """Adds values f[j] at points y[j, d] for adapt(): bins become smaller where the values are large."""
        n = len(y) if ny < 0 else ny
        y, f = numpy.asarray(y)[:n], numpy.asarray(f)[:n]
        self._check(y)
        if self._data is None:
            self._data = [(numpy.zeros(count), numpy.zeros(count)) for count in self.ninc]
        for d, (total, points) in enumerate(self._data):
            place = numpy.clip((y[:, d] * len(total)).astype(int), 0, len(total) - 1)
            total += numpy.bincount(place, f, len(total))
            points += numpy.bincount(place, minlength=len(total))

    def adapt(self, alpha: float = 0.0, ninc: Any = None) -> None:
        """Moves the nodes so that all bins have equal shares of the averages of the training data, smoothed over
        three bins and damped by alpha (Lepage 2021), and discards the data."""
        counts = numpy.broadcast_to(numpy.asarray(self.ninc if ninc is None else ninc, dtype=int), (self.dim,))
        if self._data is not None and alpha != 0:
            self.grid = [_adapted(*given) for given in zip(self.grid, self._data, [alpha] * self.dim, counts)]
        elif ninc is not None:
            self._refine(counts, lambda axis, y: numpy.interp(y, numpy.linspace(0, 1, len(axis)), axis))
        self.clear()

    def adapt_to_samples(self, x: Any, f: Any, nitn: int = 5, alpha: float = 1.0, nproc: int | None = 1) -> None:
        """Adapts to f, a function of points x[j, d] or its values at these, in nitn steps."""
        x = numpy.ascontiguousarray(x, dtype=numpy.float64)
        values = numpy.asarray(f(x) if callable(f) else f)
        y, jac = numpy.empty_like(x), numpy.empty(len(x))
        for _ in range(nitn):
            self.invmap(x, y, jac)
            self.add_training_data(y, (jac * values) ** 2)
            self.adapt(alpha=alpha)

    # ---- to and from the library, which has edges in units of the box's side ------------------------------

    def edges(self, ninc: int) -> list[list[float]]:
        """The edges of a map with this number of bins along each axis."""
        even = AdaptiveMap(self, ninc)
        units = [(axis - axis[0]) / (axis[-1] - axis[0]) for axis in even.grid]
        for unit in units:
            unit[0], unit[-1] = 0.0, 1.0
        return [unit.tolist() for unit in units]

    @staticmethod
    def of_edges(edges: Sequence[Sequence[float]], region: Sequence[tuple[float, float]]) -> AdaptiveMap:
        made = AdaptiveMap.__new__(AdaptiveMap)
        made.clear()
        if len(edges) == 1:
            edges = list(edges) * len(region)
        made.grid = [a + (b - a) * numpy.asarray(axis) for axis, (a, b) in zip(edges, region)]
        for axis, (_, b) in zip(made.grid, region):
            axis[-1] = b
        return made
