"""Functions of one point as functions of arrays of points."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable, Mapping, Sequence

from ._kubature import InvalidArgument
from ._layout import Layout, Masked, refuse_masked

#: A remark on a function that a trial shows to take one point.
slow = (
    "f is called point by point, up to a hundred times slower than with arrays: let it compute with x[:, 0], x[:, 1], "
    "... and NumPy's functions"
)

#: What a function raises that gets an array in place of a point, or one argument in place of several.
_misunderstandings = (TypeError, ValueError, IndexError, AttributeError)


def _takes(f: Any, arguments: int, keywords: Mapping[str, Any]) -> bool | None:
    """Whether a function can be called with this number of arguments; None if it does not say."""
    try:
        inspect.signature(f).bind(*[None] * arguments, **keywords)
    except TypeError as raised:
        return None if "callable" in str(raised) else False
    except ValueError:  # a function of C
        return None
    return True


def _takes_any_number(f: Any) -> bool:
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)


def _gathered(values: list[Any]) -> Any:
    """What a function returned at each point, in the form for all of them."""
    import numpy

    if isinstance(values[0], dict):
        return {key: _gathered([value[key] for value in values]) for key in values[0]}
    for value in values:
        refuse_masked(value, "f")
    return numpy.array(values)


def _by_point(returned: Any, n: int) -> Any:
    """What a function returned for arrays of coordinates, with the points along the first axis instead of the last."""
    import numpy

    if isinstance(returned, dict):
        return {key: _by_point(value, n) for key, value in returned.items()}
    parts = returned if isinstance(returned, (tuple, list)) else [returned]
    arrays = [numpy.asarray(part) for part in parts]
    array = numpy.stack(numpy.broadcast_arrays(*arrays)) if returned is parts else arrays[0]
    if array.ndim == 0 or array.shape[-1] != n:
        raise ValueError
    return numpy.moveaxis(array, -1, 0)


def _agree(a: Any, b: Any) -> bool:
    import numpy

    if isinstance(a, dict):
        return set(a) == set(b) and all(_agree(a[key], b[key]) for key in a)
    return numpy.shape(a) == numpy.shape(b) and numpy.allclose(a, b, rtol=1e-9, atol=0, equal_nan=True)


class PointFunction:
    """A function of numbers f(x, y), or of a point f(x), as a function of arrays of points, (n, d).

    arrays  whether f may get all numbers at once, as arrays of each coordinate, if a trial shows that it accepts these
    """

    def __init__(
        self, f: Callable[..., Any], args: Sequence[Any] = (), keywords: Mapping[str, Any] = {}, arrays: bool = False
    ) -> None:
        self.f, self.args, self.keywords = f, tuple(args), dict(keywords)
        self._arrays = arrays
        #: How it is called for one point: what it gets of the coordinates.
        self._form: Callable[[Any], tuple[Any, ...]] | None = None
        #: Whether it accepts arrays of coordinates.
        self.accepts_arrays = False

    def _forms(self, d: int) -> list[Callable[[Any], tuple[Any, ...]]]:
        """How f can be called, the likeliest first: f(x, y), f(x) with an array, in one variable with a number."""
        coordinates, point = tuple, lambda x: (x,)
        more = len(self.args)
        if d == 1:
            return [coordinates, point]
        one, each = (_takes(self.f, count + more, self.keywords) for count in (1, d))
        forms = [coordinates, point] if one is not True or _takes_any_number(self.f) else [point, coordinates]
        possible = {coordinates: each is not False, point: one is not False}
        return [form for form in forms if possible[form]] or [coordinates]

    def _call(self, *x: Any) -> Any:
        return self.f(*x, *self.args, **self.keywords)

    def _each(self, form: Callable[[Any], tuple[Any, ...]], x: Any) -> Any:
        import numpy

        points = x.tolist() if form is tuple else numpy.array(x, order="C")
        return _gathered([self._call(*form(point)) for point in points])

    def _at_once(self, x: Any) -> Any:
        form = self._form
        assert form is not None
        return _by_point(self._call(*form(x.T.copy())), len(x))

    def try_out(self, x: Any) -> Layout:
        """Finds out how f is called, at these points, and what it returns; raises what the likeliest form raises if
        none is possible."""
        import numpy

        first: Exception | None = None
        for form in self._forms(x.shape[1]):
            try:
                values = self._each(form, x)
                layout = Layout.of(values, len(x))
            except Exception as raised:
                first = first or raised
                continue
            self._form = form
            if self._arrays:
                try:
                    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
                        warnings.simplefilter("ignore")
                        self.accepts_arrays = _agree(self._at_once(x), values)
                except Exception:  # whatever a function for numbers raises that gets arrays
                    pass
            return layout
        assert first is not None
        raise first

    def check_names(self, variables: Sequence[str]) -> None:
        """Raises InvalidArgument if f(x, y) has the names of the variables in another order."""
        if self._form is not tuple or len(variables) < 2:
            return
        try:
            names = list(inspect.signature(self.f).parameters)[: len(variables)]
        except (TypeError, ValueError):
            return
        if names != list(variables) and sorted(names) == sorted(variables):
            raise InvalidArgument(
                f"f = a function of {', '.join(names)}: the box has the variables {', '.join(variables)}, in this order"
            )

    def __call__(self, x: Any) -> Any:
        """The values at points, an array (n, d)."""
        if self._form is None:
            self.try_out(x[:2])
        if self.accepts_arrays:
            try:
                return self._at_once(x)
            except Exception:  # the function's own if numbers cause it, too
                pass
        assert self._form is not None
        return self._each(self._form, x)


def pointwise(f: Callable[..., Any]) -> PointFunction:
    """Makes an integrand of a function of one point: f(x, y), which is called with as many numbers as there are
    variables, or f(x), which gets an array of them (in one variable, a number if it takes one). It returns a number, real
    or complex, several, or a dictionary.

    >>> import kubature, math
    >>> f = pointwise(lambda x, y: math.exp(-x * y) if x < y else 0)
    >>> round(kubature.integrate(f, [(0, 1)] * 2, relative=1e-2, seed=1).value, 2)
    0.4

    f is called once for each point, up to a hundred times slower than a function of arrays. Functions that are not
    marked in this way get arrays if they accept them.
    """
    if not callable(f):
        raise TypeError(f"f = {f!r}: a function is needed")
    return PointFunction(f)


def _explained(raised: Exception, x: Any) -> None:
    """Adds to an exception of a trial call what f receives."""
    what = (
        f"f gets an array of points, (n, d) = {x.shape} here: x[:, 0] are their first coordinates, and it returns n values. "
        "f(x, y) with a number for each variable, and f(x) of a single point, are possible, too"
    )
    if hasattr(raised, "add_note"):  # from Python 3.11 on
        raised.add_note(what)
    elif len(raised.args) == 1 and isinstance(raised.args[0], str):
        raised.args = (f"{raised.args[0]}\n{what}",)


def tried(f: Callable[..., Any], call: PointFunction, x: Any) -> tuple[Callable[[Any], Any], Layout]:
    """A function as one of arrays of points, by a trial at these points, and the layout of its values.

    f     the function as one of arrays
    call  the same, to be called in other ways
    """
    try:
        layout = Layout.of(f(x.copy(order="K")), len(x))
        if x.shape[1] > 1 and any(shape[:1] == (x.shape[1],) for shape in layout.shapes):
            # Perhaps f took the points for coordinates, of which it uses as many as there are points.
            Layout.of(f(x[:-1].copy(order="K")), len(x) - 1)
        return f, layout
    except Exception as raised:
        if isinstance(raised, _misunderstandings) and not isinstance(raised, Masked):
            try:
                return call, call.try_out(x)
            except Masked as masked:
                raise masked from None
            except Exception:
                pass
        _explained(raised, x)
        raise
