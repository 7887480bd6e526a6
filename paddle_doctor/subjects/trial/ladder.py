"""Climbs the ladder: the job as it is, then under one change after the other, until one cures it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.subjects.trial.child import Ended, Stop, run_once
from paddle_doctor.subjects.trial.interventions import (
    added_by,
    changes_nothing,
    child_environment,
    launch_variables,
    removed_by,
)
from paddle_doctor.subjects.trial.model import Attempt, Outcome, Raised, Rung, Standing, Trial, standing
from paddle_doctor.subjects.trial.tracebacks import last_traceback, tells_of_dead_workers

#: The rungs after ``as-is``, the cheap and likely ones first.
RUNGS = (Rung.CLEAN_ENV, Rung.NO_WORKERS, Rung.CPU, Rung.RANDOM_WEIGHTS)
DEFAULT_TIMEOUT = 600.0


class Watcher(Protocol):
    """Is told how a trial goes; `again` marks the repeated ``as-is``."""

    def started(self, rung: Rung, timeout: float, *, again: bool) -> None:
        """A run begins, with this time limit in seconds."""

    def progressed(self, seconds: float, batches: int) -> None:
        """The run is this old, and its furthest process has taken so many batches."""

    def ended(self, attempt: Attempt, *, again: bool) -> None:
        """The run is over (or was not needed)."""


class Unwatched:
    """A watcher that looks away."""

    def started(self, rung: Rung, timeout: float, *, again: bool) -> None:
        """Nothing to show."""

    def progressed(self, seconds: float, batches: int) -> None:
        """Nothing to show."""

    def ended(self, attempt: Attempt, *, again: bool) -> None:
        """Nothing to show."""


@dataclass(frozen=True)
class _Job:
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    watcher: Watcher

    def run(self, rung: Rung, stop: Stop, *, again: bool = False) -> Attempt:
        self.watcher.started(rung, stop.timeout, again=again)
        environment = child_environment(rung, self.environment, self.command)
        ended = run_once(self.command, environment, self.folder, stop, self.watcher.progressed)
        attempt = self._attempt(rung, ended)
        self.watcher.ended(attempt, again=again)
        return attempt

    def skip(self, rung: Rung) -> Attempt:
        attempt = Attempt(rung=rung, outcome=Outcome.UNCHANGED)
        self.watcher.ended(attempt, again=False)
        return attempt

    def _attempt(self, rung: Rung, ended: Ended) -> Attempt:
        sight = ended.sight
        text = ended.output.text()
        lines, left_out = ended.output.last_lines()
        return Attempt(
            rung=rung,
            outcome=ended.outcome,
            seconds=round(ended.seconds, 2),
            status=ended.status,
            signal=ended.signal,
            removed=removed_by(rung, self.environment),
            added=added_by(rung, self.command),
            raised=_all_raised(sight.raised, text, ended.outcome),
            dead_workers=tells_of_dead_workers(text)
            or any(tells_of_dead_workers(each.message) for each in sight.raised),
            batches=sight.most_batches,
            worker_processes=sight.worker_processes,
            processes=len(sight.processes),
            changed=tuple(sight.changed),
            checkpoints=tuple(sight.checkpoints),
            downloads=tuple(sight.downloads),
            states=tuple(sight.states),
            output=lines,
            left_out=left_out,
            peak_memory=ended.peak_memory,
        )


def climb(
    command: Sequence[str],
    *,
    rungs: Sequence[Rung] = RUNGS,
    chosen: bool = False,
    timeout: float = DEFAULT_TIMEOUT,
    keep_going: bool = False,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    watcher: Watcher | None = None,
) -> Trial:
    """Run the job as it is, then under each rung until one cures it (`keep_going`: under all).

    A rung that would change nothing is passed over, unless the user has `chosen` the rungs. A job that does not fail is
    run once more where launch variables are set: without them it may read other data. Before a cure is believed,
    the job runs as it is once more: if it passes now, no rung cured it. Each run may take `timeout` seconds. Raises
    `InputError` if the command cannot be started.
    """
    here = Path.cwd() if folder is None else folder
    world = os.environ if environment is None else environment
    job = _Job(command, world, here, watcher or Unwatched())
    as_is = job.run(Rung.AS_IS, Stop(timeout))
    attempts = [as_is]
    again = None
    for rung in _worth_running(rungs, as_is, world, keep_going=keep_going):
        if not chosen and changes_nothing(rung, as_is, world):
            attempts.append(job.skip(rung))
            continue
        attempts.append(job.run(rung, _stop(timeout, as_is)))
        if not keep_going and standing(attempts[-1], as_is) is Standing.CURED:
            break
    cured = [each for each in attempts[1:] if standing(each, as_is) is Standing.CURED]
    if cured and not as_is.well:
        again = job.run(Rung.AS_IS, _stop_again(timeout, as_is, cured[0]), again=True)
    return Trial(
        command=tuple(hide_in_text(word) for word in command),
        folder=hide_in_text(str(here)),
        timeout=timeout,
        attempts=tuple(attempts),
        again=again,
    )


def _worth_running(
    rungs: Sequence[Rung], as_is: Attempt, environment: Mapping[str, str], *, keep_going: bool
) -> Sequence[Rung]:
    """The rungs that can tell something. Leftover variables may take half the data of a job that does not fail."""
    if keep_going or not as_is.well:
        return rungs
    reads_data = as_is.outcome is Outcome.PASSED and as_is.batches > 0
    return [Rung.CLEAN_ENV] if Rung.CLEAN_ENV in rungs and reads_data and launch_variables(environment) else []


def _stop(timeout: float, as_is: Attempt) -> Stop:
    """A run has outlived a failure with twice its batches and a few, and half as long again."""
    if as_is.well:
        return Stop(timeout)
    seconds = 0.0 if as_is.outcome in (Outcome.HUNG, Outcome.STOOD_STILL) else 1.5 * as_is.seconds
    return Stop(timeout, batches=2 * as_is.batches + 8, seconds=seconds)


def _stop_again(timeout: float, as_is: Attempt, cured: Attempt) -> Stop:
    """A hang need not be sat out to its limit again: it hangs if it is not done well after the cured run was."""
    if as_is.outcome is Outcome.HUNG:
        timeout = min(timeout, 2 * cured.seconds + 10)
    return Stop(timeout, batches=_stop(timeout, as_is).batches, seconds=_stop(timeout, as_is).seconds)


def _all_raised(seen: Sequence[Raised], text: str, outcome: Outcome) -> tuple[Raised, ...]:
    """What the shim saw; what was only printed counts where the shim saw no cause."""
    if outcome in (Outcome.PASSED, Outcome.OUTLIVED, Outcome.UNFINISHED):
        return tuple(seen)
    if any(not each.secondary for each in seen):
        return tuple(seen)
    printed = last_traceback(text.splitlines())
    return (*seen, printed) if printed is not None and not printed.secondary else tuple(seen)
