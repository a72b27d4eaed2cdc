"""The results of kubature.vegas, with vegas's names: variables of gvar if that is installed."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy

from ._numbers import chi2_survival, format
from ._result import Result

gvar: Any = None
if importlib.util.find_spec("gvar"):
    gvar = importlib.import_module("gvar")


class Number:
    """A mean with its standard deviation, if gvar is not installed."""

    def __init__(self, mean: float, sdev: float) -> None:
        self.mean, self.sdev = mean, sdev

    @property
    def var(self) -> float:
        return self.sdev * self.sdev

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        return format(self.mean, self.sdev, 2)

    __repr__ = __str__


def _numbers(values: Any, covariance: Any, errors: Any) -> list[Any]:
    """The numbers of all components, correlated if correlations are known."""
    if gvar is not None:
        with numpy.errstate(all="ignore"):  # squares of large and small errors
            return list(gvar.gvar(list(values), list(errors) if covariance is None else covariance))
    return [Number(value, error) for value, error in zip(values, errors)]


class _Average:
    """What the results of all kinds of integrands have in common."""

    result: Result  #: as kubature's own integrators return it

    @property
    def chi2(self) -> float:
        if not self.result.layout.one and not math.isnan(self.result.chi2):
            return self.result.chi2
        return self.result.averages[-1].chi2 if self.result.averages else 0.0

    @property
    def dof(self) -> int:
        if not self.result.layout.one and not math.isnan(self.result.chi2):
            return self.result.dof
        return self.result.averages[-1].dof if self.result.averages else 0

    @property
    def Q(self) -> float:
        return chi2_survival(self.chi2, self.dof) if self.dof > 0 else 1.0

    @property
    def nitn(self) -> int:
        return len(self.result.iterations)

    @property
    def sum_neval(self) -> int:
        return self.result.evaluations

    @property
    def avg_neval(self) -> float:
        return self.sum_neval / max(1, self.nitn)

    @property
    def itn_results(self) -> list[Any]:
        """The estimates of the iterations, without the correlations between components."""
        layout = self.result.layout
        found = []
        for iteration in self.result.iterations:
            values, errors = _flat(iteration.value), _flat(iteration.error)
            found.append(layout.pack(_numbers(values, None, errors)))
        return found

    def converged(self, rtol: float, atol: float) -> bool:
        return all(
            error < atol + rtol * abs(value) for value, error in zip(self.result.values, self.result.errors)
        )

    def summary(self, extended: bool = False) -> str:
        """The iterations, in vegas's layout; of several integrals, those of the first.

        extended  whether to list all integrals below, as gvar tabulates them
        """
        lines = ["itn   integral        wgt average     chi2/dof        Q", "-" * 55]
        for number, (iteration, average) in enumerate(zip(self.result.iterations, self.result.averages), 1):
            own = format(_flat(iteration.value)[0], _flat(iteration.error)[0], 2)
            so_far = format(average.value, average.error, 2)
            ratio, q = (average.chi2 / average.dof, average.q_value) if average.dof > 0 else (0.0, 1.0)
            lines.append(f"{number:3d}   {own:<15} {so_far:<15} {ratio:8.2f} {q:8.2f}")
        text = "\n".join(lines) + "\n"
        if extended and not self.result.layout.one:
            if gvar is None:
                raise ImportError("summary(extended=True) needs the package gvar")
            text += "\n" + gvar.tabulate(self) + "\n"
        return text


def _flat(x: Any) -> list[float]:
    if isinstance(x, dict):
        return [number for each in x.values() for number in _flat(each)]
    return numpy.asarray(x).ravel().tolist()


_Scalar: Any = Number if gvar is None else gvar.GVar
_Dict: Any = dict if gvar is None else gvar.BufferDict


class RAvg(_Average, _Scalar):
    """The result of an integrand with one number: a variable of gvar, with mean, sdev, chi2, dof, Q and summary()."""

    def __init__(self, result: Result) -> None:
        if gvar is None:
            super().__init__(result.value, result.error)
        else:
            super().__init__(*_numbers([result.value], None, [result.error])[0].internaldata)
        self.result = result

    def __reduce_ex__(self, protocol: Any) -> Any:
        return RAvg, (self.result,)

    def __str__(self) -> str:
        return format(self.mean, self.sdev, 2)

    __repr__ = __str__


class RAvgArray(_Average, numpy.ndarray):
    """The result of an integrand that returns arrays: an array of correlated variables."""

    def __new__(cls, result: Result) -> RAvgArray:
        numbers = numpy.empty(len(result.values), dtype=object)
        numbers[:] = _numbers(result.values, result.covariance, result.errors)
        made = numbers.reshape(result.layout.shapes[0]).view(cls)
        made.result = result
        return made

    def __array_finalize__(self, of: Any) -> None:
        self.result = getattr(of, "result", None)  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return RAvgArray, (self.result,)

    @property
    def mean(self) -> Any:  # type: ignore[override]
        return self.result.value

    @property
    def sdev(self) -> Any:
        return self.result.error

    @property
    def cov(self) -> Any:
        return self.result.covariance


class RAvgDict(_Average, _Dict):
    """The result of an integrand that returns dictionaries: a dictionary of correlated variables."""

    def __init__(self, result: Result) -> None:
        numbers = _numbers(result.values, result.covariance, result.errors)
        super().__init__(result.layout.pack(numbers))
        self.result = result

    def __reduce_ex__(self, protocol: Any) -> Any:
        return RAvgDict, (self.result,)


def average(result: Result) -> Any:
    """The result, in the type that vegas has for this kind of integrand."""
    if result.layout.one:
        return RAvg(result)
    return RAvgArray(result) if result.layout.keys is None else RAvgDict(result)
