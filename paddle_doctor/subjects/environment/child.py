"""A child process with a deadline and a limit to what it may say; nothing of it is left when it is done."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

OUTPUT_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """What a child said (both streams, at most `OUTPUT_LIMIT` bytes), and its exit status; None if it was stopped."""

    output: str
    status: int | None


def ask(command: Sequence[str], *, seconds: float, folder: Path, variables: Mapping[str, str]) -> Answer:
    """Run a command in a process group of its own and end the whole group, at the latest after `seconds`.

    Raises `OSError` if the command cannot be started.
    """
    deadline = time.monotonic() + seconds
    child = _Child(tuple(command), folder, dict(variables))
    try:
        child.talk(deadline)
    finally:
        child.end()
    return Answer(child.said.decode("utf-8", "replace"), child.status)


@dataclass
class _Child:
    """The child, started and read by a thread.

    The thread is there for two reasons. Ctrl-C strikes in the main thread only, so that it cannot come between the
    birth of the child and our knowing of it. And on Windows there is no waiting for a pipe with a deadline.
    """

    command: tuple[str, ...]
    folder: Path
    variables: dict[str, str]
    said: bytes = b""
    status: int | None = None
    _process: subprocess.Popen[bytes] | None = None
    _error: OSError | None = None
    _born: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def talk(self, deadline: float) -> None:
        """Start it and hear what it says, until it has said all and ended, or until the deadline."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._thread.join(_until(deadline))
        if self._error is not None:
            raise self._error
        if self._process is not None and not self._thread.is_alive():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.status = self._process.wait(_until(deadline))

    def end(self) -> None:
        """Kill it with all that it has started: a group outlives its leader, so one that has ended is no excuse."""
        if self._thread is None:
            return
        self._born.wait(2.0)  # a start that takes longer hangs in a dead file system: there is no child yet
        if self._process is None:
            return
        if os.name == "nt":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._thread.join(1.0)

    def _run(self) -> None:
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=self.variables,
                start_new_session=True,
            )
        except OSError as error:
            self._error = error
        finally:
            self._born.set()
        if self._process is not None and self._process.stdout is not None:
            with self._process.stdout as said:
                self.said = said.read(OUTPUT_LIMIT)


def _until(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
