"""What integrating returns."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple


class Iteration(NamedTuple):
    """The estimate of one iteration of a Monte Carlo method; included: whether the result's value includes it."""

    value: float
    error: float
    evaluations: int
    included: bool


class Progress(NamedTuple):
    """What a callback is told; value and error are NaN while iterations are left out."""

    iteration: int
    evaluations: int
    value: float
    error: float
    seconds: float


@dataclasses.dataclass(frozen=True)
class Result:
    """An integral with its error: one standard deviation of Monte Carlo methods, an error estimate of cubature.

    It prints as 0.85131(4), the value with the error in units of its last digit; its repr() says more.
    """

    value: float
    error: float
    #: converged, completed, evaluation_limit, iteration_limit, time_limit, precision_limit, memory_exhausted,
    #: non_finite, no_variance or stopped
    status: str
    #: Agreement between the iterations; NaN where there is nothing to compare.
    chi2_per_dof: float
    q_value: float
    #: Calls of the integrand, those that only train or probe included.
    evaluations: int
    iterations: tuple[Iteration, ...]
    #: Regions of a cubature method.
    regions: int
    #: How many values of the integrand were NaN or infinite.
    non_finite: int
    seconds: float
    method: str
    precision: str
    backend: str
    #: What else the caller should know, a sentence each.
    remarks: tuple[str, ...]
    #: All of it in a line, and the remarks on lines of their own.
    text: str = dataclasses.field(repr=False)

    @property
    def converged(self) -> bool:
        """Whether a tolerance was asked for and is met."""
        return self.status == "converged"

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain numbers, texts, lists and dictionaries; NaN is None, as in JSON."""

        def plain(x: Any) -> Any:
            return None if isinstance(x, float) and math.isnan(x) else x

        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields["iterations"] = [
            {name: plain(x) for name, x in iteration._asdict().items()} for iteration in self.iterations
        ]
        fields["remarks"] = list(self.remarks)
        return {name: plain(x) for name, x in fields.items()}

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return self.text.split("  ", 1)[0]

    def __repr__(self) -> str:
        return self.text
