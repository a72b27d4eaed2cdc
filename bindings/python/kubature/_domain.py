"""Where integrands are integrated: boxes, sides with names and formulas, shapes."""

from __future__ import annotations

import math
from typing import Any, Iterable, Mapping, Sequence, Union

from . import _kubature
from ._kubature import InvalidArgument

#: One side (lower, upper) per variable, or a dictionary of names and sides, whose bounds may be formulas of the names
#: before them.
Box = Union[Iterable[Sequence[float]], Mapping[str, Sequence[Union[float, str]]]]


def _pairs(box: Any, sides: Any, formulas: bool) -> list[tuple[Any, Any]]:
    def bound(value: Any) -> Any:
        return value if formulas and isinstance(value, str) else float(value)

    try:
        pairs = [tuple(bound(each) for each in side) for side in sides]
        pairs = [(a, b) for a, b in pairs]
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


def inside(lower: Sequence[float], upper: Sequence[float]) -> Any:
    """Two points of the box, for a trial call of a function."""
    import numpy

    def between(a: float, b: float, u: float) -> float:
        if math.isinf(a):
            return u - 0.5 if math.isinf(b) else b - u
        return a + u if math.isinf(b) else a + u * (b - a)

    return numpy.array([[between(a, b, u) for a, b in zip(lower, upper)] for u in (0.379, 0.617)], order="F")


class Region:
    """A box, or what a text describes; the text is the program's --box or --domain."""

    def __init__(self, box: Box | None, domain: str | None, breaks: Any) -> None:
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.variables: list[str] | None = None
        self.domain: _kubature.Domain | None = None
        self.shown: Any = domain
        if (box is None) == (domain is None):
            given = "neither" if box is None else f"both {box!r} and {domain!r}"
            raise InvalidArgument(f"box = {given}: a box or a domain is needed")
        cuts = _breaks(breaks)
        if domain is not None:
            if not isinstance(domain, str):
                raise InvalidArgument(f"domain = {domain!r}: a text is needed, such as 'ball 0,0,0 1'")
            self.domain = _kubature.Domain(domain, cuts)
            return
        if isinstance(box, Mapping):
            pairs = _pairs(box, box.values(), True)
            self.variables = [str(name) for name in box]
        else:
            pairs = _pairs(box, box, False)
        self.shown = dict(zip(self.variables, pairs)) if self.variables else pairs
        if cuts or any(isinstance(bound, str) for side in pairs for bound in side):
            names = [f"{name}=" for name in self.variables] if self.variables else [""] * len(pairs)
            bounds = [":".join(_number("box", bound) for bound in side) for side in pairs]
            self.domain = _kubature.Domain(",".join(a + b for a, b in zip(names, bounds)), cuts)
        else:
            self.lower, self.upper = [a for a, _ in pairs], [b for _, b in pairs]
            _kubature.check_box(self.lower, self.upper)

    def inside(self) -> Any:
        """Two points for a trial call of a function."""
        if self.domain is None:
            return inside(self.lower, self.upper)
        if not self.domain.dimension():
            raise InvalidArgument(f"domain = {self.shown!r}: a function needs the number of variables: {self.shown} N")
        import numpy

        return numpy.array([self.domain.inside(part) for part in (0.379, 0.617)], order="F")

    def names(self, variables: Sequence[str] | None) -> str | None:
        """The names of a formula's variables."""
        if self.variables is None:
            return None if variables is None else ",".join(variables)
        if variables is not None and list(variables) != self.variables:
            raise InvalidArgument(f"variables = {variables!r}: the box names the variables {self.variables}")
        return ",".join(self.variables)
