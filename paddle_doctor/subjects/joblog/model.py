"""What a job's logs tell, without opinions: of each file the lines that matter, exceptions, signals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a file is to the job: one rank's own output, what a person saw, or the launcher's side notes."""

    WORKER = "worker"
    SERVER = "server"
    CONSOLE = "console"
    LAUNCHER = "launcher"
    ENVIRONMENT = "environment"
    ENDPOINTS = "endpoints"


class Link(Enum):
    """How an exception stands to the one printed before it."""

    FIRST = "first"
    CAUSED = "caused"
    DURING = "during"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a file: its number from 1, and its text as shown, cleaned, cut to a bound and without secrets."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A line that a signature knows.

    `fields` are the named groups of the signature's pattern, `rank` the rank that printed it as far as the file tells,
    `time` the line's own time in seconds (the log's local clock, read as if it were UTC), `count` how often the same
    statement was made in this run. `context` are lines around the first of them.
    """

    signature: str
    line: int
    text: str
    fields: dict[str, str]
    rank: int | None = None
    time: float | None = None
    count: int = 1
    last: int = 0
    context: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame of a Python traceback; `own` is False for the standard library and installed packages."""

    path: str
    line: int
    function: str
    own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonError:
    """An exception as printed.

    `line` is where it begins, `end` where its ``Type: message`` stands; `type` is empty if the log breaks off before
    it. `deepest` is the innermost frame at all, `own` the innermost in code that is not installed. `origin` names the
    thread, worker or process that printed it, if the log says so. `in_loader` is True if frames between a data loader
    and a sample are on the stack, `in_config` if frames that read or apply a configuration are, `spawned` in a child
    process that multiprocessing started.
    """

    line: int
    end: int
    type: str
    message: str
    link: Link
    frames: int
    deepest: Frame | None = None
    own: Frame | None = None
    origin: str | None = None
    in_loader: bool = False
    in_config: bool = False
    spawned: bool = False
    rank: int | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalBlock:
    """A signal as Paddle's handler (or the shell) reports it.

    `sender` is the process that sent it, only for signals that are sent; for SIGSEGV and SIGBUS the number in that
    place is half of an address and is dropped. `time` is in unix seconds.
    """

    line: int
    text: str
    signal: str
    pid: int | None = None
    sender: int | None = None
    time: float | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSummary:
    """Paddle's C++ block "Error Message Summary": kind of error, message, hint, and the place in Paddle's source."""

    line: int
    type: str
    message: str
    hint: str | None = None
    place: str | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedContainer:
    """What the launcher says of a rank that ended badly; a negative code is a signal."""

    line: int
    text: str
    rank: int
    code: int
    log: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """What a launcher tells of itself in a file.

    `name` is ``launch`` (paddle.distributed.launch from 2.3), ``legacy`` (fleet.launch and before), ``spawn`` or
    ``torchrun``. `blamed` are the ranks of its ABORT line, `pids` the process of each rank, `stopped` the processes
    that it says to have terminated, `signalled` the signal that ended the launcher itself.
    """

    name: str
    line: int
    text: str
    failed: tuple[FailedContainer, ...] = ()
    blamed: tuple[int, ...] = ()
    blame_line: int | None = None
    blame_text: str | None = None
    gave_up: bool = False
    exit_code: int | None = None
    signalled: int | None = None
    world_size: int | None = None
    log_dir: str | None = None
    keeps_logs: bool = True
    pids: dict[str, int]
    stopped: tuple[int, ...] = ()
    time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """One file of the job's logs: the last run in it.

    `run_starts` is the line at which the judged run begins, `runs` how many are in the file. `variables` and `secrets`
    count the variables of environment dumps in it, and those whose names say that they hold a secret.
    """

    path: str
    kind: Kind
    rank: int | None
    size: int
    lines: int
    runs: int
    run_starts: int
    events: tuple[Event, ...] = ()
    errors: tuple[PythonError, ...] = ()
    signals: tuple[SignalBlock, ...] = ()
    summaries: tuple[ErrorSummary, ...] = ()
    launcher: Launcher | None = None
    tail: tuple[Line, ...] = ()
    pid: int | None = None
    variables: int = 0
    secrets: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLog:
    """All logs at hand of one job, in the order in which they were given."""

    files: tuple[LogFile, ...]
