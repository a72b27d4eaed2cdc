"""dblquad, tplquad and nquad with the names, arguments and defaults of scipy.integrate."""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

from ._integrator import integrate
from ._kubature import InvalidArgument
from ._limits import Pointwise, Side, Sides, fixed_points
from ._nested import Nested

Limit = Union[float, Callable[..., Any]]


#: Where integrals within integrals are cut at first.
_cuts = (0.35, 0.65), (0.31, 0.67)


class IntegrationWarning(UserWarning):
    """Warns that dblquad, tplquad or nquad have not met the tolerance."""


def dblquad(
    func: Callable[..., Any],
    a: float,
    b: float,
    gfun: Limit,
    hfun: Limit,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[float, float]:
    """The integral of func(y, x) over x from a to b and y from gfun(x) to hfun(x), by adaptive cubature (PAGANI), and
    its error.

    >>> import math
    >>> value, error = dblquad(lambda y, x: 1, 0, math.pi / 4, math.sin, math.cos)
    >>> abs(value - (math.sqrt(2) - 1)) <= error < 1.5e-8
    True

    The parameters are those of nquad; gfun and hfun are functions or numbers.
    """
    ranges = [_range((gfun, hfun), 1), (a, b)]
    value, error, _ = _integral(func, ranges, args, {"epsabs": epsabs, "epsrel": epsrel})
    return value, error


def tplquad(
    func: Callable[..., Any],
    a: float,
    b: float,
    gfun: Limit,
    hfun: Limit,
    qfun: Limit,
    rfun: Limit,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[float, float]:
    """The integral of func(z, y, x) over x from a to b, y from gfun(x) to hfun(x), and z from qfun(x, y) to rfun(x, y),
    by adaptive cubature (PAGANI), and its error.

    >>> value, error = tplquad(lambda z, y, x: x * y * z, 0, 1, 0, lambda x: 1 - 2 * x, 0, lambda x, y: 1 - x - 2 * y)
    >>> round(value, 9), error < 1.5e-8
    (0.054166667, True)

    The parameters are those of nquad; gfun, hfun, qfun and rfun are functions or numbers.
    """
    ranges = [_range((qfun, rfun), 2), _range((gfun, hfun), 1), (a, b)]
    value, error, _ = _integral(func, ranges, args, {"epsabs": epsabs, "epsrel": epsrel})
    return value, error


def nquad(
    func: Callable[..., Any],
    ranges: Sequence[Any],
    args: Any = None,
    opts: Any = None,
    full_output: bool = False,
) -> tuple[Any, ...]:
    """The integral of func(x0, x1, ..., *args) over x0 within ranges[0], x1 within ranges[1], ..., by adaptive cubature
    (PAGANI), and its error; with full_output also {"neval": the number of evaluations}.

    >>> value, error = nquad(lambda x, y: x * y, [lambda y: (0, 1 - 2 * y), (0, 0.5)])
    >>> abs(value - 1 / 96) <= error < 1.5e-8
    True

    func    called with arrays, if a trial call shows that it accepts them; else with floats, point by point, which
            takes up to a hundred times as long
    ranges  pairs (lower, upper), or functions that return such: ranges[0](x1, x2, ..., *args), ... The bounds may be
            infinite or coincide, and where they cross the integral has the opposite sign
    args    further arguments of func, and of functions in ranges and opts
    opts    a dictionary, or a list of a dictionary, or of a function that returns one, for each variable, with
            points (where the side is cut), limit (see below), epsabs and epsrel

    The error is to be at most max(epsabs, epsrel |value|), with the tolerances of the outermost variable; an
    IntegrationWarning says that it is not. `limit` of a variable allows 21 (2 limit - 1) evaluations of each variable,
    but at least 1e6 in all; without it there are at most 2e7, or 8e6 if func is called point by point.
    """
    value, error, evaluations = _integral(func, ranges, args, opts)
    return (value, error, {"neval": evaluations}) if full_output else (value, error)


def _range(bounds: tuple[Limit, Limit], before: int) -> Any:
    """An element of ranges: its functions get the `before` variables before theirs, in the order of integration, no args."""
    if not any(callable(bound) for bound in bounds):
        return bounds
    return lambda *x: tuple(bound(*x[:before][::-1]) if callable(bound) else bound for bound in bounds)


def _option(name: str, given: Any) -> dict[str, Any]:
    """The options of a variable that are not None."""
    if not isinstance(given, dict):
        raise InvalidArgument(f"{name} = {given!r}: a dictionary, or a function that returns one, is needed")
    for option, value in given.items():
        if option not in ("points", "limit", "epsabs", "epsrel") and value is not None:
            raise InvalidArgument(
                f"{name} = {given!r}: there is no option {option!r} here; there are points, limit, epsabs and epsrel"
            )
    return {option: value for option, value in given.items() if value is not None}


def _points(name: str, option: dict[str, Any]) -> list[float]:
    points = option.get("points", ())
    try:
        return [float(point) for point in points]
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name}: points = {points!r}: a list of numbers is needed") from None


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise InvalidArgument(f"{name} = {value!r}: must be a number")
    return number


class _Variable:
    """One of the variables x0, x1, ...: its side, and its options."""

    def __init__(self, i: int, last: bool, given: Any, option: Any, args: tuple[Any, ...]) -> None:
        self.name, self.args = f"opts[{i}]", args
        if last:  # nothing depends on a variable
            given, option = (each(*args) if callable(each) else each for each in (given, option))
        self.given = option if callable(option) else _option(self.name, option)
        points: Any = None
        if callable(option):
            points = self._points_at
        elif "points" in self.given:
            points = fixed_points(_points(self.name, self.given))
        #: -1 if the bounds are numbers that have been exchanged, 0 if they coincide
        self.sign = 1
        name = f"ranges[{i}]"
        if callable(given):
            both = Pointwise(lambda *before: given(*before, *args), name, 2)
            bounds, try_out = (lambda before, rim: both(before[::-1], rim)), (lambda before: both.try_out(before[::-1]))
            self.side = Side(name, bounds, try_out, points)
        else:
            try:
                a, b = given
            except (TypeError, ValueError):
                raise InvalidArgument(
                    f"{name} = {given!r}: a pair (lower, upper), or a function that returns one, is needed"
                ) from None
            a, b = _number(name, a), _number(name, b)
            self.sign = (a < b) - (a > b)
            self.side = Side(name, (min(a, b), max(a, b)), None, points)

    def at(self, before: Sequence[float]) -> dict[str, Any]:
        """The options where the variables before have these values."""
        return _option(self.name, self.given(*before[::-1], *self.args)) if callable(self.given) else self.given

    def _points_at(self, before: Sequence[Any], n: int) -> Any:
        import numpy

        every = [_points(self.name, self.at(point)) for point in zip(*(each.tolist() for each in before))]
        most = max(map(len, every))
        return numpy.array([points + [math.nan] * (most - len(points)) for points in every]).reshape(n, most)


def _integral(func: Any, ranges: Any, args: Any, opts: Any) -> tuple[float, float, int]:
    """The value, its error, and the number of evaluations."""
    import numpy

    if not callable(func):
        raise InvalidArgument(f"func = {func!r}: a function is needed")
    ranges, args = list(ranges), () if args is None else tuple(args) if isinstance(args, Iterable) else (args,)
    depth = len(ranges)
    if depth == 0:
        raise InvalidArgument("ranges = []: a range for each variable is needed")
    opts = [{}] if not opts else [opts] if isinstance(opts, Mapping) or callable(opts) else list(opts)
    opts = opts * depth if len(opts) == 1 else opts
    if len(opts) != depth:
        raise InvalidArgument(f"opts = {opts!r}: {len(opts)} elements; there are {depth} variables")
    # As sides of a box, variables are in the order of integration.
    variables = [_Variable(i, i == depth - 1, ranges[i], opts[i], args) for i in reversed(range(depth))]
    tolerance = {"epsabs": 1.49e-8, "epsrel": 1.49e-8, **variables[0].at(())}
    epsabs, epsrel = (max(0.0, _number(each, tolerance[each])) for each in ("epsabs", "epsrel"))
    if not 0 < epsabs + epsrel < math.inf:
        raise InvalidArgument(f"epsabs = {epsabs!r}, epsrel = {epsrel!r}: one must be above 0, and both finite")
    sign = math.prod(variable.sign for variable in variables)
    if sign == 0:
        return 0.0, 0.0, 0

    integrand = Pointwise(lambda *x: func(*x, *args), "func")
    every = [variable.side for variable in variables]
    sides = Sides(every)
    integrand.try_out(sides.trial[::-1])
    limit = _limit(variables, sides.trial, integrand.accepts_arrays)
    found = _Found(integrand, epsabs, epsrel, limit)
    # First as it is; then so that roots, and inverse roots, at bounds are smooth; then one variable within the other.
    done = found.by_cubature(sides) or found.by_cubature(Sides(every, smooth=True))
    done = done or found.one_within_the_other(Sides(every, smooth=True, unit=True))
    if not done:
        text = f"The error {found.error:.3g} is not below {found.allowed():.3g}: {found.status}."
        warnings.warn(text, IntegrationWarning, stacklevel=3)
    return sign * found.value, found.error, integrand.evaluations


class _Exhausted(Exception):
    pass


class _Found:
    """The best value so far of an integral."""

    def __init__(self, integrand: Pointwise, epsabs: float, epsrel: float, limit: float) -> None:
        self._integrand, self._epsabs, self._epsrel, self._limit = integrand, epsabs, epsrel, limit
        self.value, self.error, self.status = math.nan, math.inf, ""

    def allowed(self) -> float:
        """The largest error that is allowed."""
        return max(self._epsabs, self._epsrel * abs(self.value)) if not math.isnan(self.value) else self._epsabs

    def _add(self, value: float, error: float, status: str) -> bool:
        """Keeps a value that is better; whether the tolerance is met."""
        if error < self.error or math.isnan(self.value):
            self.value, self.error, self.status = value, error, status
        return error <= self.allowed()

    def by_cubature(self, sides: Sides) -> bool:
        import numpy

        with numpy.errstate(all="ignore"):
            found = integrate(
                self._over(sides),
                list(zip(sides.lower, sides.upper)),
                method="pagani",
                components=1,
                absolute=self._epsabs,
                relative=self._epsrel,
                max_evaluations=self._limit / (4 if self._integrand.accepts_arrays else 16),
                close_look=self._integrand.accepts_arrays,
                channels="automatic" if self._integrand.accepts_arrays else "never",
                bar=False,
            )
        return self._add(found.value, found.error, found.status) and found.converged

    def one_within_the_other(self, sides: Sides) -> bool:
        import numpy

        f = self._over(sides)

        def values(t: Any) -> Any:
            if self._integrand.evaluations > self._limit:
                raise _Exhausted
            return f(t)

        try:
            with numpy.errstate(all="ignore"):
                one, other = (Nested(values, len(sides.lower), 0.4 * self.allowed(), cuts) for cuts in _cuts)
        except _Exhausted:
            return False
        error = max(one.error, other.error) + abs(one.value - other.value)
        return self._add((one.value + other.value) / 2, error, "something narrow was not seen")

    def _over(self, sides: Sides) -> Callable[[Any], Any]:
        return sides.over(lambda x, rim: self._integrand(x.T[::-1], rim), 1)


def _limit(variables: Sequence[_Variable], trial: Sequence[Any], arrays: bool) -> float:
    """The largest number of evaluations."""
    limits: list[Any] = []
    for i, variable in enumerate(variables):
        limits.append(variable.at([float(each[0]) for each in trial[:i]]).get("limit"))
        if limits[-1] is not None and not (isinstance(limits[-1], int) and limits[-1] >= 1):
            raise InvalidArgument(f"{variable.name}: limit = {limits[-1]!r}: must be a whole number, at least 1")
    if not any(limits):
        return 2e7 if arrays else 8e6
    return max(1e6, math.prod(21.0 * (2 * (limit or 50) - 1) for limit in limits))
