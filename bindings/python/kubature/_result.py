"""The result of an integration."""

from __future__ import annotations

import dataclasses
import functools
import html
import importlib
import math
from typing import Any, Iterator, NamedTuple, Sequence

from ._layout import Layout
from ._numbers import Estimate, chi2_survival, format, formatted, of_complex, plain


class Iteration(NamedTuple):
    """The estimate of one iteration of a Monte Carlo method; included: whether the value of the result includes it."""

    value: Any
    error: Any
    evaluations: int
    included: bool


class Average(NamedTuple):
    """The estimate of the first component after an iteration: NaN while no iteration is included."""

    value: float
    error: float
    chi2: float
    dof: int

    @property
    def q_value(self) -> float:
        return chi2_survival(self.chi2, self.dof)


class Part(NamedTuple):
    """A term, a region or the whole of an integrand, and the precision chosen for it."""

    #: For a region, "[0,0.25]x[0.5,1]".
    name: str
    precision: str
    #: Its share of the box's volume.
    share: float


class Progress(NamedTuple):
    """The state of a call in progress, for a callback; value and error are those of the first component, NaN while no
    iteration is included."""

    iteration: int
    evaluations: int
    value: float
    error: float
    seconds: float


def averages(iterations: Sequence[Iteration], history: dict[int, tuple[float, float]]) -> tuple[Average, ...]:
    """The averages after each iteration, from the iterations of one component and the values that were reported to
    callbacks, by iteration."""
    found: list[Average] = []
    included: list[Iteration] = []
    for number, iteration in enumerate(iterations, 1):
        if iteration.included:
            included.append(iteration)
        value, error = history.get(number, (math.nan, math.nan))
        pulls = [
            (each.value - value) / each.error if each.error > 0 else math.inf
            for each in included
            if each.value != value
        ]
        chi2 = sum(pull * pull for pull in pulls)  # pull**2 would raise where it overflows
        known = len(included) > 0 and not math.isnan(value)
        found.append(Average(value, error, chi2 if known else math.nan, max(0, len(included) - 1)))
    return tuple(found)


@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """An integral with its error: one standard deviation for Monte Carlo methods, an error estimate for cubature.

    It prints as 0.85131(4), the value with the error in units of its last digit; repr() is more detailed.

    For an integrand with several components, value, error, chi2_per_dof and q_value, and those of the iterations, are
    arrays, or dictionaries if the function returns dictionaries. If any is complex, all values and errors are; what is
    known for each real number, chi2_per_dof, q_value and the covariance, has one of the real and one of the imaginary
    parts, in a last axis of two.
    """

    value: Any
    error: Any
    #: converged, completed, evaluation_limit, iteration_limit, time_limit, precision_limit, memory_exhausted,
    #: non_finite, no_variance or stopped
    status: str
    #: The agreement between iterations; NaN where there is nothing to compare.
    chi2_per_dof: Any
    q_value: Any
    #: The same for all components together, with its degrees of freedom; NaN and 0 without a covariance.
    chi2: float
    dof: int
    #: The covariance of the errors, components x components, in the order of the values; None if it is not known.
    covariance: Any
    #: Evaluations of the integrand, including those that only train or probe.
    evaluations: int
    iterations: tuple[Iteration, ...]
    #: The estimate so far after each iteration.
    averages: tuple[Average, ...]
    #: The number of regions, for a cubature method.
    regions: int
    #: How many values of the integrand were NaN or infinite.
    non_finite: int
    #: The shape parameter of the Pareto tail of the weights: up to 0.5 their variance exists; above 0.7 errors are
    #: unreliable. NaN for cubature and where it is not known.
    k_hat: float
    seconds: float
    method: str
    precision: str
    backend: str
    #: Anything else that the caller should know, one sentence each.
    remarks: tuple[str, ...]
    #: All of it in one line, followed by the remarks, each on a line of its own.
    text: str = dataclasses.field(repr=False)
    #: Parts whose precision was chosen, by precision "adaptive" or method "mixed".
    parts: tuple[Part, ...] = ()
    #: The tolerance that was asked for.
    relative: float = 0.0
    absolute: float = 0.0
    layout: Layout = Layout()
    #: The values and errors of all components, one after the other.
    values: tuple[float, ...] = ()
    errors: tuple[float, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether a tolerance was requested and is met."""
        return self.status == "converged"

    @property
    def mean(self) -> Any:
        """The value, by the name that the packages vegas and gvar give it."""
        return self.value

    @property
    def sdev(self) -> Any:
        """The error, by the name that the packages vegas and gvar give it."""
        return self.error

    def __iter__(self) -> Iterator[Any]:
        """value, error = result."""
        return iter((self.value, self.error))

    # ---- components ----------------------------------------------------------------------------------------

    def __getitem__(self, component: Any) -> Estimate:
        """The value and the error of a component, or of an array of these: as arrays are indexed, or by a key of a
        dictionary, or by a key and numbers.

        >>> import kubature
        >>> found = kubature.integrate(lambda x: {"1": x[:, 0], "x": x**2}, [(0, 1)] * 2, relative=1e-9)
        >>> print(f"{found['x', 1]:.6f}", found["1"].value == found.value["1"])
        0.333333 True
        """
        if self.layout.one or not hasattr(self.value, "__getitem__"):
            raise TypeError(f"component = {component!r}: the integrand has a single one; take value and error")
        value, error = self.value, self.error
        try:
            if self.layout.keys is not None and component not in self.layout.keys and isinstance(component, tuple):
                value, error, component = value[component[0]], error[component[0]], component[1:]
            return Estimate(value[component], error[component])
        except (KeyError, IndexError, TypeError):
            raise IndexError(f"component = {component!r}: there is no such component") from None

    def _known(self) -> Any:
        if self.covariance is None:
            raise ValueError("covariance = None: integrate with covariance='full'")
        return self.covariance

    def correlation(self, i: Any, j: Any) -> float:
        """The correlation of the errors of two components, given by numbers from 0, by keys, or by a key and
        numbers."""
        return self._correlation(self.layout.place(i), self.layout.place(j))

    def _correlation(self, a: int, b: int) -> float:
        covariance, size = self._known(), self.errors[a] * self.errors[b]
        return 1.0 if a == b else float(covariance[a, b]) / size if size > 0 else 0.0

    def ratio(self, i: Any, j: Any) -> Estimate:
        """Component i over component j, with its error to first order, which is small if their errors are positively
        correlated. Cubature does not know correlations: the error is then the largest that is possible."""
        above, below = self.layout.place(i), self.layout.place(j)
        cubature = self.covariance is None and self.regions > 0
        together, over = 1.0 if cubature else self._correlation(above, below), self.values[below]
        ratio = _quotient(self.values[above], over)
        a, b = _quotient(self.errors[above], over), ratio * _quotient(self.errors[below], over)
        if cubature and above != below:
            return Estimate(ratio, abs(a) + abs(b))
        largest = max(abs(a), abs(b))
        if not (largest > 0 and math.isfinite(a) and math.isfinite(b)):
            return Estimate(ratio, abs(a + b))  # 0, or not a finite number
        # a^2 - 2 rho a b + b^2, without cancellation where rho is 1, in units in which squares stay in range
        a, b = a / largest, b / largest
        return Estimate(ratio, largest * math.sqrt(max((a - b) * (a - b) + 2 * (1 - together) * a * b, 0.0)))

    def linear(self, weights: Any) -> Estimate:
        """The sum of all components, each times its weight, with its error."""
        import numpy

        w = numpy.asarray(weights, dtype=numpy.float64).ravel()
        if len(w) != len(self.values):
            raise ValueError(f"weights = {len(w)} numbers: there are {len(self.values)} components")
        with numpy.errstate(all="ignore"):
            value, variance = float(w @ numpy.array(self.values)), float(w @ self._known() @ w)
        return Estimate(value, math.sqrt(max(variance, 0.0)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "gvar"}

    @functools.cached_property
    def gvar(self) -> Any:
        """The value as Gaussian variables of the package gvar, correlated if the covariance is known: one, an array or
        a dictionary."""
        import numpy

        gvar: Any = importlib.import_module("gvar")
        with numpy.errstate(all="ignore"):  # squares of large and small errors
            if self.layout.one:
                return gvar.gvar(self.value, self.error)
            known = self.covariance if self.covariance is not None else self.errors
            return self.layout.pack(list(gvar.gvar(list(self.values), known)), pairs=True)

    # ---- as text -------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts, lists and dictionaries; NaN and infinity become None, as in JSON."""
        left_out = ("layout", "values", "errors")
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        for name in ("iterations", "averages"):
            fields[name] = [each._asdict() for each in fields[name]]
        return {name: plain(x) for name, x in fields.items() if name not in left_out}

    def table(self) -> str:
        """The iterations, for the first component: each by itself, and the value so far; a star marks those left out.

        >>> import kubature
        >>> print(kubature.integrate("x", [(0, 1)], evaluations=1000).table().splitlines()[0])
        itn  integral        so far          chi2/dof     Q  evaluations
        """
        lines = ["itn  integral        so far          chi2/dof     Q  evaluations"]
        for number, (own, so_far, ratio, q, evaluations, included) in enumerate(self._rows(), 1):
            star = " " if included else "*"
            lines.append(f"{number:3d}{star} {own:<15} {so_far:<15} {ratio:>8} {q:>5}  {evaluations:11d}")
        return "\n".join(lines)

    def _rows(self) -> list[tuple[str, str, str, str, int, bool]]:
        rows = []
        for iteration, average in zip(self.iterations, self.averages):
            value, error = _first(iteration.value), _first(iteration.error)
            so_far, ratio, q = "", "", ""
            if not math.isnan(average.value):
                so_far = format(average.value, average.error)
            if average.dof > 0 and not math.isnan(average.chi2):
                ratio, q = f"{average.chi2 / average.dof:.2f}", f"{average.q_value:.2f}"
            rows.append((format(value, error), so_far, ratio, q, iteration.evaluations, iteration.included))
        return rows

    def _repr_html_(self) -> str:
        """For notebooks: the value, a summary of the call, and the iterations, which unfold."""
        told = self.text[max(self.text.find(self.status), 0) :]  # without the value
        lines = [html.escape(line) for line in told.splitlines()]
        head = f"<b>{html.escape(str(self))}</b><br><small>{'<br>'.join(lines)}</small>"
        names = ("itn", "integral", "so far", "chi<sup>2</sup>/dof", "Q", "evaluations")
        rows = ["<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"]
        for number, (own, so_far, ratio, q, evaluations, included) in enumerate(self._rows(), 1):
            style = "" if included else ' style="opacity:0.5"'
            cells = (str(number), own, so_far, ratio, q, str(evaluations))
            rows.append(f"<tr{style}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        table = f"<table>{''.join(rows)}</table>" if len(rows) > 1 else ""
        count = f"{len(rows) - 1} iteration{'s' if len(rows) > 2 else ''}"
        return f"{head}<details><summary>{count}</summary>{table}</details>" if table else head

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, spec: str) -> str:
        """The value, or the values of all components, in the format of a float or a complex number, f"{result:.3f}"; with
        an error, 0.85131(4), without a format."""
        if not spec:
            return str(self)
        if self.layout.keys is not None:
            return ", ".join(f"{key}: {formatted(value, spec)}" for key, value in self.value.items())
        return formatted(self.value, spec)

    def __str__(self) -> str:
        if self.layout.one:
            return format(self.value, self.error)
        texts = [format(value, error) for value, error in zip(self.values, self.errors)]
        if self.layout.complex:
            pairs = zip(texts[::2], texts[1::2])
            texts = [of_complex(*pair) for pair in pairs]
        if self.layout.keys is None:
            return "  ".join(texts)
        parts, first = [], 0
        for key, shape in zip(self.layout.keys, self.layout.shapes):
            end = first + math.prod(shape[:-1] if self.layout.complex else shape)
            parts.append(f"{key}: {'  '.join(texts[first:end])}")
            first = end
        return ", ".join(parts)

    def __repr__(self) -> str:
        return self.text


def _quotient(a: float, b: float) -> float:
    """a / b as C computes it."""
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _first(x: Any) -> float:
    """The value of the first component, of a complex one the real part."""
    while isinstance(x, dict):
        x = next(iter(x.values()))
    return float((x.flat[0] if hasattr(x, "flat") else x).real)
