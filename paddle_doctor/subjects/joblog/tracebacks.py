"""Python exceptions in a log, read line by line: type, message, the deepest frames, and how they follow each other."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paddle_doctor.subjects.joblog.model import Frame, Link, PythonError
from paddle_doctor.subjects.joblog.times import Clock

HEADER = "Traceback (most recent call last)"

_FRAME = re.compile(r'^\s*File "(?P<path>[^"]{1,500})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,200}))?')
_IPYTHON_FRAME = re.compile(
    r"^(?:File |)(?P<path><ipython-input-[\w-]{1,60}>|(?:~|/|[A-Za-z]:[\\/])[^\s:]{1,400}|Cell In\[\d{1,6}\])"
    r"(?:, |:|\s)\s?(?:line )?(?P<line>\d{0,9})(?::|,)?\s{0,3}in (?P<function>[^\s(]{1,200})"
)
_NAME = r"(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Za-z_]\w{0,80})"
#: The last line of a traceback whose beginning was seen.
_LAST = re.compile(rf"^{_NAME}(?::(?:\s(?P<message>.*))?)?$")
#: The same without a traceback above it: only names that are exceptions by their ending, and not a log's own words.
_BARE = re.compile(
    r"^(?P<type>(?:[a-z_]\w{0,60}\.){0,8}(?:[A-Z]\w{0,60}(?:Error|Exception|Interrupt|NotMet)"
    r"|Exception|SystemExit|StopIteration"
    r"|_queue\.Empty|queue\.Empty|Empty))(?::(?:\s(?P<message>.*))?)?$"
)
_BARE_WORDS = ("Error", "Exception", "Interrupt", "NotMet", "SystemExit", "StopIteration", "Empty")
_IPYTHON_HEADER = re.compile(rf"^{_NAME}\s{{3,80}}Traceback \(most recent call last\)")
_ORIGIN = re.compile(r"^(?:Exception in thread (?P<thread>[^:]{1,80})|Process (?P<process>[\w-]{1,40})):?$")
_WORKER = re.compile(r"DataLoader worker\s?\((?P<worker>\d{1,6})\) caught (?P<type>\w{1,80}) with message")
_IGNORED = re.compile(r"^(?:Exception ignored in|Error in sys\.excepthook|Error in atexit)")

_DURING = "During handling of the above exception, another exception occurred"
_CAUSED = "The above exception was the direct cause of the following exception"

#: Where code lives that the user did not write.
_INSTALLED = re.compile(
    r"(?:site|dist)-packages|[/\\]lib(?:64)?[/\\](?:python\d|[\w-]{1,40}\.py$)|^<|[/\\]Lib[/\\]"
    r"|python3[\d.]*[/\\](?:threading|multiprocessing)",
)
#: Frames between a loader and a sample: the exception came from reading or transforming it.
_LOADER = re.compile(
    r"__getitem__|collate|_worker_loop|_thread_loop|_read_into_queue|_reader_thread|iter_reader|_get_transformed"
    r"|[/\\]fetcher\.py|paddle[/\\]reader[/\\]|data_feeder"
)
#: Frames that build objects from a configuration or read one.
_CONFIGURED = re.compile(
    r"[/\\]workspace\.py|[/\\]yaml[/\\]|[/\\]argparse\.py|load_config|from_config|build_from"
    r"|parse_args|merge_config|[/\\]builder\.py"
    r"|cvlibs[/\\]config|[/\\]omegaconf[/\\]|[/\\]config\.py"
)
#: A traceback that never ends is given up after so many lines.
LONGEST = 2000


@dataclass(slots=True)
class _Open:
    """A traceback whose last line has not come yet."""

    line: int
    link: Link
    origin: str | None
    rank: int | None
    time: float | None
    awaited: str | None
    frames: int = 0
    deepest: Frame | None = None
    own: Frame | None = None
    in_loader: bool = False
    in_config: bool = False
    spawned: bool = False
    source_due: bool = False
    gap: bool = False
    lines: int = 0


class TracebackReader:
    """Fed line by line; gives an error when its last line has been read."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._link = Link.FIRST
        self._origin: str | None = None

    def feed(self, number: int, text: str, *, rank: int | None, time: Clock) -> PythonError | None:
        """The error that this line completes or breaks off, if it does."""
        if HEADER in text and "C++ Traceback" not in text:
            broken_off = self.unfinished()
            self._begin(number, text, rank, time)
            return broken_off
        stripped = text.strip()
        if self._open is not None:
            return self._continue(number, text, stripped)
        if not stripped:
            return None
        self._note_links(stripped)
        return self._bare(number, stripped, rank, time)

    def unfinished(self) -> PythonError | None:
        """The traceback that has begun and not ended; its type is not known and empty."""
        now = self._open
        return _error(now, now.line, "", "") if now is not None and now.frames else None

    def _begin(self, number: int, text: str, rank: int | None, time: Clock) -> None:
        ipython = _IPYTHON_HEADER.match(text)
        self._open = _Open(
            line=number,
            link=self._link,
            origin=self._origin,
            rank=rank,
            time=time(),
            awaited=ipython["type"] if ipython else None,
        )
        self._link, self._origin = Link.FIRST, None

    def _continue(self, number: int, text: str, stripped: str) -> PythonError | None:
        now = self._open
        assert now is not None
        now.lines += 1
        frame = _FRAME.match(text) or (_IPYTHON_FRAME.match(stripped) if now.awaited else None)
        if frame:
            self._take_frame(now, frame)
            return None
        was_source = now.source_due
        now.source_due = False
        indented = text.startswith((" ", "\t"))
        last = None if indented else _BARE.match(stripped) if now.gap else _LAST.match(stripped)
        if now.awaited:
            last = last if last and last["type"] == now.awaited else None
        elif last and was_source and not _BARE.match(stripped):
            last = None  # the source line of a frame whose indentation was lost
        if last and (now.frames or now.awaited or _BARE.match(stripped)):
            self._open = None
            return _error(now, number, last["type"], last["message"] or "")
        now.gap = now.gap or not (indented or was_source)
        if now.lines > LONGEST:
            broken_off = self.unfinished()
            self._open = None
            return broken_off
        return None

    def _take_frame(self, now: _Open, found: re.Match[str]) -> None:
        path = found["path"]
        own = not _INSTALLED.search(path)
        frame = Frame(path=path, line=int(found["line"] or 0), function=(found["function"] or "").strip(), own=own)
        now.frames += 1
        now.source_due = True
        now.deepest = frame
        if own:
            now.own = frame
        place = f"{path} {frame.function}"
        now.in_loader = now.in_loader or bool(_LOADER.search(place))
        now.in_config = now.in_config or bool(_CONFIGURED.search(place))
        now.spawned = (
            now.spawned or "spawn_main" in frame.function or "multiprocessing/spawn.py" in path.replace("\\", "/")
        )

    def _note_links(self, stripped: str) -> None:
        if _DURING in stripped:
            self._link = Link.DURING
        elif _CAUSED in stripped:
            self._link = Link.CAUSED
        elif _IGNORED.match(stripped):
            self._link = Link.IGNORED
        elif found := _WORKER.search(stripped):
            self._origin = f"DataLoader worker {found['worker']}"
        elif found := _ORIGIN.match(stripped):
            self._origin = found["thread"] or found["process"]

    def _bare(self, number: int, stripped: str, rank: int | None, time: Clock) -> PythonError | None:
        found = _BARE.match(stripped) if any(word in stripped for word in _BARE_WORDS) else None
        if not found or found["type"] == "FatalError":
            return None  # Paddle's own word for a signal; `blocks` reads it
        alone = _Open(line=number, link=self._link, origin=self._origin, rank=rank, time=time(), awaited=None)
        self._link, self._origin = Link.FIRST, None
        return _error(alone, number, found["type"], found["message"] or "")


def _error(seen: _Open, end: int, kind: str, message: str) -> PythonError:
    return PythonError(
        line=seen.line,
        end=end,
        type=kind,
        message=message.strip(),
        link=seen.link,
        frames=seen.frames,
        deepest=seen.deepest,
        own=seen.own,
        origin=seen.origin,
        in_loader=seen.in_loader or bool(seen.origin and seen.origin.startswith("DataLoader worker")),
        in_config=seen.in_config,
        spawned=seen.spawned,
        rank=seen.rank,
        time=seen.time,
    )
