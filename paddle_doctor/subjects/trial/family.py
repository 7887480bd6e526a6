"""All the processes of a job: its group, and the descendants that left it; counted together, ended together."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

GRACE_SECONDS = 3.0
_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37
#: A job may start processes as fast as they are ended; after so many rounds only SIGKILL is left to try once more.
_ROUNDS = 20


class Family:
    """The descendants of this process that were not there when it was made; `group` is the job's process group."""

    def __init__(self) -> None:
        import psutil

        self._me: psutil.Process | None = None
        self._before: set[psutil.Process] = set()
        with contextlib.suppress(psutil.Error):  # without /proc nobody tells who descends from us: the group is all
            self._me = psutil.Process()
            self._before = set(self._me.children(recursive=True))
        self._seen: set[psutil.Process] = set()
        self.group: int | None = None

    def members(self) -> set[psutil.Process]:
        """The job's processes that are alive now, zombies left out; those that left the tree are remembered."""
        import psutil

        if self._me is None:
            return set()
        with contextlib.suppress(psutil.Error):
            self._seen |= set(self._me.children(recursive=True)) - self._before
        return {each for each in self._seen if _alive(each)}

    def memory(self) -> int:
        """Their resident memory together, in bytes; what they share is counted in each."""
        import psutil

        total = 0
        for each in self.members():
            with contextlib.suppress(psutil.Error):
                total += each.memory_info().rss
        return total

    def end(self) -> None:
        """End them all: SIGTERM, a grace, SIGKILL, until none is left. A second Ctrl-C does not cut this short."""
        with _deaf_to_interrupts():
            members = self.members()
            self._signal_group(signal.SIGTERM)
            for each in members:
                _send(each, signal.SIGTERM)
            _wait(members, GRACE_SECONDS)
            for _ in range(_ROUNDS):
                left = self.members()
                self._signal_group(getattr(signal, "SIGKILL", signal.SIGTERM))
                for each in left:
                    _kill(each)
                if not left:
                    break
                _wait(left, 1.0)
            self._reap()

    def _signal_group(self, number: int) -> None:
        if self.group is not None and hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.group, number)

    def _reap(self) -> None:
        """Take the exit status of those that became our children when their parents died, so that no zombie stays."""
        if not hasattr(os, "waitpid") or os.name == "nt":
            return
        for each in self._seen:
            if each.pid != self.group:  # the job's first process is its Popen's to reap
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(each.pid, os.WNOHANG)


def _alive(process: psutil.Process) -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _send(process: psutil.Process, number: signal.Signals) -> None:
    import psutil

    with contextlib.suppress(psutil.Error):
        process.send_signal(number)


def _kill(process: psutil.Process) -> None:
    import psutil

    with contextlib.suppress(psutil.Error):
        process.kill()


def _wait(processes: set[psutil.Process], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(_alive(each) for each in processes):
        time.sleep(0.02)


@contextmanager
def foster_parent() -> Iterator[None]:
    """While it lasts, processes whose parents die become ours, so that none escapes. Linux only; elsewhere nothing."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    before = ctypes.c_int(0)
    known = libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0) == 0
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        if known:
            libc.prctl(_PR_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """As far as this platform has these signals; only the main thread may set any."""
    before = {}
    for number in (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")):
        if number is not None:
            with contextlib.suppress(ValueError):
                before[number] = signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old if old is not None else signal.SIG_DFL)
