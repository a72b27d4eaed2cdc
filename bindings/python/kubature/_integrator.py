"""Integrators: methods and options by name, over the extension module."""

from __future__ import annotations

import ctypes
import signal
import threading
from typing import Any, Callable, Iterable, Sequence, Union

from . import _kubature
from ._kubature import InvalidArgument
from ._result import Iteration, Progress, Result

#: A formula, or a function of an (n, d) array of points that returns n numbers.
Integrand = Union[str, Callable[..., Any]]
#: A C function f(n, d, x, components, values, user), as kubature.h has it: coordinate i of point k is x[k * d + i]; it
#: returns 0, or what ends the call. CFunction((name, library)) is one of a ctypes library.
CFunction = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int64,
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_void_p,
)
#: A side (lower, upper) for each variable.
Box = Iterable[Sequence[float]]


def _sides(box: Box) -> tuple[list[float], list[float]]:
    try:
        sides = [tuple(float(bound) for bound in side) for side in box]
        lower, upper = [a for a, _ in sides], [b for _, b in sides]
    except (TypeError, ValueError):
        raise InvalidArgument(f"box = {box!r}: a pair (lower, upper) for each variable is needed") from None
    if not sides:
        raise InvalidArgument(f"box = {box!r}: one side or more is needed")
    return lower, upper


def _text(option: str, value: Any) -> str:
    """A value as the library reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, (tuple, list)):
        return ",".join(_text(option, each) for each in value)
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise InvalidArgument(f"{option} = {value!r}: a number or a text is needed") from None


def _checked(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its values as n contiguous doubles; what they cannot be is told."""
    import numpy

    def values(x: Any) -> Any:
        returned = f(x)
        if returned is None:
            raise TypeError("f returned None instead of an array of numbers")
        got = numpy.asarray(returned)
        if got.dtype.kind not in "fiub":
            raise TypeError(f"f returned values of dtype {got.dtype} instead of real numbers")
        if got.shape == (len(x), 1):
            got = got[:, 0]
        if got.shape != (len(x),):
            raise ValueError(f"f returned an array of shape {got.shape} for {len(x)} points instead of ({len(x)},)")
        return numpy.ascontiguousarray(got, dtype=numpy.float64)

    return values


def _prepared(f: Any) -> Any:
    """The integrand as the extension module takes it."""
    if isinstance(f, str):
        return f
    if isinstance(f, CFunction):
        return ctypes.cast(f, ctypes.c_void_p).value
    address = getattr(f, "address", None)  # of numba.cfunc
    if isinstance(address, int):
        return address
    if not callable(f):
        raise InvalidArgument(f"f = {f!r}: a formula or a function is needed")
    return _checked(f)


class _Interruptible:
    """Ctrl-C ends the integration with the estimate so far; a second one is a KeyboardInterrupt."""

    def __init__(self) -> None:
        self.interrupted = False
        self._before: Any = None

    def __enter__(self) -> _Interruptible:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def _interrupt(self, number: int, frame: Any) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True

    def __exit__(self, *ignored: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


class Integrator:
    """A method with its options and with what it learns from call to call: a map, strata, buffers.

    >>> vegas = Integrator([(0, 1), (0, 1)], method="vegas+", evaluations=20000, seed=1)
    >>> first = vegas(lambda x: 1 / (0.01 + (x[:, 0] - x[:, 1]) ** 2), relative=1e-2)
    >>> second = vegas(lambda x: 1 / (0.01 + (x[:, 0] - x[:, 1]) ** 2), relative=1e-2)  # begins trained
    >>> second.converged, second.iterations[0].included
    (True, True)

    box        a pair (lower, upper) for each variable; bounds may be infinite
    method     "vegas+", "mcubes", "mc", "pagani", ... (`kubature list`)
    precision  "fp64", "fp32", "adaptive", ...; None: the method's default
    comm       an MPI communicator of mpi4py, whose processes all make the same calls
    options    of the method, tolerances and limits by name: relative, absolute, evaluations, iterations, seconds, bytes,
               seed, ...
    """

    def __init__(
        self,
        box: Box,
        method: str = "vegas+",
        *,
        precision: str | None = None,
        comm: Any = None,
        **options: Any,
    ) -> None:
        self._lower, self._upper = _sides(box)
        self._method, self._precision = method, precision
        self._integrator = _kubature.Integrator(method, precision, None if comm is None else comm.py2f())
        self.set(**options)

    def set(self, **options: Any) -> None:
        """Options by name. Tolerances, seconds and bytes change at any time; any other begins anew, with the map of
        use() if there is one."""
        for option, value in options.items():
            self._integrator.set(option, _text(option, value))

    def get(self, option: str) -> str:
        """The value that a call takes, as text.

        >>> Integrator([(0, 1)], "mc", evaluations=1e6).get("evaluations")
        '1000000'
        """
        return self._integrator.get(option)

    def __call__(
        self,
        f: Integrand,
        *,
        variables: Sequence[str] | None = None,
        callback: Callable[[Progress], bool | None] | None = None,
        **options: Any,
    ) -> Result:
        """Integrates f until a tolerance is met or a limit is reached; the result says which.

        f          a formula such as "sin(x*y)", which runs where the library computes; or a function that is called with
                   arrays of points, (n, d), and returns n numbers, or (n, 1); or a CFunction or a numba.cfunc of its
                   signature, which run without Python
        variables  the names in a formula, in the order of the box's sides; None: x1 to x20, or x, y, z, w, v, u, t, s
        callback   called with a Progress after each iteration and ten times a second; returns False to stop

        An exception in f or in the callback ends the call and is raised as it was. Ctrl-C ends it with the estimate so
        far and status "stopped".
        """
        integrand = _prepared(f)
        self.set(**options)
        interruptible = _Interruptible()

        def go_on(*progress: Any) -> bool:
            told = callback is None or callback(Progress(*progress)) is not False
            return told and not interruptible.interrupted

        with interruptible:
            found = self._integrator.integrate(
                integrand,
                None if variables is None else ",".join(variables),
                self._lower,
                self._upper,
                go_on,
            )
        found["iterations"] = tuple(Iteration(*each) for each in found["iterations"])
        return Result(**found)

    def map(self) -> list[list[float]]:
        """What the calls so far have learned: for each axis the edges of the map's intervals, from 0 to 1 in units of
        the box's side."""
        return self._integrator.map()

    def use(self, map: Iterable[Iterable[float]]) -> None:
        """Calls from now on start from this map, as map() gives it, and keep its number of intervals."""
        edges = [[float(edge) for edge in axis] for axis in map]
        if not edges or len({len(axis) for axis in edges}) != 1:
            raise InvalidArgument(f"map = {len(edges)} axes: edges are needed, as many for each axis")
        self._integrator.use(edges)

    def __repr__(self) -> str:
        box = list(zip(self._lower, self._upper))
        return f"Integrator({box}, method={self._method!r}, precision={self._precision!r})"


def integrate(
    f: Integrand,
    box: Box,
    *,
    method: str = "vegas+",
    precision: str | None = None,
    relative: float = 0,
    absolute: float = 0,
    variables: Sequence[str] | None = None,
    callback: Callable[[Progress], bool | None] | None = None,
    comm: Any = None,
    map: Iterable[Iterable[float]] | None = None,
    **options: Any,
) -> Result:
    """Integrates f over the box to the tolerance error <= max(relative |value|, absolute).

    >>> result = integrate("exp(-y*(1+x))", [(0, 1), (0, float("inf"))], method="pagani", relative=1e-9)
    >>> print(result)
    0.6931471806(4)
    >>> import math, numpy
    >>> result = integrate(lambda x: numpy.exp(-numpy.sum(x, axis=1)), [(0, 1)] * 3, relative=1e-3, seed=1)
    >>> result.converged, abs(result.value - (1 - math.exp(-1)) ** 3) < 5 * result.error
    (True, True)

    With neither tolerance all work is done that the method's options name. Parameters are those of Integrator and its
    calls; map is one that calls begin with. Not converging is a status of the result; bad input is an InvalidArgument.
    """
    integrator = Integrator(
        box, method, precision=precision, comm=comm, relative=relative, absolute=absolute, **options
    )
    if map is not None:
        integrator.use(map)
    return integrator(f, variables=variables, callback=callback)
