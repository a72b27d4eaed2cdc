"""Integrators, with methods and options by name, over the extension module."""

from __future__ import annotations

import contextlib
import inspect
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Sequence

from . import _kubature
from ._bar import Bar
from ._domain import Box, Region, few_components, few_variables
from ._found import History, result
from ._integrand import Integrand, Prepared, mentions
from ._interrupt import Interruptible, interrupted
from ._kubature import InvalidArgument
from ._options import MethodOptions, Options
from ._path import Path
from ._result import Progress, Result
from ._shapes import Shape
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _text(option: str, value: Any) -> str:
    """A value in the form that the library reads."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, os.PathLike)):
        return str(value)
    if getattr(value, "ndim", 0) > 0:  # an array
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return ",".join(_text(option, each) for each in value)
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise InvalidArgument(f"{option} = {value!r}: must be a number or a string") from None


def integrator_options(integrator: _kubature.Integrator, options: Mapping[str, Any]) -> None:
    """Sets options by name."""
    for option, value in options.items():
        integrator.set(option, _text(option, value))


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
    options    options of the method, tolerances and limits by name: help(kubature.Options) lists them
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
        **options: Unpack[Options],
    ) -> None:
        self._region = box if isinstance(box, Region) else Region(box, domain, breaks)
        self._method, self._precision = method, precision
        self._norm: str | None = None  # where the caller chose one
        self._integrator = _kubature.Integrator(method, precision, None if comm is None else comm.py2f())
        self._busy = False
        self._chosen: dict[str, Any] = {}
        #: The covariance that calls choose, unless it is an option.
        self._covariance: str | None = None
        self._set(options)
        self._choose_covariance(1)

    @property
    def method(self) -> str:
        """The name of the method.

        >>> Integrator([(0, 1)], "mc").method
        'mc'
        """
        return self._method

    @property
    def precision(self) -> str | None:
        """The name of the precision; None for the method's default."""
        return self._precision

    @property
    def options(self) -> dict[str, Any]:
        """The options that have been chosen, a copy; get() has the values of all others.

        >>> Integrator([(0, 1)], "mc", evaluations=1e6).options
        {'evaluations': 1000000.0}
        """
        return dict(self._chosen)

    def set(self, **options: Unpack[Options]) -> None:
        """Sets options by name. Tolerances, seconds, bytes and max_evaluations may change at any time; after any other
        change the next call starts anew, from the map of use() if there is one."""
        self._set(options)

    def _set(self, options: Mapping[str, Any]) -> None:
        integrator_options(self._integrator, options)
        self._chosen.update(options)
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
        args: Any = (),
        variables: Sequence[str] | None = None,
        components: int | None = None,
        parameters: Mapping[str, float | Table] | None = None,
        derivatives: bool = False,
        complex: bool = False,
        callback: Callable[[Progress], bool | None] | None = None,
        bar: bool | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Integrates f until a tolerance is met or a limit is reached (see the status of the result).

        f           a formula such as "sin(x*y)", or several separated by semicolons, evaluated on the library's device;
                    a function that is called with arrays of points, (n, d), and returns n numbers, (n,), C numbers per
                    point, (n, C), or a dictionary of such arrays, real or complex; a function f(x, y) or f(x) of one
                    point (see pointwise()); a CFunction, or a numba.cfunc of its signature, which run without Python; or
                    the result of on_device()
        args        further arguments of a function of Python, f(x, *args), as in scipy
        variables   the names in a formula, in the order of the box's sides; None: x1 to x1024, or x, y, z, w, v, u, t, s
        components  number of values of a function at a point; None: found by a trial with two or three points (C
                    function: 1)
        parameters  what names in a formula stand for, {"a": 3}, numbers or Tables; of a function of Python, keywords.
                    A formula's may also be given by themselves, a=3, unless an option has that name
        derivatives whether the derivatives of the integral of a formula with respect to each parameter are wanted, too:
                    values are dictionaries with the keys "integral", "d/da", ..., of several formulas arrays with a row
                    for each
        complex     whether a formula is complex: it may contain i, re(), im(), conj() and arg(), and so are values
        callback    called with a Progress after each iteration and ten times a second; returns False to stop
        bar         whether tqdm shows a bar on calls longer than a second; None: in a terminal or a notebook

        An exception in f or in the callback ends the call and is raised unchanged; those of a trial call have a note on
        what f gets. Ctrl-C ends it with KeyboardInterrupt, whose attribute `result` is the Result so far, with status
        "stopped".
        """
        with self._alone():
            chosen, parameters = separated(f, options, parameters)
            self._set(chosen)
            prepared = Prepared(f, self._region, components, args, parameters, derivatives, complex)
            return self._integrate(prepared, variables, callback, bar)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Around a call: other threads, and f, may run meanwhile."""
        if self._busy:
            raise RuntimeError("this integrator is busy: other threads, and integrands, need one of their own")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    def _integrate(
        self,
        integrand: Prepared,
        variables: Sequence[str] | None,
        callback: Callable[[Progress], bool | None] | None,
        bar: bool | None,
    ) -> Result:
        self._choose_covariance(integrand.layout.components)
        if self._norm is None:
            self._integrator.set("error_norm", "paired" if integrand.layout.complex else "individual")
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
                found = self._integrator.integrate(integrand.problem(self._region, variables), go_on)
        finally:
            shown.close()
        found.update((name, float(self.get(name))) for name in ("relative", "absolute"))
        integral = result(found, integrand, history)
        if interruptible.interrupted:
            raise interrupted(integral)
        return integral

    def _choose_covariance(self, components: int) -> None:
        """Full where it costs little, unless the caller has chosen."""
        full = components <= few_components and self._region.dimension() <= few_variables
        chosen = "full" if full else "diagonal"
        if "covariance" in self._chosen or chosen == self._covariance:
            return
        self._covariance = chosen
        try:
            self._integrator.set("covariance", chosen)
        except InvalidArgument:
            pass  # the method has one component, or no covariance

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


def separated(
    f: Any, options: Mapping[str, Any], parameters: Mapping[str, Any] | None
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """The options, and the parameters with those of a formula that are given like options."""
    names = Options.__annotations__
    named = {name: value for name, value in options.items() if name not in names and mentions(f, name)}
    if not named:
        return dict(options), parameters
    return {name: value for name, value in options.items() if name not in named}, {**(parameters or {}), **named}


def _default_method(integrand: Prepared, region: Region, precision: str | None, options: dict[str, Any]) -> str:
    """ "auto" for up to 32 components (in more than 20 variables, for one) unless the work of iterations, an option that
    auto lacks or a low precision is asked for, or no tolerance by relative=0."""
    if options.keys() - Options.__annotations__.keys():
        return "auto"  # which says so
    chosen = _kubature.Integrator("auto", None, None)
    try:
        integrator_options(chosen, options)
    except InvalidArgument:
        return "vegas+"
    tolerances = [float(chosen.get(name)) for name in ("relative", "absolute") if name in options]
    suits = not {"evaluations", "iterations"} & options.keys() and (not tolerances or max(tolerances) > 0)
    suits = suits and (bool(tolerances) or precision in (None, "fp64", "adaptive"))
    few = integrand.layout.components <= (few_components if region.dimension() <= few_variables else 1)
    return "auto" if suits and few else "vegas+"


def integrate(
    f: Integrand,
    box: Box | None = None,
    *,
    domain: str | Shape | Path | None = None,
    breaks: Mapping[str, Any] | None = None,
    method: str | None = None,
    precision: str | None = None,
    relative: float | None = None,
    absolute: float | None = None,
    args: Any = (),
    variables: Sequence[str] | None = None,
    components: int | None = None,
    parameters: Mapping[str, float | Table] | None = None,
    derivatives: bool = False,
    complex: bool = False,
    callback: Callable[[Progress], bool | None] | None = None,
    bar: bool | None = None,
    comm: Any = None,
    map: Iterable[Iterable[float]] | None = None,
    **options: Unpack[MethodOptions],
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

    A formula may have parameters, which are given by name, and the derivatives of its integral with respect to them are
    components of a result. Functions have args, and may be of a single point.

    >>> round(integrate("exp(-a*x)", [(0, math.inf)], relative=1e-9, a=3).value, 6)
    0.333333
    >>> round(integrate(lambda x, y, a: math.exp(-a * x * y), [(0, 1)] * 2, args=(3,), relative=1e-4).value, 3)
    0.563
    >>> found = integrate("exp(-a*x)", [(0, math.inf)], parameters={"a": 2}, derivatives=True, relative=1e-9)
    >>> {name: round(value, 6) for name, value in found.value.items()}
    {'integral': 0.5, 'd/da': -0.25}

    Without a method it is "auto": to relative=1e-6 if no tolerance is given, and then for at most 10 seconds if no limit is
    given either. It is "vegas+" where evaluations (per iteration), iterations, a map, relative=0 or an option that auto
    lacks is given, for more than 32 components (in more than 20 variables, for more than one), and for a precision below
    fp64 without a tolerance. Other methods do all the work that their options specify if no tolerance is given.

    The parameters are those of Integrator and its calls; map is a map to start from. max_evaluations limits the
    evaluations of the call in all, by any method. The result names the method that computed it. Failure to converge is a
    status of the result; invalid input raises InvalidArgument.
    """
    chosen, parameters = separated(f, options, parameters)
    chosen.update((name, value) for name, value in (("relative", relative), ("absolute", absolute)) if value is not None)
    region = Region(box, domain, breaks)

    def prepared() -> Prepared:
        return Prepared(f, region, components, args, parameters, derivatives, complex)

    integrand = prepared() if method is None and map is None else None
    if method is None:
        method = "vegas+" if integrand is None else _default_method(integrand, region, precision, chosen)
    integrator = Integrator(region, method, precision=precision, comm=comm, **chosen)
    if map is not None:
        integrator.use(map)
    with integrator._alone():
        return integrator._integrate(integrand or prepared(), variables, callback, bar)


def _listed() -> str:
    """What help() says of the options."""
    texts = (inspect.cleandoc(each.__doc__ or "").partition("\n\n")[2] for each in (Options, MethodOptions))
    return "\n".join(texts)


if integrate.__doc__:  # python -OO leaves it out
    integrate.__doc__ = f"{inspect.cleandoc(integrate.__doc__)}\n\nThe options:\n\n{_listed()}"
