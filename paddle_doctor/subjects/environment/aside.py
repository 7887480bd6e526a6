"""Work done aside, with a deadline: a driver or a file system that hangs must not hang the doctor."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class TooSlow(Exception):  # noqa: N818 - what happened, not an error of the program
    """The work was not done by its deadline; it goes on in a thread that nobody waits for."""


class Aside(Generic[Result]):
    """A piece of work that has begun in a thread of its own; `result` waits for it until its deadline.

    The thread is a daemon: one that hangs inside a driver cannot be ended, but it does not keep the process alive.
    """

    def __init__(self, work: Callable[[], Result], *, seconds: float) -> None:
        self._work = work
        self._deadline = time.monotonic() + seconds
        self._outcome: list[Result] = []
        self._error: list[Exception] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> Result:
        """What the work gave. Raises whatever the work raised, or `TooSlow`."""
        self._thread.join(max(0.0, self._deadline - time.monotonic()))
        if self._error:
            raise self._error[0]
        if not self._outcome:
            raise TooSlow
        return self._outcome[0]

    def _run(self) -> None:
        try:
            self._outcome.append(self._work())
        except Exception as error:  # noqa: BLE001 - carried over to whoever asks for the result
            self._error.append(error)
