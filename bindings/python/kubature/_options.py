"""The options of all methods. bindings/python/options.py writes this file."""

from __future__ import annotations

import os
from typing import Literal, Sequence, TypedDict, Union


class MethodOptions(TypedDict, total=False):
    """The options of methods, and limits, by name.

    error_norm          With several components: whether each must meet the tolerance, or each pair in its Euclidean
                        norm (paired), or the sum (l1), the Euclidean (l2) or the largest (max) norm of all
    seconds             Maximum time in seconds
    bytes               Maximum device memory in bytes
    max_evaluations     Maximum number of evaluations of a call in all
    evaluations         vegas+: Samples per iteration, and more where a tolerance needs them. mcubes, mcubes-1d, mc,
                        mixed: Samples per iteration. qmc: Points in all shifts, doubled where a tolerance needs
                        more. pagani, auto, two-phase: The same as max_evaluations
    iterations          vegas+: Maximum number of iterations; 0: 20, and up to 200 for a tolerance. mcubes,
                        mcubes-1d, mc, qmc, pagani, auto, two-phase, mixed: Maximum number of iterations
    adapt               vegas+, mcubes, mcubes-1d: Iterations that refine the map, and the strata
    skip                vegas+, mcubes, mcubes-1d: Iterations at the start that stay out of the estimate
    bins                vegas+: Intervals of the map per axis; 0: 500, and 1000 from 1e5 samples on. mcubes,
                        mcubes-1d: Intervals of the map per axis
    alpha               vegas+: Damping of the map's refinement; automatic: 0.75, and from 1e5 samples on 1.5 at
                        first, falling to 0.5. mcubes, mcubes-1d: Damping of the map's refinement
    beta                vegas+: Damping of the strata, 0 (samples are spread evenly) to 1
    redistribute        vegas+: Part of the samples that goes to the strata that vary most, 0 to below 1; automatic:
                        0.75, or 0 where more strata gain more
    restratify          vegas+: Strata along each axis in proportion to how much the integral over the others varies
                        along it; automatic: where a trial shows that it pays. mcubes, mcubes-1d: Strata along each
                        axis in proportion to how much the integral over the others varies along it
    one_map             vegas+, mcubes: One map for all axes
    covariance          vegas+, mcubes, mcubes-1d, mc, qmc, mixed: With several components: the error of each alone
                        (none, diagonal), or also their correlations (full)
    driver              vegas+, mcubes, mcubes-1d, mixed: With several components, what trains map and strata: all
                        of them in equal shares (balanced), their sum (sum), or the one of this number from 1
                        (first)
    seed                vegas+, mcubes, mcubes-1d, mc, qmc, auto, mixed: Seed of the random numbers
    non_finite          Treatment of values that are not finite
    checkpoint          vegas+: File that keeps the state: the same call resumes from it after an interruption or a
                        limit
    checkpoint_seconds  vegas+: Write the checkpoint after an iteration if this many seconds have passed since the
                        last one
    channels            Integration by channels, one for each narrow peak that a search finds: never, if a converged
                        call has missed some (automatic), or always
    known               Points near peaks, the coordinates of each in turn: the integral is computed by channels
                        about these peaks
    shifts              qmc: Independent randomisations of the points, whose scatter gives the error
    transform           qmc: Change of variable that makes an integrand periodic
    rule                qmc: Sequence of points. pagani, two-phase: Cubature rule, by its degree: 11 is for 3
                        variables, 13 for 2, gauss-kronrod for 1
    trained_map         qmc: Map that is trained beforehand, through which points are taken
    relative_filter     pagani: Relative-error filter, which finishes regions of small relative error; off for
                        integrands that cancel
    threshold           pagani: Threshold filter, which leaves alone regions whose errors together do not matter
    close_look          pagani, two-phase: Finer grids for what converges in one and two variables, so that narrow
                        peaks are seen
    regions             two-phase: Number of regions at which the second phase begins. mixed: Maximum number of
                        regions
    parts               two-phase: Maximum number of parts of a region in the second phase
    strategy            mixed: What each precision is chosen for: a term, a region, a term in a region, or the
                        faster of terms and regions
    rounding            mixed: Part of the tolerance that rounding may take
    points              mixed: Points at which each part of the integrand is sampled to choose its precision
    costs               mixed: Costs of an operation in fp16, fp32 and fp64; zeros: the measured ones
    operations          mixed: Operations per term; 0: those of the expression
    """

    error_norm: Literal["individual", "paired", "l1", "l2", "max"]
    seconds: float
    bytes: float
    max_evaluations: float
    evaluations: float
    iterations: float
    adapt: float
    skip: float
    bins: float
    alpha: Union[Literal["automatic"], float]
    beta: float
    redistribute: Union[Literal["automatic"], float]
    restratify: Union[Literal["automatic"], bool]
    one_map: bool
    covariance: Union[Literal["none", "diagonal", "full"], None]
    driver: Union[Literal["balanced", "first", "sum"], int]
    seed: float
    non_finite: Literal["error", "discard", "propagate"]
    checkpoint: Union[str, os.PathLike[str]]
    checkpoint_seconds: float
    channels: Literal["never", "automatic", "always"]
    known: Union[Sequence[float], Sequence[Sequence[float]]]
    shifts: float
    transform: Union[Literal["automatic", "none", "tent", "korobov1", "korobov2", "korobov3"], None]
    rule: Union[Literal["lattice", "sobol", "automatic", "7", "9", "11", "13", "gauss-kronrod"], int]
    trained_map: Union[Literal["automatic", "none", "linear", "smooth", "rotated"], None]
    relative_filter: bool
    threshold: bool
    close_look: bool
    regions: float
    parts: float
    strategy: Literal["automatic", "term", "region", "hybrid"]
    rounding: float
    points: float
    costs: Union[Sequence[float], Sequence[Sequence[float]]]
    operations: float


class Options(MethodOptions, total=False):
    """The same with tolerances.

    relative            Stop when the error is below this fraction of the value
    absolute            Stop when the error is below this
    """

    relative: float
    absolute: float
