"""kubature's VEGAS+ with the names, arguments and defaults of the package vegas.

>>> from kubature import vegas
>>> import numpy
>>> integ = vegas.Integrator([[-1, 1], [0, 1], [0, 1], [0, 1]])
>>> @vegas.lbatchintegrand
... def f(x):
...     return numpy.exp(-100 * numpy.sum((x - 0.5) ** 2, axis=1)) * 1013.2118364296088
>>> training = integ(f, nitn=10, neval=1e4)
>>> result = integ(f, nitn=10, neval=1e4)
>>> abs(result.mean - 1) < 5 * result.sdev
True

Differences: the weights of iterations do not depend on their own samples (docs/design/iterations.md), so averages and chi2
are not those of vegas to the digit; with rtol or atol and several integrals, iterations grow where needed; save
and saveall are written when a call ends; an integrand that is not finite ends a call with a ValueError. Results are
variables of gvar if that is installed.
"""

from __future__ import annotations

import math
import pickle
from typing import Any, Callable

import numpy

from ._domain import few_variables
from ._integrand import CFunction
from ._integrator import Integrator as _Integrator
from ._layout import formulas
from ._result import Progress
from ._vegas_map import AdaptiveMap
from ._vegas_results import RAvg, RAvgArray, RAvgDict, average

__all__ = [
    "AdaptiveMap",
    "BatchIntegrand",
    "Integrator",
    "LBatchIntegrand",
    "RAvg",
    "RAvgArray",
    "RAvgDict",
    "RBatchIntegrand",
    "batchintegrand",
    "lbatchintegrand",
    "rbatchintegrand",
]


class LBatchIntegrand:
    """The base class of integrands that are called with many points at once, x[i, d]; wraps a function if given one."""

    def __init__(self, fcn: Callable[..., Any] | None = None) -> None:
        self.fcn = fcn

    def __call__(self, x: Any) -> Any:
        if self.fcn is None:
            raise NotImplementedError("an integrand of this class must define __call__(x)")
        return self.fcn(x)


class RBatchIntegrand(LBatchIntegrand):
    """As above, with the index of the points last, x[d, i]."""


BatchIntegrand = LBatchIntegrand


def lbatchintegrand(f: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: f gets many points at once, x[i, d], and returns f[i], f[i, ...] or a dictionary of these."""
    return _marked(f, "lbatch")


def rbatchintegrand(f: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: f gets many points at once, x[d, i], and returns f[i], f[..., i] or a dictionary of these."""
    return _marked(f, "rbatch")


batchintegrand = lbatchintegrand


def _marked(f: Callable[..., Any], kind: str) -> Callable[..., Any]:
    try:
        f.fcntype = kind  # type: ignore[attr-defined]
        return f
    except AttributeError:
        made = (LBatchIntegrand if kind == "lbatch" else RBatchIntegrand)(f)
        made.fcntype = kind  # type: ignore[attr-defined]
        return made


def _kind(f: Any) -> str:
    if isinstance(f, RBatchIntegrand):
        return "rbatch"
    if isinstance(f, LBatchIntegrand):
        return "lbatch"
    return getattr(f, "fcntype", "scalar")


class _Region:
    """The integration region, which determines the form of the points that a function gets."""

    def __init__(self, region: Any) -> None:
        self.keys: list[Any] | None = None
        self.shapes: list[tuple[int, ...]]
        if isinstance(region, dict):
            parts = [numpy.asarray(limits, dtype=numpy.float64) for limits in region.values()]
            self.keys = list(region)
        elif isinstance(region, AdaptiveMap):
            parts = [numpy.array(region.region())]
        else:
            parts = [numpy.asarray(region, dtype=numpy.float64)]
        if not parts or any(part.ndim < 1 or part.shape[-1] != 2 or part.size == 0 for part in parts):
            raise ValueError(f"map = {region!r}: limits (lower, upper) are needed for each variable")
        if self.keys is None and parts[0].ndim < 2:
            raise ValueError(f"map = {region!r}: a list of limits (lower, upper) is needed")
        self.shapes = [part.shape[:-1] for part in parts]
        self.limits = numpy.concatenate([part.reshape(-1, 2) for part in parts])

    def points(self, x: Any) -> Any:
        """Points (n, d) as batches, with the index of the points first."""
        if self.keys is None:
            return x if len(self.shapes[0]) == 1 else x.reshape(len(x), *self.shapes[0])
        parts, first = {}, 0
        for key, shape in zip(self.keys, self.shapes):
            size = math.prod(shape)
            parts[key] = x[:, first] if shape == () else x[:, first : first + size].reshape(len(x), *shape)
            first += size
        return parts


def _each(change: Callable[[Any], Any], of: Any) -> Any:
    return {key: change(each) for key, each in of.items()} if isinstance(of, dict) else change(of)


def _last_first(x: Any) -> Any:
    return numpy.moveaxis(numpy.asarray(x), -1, 0)


def _as_batch(f: Any, region: _Region) -> Any:
    """A function of any of vegas's kinds as a function of (n, d) points."""
    if isinstance(f, (str, CFunction)) or isinstance(getattr(f, "address", None), int):
        return f
    if not callable(f):
        raise TypeError(f"fcn = {f!r}: a function is needed")
    kind = _kind(f)
    if kind == "lbatch":
        return lambda x: f(region.points(x))
    if kind == "rbatch":
        to_right = lambda x: numpy.moveaxis(x, 0, -1)  # noqa: E731
        return lambda x: _each(_last_first, f(_each(to_right, region.points(x))))

    def one_by_one(x: Any) -> Any:
        points = region.points(numpy.ascontiguousarray(x))
        if isinstance(points, dict):
            found = [f({key: part[k] for key, part in points.items()}) for k in range(len(x))]
        else:
            found = [f(point) for point in points]
        if isinstance(found[0], dict):
            return {key: numpy.array([each[key] for each in found]) for key in found[0]}
        return numpy.array(found)

    return one_by_one


#: The parameters of vegas that have a meaning here, with their defaults;
_defaults: dict[str, Any] = dict(
    nitn=10,
    neval=1000,
    alpha=0.5,
    beta=0.75,
    neval_frac=0.75,
    maxinc_axis=1000,
    adapt=True,
    rtol=0,
    atol=0,
    correlate_integrals=True,
)
#: those that concern vegas's inner workings;
_ignored = (
    "min_neval_batch",
    "max_neval_hcube",
    "max_mem",
    "minimize_mem",
    "nproc",
    "gpu_pad",
    "sync_ran",
    "mpi",
    "nhcube_batch",
    "max_nhcube",
)
#: and those that kubature does not support, with the values that they must have.
_refused = dict(
    uses_jac=False,
    adapt_to_errors=False,
    uniform_nstrat=False,
    nstrat=None,
    analyzer=None,
    ran_array_generator=None,
)


class Integrator:
    """VEGAS+ over a region; each call starts from the map and strata that earlier ones have trained.

    map   the region: limits (lower, upper) for each variable, in a list, in an array of any shape, or in a dictionary,
          whose structure the function's points then have; or an AdaptiveMap or an Integrator to start from
    seed  of the random numbers; None: drawn by numpy.random
    nitn, neval, alpha, beta, neval_frac, maxinc_axis, adapt, rtol, atol, correlate_integrals: as in vegas
    """

    defaults = dict(_defaults)
    map: AdaptiveMap
    _region: _Region
    _parameters: dict[str, Any]

    def __init__(self, map: Any, *, seed: int | None = None, **parameters: Any) -> None:
        known: Any = None
        if isinstance(map, Integrator):
            self._region, known = map._region, map.map
            self._parameters = dict(map._parameters)
        else:
            self._region = _Region(map)
            self._parameters = dict(_defaults)
            known = map if isinstance(map, AdaptiveMap) else None
        self.map = AdaptiveMap(self._region.limits if known is None else known)
        self._seed, self._begun = seed, 0
        self._working: Any = None
        self._made: Any = None  #: its options, and the map that it left
        self._left: Any = None
        self.last_neval = 0
        self.set(**parameters)

    def set(self, ka: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
        """Changes parameters; returns their old values."""
        changes = {**(ka or {}), **parameters}
        old = {}
        for name, value in changes.items():
            if name == "map":
                old[name] = self.map
                self.map = AdaptiveMap(value.map if isinstance(value, Integrator) else value)
                if self.map.dim != len(self._region.limits):
                    self._region = _Region(self.map)
            elif name in self._parameters:
                old[name] = self._parameters[name]
                self._parameters[name] = value
            elif name in _refused:
                if value is not None and value != _refused[name]:
                    raise ValueError(
                        f"{name} = {value!r}: kubature does not support this; it must be {_refused[name]!r}"
                    )
            elif name not in _ignored:
                raise AttributeError(f"{name}: vegas has no such parameter")
        return old

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_parameters"][name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def dim(self) -> int:
        return self.map.dim

    # ---- integration ---------------------------------------------------------------------------------------

    def __call__(self, fcn: Any, save: Any = None, saveall: Any = None, **parameters: Any) -> Any:
        """The integral of fcn as an RAvg, an RAvgArray or an RAvgDict.

        fcn            a function of one point, x[d], or, with a decorator, of many; or a formula or a C function, as
                       for kubature.integrate
        save, saveall  the name of a file, or a file, to which the result, or (result, integrator), is pickled
        parameters     those of the integrator, for this call
        """
        old = self.set(**parameters)
        try:
            result = self._integrate(fcn)
        finally:
            self.set(**old)
        self.last_neval = int(result.avg_neval)
        if save is not None:
            _pickle(result, save)
        if saveall is not None:
            _pickle((result, self), saveall)
        return result

    def _integrate(self, fcn: Any) -> Any:
        p = self._parameters
        working = self._ready()
        tolerance: dict[str, Any] = dict(relative=0, absolute=0)
        rtol, atol = float(p["rtol"]), float(p["atol"])
        several = False

        def met(progress: Progress) -> bool:
            return several or not progress.error < atol + rtol * abs(progress.value) or progress.iteration < 1

        function = _as_batch(fcn, self._region)
        if rtol > 0 or atol > 0:
            several = _is_several(function, self._region.limits)
            if several:
                tolerance = dict(relative=rtol, absolute=atol)
        found = working(function, callback=met if rtol > 0 or atol > 0 else None, bar=False, **tolerance)
        if found.status == "non_finite":
            raise ValueError("the integrand is not finite at one or more points")
        self.map = self._left = AdaptiveMap.of_edges(working.map(), self.map.region())
        return average(found)

    def _ready(self) -> _Integrator:
        """The current integrator or, if parameters or the map have changed, a new one that starts from the map."""
        p = self._parameters
        few = len(self.map.region()) <= few_variables
        options: dict[str, Any] = dict(
            evaluations=int(p["neval"]),
            iterations=int(p["nitn"]),
            adapt=2**31 - 1 if p["adapt"] else 0,
            alpha=float(p["alpha"]),
            beta=float(p["beta"]),
            redistribute=min(float(p["neval_frac"]), 1 - 2.0**-53),
            covariance="full" if p["correlate_integrals"] and few else "diagonal",
            driver="first",  # Lepage's convention
        )
        if self._working is None or self._made != options or self._left is not self.map:
            trained = max(self.map.ninc) > 1
            bins = int(max(1, min(p["maxinc_axis"], int(p["neval"]) // 10)))
            if not trained:
                options["bins"] = bins
            if self._seed is None:
                self._seed = int(numpy.random.randint(2**31 - 1))
            seed = (self._seed + self._begun * 0x9E3779B97F4A7C15) % 2**63
            self._working = _Integrator(self.map.region(), "vegas+", skip=0, seed=seed, **options)
            if trained:
                self._working.use(self.map.edges(bins))
            options.pop("bins", None)
            self._made, self._begun = options, self._begun + 1
        return self._working

    # ---- the rest --------------------------------------------------------------------------------------------

    def sample(self, nbatch: int | None = None, mode: str = "rbatch") -> tuple[Any, Any]:
        """Weights and random points of the map, without strata: sum(wgt * f(x)) estimates the integral of f."""
        n = int(nbatch or self._parameters["neval"])
        y = numpy.random.random((n, self.dim))
        points = self._region.points(self.map(y))
        if mode == "rbatch":
            points = _each(lambda x: numpy.moveaxis(x, 0, -1), points)
        return self.map.jac(y) / n, points

    def random_batch(self) -> Any:
        """The points and weights of one iteration, in batches."""
        wgt, x = self.sample(mode="lbatch")
        yield x, wgt

    def random(self) -> Any:
        """The points and weights of one iteration, one by one."""
        for x, wgt in self.random_batch():
            for k in range(len(wgt)):
                yield _each(lambda part: part[k], x), wgt[k]

    def settings(self, ngrid: int = 0) -> str:
        """Parameters and limits as text; with ngrid, this number of nodes of the map along each axis."""
        p = self._parameters
        lines = [
            "Integrator Settings:",
            f"    {p['neval']:.6g} (approx) integrand evaluations in each of {p['nitn']} iterations",
            f"    increments/axis = {self.map.ninc}",
            f"    adapt = {p['adapt']}",
            f"    accuracy: relative = {p['rtol']}  absolute = {p['atol']}",
            f"    damping: alpha = {p['alpha']}  beta= {p['beta']}",
            "",
            "    axis    integration limits",
            "    " + "-" * 26,
        ]
        lines += [f"    {d:4d}    {str(limits):>18}" for d, limits in enumerate(self.map.region())]
        return "\n".join(lines) + "\n" + ("\n" + self.map.settings(ngrid) if ngrid > 0 else "")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_working": None, "_made": None, "_left": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _is_several(function: Any, limits: Any) -> bool:
    """Whether an integrand has several components."""
    if isinstance(function, str):
        return formulas(function) > 1
    if not callable(function) or isinstance(function, CFunction) or hasattr(function, "address"):
        return False
    returned = function(numpy.asfortranarray(limits.mean(axis=1)[None, :].repeat(2, axis=0)))
    return isinstance(returned, dict) or numpy.ndim(returned) > 1


def _pickle(what: Any, where: Any) -> None:
    if hasattr(where, "write"):
        pickle.dump(what, where)
    else:
        with open(where, "wb") as file:
            pickle.dump(what, file)
