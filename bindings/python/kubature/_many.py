"""Many integrals of one formula at many values of its parameters."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from . import _kubature
from ._formula import keywords
from ._integrator import integrator_options, separated
from ._interrupt import Interruptible
from ._kubature import InvalidArgument
from ._result import Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

#: Variables of formulas that are not named.
_letters = "xyzwvuts"


@dataclasses.dataclass(frozen=True, eq=False)
class ManyResult:
    """Integrals with their errors, arrays of the shape that the parameters have together."""

    value: Any
    error: Any
    #: Why each ended, names as in Result.status; an integral that a limit left out is NaN, and has that limit.
    status: Any
    #: The evaluations of all together.
    evaluations: int

    @property
    def converged(self) -> Any:
        """Whether each meets the tolerance."""
        return self.status == "converged"

    @property
    def mean(self) -> Any:
        """The values."""
        return self.value

    @property
    def sdev(self) -> Any:
        """The errors."""
        return self.error

    def __iter__(self) -> Any:
        """value, error = result."""
        return iter((self.value, self.error))

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"<{self.converged.sum()} of {self.value.size} integrals converged, {self.evaluations:,} evaluations>"


def _names(formula: str, d: int, variables: Sequence[str] | None, named: Sequence[str] | None) -> list[str]:
    """The names of the variables of integration."""
    chosen = named if variables is None else variables
    if chosen is not None:
        names = list(chosen)
        if len(names) != d:
            raise InvalidArgument(f"variables = {names!r}: the box has {d} sides")
        return names
    numbered = d > len(_letters) or re.search(r"(?<!\w)x[1-9]\d*(?!\w)", formula)
    return [f"x{i}" for i in range(1, d + 1)] if numbered else list(_letters[:d])


def _bounds(box: Any) -> tuple[list[Any], list[str] | None]:
    """The bounds of all sides, one after the other, each a number or an array, and the names of the sides."""
    names = [str(name) for name in box] if isinstance(box, Mapping) else None
    try:
        bounds = [_array("box", bound) for side in (box.values() if isinstance(box, Mapping) else box) for bound in _pair(side)]
    except (TypeError, ValueError):
        bounds = []
    if not bounds:
        raise InvalidArgument(f"box = {box!r}: a pair (lower, upper) of numbers or arrays for each variable is needed")
    return bounds, names


def _pair(side: Any) -> tuple[Any, Any]:
    lower, upper = side
    return lower, upper


def _array(name: str, value: Any) -> Any:
    import numpy

    try:
        return numpy.asarray(value, dtype=numpy.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name} = {value!r}: numbers are needed") from None


def integrate_many(
    f: str,
    box: Any,
    parameters: Mapping[str, Any] | None = None,
    *,
    variables: Sequence[str] | None = None,
    method: str = "auto",
    callback: Callable[[Progress], bool | None] | None = None,
    comm: Any = None,
    **options: Unpack[Options],
) -> ManyResult:
    """Computes many integrals of one formula, at all values of its parameters, in a few launches: thousands of them take
    about as long as one call of integrate().

    >>> import numpy
    >>> found = integrate_many("exp(-a*x)", [(0, 1)], {"a": [1, 2, 3]}, relative=1e-9)
    >>> numpy.allclose(found.value, -numpy.expm1([-1, -2, -3]) / [1, 2, 3], rtol=1e-9)
    True
    >>> a, b = numpy.array([[1.0], [2.0]]), numpy.array([0.5, 1, 2])
    >>> integrate_many("exp(-a*x)", {"x": (0, b)}, a=a, relative=1e-9).value.shape  # arrays that NumPy can broadcast
    (2, 3)

    f           a formula; functions are integrated one by one, or as several components by integrate()
    box         a pair (lower, upper) of numbers, or of arrays, for each variable, or a dictionary of names and these
    parameters  numbers or arrays by name, which may also be given by themselves, a=[1, 2, 3]. They are broadcast against
                each other and the bounds
    variables   the names of the variables of integration, in the order of the sides; None: x, y, z, w, v, u, t, s, or x1,
                x2, ...
    method      "auto", to relative=1e-6 if no tolerance is given; "pagani", which needs one; or "vegas+"
    callback    called with a Progress, whose iteration is the number of finished integrals; returns False to stop
    options     options, limits of all together and the tolerance of each

    There are up to 20 variables, parameters included.
    """
    import numpy

    if not isinstance(f, str):
        raise InvalidArgument(f"f = {f!r}: a formula is needed; functions are integrated by integrate()")
    chosen, named = separated(f, options, parameters)
    given = {name: _array(f"parameters[{name!r}]", value) for name, value in keywords(named or {}).items()}
    bounds, sides = _bounds(box)
    try:
        every = numpy.broadcast_arrays(*bounds, *given.values())
        shape = every[0].shape
        box_arrays = numpy.broadcast_arrays(*bounds)
    except ValueError as raised:
        raise InvalidArgument(f"parameters = arrays of shapes {[each.shape for each in (*bounds, *given.values())]}: {raised}") from None
    if 0 in shape:
        raise InvalidArgument(f"parameters = arrays of the shape {shape}: at least one integral is needed")
    one_box = all(each.ndim == 0 for each in bounds)
    rows = numpy.stack([each.ravel() for each in (box_arrays if one_box else every[: len(bounds)])], axis=1)
    count = every[0].size
    values = numpy.stack([each.ravel() for each in every[len(bounds) :]], axis=1).ravel().tolist() if given else []
    names = _names(f, len(bounds) // 2, variables, sides)
    integrator = _kubature.Integrator(method, None, None if comm is None else comm.py2f())
    integrator_options(integrator, chosen)
    interruptible = Interruptible()

    def go_on(*numbers: Any) -> bool:
        return (callback is None or callback(Progress(*numbers)) is not False) and not interruptible.interrupted

    with interruptible:
        found = integrator.integrate_many(
            f, ",".join(names), ",".join(given), count, values, len(rows), rows[:, ::2].ravel().tolist(),
            rows[:, 1::2].ravel().tolist(), go_on,
        )
    if interruptible.interrupted:
        raise KeyboardInterrupt
    value, error, status = (numpy.array(each).reshape(shape) for each in found[:3])
    return ManyResult(value, error, status, found[3])
