"""Integrals within integrals, for integrands that jump across surfaces."""

from __future__ import annotations

from typing import Any, Callable, Sequence

#: The positive points of Kronrod's 15-point rule over (-1, 1) and its weights; Gauss's rule has every other point.
_points = (
    *(0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926),
    *(0.741531185599394439863864773280788, 0.586087235467691130294144691258, 0.405845151377397166906606412076961),
    *(0.207784955007898467600689403773245, 0.0),
)
_kronrod = (
    *(0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518),
    *(0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014),
    *(0.204432940075298892414161999234649, 0.209482141084727828012999174891714),
)
_gauss = (
    *(0.129484966168869693270611432679082, 0.279705391489276667901467771423780),
    *(0.381830050505118944950369775488975, 0.417959183673469387755102040816327),
)
#: Where the ends of an interval are looked at.
_end = 1e-7
#: How many integrals are computed at a time.
_block = 512
#: How often an interval may be bisected.
_deepest = 50


class Nested:
    """The integral of f over the unit cube, as one over the first variable of one over the second, and so on, each by
    bisection with Kronrod's 15-point rule.

    f          of arrays of points (n, dimension), whose values are an array (n, 1)
    tolerance  of the outermost integral; those within it are ten times as accurate each
    cuts       where intervals are cut at first; the values of different cuts differ by what the rule did not see
    """

    def __init__(self, f: Callable[[Any], Any], dimension: int, tolerance: float, cuts: Sequence[float]) -> None:
        import numpy

        x, kronrod, gauss = numpy.array(_points), numpy.array(_kronrod), numpy.array(_gauss)
        # Both ends, too, of which the rule sees nothing where f jumps beside them.
        self._nodes = numpy.concatenate([[_end], (1 - x) / 2, (1 + x[-2::-1]) / 2, [1 - _end]])
        self._kronrod = numpy.concatenate([kronrod, kronrod[-2::-1]]) / 2
        self._gauss = numpy.concatenate([gauss, gauss[-2::-1]]) / 2
        self._f, self._dimension, self._tolerance = f, dimension, tolerance
        self._lower, self._width = numpy.array([0.0, *cuts]), numpy.diff([0.0, *cuts, 1.0])
        self._errors = [0.0] * dimension  # the largest error of integrals over each variable
        self.value = float(self._at(numpy.empty((1, 0)))[0])
        self.error = sum(self._errors)

    def _at(self, x: Any) -> Any:
        """The integrals over the other variables at points (n, k) of the first ones."""
        import numpy

        if x.shape[1] == self._dimension:
            values = self._f(numpy.asfortranarray(x))[:, 0]
            return numpy.where(numpy.isfinite(values), values, 0)
        return numpy.concatenate([self._integrals(x[k : k + _block]) for k in range(0, len(x), _block)])

    def _integrals(self, x: Any) -> Any:
        import numpy

        n, level = len(x), x.shape[1]
        tolerance = self._tolerance * 0.1**level
        total, error = numpy.zeros(n), numpy.zeros(n)
        of = numpy.repeat(numpy.arange(n), len(self._width))
        lower, width = numpy.tile(self._lower, n), numpy.tile(self._width, n)
        for depth in range(_deepest):
            inner = (lower[:, None] + width[:, None] * self._nodes).reshape(-1, 1)
            y = self._at(numpy.hstack([numpy.repeat(x[of], 17, axis=0), inner])).reshape(-1, 17)
            steps = abs(numpy.diff(y, axis=1))
            jump = numpy.maximum(steps[:, 0] - steps[:, 1], steps[:, -1] - steps[:, -2])
            y = y[:, 1:-1]
            value = y @ self._kronrod
            spread = abs(y - value[:, None]) @ self._kronrod
            off = abs(value - y[:, 1::2] @ self._gauss)
            # The error as in QUADPACK.
            off = width * numpy.where(spread > 0, spread * numpy.minimum(1, (200 * off / spread) ** 1.5), 0)
            off += width * self._nodes[1] * numpy.where(jump > 5e-3 * numpy.ptp(y, axis=1), jump, 0)
            value *= width
            settled = (error + numpy.bincount(of, off, n) <= tolerance)[of]
            settled |= (off <= tolerance * width) | (off <= 1e-14 * abs(value)) | (depth == _deepest - 1)
            total += numpy.bincount(of[settled], value[settled], n)
            error += numpy.bincount(of[settled], off[settled], n)
            if settled.all():
                break
            of, lower, width = (numpy.repeat(each[~settled], 2) for each in (of, lower, width / 2))
            lower[1::2] += width[1::2]
        self._errors[level] = max(self._errors[level], float(error.max()))
        return total
