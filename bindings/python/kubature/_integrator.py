"""Integrators, with methods and options by name, over the extension module."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

from . import _kubature
from ._bar import Bar
from ._device import DeviceFunction
from ._domain import Box, Region, few_variables
from ._formula import rewritten
from ._found import History, result
from ._interrupt import Interruptible, interrupted
from ._kubature import InvalidArgument
from ._layout import Layout, checked, formulas
from ._path import Path
from ._result import Progress, Result
from ._shapes import Shape

#: A formula, or a function of an (n, d) array of points that returns n numbers, n arrays, or a dictionary of these.
Integrand = Union[str, Callable[..., Any]]
#: A C function f(n, d, x, components, values, user), as in kubature.h: coordinate i of point k is x[k * d + i]; it
#: returns 0, or the number that ends the call. CFunction((name, library)) is one from a ctypes library. If f.concurrent
#: is true, threads call it at the same time.
CFunction = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int64,
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_void_p,
)


def _text(option: str, value: Any) -> str:
    """A value in the form that the library reads."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, (tuple, list)):
        return ",".join(_text(option, each) for each in value)
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise InvalidArgument(f"{option} = {value!r}: must be a number or a string") from None


class _Prepared:
    """An integrand in the form that the extension module accepts, and the layout of its components."""

    #: Number of points that a function gets at once: arrays of this length stay in the cache.
    block = 8192

    def __init__(
        self,
        f: Any,
        components: int | None,
        region: Region,
        parameters: Mapping[str, float] | None = None,
        derivatives: bool = False,
        complex: bool = False,
    ) -> None:
        self.there = isinstance(f, DeviceFunction)
        if components is not None and (not isinstance(components, int) or components < 1):
            raise InvalidArgument(f"components = {components!r}: must be a whole number, at least 1")
        self.f, self.layout = f, Layout.array(components or 1)
        address = getattr(f, "address", None)  # from numba.cfunc
        sides = region.sides
        if sides is not None and (isinstance(f, (str, DeviceFunction, CFunction)) or isinstance(address, int)):
            raise InvalidArgument(f"f = {f!r}: {sides.wanted(f)}")
        self.concurrent = False
        if isinstance(f, str):
            self.layout = Layout.array(formulas(f))
            if parameters or derivatives or complex:
                self.f, self.layout = rewritten(f, parameters or {}, derivatives, complex)
        elif parameters or derivatives or complex:
            raise InvalidArgument(f"f = {f!r}: parameters, derivatives and complex are for formulas")
        elif isinstance(f, DeviceFunction):
            self.layout = Layout.array(f.components)
        elif isinstance(f, CFunction):
            self.f = ctypes.cast(f, ctypes.c_void_p).value
            self.concurrent = bool(getattr(f, "concurrent", False))
        elif isinstance(address, int):
            self.f = address
            self.concurrent = bool(getattr(f, "concurrent", True))  # threads can share a function compiled by numba
        elif not callable(f):
            raise InvalidArgument(f"f = {f!r}: a formula or a function is needed")
        else:
            if components is None:
                x = region.inside()
                self.layout = Layout.of(f(x), len(x))
            values = checked(f, self.layout)
            self.f = values if sides is None else sides.over(lambda x, rim: values(x), self.layout.components)


class Integrator:
    """A method with its options and the state that it keeps from call to call: map, strata, buffers.

    >>> vegas = Integrator([(0, 1), (0, 1)], method="vegas+", evaluations=20000, seed=1)
    >>> first = vegas(lambda x: 1 / (0.01 + (x[:, 0] - x[:, 1]) ** 2), relative=1e-2)
    >>> second = vegas(lambda x: 1 / (0.01 + (x[:, 0] - x[:, 1]) ** 2), relative=1e-2)  # begins trained
    >>> second.converged, second.iterations[0].included
    (True, True)

    box        one pair (lower, upper) per variable; bounds may be infinite, or functions of the variables before them,
               for integrands that are functions, too. Or a dictionary of names and sides, whose bounds may be formulas
               of the names before them, {"x": (0, 1), "y": (0, "x")}; or a shape
    domain     in place of a box, a shape: Ball([0, 0, 0], 1) or "ball 0,0,0 1", ... (docs/guide/domains.md); or a
               Path. Functions get its points
    breaks     points at which sides of the box are cut, {"x": [0.3, 0.7]}
    method     "vegas+", "mcubes", "mc", "pagani", ... (`kubature list`)
    precision  "fp64", "fp32", "adaptive", ...; None: the method's default
    comm       an MPI communicator of mpi4py, whose ranks all make the same calls
    options    options of the method, tolerances and limits by name: relative, absolute, max_evaluations, seconds,
               bytes, evaluations (samples per iteration, where there are iterations), iterations, seed, ...
    """

    def __init__(
        self,
        box: Box | Region | None = None,
        method: str = "vegas+",
        *,
        domain: str | Shape | Path | None = None,
        breaks: Mapping[str, Any] | None = None,
        precision: str | None = None,
        comm: Any = None,
        **options: Any,
    ) -> None:
        self._region = box if isinstance(box, Region) else Region(box, domain, breaks)
        self._method, self._precision = method, precision
        self._norm: str | None = None  # where the caller chose one
        self._integrator = _kubature.Integrator(method, precision, None if comm is None else comm.py2f())
        self._busy = False
        if "covariance" not in options and self._region.dimension() <= few_variables:
            try:
                self._integrator.set("covariance", "full")
            except InvalidArgument:
                pass  # the method has one component, or no covariance
        self.set(**options)

    def set(self, **options: Any) -> None:
        """Sets options by name. Tolerances, seconds, bytes and max_evaluations may change at any time; after any other
        change the next call starts anew, from the map of use() if there is one."""
        for option, value in options.items():
            self._integrator.set(option, _text(option, value))
        self._norm = options.get("error_norm", self._norm)

    def get(self, option: str) -> str:
        """The value that a call uses, as text.

        >>> Integrator([(0, 1)], "mc", evaluations=1e6).get("evaluations")
        '1000000'
        """
        return self._integrator.get(option)

    def __call__(
        self,
        f: Integrand,
        *,
        variables: Sequence[str] | None = None,
        components: int | None = None,
        parameters: Mapping[str, float] | None = None,
        derivatives: bool = False,
        complex: bool = False,
        callback: Callable[[Progress], bool | None] | None = None,
        bar: bool | None = None,
        **options: Any,
    ) -> Result:
        """Integrates f until a tolerance is met or a limit is reached (see the status of the result).

        f           a formula such as "sin(x*y)", or several separated by semicolons, evaluated on the library's device;
                    a function that is called with arrays of points, (n, d), and returns n numbers, (n,), C numbers per
                    point, (n, C), or a dictionary of such arrays, real or complex; a CFunction, or a numba.cfunc of its signature, which
                    run without Python; or the result of on_device()
        variables   the names in a formula, in the order of the box's sides; None: x1 to x1024, or x, y, z, w, v, u, t, s
        components  number of values of a function at a point; None: found by a trial with two points (C function: 1)
        parameters  numbers for which names in a formula stand, {"a": 3}
        derivatives whether the derivatives of the integral of a formula with respect to each parameter are wanted, too:
                    values are dictionaries with the keys "integral", "d/da", ..., of several formulas arrays with a row
                    for each
        complex     whether a formula is complex: it may contain i, re(), im(), conj() and arg(), and so are values
        callback    called with a Progress after each iteration and ten times a second; returns False to stop
        bar         whether tqdm shows a bar on calls longer than a second; None: in a terminal or a notebook

        An exception in f or in the callback ends the call and is raised unchanged. Ctrl-C ends it with
        KeyboardInterrupt, whose attribute `result` is the Result so far, with status "stopped".
        """
        if self._busy:
            raise RuntimeError(
                "this integrator is busy: other threads, and integrands, need one of their own"
            )
        self.set(**options)
        self._busy = True
        try:
            if not isinstance(f, _Prepared):
                f = _Prepared(f, components, self._region, parameters, derivatives, complex)
            if self._norm is None:
                self._integrator.set("error_norm", "paired" if f.layout.complex else "individual")
            return self._integrate(f, variables, callback, bar)
        finally:
            self._busy = False

    def _integrate(
        self,
        integrand: _Prepared,
        variables: Sequence[str] | None,
        callback: Callable[[Progress], bool | None] | None,
        bar: bool | None,
    ) -> Result:
        interruptible = Interruptible()
        shown = Bar(bar, self._method, self._total())
        history = History()

        def go_on(*numbers: Any) -> bool:
            progress = Progress(*numbers)
            history.add(progress)
            shown.update(progress)
            return (callback is None or callback(progress) is not False) and not interruptible.interrupted

        try:
            with interruptible:
                found = self._integrator.integrate(
                    integrand.f,
                    integrand.layout.components,
                    integrand.block,
                    integrand.there,
                    integrand.concurrent,
                    self._region.names(variables),
                    self._region.lower,
                    self._region.upper,
                    self._region.domain,
                    go_on,
                )
        finally:
            shown.close()
        integral = result(found, integrand.layout, history)
        if interruptible.interrupted:
            raise interrupted(integral)
        return integral

    def _total(self) -> int | None:
        """The number of iterations of a call, if it is known in advance."""
        try:
            if any(float(self.get(tolerance)) > 0 for tolerance in ("relative", "absolute")):
                return None
            return int(self.get("iterations")) or 20
        except ValueError:  # no such option, or not a whole number
            return None

    def map(self) -> list[list[float]]:
        """The map that the calls so far have trained: the edges of its bins along each axis, from 0 to 1 in units of
        the box's side."""
        return self._integrator.map()

    def use(self, map: Iterable[Iterable[float]]) -> None:
        """Starts the calls that follow from this map, in the form that map() returns, with its number of bins."""
        edges = [[float(edge) for edge in axis] for axis in map]
        if not edges or len({len(axis) for axis in edges}) != 1:
            raise InvalidArgument(f"map = {len(edges)} axes: equal numbers of edges are needed along all axes")
        self._integrator.use(edges)

    def __repr__(self) -> str:
        return f"Integrator({self._region.shown!r}, method={self._method!r}, precision={self._precision!r})"


def _default_method(integrand: _Prepared, region: Region, options: dict[str, Any]) -> str:
    """ "auto" for a tolerance of up to 32 components (in more than 20 variables, of one), unless an option is given that
    auto lacks; the number of evaluations per iteration belongs to methods that have iterations."""
    chosen = _kubature.Integrator("auto", None, None)
    try:
        for option, value in options.items():
            chosen.set(option, _text(option, value))
    except InvalidArgument:
        return "vegas+"
    suits = not {"evaluations", "iterations"} & options.keys() and any(
        float(chosen.get(tolerance)) > 0 for tolerance in ("relative", "absolute")
    )
    few = integrand.layout.components <= (32 if region.dimension() <= few_variables else 1)
    return "auto" if suits and few else "vegas+"


def integrate(
    f: Integrand,
    box: Box | None = None,
    *,
    domain: str | Shape | Path | None = None,
    breaks: Mapping[str, Any] | None = None,
    method: str | None = None,
    precision: str | None = None,
    relative: float = 0,
    absolute: float = 0,
    variables: Sequence[str] | None = None,
    components: int | None = None,
    parameters: Mapping[str, float] | None = None,
    derivatives: bool = False,
    complex: bool = False,
    callback: Callable[[Progress], bool | None] | None = None,
    bar: bool | None = None,
    comm: Any = None,
    map: Iterable[Iterable[float]] | None = None,
    **options: Any,
) -> Result:
    """Integrates f over the box, or over a domain, to the tolerance error <= max(relative |value|, absolute).

    >>> result = integrate("exp(-y*(1+x))", [(0, 1), (0, float("inf"))], method="pagani", relative=1e-9)
    >>> print(result)
    0.6931471806(4)
    >>> import math, numpy
    >>> f = lambda x: numpy.exp(-numpy.sum(x, axis=1))
    >>> result = integrate(f, [(0, 1)] * 3, relative=1e-3, evaluations=20000, seed=1)
    >>> result.converged, abs(result.value - (1 - math.exp(-1)) ** 3) < 5 * result.error
    (True, True)
    >>> moments = integrate(lambda x: {"1": x[:, 0], "x": x**2}, [(0, 1)] * 2, evaluations=20000)
    >>> abs(moments.ratio(("x", 0), "1").value - 2 / 3) < 1e-2, moments.value["x"].shape
    (True, (2,))

    >>> round(integrate("x*y", {"x": (0, 1), "y": (0, "x")}, relative=1e-9).value, 9)
    0.125
    >>> round(integrate(lambda x: x[:, 0] * x[:, 1], [(0, 1), (0, lambda x: x)], relative=1e-9).value, 9)
    0.125
    >>> round(integrate("1", domain="ball 0,0,0 1", relative=1e-9).value, 9)  # 4 pi / 3
    4.188790205

    A complex integral meets its tolerance in its magnitude (error_norm "paired"), and its error is a complex number of
    the errors of its parts.

    >>> found = integrate(lambda x: numpy.exp(1j * x[:, 0]), [(0, math.pi / 2)], relative=1e-9)
    >>> abs(found.value - (1 + 1j)) < 1e-9, found.error.real < 1e-9
    (True, True)

    >>> found = integrate("exp(i*x)", [(0, math.pi / 2)], complex=True, relative=1e-9)
    >>> abs(found.value - (1 + 1j)) < 1e-9
    True

    A formula may have parameters, and the derivatives of its integral with respect to them are components of a result.

    >>> found = integrate("exp(-a*x)", [(0, math.inf)], parameters={"a": 2}, derivatives=True, relative=1e-9)
    >>> {name: round(value, 6) for name, value in found.value.items()}
    {'integral': 0.5, 'd/da': -0.25}

    With neither tolerance, all the work that the method's options specify is done. The parameters are those of
    Integrator and its calls; map is a map to start from. max_evaluations limits the evaluations of the call in all, by
    any method. Without a method, it is "auto" for a tolerance of up to 32 components (in more than 20 variables, of one),
    unless evaluations (per iteration), iterations or an option that auto lacks are given; otherwise it is "vegas+". The
    result names the method that computed it. Failure to converge is a status of the result; invalid input raises InvalidArgument.
    """
    options.update(relative=relative, absolute=absolute)
    region = Region(box, domain, breaks)
    if method is None:
        f = _Prepared(f, components, region, parameters, derivatives, complex)
        method = _default_method(f, region, options) if map is None else "vegas+"
    integrator = Integrator(region, method, precision=precision, comm=comm, **options)
    if map is not None:
        integrator.use(map)
    if not isinstance(f, _Prepared):
        f = _Prepared(f, components, region, parameters, derivatives, complex)
    return integrator(f, variables=variables, callback=callback, bar=bar)
