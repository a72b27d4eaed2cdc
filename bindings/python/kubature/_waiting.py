"""Loads the compiled module.

Threads of GNU's OpenMP that wait for each other yield their cores after some microseconds, instead of milliseconds: on
a machine with other busy processes calls then take half as long, on a quiet one as long as before. OpenMP reads this
setting when it is loaded, so it has no effect if another module has loaded the same OpenMP before, or the user has
chosen how threads wait.
"""

from __future__ import annotations

import os


def _load() -> None:
    try:
        from . import _kubature as _kubature
    except ImportError as error:
        if "libcuda.so" in str(error):
            raise ImportError(
                "this is a build of kubature for NVIDIA's GPUs, and the machine has no driver for them (libcuda.so.1): "
                "install the package kubature, which computes on CPUs, instead of kubature-cu13"
            ) from error
        raise


if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
    _load()
else:
    os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        _load()
    finally:
        del os.environ["GOMP_SPINCOUNT"]
