"""A progress bar, drawn by tqdm if that is installed, for calls longer than a second."""

from __future__ import annotations

import importlib
import math
import sys
import time
from typing import Any

from ._numbers import format
from ._result import Progress

#: Seconds that a call may take before a bar appears.
patience = 1.0


def _watched() -> bool:
    """Whether the output goes to a terminal or a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


class Bar:
    """Shows the iterations done, and the estimate so far.

    wanted  True: a bar; False: none; None: a bar in a terminal or a notebook
    total   number of iterations of the call; None if a tolerance decides
    """

    def __init__(self, wanted: bool | None, method: str, total: int | None) -> None:
        self._wanted = _watched() if wanted is None else wanted
        self._method, self._total = method, total
        self._began = time.monotonic()
        self._bar: Any = None

    def update(self, progress: Progress) -> None:
        if not self._wanted or (self._bar is None and time.monotonic() - self._began < patience):
            return
        if self._bar is None and not self._make():
            return
        if not math.isnan(progress.value):
            self._bar.set_postfix_str(format(progress.value, progress.error), refresh=False)
        self._bar.update(progress.iteration - self._bar.n)

    def _make(self) -> bool:
        try:
            tqdm: Any = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            self._wanted = False
            return False
        self._bar = tqdm(total=self._total, desc=self._method, unit="it")
        return True

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
