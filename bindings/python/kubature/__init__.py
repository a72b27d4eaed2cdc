"""Multi-dimensional numerical integration on GPUs and CPUs.

>>> import kubature
>>> print(kubature.integrate("x*y", [(0, 1), (0, 2)], method="pagani", relative=1e-6).value)
1.0
"""

from __future__ import annotations

from ._device import on_device
from ._integrator import CFunction, Integrator, integrate
from ._kubature import InvalidArgument
from ._kubature import version as _version
from ._numbers import Estimate
from ._result import Average, Iteration, Progress, Result

__all__ = [
    "Average",
    "CFunction",
    "Estimate",
    "InvalidArgument",
    "Integrator",
    "Iteration",
    "Progress",
    "Result",
    "info",
    "integrate",
    "on_device",
]
__version__ = _version().split(",")[0]


def info() -> str:
    """What the library was built from, and how: version, commit, Kokkos with its backends, compiler.

    >>> info().startswith(__version__)
    True
    """
    return _version()
