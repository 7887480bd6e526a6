"""Runs the job once, in a child of its own: watches it, stops it when it is time, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paddle_doctor.core.errors import InputError
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.trial.events import Events, Sight
from paddle_doctor.subjects.trial.family import Family, foster_parent
from paddle_doctor.subjects.trial.interventions import EVENTS
from paddle_doctor.subjects.trial.model import Outcome
from paddle_doctor.subjects.trial.output import Output

#: How long a job may go on after its reading thread has died, before it is taken to stand still.
STANDSTILL_SECONDS = 5.0
TICK_SECONDS = 0.1
MEMORY_EVERY_SECONDS = 0.5

CANNOT_START = Text("Cannot run {command}: {why}.", "无法运行 {command}：{why}。")


@dataclass(frozen=True)
class Stop:
    """When to stop a run that has not ended by itself.

    After `timeout` seconds; or, if `batches` is given, when a process has taken that many batches and the run is at
    least `seconds` old: then it has outlived the failure that it is compared with.
    """

    timeout: float
    batches: int | None = None
    seconds: float = 0.0

    def outcome(self, sight: Sight, seconds: float, standing_still: float) -> Outcome | None:
        """The outcome with which to stop now, or None to go on. `standing_still` is in seconds."""
        if standing_still >= STANDSTILL_SECONDS:
            return Outcome.STOOD_STILL
        if self.batches is not None and sight.most_batches >= self.batches and seconds >= self.seconds:
            return Outcome.OUTLIVED
        if seconds < self.timeout:
            return None
        quiet = min(60.0, max(2.0, self.timeout / 3))
        still_working = sight.last_batch is not None and time.time() - sight.last_batch < quiet
        return Outcome.UNFINISHED if still_working else Outcome.HUNG


@dataclass(frozen=True)
class Ended:
    """A run that is over; `status` is None where a signal ended it or we did."""

    outcome: Outcome
    seconds: float
    status: int | None
    signal: str | None
    sight: Sight
    output: Output
    peak_memory: int | None


def run_once(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    stop: Stop,
    progress: Callable[[float, int], None],
) -> Ended:
    """Run the command to its end, or until `stop` says so. Raises `InputError` if it cannot be started.

    `progress` is called about ten times a second with the seconds passed and the batches taken. Whatever happens, also
    Ctrl-C, every process that the job started is gone when this returns or raises.
    """
    with (
        foster_parent(),
        tempfile.TemporaryDirectory(prefix="paddle-doctor-") as private,
        Path(private, "events").open("x+b") as file,
    ):
        family, output, events = Family(), Output(), Events(file)
        process: subprocess.Popen[bytes] | None = None
        reader: threading.Thread | None = None
        try:
            start = time.monotonic()
            process = _started(command, {**environment, EVENTS: file.name}, folder)
            family.group = events.root = process.pid
            reader = threading.Thread(target=_read, args=(process, output), daemon=True)
            reader.start()
            watch = _Watch(process, events, family, stop, progress)
            outcome = watch.until_the_end(start)
            seconds = time.monotonic() - start
        finally:  # also where Ctrl-C has struck amid the start: the family knows of a process that we do not
            family.end()
            if process is not None:
                process.wait()
            if reader is not None and reader.is_alive():
                reader.join(timeout=5)
        code = process.returncode
        stopped = outcome is not None
        return Ended(
            outcome=outcome or (Outcome.PASSED if code == 0 else Outcome.FAILED),
            seconds=seconds,
            status=code if code >= 0 and not stopped else None,
            signal=signal_name(-code) if code < 0 and not stopped else None,
            sight=events.follow(),
            output=output,
            peak_memory=watch.peak_memory or None,
        )


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9; a number that has no name here stays a number."""
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return str(number)


def _started(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(command),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise InputError(CANNOT_START.fill(command=command[0], why=why)) from error


def _read(process: subprocess.Popen[bytes], output: Output) -> None:
    assert process.stdout is not None
    with process.stdout as pipe:
        while chunk := os.read(pipe.fileno(), 64 * 1024):
            output.add(chunk)


@dataclass
class _Watch:
    """The watch over one running process; `peak_memory` is its family's greatest so far, in bytes."""

    process: subprocess.Popen[bytes]
    events: Events
    family: Family
    stop: Stop
    progress: Callable[[float, int], None]
    peak_memory: int = 0

    def until_the_end(self, start: float) -> Outcome | None:
        """Until the process ends by itself (None) or must be stopped (why)."""
        next_weighing = start
        still_since: float | None = None
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=TICK_SECONDS)
                return None
            now = time.monotonic()
            if now >= next_weighing:
                self.peak_memory = max(self.peak_memory, self.family.memory())
                next_weighing = now + MEMORY_EVERY_SECONDS
            sight = self.events.follow()
            if sight.stands_still and still_since is None:
                still_since = now
            self.progress(now - start, sight.most_batches)
            standing_still = 0.0 if still_since is None else now - still_since
            if outcome := self.stop.outcome(sight, now - start, standing_still):
                return outcome
