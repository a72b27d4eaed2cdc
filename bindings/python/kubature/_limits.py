"""Boxes with bounds that are functions of the variables before them, as maps from boxes with constant sides."""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable, NamedTuple, Sequence

from ._kubature import InvalidArgument

#: How close to an end of a side of the new box, in units of it, rounding errors may lead out of the domain, so that a
#: root of 1 - x^2 - y^2 is none: exceptions and NaN have no other meaning there.
_rim = 1e-4
#: Where trial calls evaluate: parts of each side.
trial_parts = (0.379, 0.617, 0.463)


def _real(returned: Any) -> float | None:
    """The number that a function returned, if it is one."""
    import numpy

    array = returned if isinstance(returned, numpy.ndarray) else None
    if array is not None and array.size == 1 and array.dtype.kind in "fiubO":
        returned = array.item()
    if not (isinstance(returned, (str, bytes)) or (array is not None and array.size != 1)):
        try:
            return float(returned)
        except TypeError:
            pass
    return None


class Pointwise:
    """A function of numbers as a function of arrays: it is called with these if it accepts them, else point by point.

    width  number of numbers that it returns; 1 for a number by itself
    error  raised where it returns something else
    """

    def __init__(
        self, call: Callable[..., Any], name: str, width: int = 1, error: type[Exception] = TypeError
    ) -> None:
        self.call, self.name, self.width, self.error = call, name, width, error
        self.accepts_arrays = False
        #: Number of points at which the function was evaluated, except by try_out.
        self.evaluations = 0

    def try_out(self, x: Sequence[Any]) -> None:
        """Finds out whether the function accepts arrays, from these coordinates of some points."""
        import numpy

        wanted = self._by_point(x, numpy.zeros(len(x[0]), dtype=bool))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                got = self._at_once(x)
        except Exception:  # whatever a function for numbers raises that gets arrays
            return
        self.accepts_arrays = numpy.allclose(got, wanted, rtol=1e-9, atol=0, equal_nan=True)

    def __call__(self, x: Sequence[Any], rim: Any) -> Any:
        """The values at points with these coordinates, (n, width): NaN for an arithmetic error at the rim."""
        self.evaluations += len(rim)
        if self.accepts_arrays:
            try:
                return self._at_once(x)
            except Exception:  # the function's own if numbers cause it, too
                pass
        return self._by_point(x, rim)

    def _at_once(self, x: Sequence[Any]) -> Any:
        import numpy

        returned = self.call(*(coordinate.copy() for coordinate in x))
        shape = (len(x[0]),)
        parts = (returned,) if self.width == 1 else tuple(numpy.broadcast_to(part, shape) for part in returned)
        arrays = [numpy.asarray(part) for part in parts]
        if len(arrays) != self.width or any(a.shape != shape or a.dtype.kind not in "fiub" for a in arrays):
            raise TypeError
        return numpy.stack(arrays, axis=1).astype(numpy.float64, copy=False)

    def _by_point(self, x: Sequence[Any], rim: Any) -> Any:
        import numpy

        values: list[Any] = []
        for point, excused in zip(zip(*(coordinate.tolist() for coordinate in x)), rim.tolist()):
            try:
                returned = self.call(*point)
                values.append(returned if type(returned) is float and self.width == 1 else self.numbers(returned))
            except (ArithmeticError, ValueError):
                if not excused:
                    raise
                values.append((math.nan,) * self.width if self.width > 1 else math.nan)
        return numpy.array(values, dtype=numpy.float64).reshape(len(rim), self.width)

    def numbers(self, returned: Any) -> Any:
        """What the function returned at one point, as a number or a tuple of numbers."""
        if self.width == 1:
            number = _real(returned)
            if number is None:
                raise self.error(f"{self.name} returned {returned!r} instead of a real number")
            return number
        try:
            numbers = tuple(_real(part) for part in returned)
        except TypeError:
            numbers = ()
        if len(numbers) != self.width or None in numbers:
            raise self.error(f"{self.name} returned {returned!r} instead of {self.width} real numbers")
        return numbers


def fixed_points(points: Sequence[float]) -> Callable[[Sequence[Any], int], Any] | None:
    """Break points that are the same everywhere, as Side.points."""
    import numpy

    return (lambda before, n: numpy.tile(points, (n, 1))) if len(points) else None


class Side(NamedTuple):
    """A side of a box, as it depends on the variables before it."""

    #: In sentences about it.
    name: str
    #: Both bounds: numbers, or a function of the coordinates before, each an array, and of which points lie at the rim,
    #: that gives an array (n, 2).
    bounds: tuple[float, float] | Callable[[Sequence[Any], Any], Any]
    #: What finds out about the bounds by these coordinates of some points.
    try_out: Callable[[Sequence[Any]], None] | None = None
    #: Break points, as arrays (n, k) of the coordinates before, of n points; NaN for none. They move into the side.
    points: Callable[[Sequence[Any], int], Any] | None = None

    def ends(self, before: Sequence[Any], rim: Any) -> list[Any]:
        """The ends of the pieces of the side, from its lower bound to its upper bound, each an array."""
        import numpy

        n = len(rim)
        if not callable(self.bounds):
            lower, upper = (numpy.full(n, bound) for bound in self.bounds)
        else:
            both = self.bounds(before, rim)
            wrong = numpy.isnan(both).any(axis=1)
            if (wrong & ~rim).any():
                k = int(numpy.argmax(wrong & ~rim))
                where = ", ".join(repr(float(coordinate[k])) for coordinate in before)
                raise InvalidArgument(
                    f"{self.name}: the bounds are {both[k, 0]} and {both[k, 1]} where the variables before are {where}"
                )
            both[wrong] = 0
            lower, upper = both.T
        if self.points is None:
            return [lower, upper]
        first, last = numpy.minimum(lower, upper)[:, None], numpy.maximum(lower, upper)[:, None]
        points = self.points(before, n)
        points = numpy.sort(numpy.clip(numpy.where(numpy.isnan(points), last, points), first, last), axis=1)
        return [lower, *numpy.where((lower > upper)[:, None], points[:, ::-1], points).T, upper]


def _between(a: Any, b: Any, kind: str, t: Any, smooth: bool) -> tuple[Any, Any]:
    """The points from a to b, one of each array, at t, and their derivatives by t. Bounds may be infinite.

    kind    "unit": t lies between 0 and 1; "distance": t is the distance from a, where b is infinite; "line": t is the
            point itself, where both are. Other bounds have the same range of t.
    smooth  whether t begins, and where it ends at 1 ends, with the square root of the distance, so that roots and
            inverse roots at bounds become smooth
    """
    import numpy

    # u = w / (1 + w) goes from 0 to 1, v = 1 - u, and w from 0 to infinity.
    if kind == "unit":
        u, v, du = (t * t * (3 - 2 * t), (1 - t) ** 2 * (1 + 2 * t), 6 * t * (1 - t)) if smooth else (t, 1 - t, 1.0)
        w, dw = u / v, du / v**2
    else:
        if kind == "distance":
            w, dw = (t * t, 2 * t) if smooth else (t, numpy.ones_like(t))
        else:
            root = numpy.hypot(1, t)
            w = numpy.where(t < 0, 1 / (root - t), root + t)
            dw = w / root
        v = 1 / (1 + w)
        u, du = w * v, dw * v * v
    x, jacobian = numpy.clip(v * a + u * b, numpy.minimum(a, b), numpy.maximum(a, b)), (b - a) * du
    endless_a, endless_b = numpy.isinf(a), numpy.isinf(b)
    if endless_a.any() or endless_b.any():
        sign = numpy.sign(b - a)
        cases = [endless_a & endless_b, endless_a, endless_b]
        x = numpy.select(cases, [sign * (w - 1 / w) / 2, b - sign / w, a + sign * w], x)
        derivatives = [sign * dw * (1 + 1 / w**2) / 2, sign * dw / w**2, sign * dw]
        jacobian = numpy.select([a == b, *cases], [0, *derivatives], jacobian)
    return x, jacobian


class Sides:
    """A map from a box to the domain between bounds: y = (1-u) lower + u upper, and the distance where a bound is
    infinite. The integral counts with the opposite sign where the upper bound is below the lower one.

    smooth  see _between; the constant sides, too, are then mapped
    unit    whether all sides of the new box go from 0 to 1
    """

    def __init__(self, sides: Sequence[Side], smooth: bool = False, unit: bool = False) -> None:
        import numpy

        self._sides, self._smooth = sides, smooth
        self._kinds: list[str | None] = []
        self._turned: list[bool] = []
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.trial: list[Any] = []
        rim = numpy.zeros(len(trial_parts), dtype=bool)
        for side in sides:
            if side.try_out is not None:
                side.try_out(self.trial)
            a, *_, b = side.ends(self.trial, rim)
            endless = bool(numpy.isinf(a).all()), bool(numpy.isinf(b).all())
            shape = ("unit", "distance", "line")[sum(endless)]
            turned = endless == (True, False)
            kind: str | None = None
            if not (callable(side.bounds) or smooth or unit or side.points is not None):
                ends = side.bounds
            else:
                kind = shape if side.points is None and not unit else "unit"
                ends = {"unit": (0.0, 1.0), "distance": (0.0, math.inf), "line": (-math.inf, math.inf)}[kind]
            self._kinds.append(kind)
            self._turned.append(turned and kind == "distance")
            self.lower.append(ends[0])
            self.upper.append(ends[1])
            t = numpy.array(trial_parts) + {"unit": 0, "distance": 0, "line": -0.5}[shape]
            with numpy.errstate(all="ignore"):
                self.trial.append(_between(*((b, a) if turned else (a, b)), shape, t, False)[0])

    @staticmethod
    def wanted(f: Any) -> str:
        """What is wrong with an integrand that is no function of arrays."""
        kind = "numbers or formulas, like 'x'" if isinstance(f, str) else "numbers, unless f gets NumPy's arrays"
        return f"the bounds of the box must be {kind}"

    def inside(self, parts: Sequence[float]) -> Any:
        """As many points of the domain as there are parts, for a trial call of a function."""
        import numpy

        return numpy.array([coordinate[: len(parts)] for coordinate in self.trial]).T

    def _at_rim(self, t: Any) -> Any:
        import numpy

        rim = numpy.zeros(len(t), dtype=bool)
        for coordinate, a, b in zip(t.T, self.lower, self.upper):
            scale = 1.0 if math.isinf(b - a) else b - a
            for end, distance in ((a, coordinate - a), (b, b - coordinate)):
                rim |= abs(coordinate) > scale / _rim if math.isinf(end) else distance < _rim * scale
        return rim

    def map(self, t: Any) -> tuple[Any, Any, Any]:
        """The points of the domain, the Jacobian determinant, and which points lie at the rim: as many times n as there
        are pieces, one piece after the other."""
        import numpy

        n = len(t)
        rim, jacobian, x = self._at_rim(t), numpy.ones(n), []
        for i, (side, kind) in enumerate(zip(self._sides, self._kinds)):
            column = numpy.tile(t[:, i], len(rim) // n)
            if kind is None:
                x.append(column)
                continue
            ends = side.ends(x, rim)
            if self._turned[i]:
                ends.reverse()
            with numpy.errstate(all="ignore"):
                parts = [_between(a, b, kind, column, self._smooth) for a, b in zip(ends, ends[1:])]
            rim, jacobian, *x = (numpy.tile(each, len(parts)) for each in (rim, jacobian, *x))
            x.append(numpy.concatenate([part for part, _ in parts]))
            jacobian *= numpy.concatenate([-part if self._turned[i] else part for _, part in parts])
        return numpy.array(x).T, jacobian, rim

    def over(self, f: Callable[[Any, Any], Any], components: int) -> Callable[[Any], Any]:
        """The integrand in the new variables, of f(points, which of them lie at the rim), whose values are an array
        (n, components). f is not evaluated where bounds coincide."""
        import numpy

        def every(t: Any) -> Any:
            x, jacobian, rim = self.map(t)
            kept = jacobian != 0
            if kept.all():
                got = f(x, rim) * jacobian[:, None]
            else:
                got = numpy.zeros((len(x), components))
                if kept.any():
                    got[kept] = f(numpy.asfortranarray(x[kept]), rim[kept]) * jacobian[kept, None]
            return got if len(got) == len(t) else got.reshape(-1, len(t), components).sum(axis=0)

        def values(t: Any) -> Any:
            got = every(t)
            if self._smooth and not numpy.isfinite(got).all():
                # By rounding errors, outside of the domain: at the rim, values of what is now smooth hardly differ.
                wrong = ~numpy.isfinite(got).all(axis=1)
                sides = [(a, b, _rim * (b - a)) for a, b in zip(self.lower, self.upper)]
                ends = [(a, b) if math.isinf(margin) else (a + margin, b - margin) for a, b, margin in sides]
                got[wrong] = every(numpy.clip(t[wrong], *numpy.array(ends).T))
            return got

        return values
