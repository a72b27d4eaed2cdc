"""cubature and qmc_quad with the names, arguments and defaults of scipy.integrate."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any, Callable, NamedTuple, Sequence

from ._domain import inside
from ._integrator import integrate
from ._layout import Layout
from ._limits import trial_parts
from ._result import Result


@dataclasses.dataclass
class CubatureResult:
    """The result of cubature: the estimate and the error of each component, and how they were obtained.

    Of scipy's fields, `regions` is missing: PAGANI drops regions as they settle. `results` holds kubature's own
    results, one for each component and each part of the domain.
    """

    estimate: Any
    error: Any
    #: "converged" or "not_converged"
    status: str
    subdivisions: int
    rtol: float
    atol: float
    results: list[Result] = dataclasses.field(repr=False)


class QMCQuadResult(NamedTuple):
    """The result of qmc_quad."""

    integral: float
    standard_error: float


def _limits(a: Any, b: Any) -> tuple[list[tuple[float, float]], int]:
    """The sides, with the lower limit first, and the sign that results from exchanging limits."""
    import numpy

    lower, upper = (numpy.atleast_1d(numpy.asarray(limit, dtype=numpy.float64)) for limit in (a, b))
    if lower.ndim != 1 or upper.ndim != 1 or len(lower) == 0:
        raise ValueError(f"a and b have shapes {lower.shape} and {upper.shape}: 1-d arrays are needed")
    if len(lower) != len(upper):
        raise ValueError(f"a has {len(lower)} limits and b {len(upper)}: equal numbers are needed")
    sign = -1 if numpy.count_nonzero(lower > upper) % 2 else 1
    return [(float(min(p, q)), float(max(p, q))) for p, q in zip(lower, upper)], sign


def _parts(sides: list[tuple[float, float]], points: Sequence[Any]) -> list[list[tuple[float, float]]]:
    """The domain divided along all axes at the points, which then lie on corners."""
    cuts = [{lower, upper} for lower, upper in sides]
    for point in points:
        if len(point) != len(sides):
            raise ValueError(f"points = {point!r}: a point needs as many coordinates as there are limits")
        for cut, x, (lower, upper) in zip(cuts, point, sides):
            if lower < x < upper:
                cut.add(float(x))
    ends = [sorted(cut) for cut in cuts]
    return [list(part) for part in itertools.product(*(zip(end, end[1:]) for end in ends))]


def cubature(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    *,
    rule: str | None = None,
    rtol: float = 1e-8,
    atol: float = 0,
    max_subdivisions: int | None = 10000,
    args: tuple[Any, ...] = (),
    workers: Any = 1,
    points: Sequence[Any] | None = None,
) -> CubatureResult:
    """The integral of f, which returns an array of any shape at a point, from a to b by adaptive cubature (PAGANI).

    >>> import numpy
    >>> found = cubature(lambda x, n: x ** n, [0], [1], args=(numpy.arange(1, 4),))
    >>> found.estimate.round(12).tolist(), found.status
    ([0.5, 0.333333333333, 0.25], 'converged')

    f                 called with arrays of points, (n, d), and args; returns (n, ...)
    a, b              limits, d each; they may be infinite, and b may be below a
    rule              None, or the name of a rule of PAGANI ("7", "9", "11", "13", "gauss-kronrod"); scipy's names are
                      accepted, too, and leave the choice to PAGANI
    rtol, atol        for each component, error <= max(rtol |estimate|, atol); scipy adds the two
    max_subdivisions  the largest number of regions that may be bisected, in all; None: no limit
    workers           ignored: the library has its own threads
    points            at which f is not evaluated, such as singularities: the domain is divided there

    Up to 32 components (16 complex ones) are integrated together, on regions that suit them all; f is called anew for
    the next ones. The error of a complex estimate is the magnitude of its parts' errors.
    """
    import numpy

    sides, sign = _limits(a, b)
    parts = _parts(sides, () if points is None else points)
    named = None if rule in (None, "gk21", "gk15", "genz-malik") or len(sides) > 1 and rule == "gauss-kronrod" else rule
    options: dict[str, Any] = dict(method="pagani", bar=False)
    if named is not None:
        options["rule"] = named
    if any(lower == upper for lower, upper in sides):
        x = numpy.array([[upper if math.isinf(lower) else lower for lower, upper in sides]] * 2)
        shape = numpy.asarray(f(x, *args)).shape[1:]
        return CubatureResult(numpy.zeros(shape)[()], numpy.zeros(shape)[()], "converged", 0, rtol, atol, [])
    probe = _probe(f, sides, args)
    shape = probe.shapes[0][:-1] if probe.complex else probe.shapes[0]
    count, most = math.prod(shape), 16 if probe.complex else 32
    results: list[Result] = []
    estimates, errors, done, left = [], [], True, max_subdivisions
    for first in range(0, count, most):
        group = min(most, count - first)

        def some(x: Any, first: int = first, group: int = group) -> Any:
            return numpy.asarray(f(x, *args)).reshape(len(x), -1)[:, first : first + group]

        def all_parts(left: int | None, **tolerance: float) -> tuple[list[Result], Any, Any]:
            found = []
            for part in parts:
                known = None if probe.complex else group
                found.append(_within(some, part, left, components=known, **tolerance, **options))
                left = None if left is None else max(0, left - _bisected(found[-1]))
            return found, sum(numpy.atleast_1d(r.value) for r in found), sum(numpy.atleast_1d(abs(r.error)) for r in found)

        def allowed(estimate: Any) -> Any:
            return numpy.maximum(rtol * abs(estimate), atol)

        found, estimate, error = all_parts(left, relative=rtol, absolute=atol / len(parts))
        least = float(allowed(estimate).min())
        cancel = len(parts) > 1 and bool((error > allowed(estimate)).any()) and least > 0
        if cancel and all(r.converged for r in found):
            found, estimate, error = all_parts(left, relative=0, absolute=least / len(parts))
        if left is not None:
            left = max(0, left - sum(_bisected(r) for r in found))
        done = done and bool((error <= allowed(estimate)).all())
        done = done and all(r.status in ("converged", "precision_limit", "no_variance") for r in found)
        results += found
        estimates.append(sign * estimate)
        errors.append(error)
    packed = numpy.concatenate(estimates).reshape(shape)[()], numpy.concatenate(errors).reshape(shape)[()]
    bisected = sum(_bisected(r) for r in results)
    return CubatureResult(*packed, "converged" if done else "not_converged", bisected, rtol, atol, results)


def _probe(f: Callable[..., Any], sides: list[tuple[float, float]], args: tuple[Any, ...]) -> Layout:
    x = inside([lower for lower, _ in sides], [upper for _, upper in sides], trial_parts[:2])
    returned = f(x, *args)
    if isinstance(returned, dict):
        raise TypeError("f returned a dictionary instead of an array")
    import numpy

    shape = numpy.shape(returned)
    layout = Layout.of(returned, len(x))
    return layout if shape[1:] != (1,) else Layout((shape[1:],))


def _bisected(result: Result) -> int:
    """The number of bisected regions: each bisection adds one region."""
    return max(0, result.regions - 1)


def _within(f: Any, part: Any, left: int | None, *, relative: float, absolute: float, **options: Any) -> Result:
    """The integral over a part; a limit on regions is converted to the evaluations that they need."""
    if left is not None:
        # The rule of degree 7 has 1 + 4 d + 2 d (d - 1) + 2^d points per region, others have more.
        d = len(part)
        options["max_evaluations"] = 4 * (2 * left + 64) * (1 + 4 * d + 2 * d * (d - 1) + 2**d)
    return integrate(f, part, relative=relative, absolute=absolute, **options)


def qmc_quad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    *,
    n_estimates: int = 8,
    n_points: int = 1024,
    qrng: Any = None,
    log: bool = False,
    seed: int | None = None,
) -> QMCQuadResult:
    """The integral of func from a to b by quasi-Monte Carlo: Sobol's sequence with Owen's scrambling.

    >>> import numpy
    >>> found = qmc_quad(lambda x: numpy.exp(-numpy.sum(x**2, axis=0)), [0, 0], [1, 1], seed=1)
    >>> abs(found.integral - 0.557746285) < 5 * found.standard_error
    True

    func         called with arrays of points, (d, n); returns n numbers
    a, b         limits, d each; b may be below a
    n_estimates  number of independent scrambles, whose scatter gives the error
    n_points     points of each; the nearest power of two is used
    qrng         must be None: kubature has its own sequences
    log          must be False
    seed         of the scrambles; None: drawn by numpy.random
    """
    import numpy

    if qrng is not None:
        raise ValueError(f"qrng = {qrng!r}: kubature has its own sequences; give seed instead")
    if log:
        raise ValueError("log = True: the integrand itself is needed, not its logarithm")
    for name, value, least in (("n_estimates", n_estimates, 2), ("n_points", n_points, 1)):
        if value != int(value) or value < least:
            raise ValueError(f"{name} = {value!r}: must be a whole number, at least {least}")
    sides, sign = _limits(a, b)
    if any(math.isinf(limit) for side in sides for limit in side):
        raise ValueError("a, b: finite limits are needed")
    if any(lower == upper for lower, upper in sides):
        return QMCQuadResult(0.0, 0.0)
    found = integrate(
        lambda x: func(x.T),
        sides,
        method="qmc",
        components=1,
        bar=False,
        evaluations=int(n_estimates) * int(n_points),
        shifts=int(n_estimates),
        rule="sobol",
        transform="none",
        trained_map="none",
        seed=int(numpy.random.randint(2**31 - 1)) if seed is None else seed,
    )
    return QMCQuadResult(sign * found.value, found.error)
