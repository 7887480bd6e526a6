"""Who speaks in a job's logs: each rank with all that it printed, and whoever cannot be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from paddle_doctor.core.finding import Evidence
from paddle_doctor.core.signature import Role, Signature
from paddle_doctor.subjects.joblog import (
    ErrorSummary,
    Event,
    FailedContainer,
    JobLog,
    Kind,
    Launcher,
    LogFile,
    PythonError,
    SignalBlock,
)

from .tables import BY_ID

Item = TypeVar("Item", Event, PythonError, SignalBlock, ErrorSummary)


@dataclass(frozen=True, slots=True)
class Heard:
    """An event with the file that it stands in and what its signature means."""

    event: Event
    signature: Signature
    path: str

    @property
    def evidence(self) -> Evidence:
        """The event's line, quoted."""
        return Evidence(text=self.event.text.strip(), path=self.path, line=self.event.line, rank=self.event.rank)


@dataclass(slots=True)
class Voice:
    """One rank (None: whoever cannot be told) with all that it said in the judged run.

    `has_log` is True if the rank's own log file is at hand. Errors, signals and summaries come with their file.
    """

    rank: int | None
    has_log: bool = False
    path: str = ""
    heard: list[Heard] = field(default_factory=list)
    errors: list[tuple[str, PythonError]] = field(default_factory=list)
    signals: list[tuple[str, SignalBlock]] = field(default_factory=list)
    summaries: list[tuple[str, ErrorSummary]] = field(default_factory=list)
    files: list[LogFile] = field(default_factory=list)

    def of_role(self, role: Role) -> Iterator[Heard]:
        """What this voice said in that role."""
        return (each for each in self.heard if each.signature.role is role)

    def said(self, *signatures: str) -> list[Heard]:
        """What this voice said that has one of these signatures."""
        return [each for each in self.heard if each.signature.id in signatures]

    @property
    def quiet(self) -> bool:
        """Whether nothing in it speaks of a failure."""
        telling = (Role.ROOT, Role.CONSEQUENCE)
        return not (
            self.errors or self.signals or any(each.signature.role in telling for each in self.heard) or self.waited
        )

    @property
    def waited(self) -> list[Heard]:
        """The lines that say that it waited in a collective call until a time-out."""
        return self.said("gloo-waited")


@dataclass(frozen=True, slots=True)
class Job:
    """A job's voices, what its launchers said, and the processes that are known to be ranks."""

    voices: tuple[Voice, ...]
    launchers: tuple[tuple[str, Launcher], ...]
    rank_pids: frozenset[int]

    @property
    def gave_up(self) -> bool:
        """Whether a launcher says that the job failed."""
        return any(each.gave_up for _, each in self.launchers)

    @property
    def failed(self) -> list[tuple[str, FailedContainer]]:
        """The ranks that a launcher says have failed, with their codes."""
        return [(path, one) for path, each in self.launchers for one in each.failed]

    @property
    def blamed(self) -> tuple[int, ...]:
        """The ranks of the ABORT line."""
        return next((each.blamed for _, each in self.launchers if each.blamed), ())

    @property
    def ranks(self) -> list[Voice]:
        """The voices of known ranks."""
        return [each for each in self.voices if each.rank is not None]

    def voice(self, rank: int | None) -> Voice | None:
        """The voice of that rank."""
        return next((each for each in self.voices if each.rank == rank), None)


#: Kinds of file in which nobody speaks, whatever stands there.
_MERE_DATA = (Kind.ENVIRONMENT, Kind.ENDPOINTS)


def listen(joblog: JobLog) -> Job:
    """The voices of a job. What a console repeats of a rank whose own log is at hand is left out."""
    voices: dict[int | None, Voice] = {}
    own_logs = [file for file in joblog.files if _is_a_ranks_own(file)]
    for file in own_logs:
        _add(voices.setdefault(file.rank, Voice(file.rank, has_log=True, path=file.path)), file, file.rank)
    with_log = frozenset(voices)
    told = _told_by(own_logs)
    pids = _rank_pids(joblog)
    for file in joblog.files:
        if _is_a_ranks_own(file) or file.kind in _MERE_DATA:
            continue
        for rank in _ranks_in(file):
            if rank not in with_log:
                _add(voices.setdefault(rank, Voice(rank, path=file.path)), file, rank, told)
            elif strangers := [each for each in _of(file.signals, rank) if pids and each.pid not in pids]:
                # The launcher's own end, in the midst of what it shows of a rank.
                voices.setdefault(None, Voice(None, path=file.path)).signals += [
                    (file.path, each) for each in strangers
                ]
    launchers = tuple(
        (file.path, file.launcher) for file in joblog.files if file.launcher and file.kind not in _MERE_DATA
    )
    order = sorted(voices.values(), key=lambda voice: (voice.rank is None, voice.rank or 0))
    return Job(tuple(order), launchers, pids)


def _is_a_ranks_own(file: LogFile) -> bool:
    return file.kind is Kind.WORKER and file.rank is not None


def _rank_pids(joblog: JobLog) -> frozenset[int]:
    told = {pid for file in joblog.files if file.launcher for pid in file.launcher.pids.values()}
    workers = [file for file in joblog.files if file.kind is Kind.WORKER]
    named = {file.pid for file in workers if file.pid is not None}
    signalled = {block.pid for file in workers for block in file.signals if block.pid is not None}
    return frozenset(told | named | signalled)


def _of(items: Iterable[Item], rank: int | None) -> list[Item]:
    return [each for each in items if each.rank == rank]


def _ranks_in(file: LogFile) -> list[int | None]:
    found = {each.rank for each in file.events} | {each.rank for each in file.errors}
    found |= {each.rank for each in file.signals} | {each.rank for each in file.summaries}
    return sorted(found | {None}, key=lambda rank: (rank is None, rank or 0))


def _add(voice: Voice, file: LogFile, rank: int | None, told: frozenset[object] = frozenset()) -> None:
    """Let the voice say what that rank says in the file, but what was told already."""
    voice.files.append(file)
    known = [each for each in _of(file.events, rank) if each.signature in BY_ID and each.text not in told]
    voice.heard += [Heard(each, BY_ID[each.signature], file.path) for each in known]
    voice.errors += [(file.path, each) for each in _of(file.errors, rank) if _statement(each) not in told]
    voice.signals += [(file.path, each) for each in _of(file.signals, rank) if each.text not in told]
    voice.summaries += [(file.path, each) for each in _of(file.summaries, rank)]


def _statement(error: PythonError) -> tuple[str, str, int]:
    return error.type, error.message, error.frames


def _told_by(files: Iterable[LogFile]) -> frozenset[object]:
    """What the ranks' own logs tell: a console repeats some of it."""
    told: set[object] = set()
    for file in files:
        told.update(each.text for each in file.events)
        told.update(each.text for each in file.signals)
        told.update(_statement(each) for each in file.errors)
    return frozenset(told)
