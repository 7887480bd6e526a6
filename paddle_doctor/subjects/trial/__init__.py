"""The trial: the job run again under one changed condition after the other, and what each run showed."""

from __future__ import annotations

from paddle_doctor.subjects.trial.ladder import DEFAULT_TIMEOUT, RUNGS, Unwatched, Watcher, climb
from paddle_doctor.subjects.trial.model import (
    Attempt,
    Frame,
    Outcome,
    Raised,
    Rung,
    Standing,
    StateSet,
    Trial,
    standing,
)
from paddle_doctor.subjects.trial.tracebacks import tells_of_dead_workers

__all__ = [
    "DEFAULT_TIMEOUT",
    "RUNGS",
    "Attempt",
    "Frame",
    "Outcome",
    "Raised",
    "Rung",
    "Standing",
    "StateSet",
    "Trial",
    "Unwatched",
    "Watcher",
    "climb",
    "standing",
    "tells_of_dead_workers",
]
