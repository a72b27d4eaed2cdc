"""Formulas with parameters, and complex ones."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping

from . import _kubature
from ._kubature import InvalidArgument
from ._layout import Layout, formulas
from ._table import Table

_value, _derivatives, _complex = range(3)  # enum kubature_formula

#: A formula, the names of its parameters separated by commas, their values, and what is integrated of it.
Rewritten = tuple[str, str, "list[float]", int]


def _named(parameters: Any) -> Mapping[str, Any]:
    if not hasattr(parameters, "items"):
        raise InvalidArgument(f"parameters = {parameters!r}: a dictionary of names and numbers is needed")
    for name in parameters:
        if not isinstance(name, str) or not name.isidentifier():
            raise InvalidArgument(f"parameters = {name!r}: a name consists of letters, digits and '_'")
    return parameters


def keywords(parameters: Any) -> dict[str, Any]:
    """The parameters of a function of Python, its keywords."""
    return dict(_named(parameters))


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        many = "; integrate_many() takes arrays" if hasattr(value, "__len__") and not isinstance(value, str) else ""
        raise InvalidArgument(
            f"parameters = {{{name!r}: {value!r}}}: the value of a parameter is a number{many}"
        ) from None


def rewritten(
    text: str, parameters: Mapping[str, Any], derivatives: bool, complex: bool
) -> tuple[Rewritten, Layout]:
    """A formula as the extension module accepts it, and the layout of its components."""
    numbers = {}
    for name, value in _named(parameters).items():
        if isinstance(value, Table):
            text = value.called(name, text)
        else:
            numbers[name] = _number(name, value)
    if derivatives and complex:
        raise InvalidArgument("derivatives = True: those of complex formulas are not available")
    if derivatives and not numbers:
        raise InvalidArgument('derivatives = True: name the parameters, such as parameters={"a": 3}')
    what = _complex if complex else _derivatives if derivatives else _value
    count = formulas(text)
    layout = Layout.array(count)
    if complex:
        layout = Layout(((count, 2) if count > 1 else (2,),), None, True)
    elif derivatives and count > 1:
        layout = Layout(((count, 1 + len(numbers)),))
    elif derivatives:
        layout = Layout(((),) * (1 + len(numbers)), ("integral", *(f"d/d{name}" for name in numbers)))
    return (text, ",".join(numbers), list(numbers.values()), what), layout


def single(text: str, component: int = 0) -> str:
    """One of several formulas, counted from 0, with all definitions of names."""
    statements = re.split(r""";(?=(?:[^'"]|'[^']*'|"[^"]*")*$)""", text)
    definitions = [each for each in statements if formulas(each) == 0]
    return ";".join([*definitions, [each for each in statements if formulas(each)][component]])


def function(text: str, variables: str | None, parameters: Mapping[str, Any]) -> Callable[[Any], Any]:
    """A single formula as a function of arrays of points, for plots."""
    tables = [value for value in parameters.values() if isinstance(value, Table)]
    formula, _ = rewritten(text, parameters, False, False)

    def values(x: Any) -> Any:
        import numpy

        assert tables is not None  # whose files the formula reads
        found = numpy.empty(len(x))
        _kubature.evaluate(formula, variables, numpy.ascontiguousarray(x, dtype=numpy.float64), found)
        return found

    return values
