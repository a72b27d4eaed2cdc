"""Shapes to integrate over, as objects whose text is what `domain=` takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Sequence

from ._kubature import InvalidArgument

#: The largest number of variables of a domain.
_most_variables = 20


def _refuse(argument: str, value: Any, problem: str) -> InvalidArgument:
    return InvalidArgument(f"{argument} = {value!r}: {problem}")


def _number(argument: str, value: Any, infinite: bool = False) -> float:
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or math.isinf(number) and not infinite:
        raise _refuse(argument, value, "must be a number" if infinite else "must be a finite number")
    return number + 0.0  # without the sign of -0.0


def _positive(argument: str, value: Any) -> float:
    number = _number(argument, value)
    if number <= 0:
        raise _refuse(argument, value, "must be above 0")
    return number


def _numbers(argument: str, value: Any, least: int = 1) -> tuple[float, ...]:
    """The coordinates of a point; a number is the only one."""
    try:
        each = () if isinstance(value, (str, bytes)) else tuple(value)
    except TypeError:
        each = (value,)
    if not least <= len(each) <= _most_variables:
        raise _refuse(argument, value, f"{least} to {_most_variables} coordinates are needed")
    return tuple(_number(argument, one) for one in each)


def _dimension(value: Any) -> int:
    try:
        number = int(value)
        if isinstance(value, (str, bytes)) or number != value or not 1 <= number <= _most_variables:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise _refuse("dimension", value, f"must be a whole number, 1 to {_most_variables}") from None
    return number


def _joined(numbers: Sequence[float], separator: str = ",") -> str:
    return separator.join(map(repr, numbers))


def _unit_ball(dimension: int) -> float:
    return math.pow(math.pi, dimension / 2) / math.gamma(dimension / 2 + 1)


class Shape:
    """A domain of integration. Its text, str(), describes it to `domain=` and to the program's --domain; its dimension
    is the number of variables, and its volume the integral of 1, which is the area of a sphere."""

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Box(Shape):
    """The product of sides (lower, upper), which may be infinite.

    >>> str(Box([(0, 2), (0, float("inf"))])), Box([(0, 2), (0, 3)]).volume
    ('0.0:2.0,0.0:inf', 6.0)
    """

    sides: Any

    def __post_init__(self) -> None:
        try:
            sides = tuple((_number("sides", a, True), _number("sides", b, True)) for a, b in self.sides)
        except (TypeError, ValueError) as error:
            if isinstance(error, InvalidArgument):
                raise
            raise _refuse("sides", self.sides, "a pair (lower, upper) for each variable is needed") from None
        if not 1 <= len(sides) <= _most_variables:
            raise _refuse("sides", self.sides, f"1 to {_most_variables} sides are needed")
        for a, b in sides:
            if not a < b:
                raise _refuse("sides", self.sides, f"the lower bound {a!r} must be below the upper bound {b!r}")
        self._set(sides=sides)

    def __str__(self) -> str:
        return ",".join(_joined(side, ":") for side in self.sides)

    def __mul__(self, other: Any) -> Box:
        return Box(self.sides + other.sides) if isinstance(other, Box) else NotImplemented

    @property
    def dimension(self) -> int:
        return len(self.sides)

    @property
    def volume(self) -> float:
        return math.prod(b - a for a, b in self.sides)


class _Centred(Shape):
    """A shape about a point."""

    centre: Any

    @property
    def dimension(self) -> int:
        return len(self.centre)


@dataclass(frozen=True)
class Ball(_Centred):
    """The points within a radius of a centre, in 1 to 20 variables.

    >>> disc = Ball([0, 0], 1)
    >>> str(disc), disc.dimension, round(disc.volume, 6), disc * Box([(0, 2)])
    ('ball 0.0,0.0 1.0', 2, 3.141593, Cylinder(centre=(0.0, 0.0), radius=1.0, sides=((0.0, 2.0),)))
    >>> import kubature
    >>> round(kubature.integrate("x^2", disc, relative=1e-9).value, 6)
    0.785398
    """

    centre: Any
    radius: float

    def __post_init__(self) -> None:
        self._set(centre=_numbers("centre", self.centre), radius=_positive("radius", self.radius))

    def __str__(self) -> str:
        return f"ball {_joined(self.centre)} {self.radius!r}"

    def __mul__(self, other: Any) -> Cylinder:
        return Cylinder(self.centre, self.radius, other.sides) if isinstance(other, Box) else NotImplemented

    @property
    def volume(self) -> float:
        return _unit_ball(self.dimension) * math.prod([self.radius] * self.dimension)


@dataclass(frozen=True)
class Shell(_Centred):
    """The points between two radii about a centre, in 2 to 20 variables.

    >>> str(Shell([0, 0, 0], 0.5, 1)), round(Shell([0, 0], 0, 1).volume, 6)
    ('shell 0.0,0.0,0.0 0.5 1.0', 3.141593)
    """

    centre: Any
    inner: float
    outer: float

    def __post_init__(self) -> None:
        inner, outer = _number("inner", self.inner), _positive("outer", self.outer)
        if inner < 0:
            raise _refuse("inner", self.inner, "must be at least 0")
        if inner >= outer:
            raise _refuse("inner", self.inner, f"must be below the outer radius, {outer!r}")
        self._set(centre=_numbers("centre", self.centre, 2), inner=inner, outer=outer)

    def __str__(self) -> str:
        return f"shell {_joined(self.centre)} {self.inner!r} {self.outer!r}"

    @property
    def volume(self) -> float:
        # (R - r) (R^(d-1) + R^(d-2) r + ... + r^(d-1)), without cancellation
        d = self.dimension
        powers = (math.prod([self.outer] * (d - 1 - k) + [self.inner] * k) for k in range(d))
        return _unit_ball(d) * (self.outer - self.inner) * sum(powers)


@dataclass(frozen=True)
class Sphere(_Centred):
    """The surface of a ball, in 2 to 20 variables. Integrals are over its area, which is its volume here.

    >>> str(Sphere([0, 0, 0], 1)), round(Sphere([0, 0, 0], 1).volume / math.pi, 6)
    ('sphere 0.0,0.0,0.0 1.0', 4.0)
    """

    centre: Any
    radius: float

    def __post_init__(self) -> None:
        self._set(centre=_numbers("centre", self.centre, 2), radius=_positive("radius", self.radius))

    def __str__(self) -> str:
        return f"sphere {_joined(self.centre)} {self.radius!r}"

    @property
    def volume(self) -> float:
        d = self.dimension
        return d * _unit_ball(d) * math.prod([self.radius] * (d - 1))


@dataclass(frozen=True)
class Ellipsoid(_Centred):
    """An ellipsoid with a centre and semi-axes along the coordinate axes, in 1 to 20 variables.

    >>> str(Ellipsoid([0, 0], [2, 1])), round(Ellipsoid([0, 0], [2, 1]).volume / math.pi, 6)
    ('ellipsoid 0.0,0.0 2.0,1.0', 2.0)
    """

    centre: Any
    axes: Any

    def __post_init__(self) -> None:
        centre, axes = _numbers("centre", self.centre), _numbers("axes", self.axes)
        if len(axes) != len(centre):
            raise _refuse("axes", self.axes, f"{len(centre)} semi-axes are needed, as the centre has coordinates")
        self._set(centre=centre, axes=tuple(_positive("axes", axis) for axis in axes))

    def __str__(self) -> str:
        return f"ellipsoid {_joined(self.centre)} {_joined(self.axes)}"

    @property
    def volume(self) -> float:
        return _unit_ball(self.dimension) * math.prod(self.axes)


@dataclass(frozen=True)
class Cylinder(Shape):
    """The product of a ball in the first variables and of sides (lower, upper), which may be infinite, in the others.

    >>> str(Cylinder([0, 0], 1, [(0, 2)])), round(Cylinder([0, 0], 1, [(0, 2)]).volume / math.pi, 6)
    ('cylinder 0.0,0.0 1.0 0.0:2.0', 2.0)
    """

    centre: Any
    radius: float
    sides: Any

    def __post_init__(self) -> None:
        ball, box = Ball(self.centre, self.radius), Box(self.sides)
        if ball.dimension + box.dimension > _most_variables:
            raise _refuse("sides", self.sides, f"{_most_variables} variables are possible, with those of the centre")
        self._set(centre=ball.centre, radius=ball.radius, sides=box.sides)

    def __str__(self) -> str:
        return f"cylinder {_joined(self.centre)} {self.radius!r} {Box(self.sides)}"

    def __mul__(self, other: Any) -> Cylinder:
        if not isinstance(other, Box):
            return NotImplemented
        return Cylinder(self.centre, self.radius, self.sides + other.sides)

    @property
    def dimension(self) -> int:
        return len(self.centre) + len(self.sides)

    @property
    def volume(self) -> float:
        return Ball(self.centre, self.radius).volume * Box(self.sides).volume


@dataclass(frozen=True, init=False)
class Simplex(Shape):
    """The simplex between N + 1 vertices in N variables, or, with a dimension, that of x > 0 whose sum is below 1.

    >>> str(Simplex([(0, 0), (2, 0), (0, 1)])), Simplex([(0, 0), (2, 0), (0, 1)]).volume
    ('simplex 0.0,0.0; 2.0,0.0; 0.0,1.0', 1.0)
    >>> str(Simplex(dimension=3)), round(Simplex(dimension=3).volume, 6)
    ('simplex 3', 0.166667)
    """

    vertices: Any
    dimension: int

    def __init__(self, vertices: Any = None, *, dimension: Any = None) -> None:
        if (vertices is None) == (dimension is None):
            given = "neither" if vertices is None else f"both {vertices!r} and {dimension!r}"
            raise InvalidArgument(f"vertices = {given}: vertices or a dimension is needed")
        if vertices is None:
            self._set(vertices=None, dimension=_dimension(dimension))
            return
        try:
            points = tuple(tuple(point) if hasattr(point, "__iter__") else (point,) for point in vertices)
        except TypeError:
            points = ()
        d = len(points) - 1
        if not 1 <= d <= _most_variables or any(len(point) != d for point in points):
            raise _refuse("vertices", vertices, "N + 1 points with N coordinates each are needed, N from 1 to 20")
        self._set(vertices=tuple(_numbers("vertices", point) for point in points), dimension=d)
        if not self.volume > 0:
            raise _refuse("vertices", vertices, "they enclose no volume")

    def __str__(self) -> str:
        return "simplex " + (str(self.dimension) if self.vertices is None else "; ".join(map(_joined, self.vertices)))

    @property
    def volume(self) -> float:
        over = math.factorial(self.dimension)
        if self.vertices is None:
            return 1 / over
        first = [Fraction(x) for x in self.vertices[0]]
        edges = [[Fraction(x) - y for x, y in zip(point, first)] for point in self.vertices[1:]]
        return _float(abs(_determinant(edges)) / over)


@dataclass(frozen=True)
class Ordered(Shape):
    """The points whose coordinates ascend, lower < x1 < x2 < ... < upper. One bound may be infinite.

    >>> str(Ordered(0, 1, 3)), round(Ordered(0, 1, 3).volume, 6)
    ('ordered 0.0:1.0 3', 0.166667)
    """

    lower: float
    upper: float
    dimension: int

    def __post_init__(self) -> None:
        lower, upper = _number("lower", self.lower, True), _number("upper", self.upper, True)
        if not lower < upper:
            raise _refuse("lower", self.lower, f"must be below the upper bound, {upper!r}")
        if math.isinf(lower) and math.isinf(upper):
            raise _refuse("lower", self.lower, "one bound must be finite")
        self._set(lower=lower, upper=upper, dimension=_dimension(self.dimension))

    def __str__(self) -> str:
        return f"ordered {self.lower!r}:{self.upper!r} {self.dimension}"

    @property
    def volume(self) -> float:
        return math.prod([self.upper - self.lower] * self.dimension) / math.factorial(self.dimension)


def Product(*shapes: Shape) -> Shape:
    """The product of a ball, or a cylinder, and boxes, or of boxes.

    >>> print(Product(Ball([0, 0], 1), Box([(0, 2)])))
    cylinder 0.0,0.0 1.0 0.0:2.0
    """
    if not shapes or any(not isinstance(shape, Shape) for shape in shapes):
        raise _refuse("shapes", shapes, "shapes are needed, such as Ball([0, 0], 1) and Box([(0, 2)])")
    product: Any = shapes[0]
    for shape in shapes[1:]:
        try:
            product = product * shape
        except TypeError:
            raise _refuse("shapes", shapes, "a ball or a cylinder times boxes, or boxes, are possible") from None
    return product


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    result = Fraction(1)
    for k in range(len(rows)):
        pivot = next((row for row in range(k, len(rows)) if rows[row][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot], result = rows[pivot], rows[k], -result
        result *= rows[k][k]
        for row in rows[k + 1 :]:
            factor = row[k] / rows[k][k]
            for column in range(k, len(rows)):
                row[column] -= factor * rows[k][column]
    return result
