"""Loads the compiled module.

Threads of GNU's OpenMP that wait for each other yield their cores after some microseconds, instead of milliseconds: on
a machine with other busy processes calls then take half as long, on a quiet one as long as before. OpenMP reads this
setting when it is loaded, so it has no effect if another module has loaded the same OpenMP before, or the user has
chosen how threads wait.
"""

from __future__ import annotations

import os

if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
    from . import _kubature as _kubature
else:
    os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        from . import _kubature as _kubature
    finally:
        del os.environ["GOMP_SPINCOUNT"]
