"""Expectation values: ratios of integrals over the same points."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from ._integrand import Formulas
from ._kubature import InvalidArgument
from ._numbers import Estimate
from ._result import Result

#: The weight in formulas, and the key of its integral in dictionaries.
_weight, _norm = "kubature_weight", "norm"


def expect(density: Any, *observables: Any, **named: Any) -> Any:
    """Makes the integrand of a density p and of p times each observable, whose ratios are expectation values: see
    expectations().

    >>> import kubature
    >>> moments = expect("exp(-x^2/2 - y)", x2="x^2", y="y")
    >>> found = kubature.integrate(moments, [(-float("inf"), float("inf")), (0, float("inf"))], relative=1e-9)
    >>> {name: round(each.value, 6) for name, each in expectations(found).items()}
    {'x2': 1.0, 'y': 1.0}

    density      a formula or a function of arrays of points, which need not be normalised
    observables  formulas or functions, as the density is; or by name, and then those of functions may be arrays

    Numerator and denominator come from the same points, so that fluctuations that they have in common cancel.
    """
    if bool(observables) == bool(named):
        raise InvalidArgument(f"observables = {observables!r}, {named!r}: give some, either with names or without")
    every: Mapping[Any, Any] = named if named else {i: g for i, g in enumerate(observables)}
    if _norm in every:
        raise InvalidArgument(f"observables = {named!r}: the name {_norm!r} is that of the density's integral")
    if isinstance(density, str) and all(isinstance(g, str) for g in every.values()):
        definitions, semicolon, weight = density.rpartition(";")
        terms = "; ".join(f"{_weight} * ({g})" for g in every.values())
        text = f"{definitions}{semicolon} let {_weight} = {weight.strip()}; {_weight}; {terms}"
        return Formulas(text, (_norm, *named) if named else None)
    if not all(callable(each) for each in (density, *every.values())):
        raise InvalidArgument(f"observables = {tuple(every.values())!r}: formulas are needed for a formula, and functions for a function")
    return _of_functions(density, every, bool(named))


def _of_functions(density: Callable[..., Any], every: Mapping[Any, Callable[..., Any]], named: bool) -> Callable[..., Any]:
    def values(x: Any) -> Any:
        import numpy

        weight = numpy.asarray(density(x))
        terms = {}
        for key, g in every.items():
            values = numpy.asarray(g(x))
            terms[key] = weight.reshape(weight.shape + (1,) * max(0, values.ndim - weight.ndim)) * values
        return {_norm: weight, **terms} if named else numpy.stack([weight, *terms.values()], axis=1)

    return values


def expectations(result: Result) -> Any:
    """The expectation values of a result of expect(), each an Estimate: a list, or a dictionary if observables have names
    (of arrays, lists).

    >>> import kubature, numpy
    >>> p = lambda x: numpy.exp(-x.sum(axis=1))
    >>> found = kubature.integrate(expect(p, lambda x: x[:, 0]), [(0, float("inf"))] * 2, relative=1e-9)
    >>> print([round(each.value, 6) for each in expectations(found)])
    [1.0]
    """
    layout = result.layout
    if layout.complex or layout.components < 2 or (layout.keys is not None and layout.keys[0] != _norm):
        raise InvalidArgument("result = one of another integrand: one of expect() is needed")
    if layout.keys is None:
        return [result.ratio(k, 0) for k in range(1, layout.components)]
    return {key: _ratios(result, (key,), shape) for key, shape in zip(layout.keys[1:], layout.shapes[1:])}


def _ratios(result: Result, place: tuple[Any, ...], shape: tuple[int, ...]) -> Estimate | list[Any]:
    if not shape:
        return result.ratio(place if len(place) > 1 else place[0], _norm)
    return [_ratios(result, (*place, i), shape[1:]) for i in range(shape[0])]
