"""Tables of values, which formulas and functions interpolate."""

from __future__ import annotations

import math
import os
import re
import tempfile
import weakref
from typing import Any, Sequence

from ._kubature import InvalidArgument


def _axes(nodes: Any) -> list[Any]:
    """The nodes along each axis; a sequence of numbers is that of the only one."""
    import numpy

    try:
        several = len(nodes) > 0 and all(numpy.ndim(axis) == 1 for axis in nodes)
        axes = [numpy.array(axis, dtype=numpy.float64) for axis in (nodes if several else [nodes])]
    except (TypeError, ValueError):
        axes = []
    if not 1 <= len(axes) <= 3 or any(axis.ndim != 1 or len(axis) < 2 for axis in axes):
        raise InvalidArgument(f"nodes = {nodes!r}: one to three axes with at least two nodes each are needed")
    for axis in axes:
        if not numpy.isfinite(axis).all() or not (numpy.diff(axis) > 0).all():
            raise InvalidArgument(f"nodes = {axis!r}: they must be finite and ascend")
    return axes


def _cubic_weights(axis: Any, cell: Any, t: Any) -> Any:
    """The weights of the values at the nodes cell - 1 to cell + 2, as in kubature/detail/table_grid.hpp: those of the
    cubic polynomial whose slope at a node is that of the parabola through the node and its neighbours (C. de Boor, "A
    Practical Guide to Splines", Springer 1978, chapter IV)."""
    import numpy

    last = len(axis) - 2
    width = axis[cell + 1] - axis[cell]
    before = axis[cell] - axis[numpy.maximum(cell - 1, 0)]
    after = axis[numpy.minimum(cell + 2, last + 1)] - axis[cell + 1]
    with numpy.errstate(all="ignore"):
        a = numpy.where(cell == 0, 0.0, width / before)
        b = numpy.where(cell == last, 0.0, width / after)
    part_a, part_b = a / (1 + a), b / (1 + b)
    slope, next_slope = t * (1 - t) ** 2, -t * t * (1 - t)  # the weights of the slopes at the nodes
    first_here, first_after = slope * (1 + part_b), -slope * b * part_b
    down = numpy.where(cell == 0, 0.0, slope * a * part_a)
    here = t * t * (3 - 2 * t) + numpy.where(cell == 0, first_here, slope * (1 - part_a))
    up = numpy.where(cell == 0, first_after, 0.0)
    down = down - numpy.where(cell == last, next_slope * a * part_a, 0.0)
    here = here + numpy.where(cell == last, next_slope * (1 + part_a), next_slope * (1 - part_b))
    up = up + numpy.where(cell == last, 0.0, next_slope * b * part_b)
    return [-down, 1 + down - here, here - up, up]


class Table:
    """Values on a rectilinear grid in one, two or three variables, interpolated along each axis. Outside of the grid the
    value is that at its edge.

    >>> import kubature, numpy
    >>> growth = Table(numpy.linspace(0, 2, 21), numpy.linspace(0, 2, 21) ** 2, cubic=True)
    >>> round(float(growth(0.55)), 6)
    0.3025
    >>> round(kubature.integrate("growth(z) * exp(-k)", {"z": (0, 2), "k": (0, 5)}, relative=1e-9, growth=growth).value, 6)
    2.648699

    nodes   the coordinates of the nodes along each axis, ascending; of one axis, they may stand by themselves
    values  one for each node of the grid, an array with an axis for each
    cubic   whether it is interpolated by cubic polynomials, with a continuous slope, instead of linearly

    It is a function of NumPy's arrays, and a parameter of formulas, which call it by the parameter's name.
    """

    def __init__(self, nodes: Any, values: Any, cubic: bool = False) -> None:
        import numpy

        self._nodes, self._cubic = _axes(nodes), bool(cubic)
        shape = tuple(len(axis) for axis in self._nodes)
        try:
            self._values = numpy.array(values, dtype=numpy.float64)
        except (TypeError, ValueError):
            raise InvalidArgument(f"values = {values!r}: numbers are needed") from None
        if self._values.shape != shape:
            raise InvalidArgument(f"values = an array of shape {self._values.shape}: the grid has the shape {shape}")
        if not numpy.isfinite(self._values).all():
            raise InvalidArgument("values = an array with NaN or infinity: they must be finite")
        self._file: str | None = None

    @property
    def dimension(self) -> int:
        """The number of variables."""
        return len(self._nodes)

    def __call__(self, *x: Any) -> Any:
        """The values at points with these coordinates, numbers or arrays, one for each axis."""
        import numpy

        if len(x) != self.dimension:
            raise InvalidArgument(f"x = {len(x)} arguments: the table has {self.dimension} axes")
        at = numpy.broadcast_arrays(*(numpy.asarray(each, dtype=numpy.float64) for each in x))
        shape = at[0].shape
        first, weights = 0 if not self._cubic else -1, []
        cells = []
        for axis, each in zip(self._nodes, (each.ravel() for each in at)):
            cell = numpy.clip(numpy.searchsorted(axis, each, side="right") - 1, 0, len(axis) - 2)
            t = (numpy.clip(each, axis[0], axis[-1]) - axis[cell]) / (axis[cell + 1] - axis[cell])
            cells.append(cell)
            weights.append(_cubic_weights(axis, cell, t) if self._cubic else [1 - t, t])
        total = numpy.zeros(at[0].size)
        for around in numpy.ndindex(*(len(each) for each in weights)):
            # Where a node does not exist, its weight is zero.
            nodes = tuple(
                numpy.clip(cell + first + k, 0, len(axis) - 1) for axis, cell, k in zip(self._nodes, cells, around)
            )
            total += math.prod(each[k] for each, k in zip(weights, around)) * self._values[nodes]
        return total.reshape(shape)[()]

    def called(self, name: str, formula: str) -> str:
        """A formula that calls the table by this name, as one that reads it from a file."""
        found, count = re.subn(rf"(?<!\w){name}\s*\(", lambda _: f'{self._function}("{self._written()}", ', formula)
        if not count:
            raise InvalidArgument(f"parameters = {name!r}: the formula does not call this table: {name}(x)")
        return found

    @property
    def _function(self) -> str:
        return "table_cubic" if self._cubic else "table"

    def _written(self) -> str:
        """A file with the table, which lives as long as this object."""
        import numpy

        if self._file is None:
            handle, self._file = tempfile.mkstemp(".npy", "kubature-table-")
            weakref.finalize(self, os.remove, self._file)
            grid: Sequence[Any] = numpy.meshgrid(*self._nodes, indexing="ij")
            with os.fdopen(handle, "wb") as file:
                numpy.save(file, numpy.column_stack([each.ravel() for each in (*grid, self._values)]))
        return self._file

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_file": None}

    def __repr__(self) -> str:
        return f"<Table of {' x '.join(str(len(axis)) for axis in self._nodes)} values, {'cubic' if self._cubic else 'linear'}>"
