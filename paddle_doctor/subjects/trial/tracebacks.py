"""Reads Python's tracebacks: those that the shim noted, those inside a message, and those that were only printed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.subjects.trial.model import Frame, Raised

_HEADER = "Traceback (most recent call last):"
_FRAME = re.compile(r'^\s{0,80}File "(?P<path>[^"\n]{1,1000})", line (?P<line>\d{1,9}), in (?P<function>\S{1,300})')
_LAST_LINE = re.compile(r"^(?:[A-Za-z_]\w{0,99}\.){0,9}(?P<type>[A-Za-z_]\w{0,99})(?:: (?P<message>.*))?$")
_READER = re.compile(r"^Exception in thread \S{1,100} \(_thread_loop\)")
_IN_A_WORKER = re.compile(r"^DataLoader worker\(\d+\) caught \w+ with message:")
_NOT_MINE = re.compile(
    r"[\\/](?:site-packages|dist-packages)[\\/]|[\\/]lib[\\/]python3(?:\.\d+)?[\\/]|[\\/]Lib[\\/](?!site-packages)|^<|paddle_doctor_\w+\.py$"
)

#: Messages of exceptions that follow from another process's or thread's end (measured: FACTS on consequences).
_SECONDARY = re.compile(
    r"""(?x) Blocking\ queue\ is\ killed | DataLoader\ process\ \(pid | exited\ is\ killed\ by\ signal
    | \btransport/tcp/ | TCP\ (?:send|receive)\ error | Expected\ byte_sent\ > | has\ no\ attribute\ '_shutdown'
    | Process\ \d+\ terminated\ with | Connection\ reset\ by\ peer"""
)
_DEAD_WORKERS = re.compile(
    r"DataLoader process \(pid|exited is killed by signal|DataLoader \d+ workers exit unexpectedly"
    r"|ERROR: Unexpected .{1,60} encountered in DataLoader worker"
)
_SUMMARY = re.compile(r"Error Message Summary:\s*\n-+\n(?P<summary>[^\n]{1,600})")
_FRAMES_KEPT = 12
_MESSAGE_LINES = 6
_MESSAGE_CHARACTERS = 600


def is_secondary(message: str) -> bool:
    """Whether an exception with this message merely follows from the end of another process or thread."""
    return _SECONDARY.search(message) is not None


def tells_of_dead_workers(text: str) -> bool:
    """Whether Paddle says in this text that DataLoader workers ended before their time."""
    return _DEAD_WORKERS.search(text) is not None


def raised(
    kind: str,
    message: str,
    frames: Iterable[tuple[str, int, str]],
    *,
    thread: bool = False,
    rank: int | None = None,
    pid: int | None = None,
) -> Raised:
    """An exception from its parts; one that a worker sent is unpacked to what the worker itself raised."""
    frames = tuple(frames)
    secondary = is_secondary(message)
    reads = any(function == "_thread_loop" for _, _, function in frames)
    in_worker = _IN_A_WORKER.match(message) is not None
    inner = last_traceback(message.splitlines()) if in_worker else None
    if inner is not None:
        kind, message, found = inner.type, inner.message, inner.frames
    else:
        message = _short(message)
        found = tuple(_frame(path, line, function) for path, line, function in frames)[-_FRAMES_KEPT:]
    return Raised(
        type=kind,
        message=message,
        frames=found,
        secondary=secondary,
        in_worker=in_worker,
        in_reader=reads,
        in_thread=thread and not reads,
        rank=rank,
        pid=pid,
    )


def last_traceback(lines: list[str]) -> Raised | None:
    """The last complete traceback among the lines, or None.

    Tracebacks of two threads may be interleaved (Paddle prints the worker's and the main thread's at once); then a
    frame may be ascribed to the wrong one, which is why what the shim noted is preferred.
    """
    for start in range(len(lines) - 1, -1, -1):
        if _HEADER in lines[start]:
            before = lines[start - 1] if start else ""
            found = _read(lines[start + 1 :], in_reader=_READER.match(before) is not None)
            if found is not None:
                return found
    return None


def _read(lines: list[str], *, in_reader: bool) -> Raised | None:
    frames: list[tuple[str, int, str]] = []
    for number, line in enumerate(lines):
        if match := _FRAME.match(line):
            frames.append((match["path"], int(match["line"]), match["function"]))
        elif frames and not line.startswith((" ", "\t")) and (match := _LAST_LINE.match(line)):
            rest = [each for each in lines[number + 1 : number + 4] if each.startswith("  ")]
            message = "\n".join([match["message"] or "", *rest])
            return Raised(
                type=match["type"],
                message=_short(message),
                frames=tuple(_frame(*each) for each in frames[-_FRAMES_KEPT:]),
                secondary=is_secondary(message),
                in_reader=in_reader,
            )
    return None


def _frame(path: str, line: int, function: str) -> Frame:
    return Frame(path=hide_in_text(path), line=line, function=function, mine=is_users_own(path))


def is_users_own(path: str) -> bool:
    """Whether a file is the user's, not Python's, an installed package's or the doctor's."""
    return _NOT_MINE.search(path) is None


def _short(message: str) -> str:
    """The lines of a message that say it: of Paddle's long errors the summary, of others the first few."""
    if match := _SUMMARY.search(message):
        return hide_in_text(match["summary"].strip())
    lines = [line.rstrip() for line in message.strip().splitlines() if line.strip()]
    return hide_in_text("\n".join(lines[:_MESSAGE_LINES])[:_MESSAGE_CHARACTERS])
