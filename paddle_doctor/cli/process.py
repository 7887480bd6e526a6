"""What our caller gives and takes: the standard streams, which may be closed or full, and the signals that end us."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import IO


class Terminated(BaseException):
    """SIGTERM or SIGHUP has come: not an error, and like Ctrl-C nothing that an ``except Exception`` may hold up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        #: The exit status: 128 and the number of the signal, as shells have it.
        self.status = 128 + number


@contextmanager
def orderly_end() -> Iterator[None]:
    """While it lasts, SIGTERM and SIGHUP raise `Terminated`, so that what was started is ended before we leave.

    A signal that our caller ignores (SIGHUP under nohup) stays ignored; only the main thread may set any.
    """

    def leave(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)  # a second one must not cut short what the first one has begun
        raise Terminated(number)

    ours = []
    for number in (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")):
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with contextlib.suppress(ValueError):
                signal.signal(number, leave)
                ours.append(number)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def open_closed_streams() -> None:
    """Put something that holds nothing in place of each standard stream that our caller has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for good


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Whoever reads our output may leave early (`| head`): nothing is wrong, and nobody is left to tell."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as end:
        if isinstance(end, SystemExit) and not isinstance(end.__context__, BrokenPipeError):
            raise  # not Rich, which leaves so
        abandon(sys.stdout)


def abandon(stream: IO[str]) -> None:
    """Let what a stream still holds go nowhere, so that Python does not complain of it at our exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
