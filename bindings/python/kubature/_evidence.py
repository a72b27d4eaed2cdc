"""Evidence: the logarithm of an integral of exp(L), and samples from that density."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, Mapping, Sequence

from . import _kubature
from ._domain import Box, Region
from ._integrand import Integrand, Prepared, mentions
from ._kubature import InvalidArgument
from ._peaks import Peak, peaks_from, whole
from ._table import Table


@dataclasses.dataclass(frozen=True, eq=False)
class Evidence:
    """The integral Z of exp(L), the density exp(L) / Z, and samples from it."""

    #: log Z, and its standard deviation.
    log_evidence: float
    error: float
    #: "converged", "evaluation_limit", "iteration_limit", "time_limit" or "no_variance".
    status: str
    #: The names of the coordinates.
    names: list[str]
    #: Under exp(L) / Z: the means of the coordinates, an array of d numbers, and their covariance (d, d).
    mean: Any
    covariance: Any
    #: The peaks of exp(L), the highest first.
    peaks: list[Peak]
    #: The probability that the iterations differ more if the error is right; nan with one iteration.
    q_value: float
    #: The shape of the tail of the weights: their variance does not exist from 1/2 on, and from 0.7 on log Z is not to be
    #: trusted.
    k_hat: float
    #: The effective number of samples, (sum of w)^2 / sum of w^2.
    effective: float
    evaluations: int
    seconds: float
    remarks: list[str]
    #: Samples, (n, d), and the logarithms of their weights, whose sum is 1.
    points: Any
    log_weights: Any

    @property
    def converged(self) -> bool:
        return self.status == "converged"

    @property
    def sdev(self) -> Any:
        """The standard deviations of the coordinates."""
        import numpy

        return numpy.sqrt(numpy.diagonal(self.covariance))

    @property
    def weights(self) -> Any:
        """The weights of the samples, whose sum is 1."""
        import numpy

        return numpy.exp(self.log_weights)

    @property
    def samples(self) -> dict[str, Any]:
        """The coordinates of the weighted samples, by name."""
        return dict(zip(self.names, self.points.T))

    def equal(self, seed: int = 0) -> Any:
        """Samples with equal weights, (m, d): each of `points` is accepted with a probability in proportion to its weight.
        m / n is the efficiency, the mean of the weights divided by the largest."""
        import numpy

        if len(self.points) == 0:
            return self.points
        chances = numpy.exp(self.log_weights - self.log_weights.max())
        return self.points[numpy.random.default_rng(seed).random(len(chances)) < chances]

    def posterior(self, seed: int = 0) -> dict[str, Any]:
        """Samples with equal weights, by name, each an array (1, m) of one chain, as arviz.from_dict takes them."""
        return {name: column[None, :] for name, column in zip(self.names, self.equal(seed).T)}

    def expectation(self, f: Any) -> tuple[Any, Any]:
        """The mean of f(points) under exp(L) / Z and its standard deviation, from the weighted samples: of arrays (n,) or
        (n, k)."""
        import numpy

        values = numpy.asarray(f(self.points), dtype=float)
        weights = self.weights.reshape(-1, *[1] * (values.ndim - 1))
        mean = (weights * values).sum(axis=0)
        return mean, numpy.sqrt((weights**2 * (values - mean) ** 2).sum(axis=0))

    def __str__(self) -> str:
        lines = [f"log Z = {self.log_evidence:.6g} +- {self.error:.2g}  {self.status}, {self.evaluations:,} evaluations"]
        if len(self.mean) and math.isfinite(self.mean[0]):
            lines += [f"{n} = {m:.6g} +- {s:.3g}" for n, m, s in zip(self.names, self.mean, self.sdev)]
        return "\n".join(lines + [f"remark: {remark}" for remark in self.remarks])


def log_evidence(
    log_f: Integrand,
    box: Box,
    *,
    error: float = 0.01,
    search: float = 1_200_000,
    samples: float = 100_000,
    evaluations: float | None = None,
    seconds: float | None = None,
    seed: int = 0,
    keep: bool = True,
    args: Any = (),
    variables: Sequence[str] | None = None,
    parameters: Mapping[str, float | Table] | None = None,
    **named: float | Table,
) -> Evidence:
    """The logarithm of the integral Z of exp(L) over a box, where L may have any magnitude: the evidence of a model, if L is
    the logarithm of likelihood times prior. With samples from exp(L) / Z, the means and the covariance of the coordinates.

    >>> found = log_evidence("-1e5 - 5000*((x - 0.3)^2 + (y - 0.7)^2)", [(0, 1)] * 2)
    >>> import math
    >>> abs(found.log_evidence - (math.log(math.pi / 5000) - 1e5)) < 5 * found.error
    True
    >>> [round(float(m), 2) for m in found.mean], [round(float(s), 3) for s in found.sdev]
    ([0.3, 0.7], [0.01, 0.01])
    >>> found.equal().shape[1]
    2

    log_f        L, as integrands in integrate(): a formula; a function of arrays of points or of one point; a CFunction; or
                 the result of on_device(). NaN and infinity count as -infinity
    box          of 1 to 20 constant sides, as in integrate()
    error        the tolerance: one standard deviation of log Z
    search       evaluations of the search for the peaks of L, at least 1000
    samples      evaluations of an iteration, at least 1000
    evaluations  limits those of the call; None: no limit
    seconds      limits the duration of the call; None: no limit
    seed         of the random numbers; the same seed gives the same result, on any number of threads
    keep         whether the result has samples

    args, variables and parameters are those of integrate(); the parameters of a formula may also be given by themselves,
    a=3.
    """
    import numpy

    for name in named:
        if not mentions(log_f, name):
            raise InvalidArgument(f"{name} = {named[name]!r}: log_evidence has no such argument, and the formula no such name")
    region = Region(box, None, None)
    if region.sides is not None:
        raise InvalidArgument(f"box = {box!r}: an evidence is computed in boxes with constant sides")
    prepared = Prepared(log_f, region, None, args, {**(parameters or {}), **named} if named else parameters, False, False)
    if prepared.layout.components != 1:
        raise InvalidArgument(f"components = {prepared.layout.components}: the logarithm of an integrand has one component")
    names = region.names(variables)
    most = 2**63 - 1
    found = _kubature.Evidence(
        prepared.problem(region, variables),
        float(error),
        whole("search", search, 1000, most),
        whole("samples", samples, 1000, most),
        0 if evaluations is None else whole("evaluations", evaluations, 1, most),
        0.0 if seconds is None else float(seconds),
        whole("seed", seed, 0, 2**64 - 1),
        bool(keep),
    )
    d = region.domain.dimension() if region.domain is not None else len(region.lower)
    n = found.count()
    mean, covariance, points, log_weights = (numpy.empty(shape) for shape in (d, (d, d), (n, d), n))
    found.moments(mean, covariance)
    found.samples(points, log_weights)
    log_z, deviation, q_value, k_hat, effective, made, duration = (found.get(number) for number in range(7))
    return Evidence(
        log_evidence=log_z,
        error=deviation,
        status=found.status(),
        names=names.split(",") if names else [f"x{i + 1}" for i in range(d)],
        mean=mean,
        covariance=covariance,
        peaks=peaks_from(found.peaks()),
        q_value=q_value,
        k_hat=k_hat,
        effective=effective,
        evaluations=int(made),
        seconds=duration,
        remarks=found.remarks().splitlines(),
        points=points,
        log_weights=log_weights,
    )


def samples(f: Integrand, box: Box, **options: Any) -> Evidence:
    """Weighted samples of any integrand of one component: those of log_evidence() from the density |f| / integral of |f|,
    with its options.

    >>> found = samples("x*exp(-y)", [(0, 1), (0, float("inf"))])
    >>> math.isclose(math.exp(found.log_evidence), 0.5, rel_tol=5 * found.error)
    True
    >>> mean, sdev = found.expectation(lambda points: points[:, 0])  # of x under the density 2 x
    >>> abs(mean - 2 / 3) < 5 * sdev
    True
    """
    if isinstance(f, str):
        definitions, semicolon, formula = f.rstrip().rstrip(";").rpartition(";")
        return log_evidence(f"{definitions}{semicolon} log(abs({formula}))", box, **options)
    if not callable(f):
        raise InvalidArgument(f"f = {f!r}: must be a formula or a function")

    @functools.wraps(f)  # for its arguments
    def logarithm(*x: Any) -> Any:
        import numpy

        with numpy.errstate(divide="ignore"):
            return numpy.log(numpy.abs(f(*x)))

    return log_evidence(logarithm, box, **options)
