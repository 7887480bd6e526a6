"""The facts of a trial: a job run again and again, each time under one changed condition, and how each run ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Rung(Enum):
    """One condition under which the job is run; each but the first differs from ``as-is`` by one change."""

    AS_IS = "as-is"
    CLEAN_ENV = "clean-env"
    NO_WORKERS = "no-workers"
    CPU = "cpu"
    RANDOM_WEIGHTS = "random-weights"


class Outcome(Enum):
    """How a run ended.

    `stood-still`: an exception ended the thread that reads the data, and the job, which then waits for ever, was
    stopped. `hung`: stopped at the time limit, making no progress. `unfinished`: stopped at the time limit while it
    still delivered batches. `outlived`: stopped because it had got well past the point where ``as-is`` failed.
    `unchanged`: not run, because the change would change nothing in this job.
    """

    PASSED = "passed"
    FAILED = "failed"
    STOOD_STILL = "stood-still"
    HUNG = "hung"
    UNFINISHED = "unfinished"
    OUTLIVED = "outlived"
    UNCHANGED = "unchanged"


class Standing(Enum):
    """What a run shows, compared with ``as-is``: the fault is gone, the same, shown bare, or another one."""

    CURED = "cured"
    SAME = "same"
    REVEALED = "revealed"
    OTHER = "other"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A frame of a traceback: file, line (from 1) and function; `mine` if it is the user's own code."""

    path: str
    line: int
    function: str
    mine: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception that ended a process or a thread. `message` is its first lines, `frames` go outermost first.

    `secondary` says that it merely follows from something else (a killed queue, a peer that is gone). It was raised
    `in_worker`: in a DataLoader worker; `in_reader`: in the thread through which a DataLoader reads; `in_thread`: in
    another thread. `rank` is the rank of the process under a launcher.
    """

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    secondary: bool = False
    in_worker: bool = False
    in_reader: bool = False
    in_thread: bool = False
    rank: int | None = None
    pid: int | None = None

    @property
    def place(self) -> Frame | None:
        """The deepest frame in the user's own code, else the deepest of all."""
        own = [frame for frame in self.frames if frame.mine]
        if own:
            return own[-1]
        return self.frames[-1] if self.frames else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSet:
    """What ``set_state_dict`` answered to one layer: how many keys were missing, unexpected and matched.

    A key whose shape differs counts as missing and as unexpected. `path` is the file that the state came from, where
    that is known.
    """

    layer: str
    missing: int
    unexpected: int
    matched: int
    path: str | None = None
    example_missing: tuple[str, ...] = ()
    example_unexpected: tuple[str, ...] = ()


_STATUSES_OF_LAUNCHERS = (1, 241, 245, 247, 250)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One run of the job.

    `removed` and `added` are the environment variables by which it differed from ``as-is``. `status` is the exit
    status, `signal` the name of the signal that ended the process. `batches` is the greatest number that one process
    took from its DataLoaders; `processes` counts the Python processes that could be watched, `changed` names the
    modules of Paddle in which the rung's change took hold. `checkpoints` are the files that it loaded or tried to load
    (absolute paths), `downloads` the URLs of weights that it asked for. `output` is the end of what was printed, with
    secrets hidden; `left_out` counts the lines before it. `peak_memory` is the resident memory of the whole process
    tree in bytes, sampled; shared pages are counted in each process.
    """

    rung: Rung
    outcome: Outcome
    seconds: float = 0.0
    status: int | None = None
    signal: str | None = None
    removed: tuple[str, ...] = ()
    added: dict[str, str] = field(default_factory=dict)
    raised: tuple[Raised, ...] = ()
    dead_workers: bool = False
    batches: int = 0
    worker_processes: bool = False
    processes: int = 0
    changed: tuple[str, ...] = ()
    checkpoints: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    states: tuple[StateSet, ...] = ()
    output: tuple[str, ...] = ()
    left_out: int = 0
    peak_memory: int | None = None

    @property
    def well(self) -> bool:
        """Whether nothing went wrong in it, as far as it ran."""
        return self.outcome in (Outcome.PASSED, Outcome.OUTLIVED, Outcome.UNFINISHED)

    @property
    def root(self) -> Raised | None:
        """The exception that the others follow from: the first that is not secondary, helper threads last."""
        own = [each for each in self.raised if not each.secondary]
        return next((each for each in own if not each.in_thread), own[0] if own else None)

    @property
    def fingerprint(self) -> str:
        """What makes two failures the same one: the exception and its place; a dead worker; the signal; the hang.

        Exit statuses count only where nothing else is known, and not those of which the launcher gives now one, now
        another for the same fault (1, or 256 minus the signal of the rank that it ended last).
        """
        if self.well:
            return "well"
        if root := self.root:
            place = root.place
            return f"{root.type} {place.path}:{place.function}" if place else root.type
        if self.dead_workers:
            return "dead worker"
        return self._fingerprint_of_the_end()

    def _fingerprint_of_the_end(self) -> str:
        if self.outcome is Outcome.HUNG:
            return "hang"
        if self.raised:
            return self.raised[0].type
        if self.signal:
            return f"signal {self.signal}"
        return "exit" if self.status in _STATUSES_OF_LAUNCHERS else f"exit {self.status}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A job and its attempts, in the order in which they ran; `again` is ``as-is`` repeated before a cure is believed.

    `command` has secrets hidden; `folder` is where every attempt ran; `timeout` is the time limit of one, in seconds.
    """

    command: tuple[str, ...]
    folder: str
    timeout: float
    attempts: tuple[Attempt, ...]
    again: Attempt | None = None

    @property
    def as_is(self) -> Attempt:
        """The job as the user runs it; every trial begins with it."""
        return self.attempts[0]

    @property
    def cures(self) -> tuple[Attempt, ...]:
        """The attempts in which the fault was gone; none where there was no fault."""
        if self.as_is.well:
            return ()
        return tuple(each for each in self.attempts[1:] if standing(each, self.as_is) is Standing.CURED)

    def attempt(self, rung: Rung) -> Attempt | None:
        """The run under a rung, if there was one."""
        ran = (each for each in self.attempts if each.rung is rung and each.outcome is not Outcome.UNCHANGED)
        return next(ran, None)


def standing(attempt: Attempt, as_is: Attempt) -> Standing:
    """What a run shows, compared with the failed ``as-is``."""
    if attempt.outcome is Outcome.UNCHANGED:
        return Standing.UNCHANGED
    if attempt.well:
        return _standing_of_a_pass(attempt, as_is)
    if attempt.fingerprint == as_is.fingerprint:
        return Standing.SAME
    if attempt.rung is Rung.NO_WORKERS and as_is.dead_workers and _reader_failed(attempt):
        return Standing.REVEALED
    return Standing.OTHER


def _standing_of_a_pass(attempt: Attempt, as_is: Attempt) -> Standing:
    if attempt.rung not in (Rung.AS_IS, Rung.CLEAN_ENV) and not (attempt.changed or attempt.added):
        return Standing.OTHER  # the change never took hold: whatever made it pass, it was not this
    root = as_is.root
    if attempt.rung is Rung.NO_WORKERS and root is not None and root.type == "StopIteration":
        return Standing.SAME  # without workers a Dataset's StopIteration silently ends the epoch
    return Standing.CURED


def _reader_failed(attempt: Attempt) -> bool:
    """Whether the code that read in the workers now failed in the main process: by exception, signal or silence."""
    return bool(attempt.outcome in (Outcome.STOOD_STILL, Outcome.HUNG) or attempt.signal or attempt.root)
