"""Reads what the shim noted inside the job's processes, while they run; a job may write anything there."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.subjects.trial.model import Raised, StateSet
from paddle_doctor.subjects.trial.tracebacks import raised

#: A job that writes more than this is not listened to any further.
EVENTS_READ = 64 * 1024 * 1024
LINE_BYTES = 64 * 1024
KEPT = 100


@dataclass
class Sight:
    """What has been seen of a job so far; times are seconds since the epoch, as the job's processes saw them."""

    processes: set[int] = field(default_factory=set)
    batches: dict[int, int] = field(default_factory=dict)
    last_batch: float | None = None
    worker_processes: bool = False
    changed: list[str] = field(default_factory=list)
    raised: list[Raised] = field(default_factory=list)
    stands_still: bool = False
    checkpoints: list[str] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)
    states: list[StateSet] = field(default_factory=list)

    @property
    def most_batches(self) -> int:
        """The greatest number of batches that one process has taken."""
        return max(self.batches.values(), default=0)


class Events:
    """Follows an open events file, whatever the job makes of its name.

    `root` is the process that the trial started, which is not a rank of a launcher.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._read = 0
        self._rest = b""
        self.root: int | None = None
        self.sight = Sight()
        self._takes = {
            "start": self._start,
            "batches": self._batches,
            "workers": self._workers,
            "changed": self._changed,
            "load": self._load,
            "download": self._download,
            "state_set": self._state_set,
            "raised": self._raised,
        }

    def follow(self) -> Sight:
        """Take in what has been written since the last time."""
        if self._read < EVENTS_READ:
            self._file.seek(self._read)
            new = self._file.read(EVENTS_READ - self._read)
            self._read += len(new)
            *lines, self._rest = (self._rest + new).split(b"\n")
            for line in lines:
                self._take(line)
        return self.sight

    def _take(self, line: bytes) -> None:
        if not 0 < len(line) <= LINE_BYTES:
            return
        try:
            event = json.loads(line)
            if take := self._takes.get(event["event"]):
                take(event, int(event["pid"]))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return  # not one of ours: the job can write to the file too

    def _start(self, _: dict[str, Any], pid: int) -> None:
        self.sight.processes.add(pid)

    def _batches(self, event: dict[str, Any], pid: int) -> None:
        self.sight.batches[pid] = int(event["count"])
        self.sight.last_batch = float(event["time"])

    def _workers(self, _: dict[str, Any], __: int) -> None:
        self.sight.worker_processes = True

    def _changed(self, event: dict[str, Any], _: int) -> None:
        _once(self.sight.changed, str(event["module"]))

    def _load(self, event: dict[str, Any], _: int) -> None:
        _once(self.sight.checkpoints, _text(event["path"]))

    def _download(self, event: dict[str, Any], _: int) -> None:
        _once(self.sight.downloads, _text(event["url"]))

    def _state_set(self, event: dict[str, Any], _: int) -> None:
        state = StateSet(
            layer=_text(event["layer"]),
            missing=int(event["missing"]),
            unexpected=int(event["unexpected"]),
            matched=int(event["matched"]),
            path=_text(event["path"]) if event["path"] is not None else None,
            example_missing=tuple(_text(each) for each in event["example_missing"][:3]),
            example_unexpected=tuple(_text(each) for each in event["example_unexpected"][:3]),
        )
        _once(self.sight.states, state)

    def _raised(self, event: dict[str, Any], pid: int) -> None:
        frames = [(str(path), int(line), str(function)) for path, line, function in event["frames"]]
        rank = str(event.get("rank"))
        found = raised(
            str(event["type"]),
            str(event["message"]),
            frames,
            thread=bool(event["thread"]),
            rank=int(rank) if pid != self.root and rank.isdecimal() else None,
            pid=pid,
        )
        _once(self.sight.raised, found)
        self.sight.stands_still = self.sight.stands_still or bool(event["stands_still"])


def _once(kept: list[Any], item: object) -> None:
    if len(kept) < KEPT and item not in kept:
        kept.append(item)


def _text(value: object) -> str:
    return hide_in_text(str(value)[:1000].encode("utf-8", "replace").decode("utf-8"))
