"""The time that a log line carries, in the formats of glog, the launchers and Python's logging."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence

#: Asks for the time of the line at hand, where one is needed: most lines are never asked for theirs.
Clock = Callable[[], float | None]

#: ``2026-12-01 00:58:26,925``, ``2026/12/01 00:58:26``, ``2026-12-01T00:58:26.9``
_DATED = re.compile(r"\b(20\d\d)[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
#: glog: ``I1201 00:58:28.910689  9187 file.cc:336]``; the level's letter is often lost in a paste.
_GLOG = re.compile(r"^[IWEF]?(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,6})\s+(\d+) \S{1,200}\]")
#: ``[09/06 10:06:44] ppdet.engine INFO``, ``[12-01 10:06:44 MainThread``
_SHORT = re.compile(r"^\[(\d\d)[/-](\d\d) (\d\d):(\d\d):(\d\d)\b")


def time_of(text: str, year: int) -> float | None:
    """Seconds since 1970 of the time in a line, its local clock read as UTC; None if it has none.

    `year` is taken where the format has none (glog).
    """
    if ":" not in text:
        return None
    if found := _DATED.search(text):
        return _seconds(found.groups())
    if found := _GLOG.match(text):
        return _seconds((str(year), *found.groups()[:6]))
    if found := _SHORT.match(text):
        return _seconds((str(year), *found.groups(), None))
    return None


def glog_pid(text: str) -> int | None:
    """The process (or thread) number of a glog line."""
    found = _GLOG.match(text)
    return int(found[7]) if found and len(found[7]) < 12 else None


def year_of(text: str) -> int | None:
    """The year that a line names, for the lines that name none."""
    found = _DATED.search(text)
    return int(found[1]) if found else None


def _seconds(parts: Sequence[str | None]) -> float | None:
    """Of year, month, day, hour, minute, second and perhaps a fraction; None if they are no time."""
    year, month, day, hour, minute, second = (int(part or 0) for part in parts[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 61):
        return None
    fraction = float(f"0.{parts[6]}") if parts[6] else 0.0
    return calendar.timegm((year, month, day, hour, minute, second)) + fraction
