"""What can be integrated, in the form that the extension module accepts."""

from __future__ import annotations

import ctypes
import re
from typing import Any, Callable, Mapping, Sequence, Union

from . import _kubature
from ._device import DeviceFunction
from ._domain import Region
from ._formula import keywords, rewritten
from ._kubature import InvalidArgument
from ._layout import Layout, checked, formulas
from ._pointwise import PointFunction, slow, tried

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


class Formulas(str):
    """Several formulas whose values have names."""

    names: tuple[str, ...] | None

    def __new__(cls, text: str, names: tuple[str, ...] | None = None) -> Formulas:
        made = super().__new__(cls, text)
        made.names = names
        return made


def mentions(f: Any, name: str) -> bool:
    """Whether a name occurs in a formula."""
    return isinstance(f, str) and name.isidentifier() and re.search(rf"(?<!\w){name}(?!\w)", f) is not None


class Prepared:
    """An integrand in the form that the extension module accepts, and the layout of its components."""

    #: Number of points that a function gets at once: arrays of this length stay in the cache.
    block = 8192

    def __init__(
        self,
        f: Any,
        region: Region,
        components: int | None = None,
        args: Any = (),
        parameters: Mapping[str, Any] | None = None,
        derivatives: bool = False,
        complex: bool = False,
    ) -> None:
        if components is not None and (not isinstance(components, int) or components < 1):
            raise InvalidArgument(f"components = {components!r}: must be a whole number, at least 1")
        args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
        parameters = {} if parameters is None else parameters
        #: Whether f gets points where the library computes.
        self.there = isinstance(f, DeviceFunction)
        #: Whether threads may call f at the same time.
        self.concurrent = False
        #: What callers should know, sentences.
        self.remarks: tuple[str, ...] = ()
        self._keep = parameters  # tables, whose files a formula reads
        self.f, self.layout = f, Layout.array(components or 1)
        address = getattr(f, "address", None)  # from numba.cfunc
        native = isinstance(f, (str, DeviceFunction, CFunction)) or isinstance(address, int)
        if not (native or callable(f)):
            raise InvalidArgument(f"f = {f!r}: a formula or a function is needed")
        if native and region.sides is not None:
            raise InvalidArgument(f"f = {f!r}: {region.sides.wanted(f)}")
        if native and args:
            raise InvalidArgument(f"args = {args!r}: functions of arrays or points have these; formulas have parameters")
        if not isinstance(f, str) and (derivatives or complex or (native and parameters)):
            raise InvalidArgument(f"f = {f!r}: parameters, derivatives and complex are for formulas")
        if isinstance(f, str):
            self.layout = Layout.array(formulas(f))
            names = getattr(f, "names", None)
            if names and not derivatives and not complex:
                self.layout = Layout(((),) * len(names), names)
            if parameters or derivatives or complex:
                self.f, layout = rewritten(f, parameters, derivatives, complex)
                self.layout = layout if derivatives or complex else self.layout
        elif isinstance(f, DeviceFunction):
            self.layout = Layout.array(f.components)
        elif isinstance(f, CFunction):
            self.f = ctypes.cast(f, ctypes.c_void_p).value
            self.concurrent = bool(getattr(f, "concurrent", False))
        elif native:
            self.f = address
            self.concurrent = bool(getattr(f, "concurrent", True))  # threads can share a function compiled by numba
        else:
            self._function(region, components, args, keywords(parameters))

    def problem(self, region: Region, variables: Sequence[str] | None) -> _kubature.Problem:
        """It and the region, as the extension module takes them."""
        return _kubature.Problem(
            self.f,
            self.layout.components,
            self.block,
            self.there,
            self.concurrent,
            region.names(variables),
            region.lower,
            region.upper,
            region.domain,
        )

    def _function(self, region: Region, components: int | None, args: tuple[Any, ...], names: dict[str, Any]) -> None:
        """Prepares a function of Python."""
        f = self.f
        call = f
        if isinstance(f, PointFunction):
            call = PointFunction(f.f, (*f.args, *args), {**f.keywords, **names}) if args or names else f
        elif args or names:
            call = lambda x: f(x, *args, **names)  # noqa: E731
        if components is None and isinstance(f, PointFunction):
            self.layout = call.try_out(region.inside())
        elif components is None:
            by_point = PointFunction(f, args, names, arrays=True)
            call, self.layout = tried(call, by_point, region.inside())
            if call is by_point:
                by_point.check_names(region.variables or [])
                self.remarks = () if by_point.accepts_arrays else (slow,)
        values, sides = checked(call, self.layout), region.sides
        self.f = values if sides is None else sides.over(lambda x, rim: values(x), self.layout.components)
