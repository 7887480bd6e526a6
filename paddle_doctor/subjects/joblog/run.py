"""One run in one log file, taken in line by line: what its signatures, tracebacks, signals and launcher lines are."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace

from paddle_doctor.subjects.joblog.blocks import BlockReader
from paddle_doctor.subjects.joblog.hiding import hidden
from paddle_doctor.subjects.joblog.launchers import LauncherReader
from paddle_doctor.subjects.joblog.matching import Matcher
from paddle_doctor.subjects.joblog.model import Event, Kind, Line, LogFile, PythonError
from paddle_doctor.subjects.joblog.times import glog_pid, time_of, year_of
from paddle_doctor.subjects.joblog.tracebacks import TracebackReader

#: Bounds of what is kept of one run, so that memory does not grow with the log.
MOST_EVENTS_OF_ONE = 40
MOST_ERRORS = 200
MOST_SIGNALS = 50
CONTEXT = 2
TAIL = 12
#: So many lines back a time is looked for, for a line that has none (of a traceback, say).
RECENT = 80

_LAUNCH_BANNER = re.compile(r"^LAUNCH INFO .{0,40}-{5,} {1,3}Configuration ")
_LEGACY_START = re.compile(r"launch_utils\.py:\d+(?:\]| -) Local start \d+ processes")
_FLAGS_BANNER = re.compile(r"^=+ Modified FLAGS detected =+$")
_STORE = re.compile(
    r"tcp_(?:utils|store)\.cc:\d+\] (?:Successfully connected to|create libuv server|The server starts)"
)


@dataclass(slots=True)
class _Kept:
    """An event in the making: more of its kind may come, and the lines after it."""

    signature: str
    line: Line
    fields: dict[str, str]
    rank: int | None
    time: float | None
    last: int
    count: int = 1
    context: list[Line] = field(default_factory=list)
    waits: int = CONTEXT


class Run:
    """What is known of the run so far."""

    def __init__(self, rank: int | None, matcher: Matcher, *, starts: int, year: int) -> None:
        self._rank = rank
        self._matcher = matcher
        self._starts = starts
        self._events: dict[tuple[str, int | None, tuple[tuple[str, str], ...]], _Kept] = {}
        self._of_one: dict[str, int] = {}
        self._waiting: list[_Kept] = []
        self._errors: list[PythonError] = []
        self._tracebacks = TracebackReader()
        self._blocks = BlockReader()
        self._launcher = LauncherReader()
        self._recent: deque[Line] = deque(maxlen=RECENT)
        self._year = year
        self._time: float | None = None
        self._pid: int | None = None
        self._store_pid: int | None = None

    def ends_before(self, text: str) -> bool:
        """Whether this line begins another run in the same file, as in a log that was appended to."""
        if text.startswith("LAUNCH INFO") and _LAUNCH_BANNER.match(text):
            return self._launcher.facts() is not None
        if "Local start" in text and _LEGACY_START.search(text):
            return self._launcher.over  # its banner is no sign: standard output comes late where it is buffered
        if text.startswith("====") and _FLAGS_BANNER.match(text):
            return self._rank is not None and self._over()
        if "tcp_" in text and _STORE.search(text):
            pid = glog_pid(text)
            other = self._store_pid is not None and pid is not None and pid != self._store_pid
            self._store_pid = pid or self._store_pid
            return other and self._rank is not None
        return False

    def feed(self, number: int, text: str, *, prefix_rank: int | None) -> None:
        """Take one cleaned line in."""
        if not text:
            self._tracebacks.feed(number, text, rank=None, time=self._time_now)
            return
        line = Line(number=number, text=text)
        self._recent.append(line)
        for kept in self._waiting:
            kept.context.append(line)
            kept.waits -= 1
        if self._waiting:
            self._waiting = [kept for kept in self._waiting if kept.waits]
        own = self._launcher.feed(number, text, self._time_now)
        rank = self._rank if self._rank is not None else prefix_rank
        if rank is None and not own:
            rank = self._launcher.speaker
        if self._pid is None:
            self._pid = glog_pid(text)
        error = self._tracebacks.feed(number, text, rank=rank, time=self._time_now)
        if error and len(self._errors) < MOST_ERRORS:
            self._errors.append(error)
        if len(self._blocks.signals) < MOST_SIGNALS:
            self._blocks.feed(number, text, rank)
        for signature, fields in self._matcher.matches(text):
            self._keep(signature.id, fields, line, rank)

    def _time_now(self) -> float | None:
        """The time of this line, or else of the last line before it that has one."""
        for line in reversed(self._recent):
            if (time := time_of(line.text, self._year)) is not None:
                self._year = year_of(line.text) or self._year
                self._time = time
                break
        return self._time

    def facts(
        self, *, path: str, kind: Kind, size: int, lines: int, runs: int, variables: int, secrets: int
    ) -> LogFile:
        """All of it, frozen; the path is the user's own, and stays as it is."""
        seen = LogFile(
            path="",
            kind=kind,
            rank=self._rank,
            size=size,
            lines=lines,
            runs=runs,
            run_starts=self._starts,
            events=tuple(_event(kept) for kept in self._events.values()),
            errors=tuple(self._all_errors()),
            signals=tuple(self._blocks.signals),
            summaries=tuple(self._blocks.summaries),
            launcher=self._launcher.facts(),
            tail=tuple(self._recent)[-TAIL:],
            pid=self._pid,
            variables=variables,
            secrets=secrets,
        )
        return replace(hidden(seen), path=path)

    def _all_errors(self) -> list[PythonError]:
        unfinished = self._tracebacks.unfinished()
        return [*self._errors, unfinished] if unfinished else self._errors

    def _over(self) -> bool:
        """Whether the process of this run has ended: its main thread raised, or a signal stopped it."""
        main_raised = any(not error.spawned and error.origin is None and error.frames for error in self._errors)
        return main_raised or bool(self._blocks.signals)

    def _keep(self, signature: str, fields: dict[str, str], line: Line, rank: int | None) -> None:
        fields = {name: hidden(value) for name, value in fields.items()}
        key = (signature, rank, tuple(sorted(fields.items())))
        kept = self._events.get(key)
        if kept is None and self._of_one.get(signature, 0) >= MOST_EVENTS_OF_ONE:
            kept = next(each for each in self._events.values() if each.signature == signature)
        if kept is not None:
            kept.count += 1
            kept.last = line.number
            return
        self._of_one[signature] = self._of_one.get(signature, 0) + 1
        before = list(self._recent)[-CONTEXT - 1 : -1]
        kept = _Kept(signature, line, fields, rank, self._time_now(), line.number, context=before)
        self._events[key] = kept
        self._waiting.append(kept)


def _event(kept: _Kept) -> Event:
    return Event(
        signature=kept.signature,
        line=kept.line.number,
        text=kept.line.text,
        fields=kept.fields,
        rank=kept.rank,
        time=kept.time,
        count=kept.count,
        last=kept.last,
        context=tuple(kept.context),
    )
