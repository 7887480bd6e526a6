"""A child process with a deadline and a limit to what it may say; nothing of it is left when it is done."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    child = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=dict(variables),
        start_new_session=True,
    )
    said: list[bytes] = []
    status = None
    try:
        # A thread, because on Windows there is no waiting for a pipe with a deadline.
        reader = threading.Thread(target=_read, args=(child, said), daemon=True)
        reader.start()
        reader.join(max(0.0, deadline - time.monotonic()))
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = child.wait(max(0.0, deadline - time.monotonic()) if not reader.is_alive() else 0)
    finally:
        _end(child)
        reader.join(1.0)
    return Answer(b"".join(said).decode("utf-8", "replace"), status)


def _read(child: subprocess.Popen[bytes], said: list[bytes]) -> None:
    if child.stdout is not None:
        with child.stdout:
            said.append(child.stdout.read(OUTPUT_LIMIT))


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and what it has started; the group outlives its leader, so a child that has ended is no excuse."""
    if os.name == "nt":
        child.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.wait()
