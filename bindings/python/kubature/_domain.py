"""Where integrands are integrated: boxes, sides with names and formulas, shapes."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

from . import _kubature
from ._kubature import InvalidArgument
from ._limits import Pointwise, Side, Sides, fixed_points, trial_parts
from ._measures import Distribution, of_scipy
from ._path import Path, PathMap
from ._shapes import Box as Sized
from ._shapes import Shape

#: The largest number of variables in which the covariance of components is estimated, and auto takes several.
few_variables = 20
#: The largest number of components that all methods have.
few_components = 32

#: A bound of a side; a function gets arrays of the variables before.
Bound = Union[float, Callable[..., Any]]
#: One side (lower, upper) or distribution per variable, or a dictionary of names and sides, whose bounds may also be
#: formulas of the names before them; or a shape, a distribution, or paths.
Box = Union[
    Iterable[Union[Sequence[Bound], Distribution]],
    Mapping[str, Any],
    Shape,
    Distribution,
    Path,
]


def _pairs(box: Any, sides: Any, formulas: bool) -> list[Any]:
    """The bounds of all sides; a side with a distribution is its text."""

    def bound(value: Any) -> Any:
        return value if callable(value) or (formulas and isinstance(value, str)) else float(value)

    def bounds(side: Any) -> tuple[Any, Any]:
        a, b = side
        return bound(a), bound(b)

    try:
        known = [of_scipy(side) for side in sides]
        pairs = [
            str(side) if isinstance(side, Distribution) or (formulas and isinstance(side, str)) else bounds(side)
            for side in known
        ]
    except InvalidArgument:
        raise
    except (TypeError, ValueError):
        raise InvalidArgument(f"box = {box!r}: a pair (lower, upper) for each variable is needed") from None
    if not pairs:
        raise InvalidArgument(f"box = {box!r}: at least one side is needed")
    return pairs


def _number(argument: str, value: Any) -> str:
    """A number, or a constant expression, in the form that the library reads."""
    try:
        return value if isinstance(value, str) else repr(float(value))
    except (TypeError, ValueError):
        raise InvalidArgument(f"{argument} = {value!r}: must be a number") from None


def _breaks(breaks: Any) -> str:
    if breaks is None:
        return ""
    if not isinstance(breaks, Mapping):
        raise InvalidArgument(f"breaks = {breaks!r}: a dictionary of names and points is needed")
    parts = []
    for name, points in breaks.items():
        every = list(points) if isinstance(points, Iterable) and not isinstance(points, str) else [points]
        parts += [f"{name}=" + ",".join(_number("breaks", each) for each in every)] if every else []
    return ",".join(parts)


def inside(lower: Sequence[float], upper: Sequence[float], parts: Sequence[float]) -> Any:
    """Points of the box, for a trial call of a function, at these parts of each side."""
    import numpy

    def between(a: float, b: float, u: float) -> float:
        if math.isinf(a):
            return u - 0.5 if math.isinf(b) else b - u
        return a + u if math.isinf(b) else a + u * (b - a)

    return numpy.array([[between(a, b, u) for a, b in zip(lower, upper)] for u in parts], order="F")


class _Bound:
    """A bound of a side as a function of the coordinates before; sentences name the side."""

    def __init__(self, name: str, bound: Any, first: bool) -> None:
        self._name = name
        self._function = Pointwise(bound, name, error=InvalidArgument)
        #: The bound, if it is a number.
        self.number: float | None = None
        if not callable(bound):
            self.number = bound
        elif first:
            self.number = self._named(lambda: self._function.numbers(bound()))

    def _named(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except InvalidArgument:
            raise
        except Exception as raised:
            raise InvalidArgument(f"{self._name} raised {type(raised).__name__}: {raised}") from raised

    def try_out(self, before: Sequence[Any]) -> None:
        if self.number is None:
            self._named(lambda: self._function.try_out(before))

    def __call__(self, before: Sequence[Any], rim: Any) -> Any:
        import numpy

        if self.number is not None:
            return numpy.full(len(rim), self.number)
        return self._named(lambda: self._function(before, rim)[:, 0])


def _side(name: str, pair: tuple[Any, Any], first: bool, cuts: Any) -> Side:
    import numpy

    lower = _Bound(f"{name}: the lower bound", pair[0], first)
    upper = _Bound(f"{name}: the upper bound", pair[1], first)
    try:
        points = fixed_points([float(cut) for cut in numpy.atleast_1d(cuts)])
    except (TypeError, ValueError):
        raise InvalidArgument(f"breaks = {cuts!r}: must be numbers where bounds are functions") from None
    if lower.number is not None and upper.number is not None:
        return Side(name, (lower.number, upper.number), None, points)

    def try_out(before: Sequence[Any]) -> None:
        lower.try_out(before)
        upper.try_out(before)

    return Side(name, lambda x, rim: numpy.stack([lower(x, rim), upper(x, rim)], axis=1), try_out, points)


def _sides(pairs: list[tuple[Any, Any]], names: list[str] | None, breaks: Any) -> Sides:
    """The sides of a box some of whose bounds are functions."""
    shown = [f"box[{name!r}]" for name in names] if names else [f"box[{i}]" for i in range(len(pairs))]
    names = names if names else [f"x{i}" for i in range(1, len(pairs) + 1)]
    cuts = breaks or {}
    for name in cuts:
        if name not in names:
            raise InvalidArgument(f"breaks = {breaks!r}: {name!r} is not a variable; there are {', '.join(names)}")
    return Sides([_side(shown[i], pair, i == 0, cuts.get(names[i], ())) for i, pair in enumerate(pairs)])


class Region:
    """A box, or what a text describes; the text is the program's --box or --domain."""

    def __init__(self, box: Box | None, domain: str | Shape | Path | None, breaks: Any) -> None:
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.variables: list[str] | None = None
        self.domain: _kubature.Domain | None = None
        #: Where bounds are functions, and for paths: the map from the box of lower and upper.
        self.sides: Sides | PathMap | None = None
        box = of_scipy(box)
        if isinstance(box, Distribution):
            box = [box]
        if domain is None and isinstance(box, (Shape, Path)):
            box, domain = None, box
        if box is None and isinstance(domain, Sized):
            box, domain = domain.sides, None
        self.shown: Any = domain
        if (box is None) == (domain is None):
            given = "neither" if box is None else f"both {box!r} and {domain!r}"
            raise InvalidArgument(f"box = {given}: a box or a domain is needed")
        cuts = _breaks(breaks)
        if isinstance(domain, Path):
            if cuts:
                raise InvalidArgument(f"breaks = {breaks!r}: paths have none")
            self.sides = PathMap(domain)
            self.lower, self.upper = self.sides.lower, self.sides.upper
            _kubature.check_box(self.lower, self.upper)
            return
        if domain is not None:
            if not isinstance(domain, (str, Shape)):
                raise InvalidArgument(
                    f"domain = {domain!r}: a text is needed, such as 'ball 0,0 1', or a shape, such as Ball([0, 0], 1)"
                )
            self.domain = _kubature.Domain(str(domain), cuts)
            return
        if isinstance(box, Mapping):
            pairs = _pairs(box, box.values(), True)
            self.variables = [str(name) for name in box]
        else:
            pairs = _pairs(box, box, False)
        self.shown = dict(zip(self.variables, pairs)) if self.variables else pairs
        bounds = [bound for side in pairs if not isinstance(side, str) for bound in side]
        measured = any(isinstance(side, str) for side in pairs)
        if any(callable(bound) for bound in bounds):
            if measured:
                raise InvalidArgument(f"box = {box!r}: where variables have distributions, bounds are formulas")
            if any(isinstance(bound, str) for bound in bounds):
                raise InvalidArgument(f"box = {box!r}: bounds are formulas or functions, not some of each")
            self.sides = _sides(pairs, self.variables, breaks)
            self.lower, self.upper = self.sides.lower, self.sides.upper
        elif cuts or measured or any(isinstance(bound, str) for bound in bounds):
            equals = "=" if self.variables else ""
            texts = [
                f"~{side}" if isinstance(side, str) else equals + ":".join(_number("box", bound) for bound in side)
                for side in pairs
            ]
            names = self.variables or [""] * len(pairs)
            self.domain = _kubature.Domain(",".join(a + b for a, b in zip(names, texts)), cuts)
        else:
            self.lower, self.upper = [a for a, _ in pairs], [b for _, b in pairs]
        if self.domain is None:
            _kubature.check_box(self.lower, self.upper)

    def dimension(self) -> int:
        """The number of variables; 0 where it is that of the formula."""
        return len(self.lower) if self.domain is None else self.domain.dimension()

    def inside(self) -> Any:
        """Points for a trial call of a function: three, or two in three variables, so that their number is not that of
        the variables."""
        if self.domain is not None and not self.domain.dimension():
            raise InvalidArgument(f"domain = {self.shown!r}: a function needs the number of variables: {self.shown} N")
        parts = trial_parts[: 2 if self.dimension() == 3 else 3]
        if self.sides is not None:
            return self.sides.inside(parts)
        if self.domain is None:
            return inside(self.lower, self.upper, parts)
        import numpy

        return numpy.array([self.domain.inside(part) for part in parts], order="F")

    def names(self, variables: Sequence[str] | None) -> str | None:
        """The names of a formula's variables."""
        if self.variables is None:
            return None if variables is None else ",".join(variables)
        if variables is not None and list(variables) != self.variables:
            raise InvalidArgument(f"variables = {variables!r}: the box names the variables {self.variables}")
        return ",".join(self.variables)
