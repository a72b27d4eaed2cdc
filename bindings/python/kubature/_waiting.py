"""Loads the compiled module.

Threads of GNU's OpenMP that wait for each other give up their cores after some microseconds, instead of milliseconds:
beside other busy processes calls then take half as long, and as long as before on a quiet machine. OpenMP reads this
when it is loaded. It has no effect if another module has loaded the same OpenMP before, or the user has chosen how
threads wait.
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
