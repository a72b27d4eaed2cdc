"""Probability distributions to integrate over, as objects whose text is what a side of the program's --box takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Union

from ._kubature import InvalidArgument
from ._shapes import Shape, _most_variables, _number, _numbers, _refuse

#: A parameter, which may be a formula of variables declared before.
Parameter = Union[float, str]


class Distribution:
    """The distribution of one variable, for a side of a box: an integral over it is an expectation. A parameter may be
    a formula of variables that the box names before. Its text, str(), is that of the program."""

    _name = ""
    #: The parameters that have to be above 0.
    _positive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, str):
                continue
            number = _number(field.name, value)
            if field.name in self._positive and number <= 0:
                raise _refuse(field.name, value, "must be above 0")
            object.__setattr__(self, field.name, number)

    def __str__(self) -> str:
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return f"{self._name}({','.join(one if isinstance(one, str) else repr(one) for one in values)})"


@dataclass(frozen=True)
class Uniform(Distribution):
    """The uniform distribution between two bounds.

    >>> import kubature
    >>> round(kubature.integrate("x^2", {"x": Uniform(0, 3)}, relative=1e-9).value, 6)
    3.0
    """

    lower: Parameter = 0.0
    upper: Parameter = 1.0
    _name = "uniform"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.lower, str) or isinstance(self.upper, str)) and not self.lower < self.upper:
            raise _refuse("upper", self.upper, f"must be above the lower bound, {self.lower!r}")


@dataclass(frozen=True)
class Normal(Distribution):
    """The normal distribution with a mean and a standard deviation; with a vector and a matrix, that with a mean and a
    covariance, which is a domain of as many variables.

    >>> import kubature
    >>> box = {"x": Normal(0, 1), "y": Normal("x", 2)}
    >>> round(kubature.integrate("y^2", box, relative=1e-9).value, 6)
    5.0
    >>> pair = Normal([0, 0], [[1, 0.5], [0.5, 1]])
    >>> str(pair), round(kubature.integrate("x*y", pair, relative=1e-9).value, 6)
    ('normal 0.0,0.0; 1.0,0.5; 0.5,1.0', 0.5)
    """

    mean: Parameter = 0.0
    deviation: Parameter = 1.0
    _name = "normal"
    _positive = ("deviation",)

    def __new__(cls, mean: Any = 0.0, deviation: Any = 1.0) -> Any:
        if hasattr(mean, "__iter__") and not isinstance(mean, str):
            return CorrelatedNormal(mean, deviation)
        return super().__new__(cls)


@dataclass(frozen=True)
class CorrelatedNormal(Shape):
    """The normal distribution of several variables with a mean and a covariance; Normal makes it of these."""

    mean: Any
    covariance: Any

    def __post_init__(self) -> None:
        mean = _numbers("mean", self.mean)
        try:
            rows = tuple(tuple(row) for row in self.covariance)
        except TypeError:
            rows = ()
        if len(rows) != len(mean) or any(len(row) != len(mean) for row in rows):
            raise _refuse("covariance", self.covariance, f"{len(mean)} rows of as many numbers are needed")
        self._set(mean=mean, covariance=tuple(_numbers("covariance", row) for row in rows))

    def __str__(self) -> str:
        return "normal " + "; ".join(",".join(map(repr, row)) for row in (self.mean, *self.covariance))

    @property
    def dimension(self) -> int:
        return len(self.mean)

    @property
    def volume(self) -> float:
        return 1.0


@dataclass(frozen=True)
class LogNormal(Distribution):
    """The distribution of a variable whose logarithm is normal, with the mean and standard deviation of that.

    >>> import kubature
    >>> round(kubature.integrate("x", {"x": LogNormal(0, 1)}, relative=1e-9).value, 6)
    1.648721
    """

    mean: Parameter = 0.0
    deviation: Parameter = 1.0
    _name = "lognormal"
    _positive = ("deviation",)


@dataclass(frozen=True)
class Exponential(Distribution):
    """The exponential distribution, whose mean is 1/rate.

    >>> import kubature
    >>> round(kubature.integrate("x^2", {"x": Exponential(2)}, relative=1e-9).value, 6)
    0.5
    """

    rate: Parameter = 1.0
    _name = "exponential"
    _positive = ("rate",)


@dataclass(frozen=True)
class Gamma(Distribution):
    """The gamma distribution, whose mean is shape * scale.

    >>> import kubature
    >>> round(kubature.integrate("x^2", {"x": Gamma(2, 0.5)}, relative=1e-9).value, 6)
    1.5
    """

    shape: Parameter
    scale: Parameter = 1.0
    _name = "gamma"
    _positive = ("shape", "scale")


@dataclass(frozen=True)
class Beta(Distribution):
    """The beta distribution, whose mean is a/(a + b).

    >>> import kubature
    >>> round(kubature.integrate("x", {"x": Beta(2, 3)}, relative=1e-9).value, 6)
    0.4
    """

    a: Parameter
    b: Parameter
    _name = "beta"
    _positive = ("a", "b")


@dataclass(frozen=True)
class StudentT(Distribution):
    """Student's distribution with nu degrees of freedom, shifted and scaled.

    >>> import kubature
    >>> round(kubature.integrate("x^2", {"x": StudentT(6)}, relative=1e-9).value, 6)
    1.5
    """

    nu: Parameter
    location: Parameter = 0.0
    scale: Parameter = 1.0
    _name = "student_t"
    _positive = ("nu", "scale")


def _at_zero(make: Any) -> Any:
    """What makes a distribution that scipy may shift, where it is not shifted."""

    def made(loc: float, **parameters: float) -> Distribution:
        if loc != 0:
            raise InvalidArgument(f"loc = {loc!r}: must be 0 for this distribution")
        return make(**parameters)

    return made


def _beta(a: float, b: float, scale: float) -> Distribution:
    if scale != 1:
        raise InvalidArgument(f"scale = {scale!r}: must be 1 for the beta distribution")
    return Beta(a, b)


#: By the names of scipy.stats, from its parameters.
_scipy: dict[str, Any] = {
    "uniform": lambda loc, scale: Uniform(loc, loc + scale),
    "norm": Normal,
    "lognorm": _at_zero(lambda s, scale: LogNormal(math.log(scale), s)),
    "expon": _at_zero(lambda scale: Exponential(1 / scale)),
    "gamma": _at_zero(lambda a, scale: Gamma(a, scale)),
    "beta": _at_zero(_beta),
    "t": lambda df, loc, scale: StudentT(df, loc, scale),
}


def of_scipy(value: Any) -> Any:
    """A frozen distribution of scipy.stats, such as scipy.stats.norm(0, 1), as one of those here; other values as they
    are."""
    if isinstance(value, Distribution) or not hasattr(value, "rvs"):
        return value
    if hasattr(value, "cov") and hasattr(value, "mean") and not callable(value.mean):
        return Normal(value.mean, value.cov)
    dist: Any = getattr(value, "dist", None)
    name = getattr(dist, "name", None)
    if name not in _scipy:
        raise _refuse("box", value, f"of scipy.stats, {', '.join(_scipy)} and multivariate_normal are known")
    shapes = [one.strip() for one in dist.shapes.split(",")] if dist.shapes else []
    parameters = {"loc": 0.0, "scale": 1.0, **dict(zip(shapes + ["loc", "scale"], value.args)), **value.kwds}
    if name == "norm":
        return Normal(parameters["loc"], parameters["scale"])
    return _scipy[name](**{key: float(number) for key, number in parameters.items()})
