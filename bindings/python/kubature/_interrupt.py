"""Ctrl-C while the library integrates."""

from __future__ import annotations

import signal
import threading
from typing import Any

from ._result import Result


class Interruptible:
    """Makes Ctrl-C end the integration, so that there is an estimate; a second one raises KeyboardInterrupt at once."""

    def __init__(self) -> None:
        self.interrupted = False
        self._before: Any = None

    def __enter__(self) -> Interruptible:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def _interrupt(self, number: int, frame: Any) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True

    def __exit__(self, *ignored: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def interrupted(result: Result) -> KeyboardInterrupt:
    """The exception that Ctrl-C raises: its text is the result so far, as is its attribute `result`."""
    raised = KeyboardInterrupt(result.text)
    raised.result = result  # type: ignore[attr-defined]
    return raised
