"""Multi-dimensional numerical integration on GPUs and CPUs.

>>> import kubature
>>> print(kubature.integrate("x*y", [(0, 1), (0, 2)], method="pagani", relative=1e-6).value)
1.0
"""

from __future__ import annotations

from . import _waiting as _waiting  # before all that uses the compiled module
from ._device import on_device
from ._evidence import Evidence, log_evidence, samples
from ._expect import expect, expectations
from ._histogram import Histogram, histogram
from ._integrand import CFunction
from ._integrator import Integrator, integrate
from ._kubature import InvalidArgument
from ._kubature import version as _version
from ._many import ManyResult, integrate_many
from ._measures import Beta, CorrelatedNormal, Distribution, Exponential, Gamma, LogNormal, Normal, StudentT, Uniform
from ._nquad import IntegrationWarning, dblquad, nquad, tplquad
from ._numbers import Estimate
from ._options import Options
from ._path import Path
from ._peaks import Peak, find_peaks
from ._pointwise import pointwise
from ._quadrature import CubatureResult, QMCQuadResult, cubature, qmc_quad
from ._result import Average, Iteration, Part, Progress, Result
from ._shapes import Ball, Box, Cylinder, Ellipsoid, Ordered, Product, Shape, Shell, Simplex, Sphere
from ._table import Table

__all__ = [
    "Average",
    "Ball",
    "Beta",
    "Box",
    "CFunction",
    "CorrelatedNormal",
    "CubatureResult",
    "Cylinder",
    "Distribution",
    "Ellipsoid",
    "Estimate",
    "Evidence",
    "Exponential",
    "Gamma",
    "Histogram",
    "IntegrationWarning",
    "Integrator",
    "InvalidArgument",
    "Iteration",
    "LogNormal",
    "ManyResult",
    "Normal",
    "Options",
    "Ordered",
    "Part",
    "Path",
    "Peak",
    "Product",
    "Progress",
    "QMCQuadResult",
    "Result",
    "Shape",
    "Shell",
    "Simplex",
    "Sphere",
    "StudentT",
    "Table",
    "Uniform",
    "cubature",
    "dblquad",
    "expect",
    "expectations",
    "find_peaks",
    "histogram",
    "info",
    "integrate",
    "integrate_many",
    "log_evidence",
    "nquad",
    "on_device",
    "pointwise",
    "qmc_quad",
    "samples",
    "tplquad",
]
__version__ = _version().split(",")[0]


def info() -> str:
    """The library's version and build: version, commit, Kokkos and its backends, compiler.

    >>> info().startswith(__version__)
    True
    """
    return _version()
