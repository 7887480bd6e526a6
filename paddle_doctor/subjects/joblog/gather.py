"""Reads the logs of a job: one pass over each file, keeping what matters of its last run."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from paddle_doctor.core.errors import InputError, unreadable
from paddle_doctor.core.language import Text, listing
from paddle_doctor.core.secrets import HIDDEN, hide_in_text, hide_in_value
from paddle_doctor.core.signature import Signature
from paddle_doctor.subjects.joblog.cleaning import begins_dump, clean, is_fence, variables_in
from paddle_doctor.subjects.joblog.matching import Matcher
from paddle_doctor.subjects.joblog.model import JobLog, Kind, LogFile
from paddle_doctor.subjects.joblog.reading import lines_of
from paddle_doctor.subjects.joblog.run import Run
from paddle_doctor.subjects.joblog.sources import STANDARD_INPUT, Source, named, sources_of

EMPTY = Text("There is not a line in {paths}.", "{paths} 中一行内容也没有。")
STDIN = Text("standard input", "标准输入")

#: An environment dump that a paste has wrapped is cut over at most so many lines.
LONGEST_DUMP = 200
#: A line this long was not wrapped, even if its end was cut off.
LONGEST_PIECE = 4000


def gather_joblog(paths: Sequence[Path], signatures: Sequence[Signature]) -> JobLog:
    """The facts of the logs at these paths: folders (two levels deep), files, or ``-`` for standard input.

    Raises `InputError` for a path that is not there, cannot be read, is no text, or is a folder without
    logs, and if there is not a line in any of them.
    """
    matcher = Matcher(signatures)
    files = tuple(_read(source, matcher) for source in sources_of(paths))
    if not any(file.lines for file in files):
        raise InputError(EMPTY.fill(paths=listing(STDIN if each == STANDARD_INPUT else each for each in paths)))
    return JobLog(files=files)


def joblog_of(texts: Mapping[str, str], signatures: Sequence[Signature]) -> JobLog:
    """The facts of logs given as texts by their file names, for whoever has no files: examples and tests. No I/O."""
    matcher = Matcher(signatures)
    year = datetime.now(timezone.utc).year
    files = (
        _facts(named(Path(name)), BytesIO(text.encode("utf-8", "surrogatepass")), matcher, year=year)
        for name, text in texts.items()
    )
    return JobLog(files=tuple(files))


def _read(source: Source, matcher: Matcher) -> LogFile:
    if source.path == STANDARD_INPUT:
        return _facts(source, sys.stdin.buffer, matcher, year=datetime.now(timezone.utc).year)
    try:
        written = datetime.fromtimestamp(source.path.stat().st_mtime, timezone.utc)
        with source.path.open("rb") as stream:
            return _facts(source, stream, matcher, year=written.year)
    except OSError as error:
        raise unreadable(source.path, error) from error


def _facts(source: Source, stream: BinaryIO, matcher: Matcher, *, year: int) -> LogFile:
    if source.kind is Kind.ENVIRONMENT:
        return _environment_facts(source, stream)
    run = Run(source.rank, matcher, starts=1, year=year)
    runs = 1
    size = number = 0
    counted = _Variables()
    for number, raw in lines_of(stream):
        size += len(raw) + 1
        if not raw:  # some logs are little else
            run.feed(number, raw, prefix_rank=None)
            continue
        cleaned = clean(raw)
        text = cleaned.text
        if is_fence(text) or counted.takes(text):
            continue
        if run.ends_before(text):
            run = Run(source.rank, matcher, starts=number, year=year)
            runs += 1
        run.feed(number, text, prefix_rank=cleaned.rank)
    return run.facts(
        path=str(source.path),
        kind=source.kind,
        size=size,
        lines=number,
        runs=runs,
        variables=counted.variables,
        secrets=counted.secrets,
    )


class _Variables:
    """Counts the variables of environments that a log prints whole, and keeps those lines away from everybody."""

    def __init__(self) -> None:
        self.variables = 0
        self.secrets = 0
        self._open = 0

    def takes(self, text: str) -> bool:
        """Whether the line is (part of) such a dump."""
        begins = begins_dump(text)
        if not begins and not self._open:
            return False
        names = variables_in(text)
        self.variables += len(names)
        self.secrets += sum(_is_secret(name) for name in names)
        ended = text.rstrip(") ").endswith("}") or len(text) > LONGEST_PIECE
        self._open = 0 if ended else LONGEST_DUMP if begins else self._open - 1
        return True


def _environment_facts(source: Source, stream: BinaryIO) -> LogFile:
    """envlog.N and backup_env.N.json: only how many variables they hold, and how many of them are secrets."""
    variables = secrets = size = number = 0
    for number, text in lines_of(stream):  # noqa: B007 (the last number is the count of lines)
        size += len(text) + 1
        separator = ":" if source.path.suffix == ".json" else "="
        name, found, value = text.strip().partition(separator)
        name = name.strip().strip('"')
        if found and name.replace("_", "").isalnum():
            variables += 1
            secrets += bool(value.strip(' ",')) and (_is_secret(name) or HIDDEN in hide_in_text(value))
    return LogFile(
        path=str(source.path),
        kind=source.kind,
        rank=source.rank,
        size=size,
        lines=number,
        runs=1,
        run_starts=1,
        variables=variables,
        secrets=secrets,
    )


def _is_secret(name: str) -> bool:
    return hide_in_value(name, "x") == HIDDEN
