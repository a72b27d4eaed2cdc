"""The layout of an integrand's components in the value that it returns."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, NamedTuple, Sequence

Shape = tuple[int, ...]


def formulas(text: str) -> int:
    """The number of formulas of a text: its statements, except for definitions of names."""
    return sum(not re.match(r"\s*let\s+[A-Za-z_]", statement) for statement in text.split(";"))


class Masked(TypeError):
    """A function returned a masked array."""


def refuse_masked(returned: Any, name: str) -> None:
    """Raises an exception for a masked array, whose mask would be lost."""
    import numpy

    if isinstance(returned, numpy.ma.MaskedArray):
        raise Masked(f"{name} returned a masked array: fill in what masked points count, as numpy.ma.filled(values, 0) does")


def _numbers(returned: Any, n: int, name: str) -> Any:
    """The array that f returned, numbers for n points; raises an exception if it cannot be one."""
    import numpy

    if returned is None:
        raise TypeError(f"{name} returned None instead of an array of numbers")
    refuse_masked(returned, name)
    got = numpy.asarray(returned)
    if got.dtype.kind not in "fiubc":
        raise TypeError(f"{name} returned values of dtype {got.dtype} instead of numbers")
    if got.ndim == 0 or len(got) != n:
        wanted = f"({n},), or ({n}, C) for C components"
        raise ValueError(f"{name} returned an array of shape {got.shape} for {n} points instead of {wanted}")
    return got.astype(numpy.complex128 if got.dtype.kind == "c" else numpy.float64, copy=False)


class Layout(NamedTuple):
    """The components of an integrand: one number at a point, an array of them, or a dictionary of these. Where any is
    complex, all are, as pairs of numbers: an axis of two, the last one, is added to their shapes."""

    #: For each part, its shape and, in a dictionary, its key.
    shapes: tuple[Shape, ...] = ((),)
    keys: tuple[Any, ...] | None = None
    complex: bool = False

    @staticmethod
    def of(returned: Any, n: int) -> Layout:
        """The layout of what a function returned for n points."""
        if isinstance(returned, dict):
            if not returned:
                raise ValueError("f returned an empty dictionary")
            arrays = {key: _numbers(values, n, f"f[{key!r}]") for key, values in returned.items()}
            keys = tuple(arrays)
        else:
            arrays, keys = {None: _numbers(returned, n, "f")}, None
        pairs = any(array.dtype.kind == "c" for array in arrays.values())
        shapes = [array.shape[1:] for array in arrays.values()]
        if keys is None:
            if 0 in shapes[0]:
                raise ValueError(f"f returned arrays of shape {shapes[0]} at a point: no components")
            shapes = [() if shape == (1,) else shape for shape in shapes]
        return Layout(tuple((*shape, 2) if pairs else shape for shape in shapes), keys, pairs)

    @staticmethod
    def array(components: int) -> Layout:
        return Layout(((components,) if components > 1 else (),))

    @property
    def components(self) -> int:
        return sum(math.prod(shape) for shape in self.shapes)

    @property
    def one(self) -> bool:
        """Whether values are floats rather than arrays or dictionaries."""
        return self.keys is None and self.shapes == ((),)

    def columns(self, returned: Any, n: int) -> Any:
        """The return value of a function for n points, as n x components float64."""
        import numpy

        def column(values: Any, shape: Shape, name: str) -> Any:
            got = _numbers(values, n, name)
            if self.complex:
                shape = shape[:-1]
                got = numpy.ascontiguousarray(got, numpy.complex128)
            elif got.dtype.kind == "c":
                raise TypeError(f"{name} returned complex numbers, but real ones before")
            if got.shape[1:] != shape and not (got.shape[1:] == (1,) and shape == ()):
                wanted = (n, *shape)
                raise ValueError(f"{name} returned an array of shape {got.shape} for {n} points instead of {wanted}")
            return got.reshape(n, -1).view(numpy.float64)

        if self.keys is None:
            if isinstance(returned, dict):
                raise TypeError("f returned a dictionary, but an array before")
            return column(returned, self.shapes[0], "f")
        if not isinstance(returned, dict) or set(returned) != set(self.keys):
            raise TypeError(f"f returned something other than a dictionary of {list(self.keys)}, as before")
        parts = [column(returned[key], shape, f"f[{key!r}]") for key, shape in zip(self.keys, self.shapes)]
        return numpy.concatenate(parts, axis=1)

    def pack(self, numbers: Sequence[float], pairs: bool = False) -> Any:
        """The numbers of all components as a number, an array or a dictionary of these; complex ones as `pairs` of real
        numbers if so wanted."""
        if self.one:
            return numbers[0]
        import numpy

        parts: list[Any] = []
        first = 0
        for shape in self.shapes:
            end = first + math.prod(shape)
            part = numbers[first:end]
            if shape == ():
                parts.append(part[0])
            elif self.complex and not pairs:
                values = numpy.array(part, numpy.float64).view(numpy.complex128).reshape(shape[:-1])
                parts.append(complex(values) if shape == (2,) else values)
            else:
                parts.append(numpy.array(part).reshape(shape))
            first = end
        return parts[0] if self.keys is None else dict(zip(self.keys, parts))

    def place(self, component: Any) -> int:
        """The number of a component that is given by this number, by indices, by a key, or by a key and indices."""
        which = component if isinstance(component, tuple) else (component,)
        first, shape = 0, self.shapes[0]
        try:
            if self.keys is not None:
                part = self.keys.index(component if component in self.keys else which[0])
                which = () if component in self.keys else which[1:]
                first, shape = sum(math.prod(each) for each in self.shapes[:part]), self.shapes[part]
            elif len(which) == 1 and len(shape) != 1:  # in the order in memory
                shape = (self.components,)
            if len(which) != len(shape) or not all(0 <= i < size for i, size in zip(which, shape)):
                raise ValueError
        except (ValueError, TypeError):
            raise IndexError(f"component = {component!r}: there is no such component") from None
        inside = 0
        for i, size in zip(which, shape):
            inside = inside * size + i
        return first + inside


def checked(f: Callable[..., Any], layout: Layout) -> Callable[..., Any]:
    """The function, with its values as n x components doubles."""
    return lambda x: layout.columns(f(x), len(x))
