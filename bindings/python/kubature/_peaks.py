"""The search for peaks."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Sequence

from . import _kubature
from ._domain import Box, Region
from ._integrand import Integrand, Prepared, mentions
from ._kubature import InvalidArgument
from ._table import Table


@dataclasses.dataclass(frozen=True, eq=False)
class Peak:
    """A local maximum of |f| in a box."""

    #: Where: an array of d coordinates.
    at: Any
    #: The logarithm of |f| there.
    log_height: float
    #: That of the Gaussian with the curvature of log |f| there: an array (d, d).
    covariance: Any
    #: The logarithm of Laplace's estimate of the peak's integral, that of this Gaussian.
    log_integral: float

    @property
    def sdev(self) -> Any:
        """The standard deviations along the axes: an array of d numbers."""
        import numpy

        return numpy.sqrt(numpy.diagonal(self.covariance))


def peaks_from(found: list[tuple[list[float], float, list[float], float]]) -> list[Peak]:
    import numpy

    return [
        Peak(numpy.array(at), log_height, numpy.reshape(covariance, (len(at), len(at))), log_integral)
        for at, log_height, covariance, log_integral in found
    ]


def whole(name: str, value: Any, least: int, most: int) -> int:
    try:
        number = int(value)
        if number == value and least <= number <= most:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidArgument(f"{name} = {value!r}: a whole number from {least} to {most} is needed")


def find_peaks(
    f: Integrand,
    box: Box,
    *,
    evaluations: float = 1_200_000,
    seed: int = 0,
    args: Any = (),
    variables: Sequence[str] | None = None,
    components: int | None = None,
    parameters: Mapping[str, float | Table] | None = None,
    complex: bool = False,
    **named: float | Table,
) -> list[Peak]:
    """Searches for the peaks of |f| in a box, the highest first: thousands of ascents at once, without derivatives, which
    find peaks far narrower than the distance between points.

    >>> peaks = find_peaks("exp(-5000*((x - 0.3)^2 + (y - 0.7)^2)) + exp(-50*((x - 0.8)^2 + (y - 0.2)^2))/4", [(0, 1)] * 2)
    >>> [[round(float(x), 2) for x in peak.at] for peak in peaks]
    [[0.3, 0.7], [0.8, 0.2]]
    >>> [[round(float(s), 2) for s in peak.sdev] for peak in peaks]  # of the Gaussians: 0.01 and 0.1
    [[0.01, 0.01], [0.1, 0.1]]
    >>> import math, numpy
    >>> f = lambda x: numpy.exp(-a * ((x - 3) ** 2).sum(axis=1))  # far below the smallest float at most points
    >>> a = 1e4
    >>> [peak] = find_peaks(f, [(0, 10), (-10, 10)])
    >>> abs(math.exp(peak.log_integral) / (math.pi / a) - 1) < 0.05
    True

    f            as in integrate(): a formula, or several separated by semicolons; a function of arrays of points or of one
                 point; a CFunction; or the result of on_device(). The sum of the magnitudes of all components counts, for
                 complex numbers of their real and imaginary parts
    box          of 1 to 20 constant sides, as in integrate()
    evaluations  of the ascents, at least 1000; telling peaks apart takes up to as many again
    seed         of the random numbers; the same seed gives the same peaks, on any number of threads

    args, variables, components, parameters and complex are those of integrate(); the parameters of a formula may also be
    given by themselves, a=3. There are at most 64 peaks; of a plateau there is a point, and where f is zero or not finite
    there is none.
    """
    for name in named:
        if not mentions(f, name):
            raise InvalidArgument(f"{name} = {named[name]!r}: find_peaks has no such argument, and the formula no such name")
    region = Region(box, None, None)
    if region.sides is not None:
        raise InvalidArgument(f"box = {box!r}: peaks are searched for in boxes with constant sides")
    prepared = Prepared(f, region, components, args, {**(parameters or {}), **named} if named else parameters, False, complex)
    found = _kubature.find_peaks(
        prepared.problem(region, variables),
        whole("evaluations", evaluations, 1000, 2**63 - 1),
        whole("seed", seed, 0, 2**64 - 1),
    )
    return peaks_from(found)
