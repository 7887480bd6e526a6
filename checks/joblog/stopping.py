"""Who ended a process with SIGTERM: the launcher, because another rank failed, or somebody outside the job."""

from __future__ import annotations

from enum import Enum

from paddle_doctor.subjects.joblog import SignalBlock

from .voices import Job, Voice

#: A launcher starts its ranks right after itself: their process numbers lie close above its own.
NEAR = 2000


class Sender(Enum):
    """Where a SIGTERM came from, as far as the logs tell."""

    LAUNCHER = "launcher"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"


def sender_of(job: Job, voice: Voice, block: SignalBlock) -> Sender:
    """Who sent this signal.

    A process that signalled itself, or one outside the container (PID 0), is not the launcher. If the launcher itself
    was ended, its ranks were ended with it. Where a launcher gives up, it is the one that ends the ranks.
    """
    if any(launcher.signalled is not None for _, launcher in job.launchers):
        return Sender.OUTSIDE
    if block.sender is None or block.pid is None:
        return Sender.LAUNCHER if job.gave_up else Sender.UNKNOWN
    if block.sender in {0, block.pid} or _launcher_was_hit(job, block.sender):
        return Sender.OUTSIDE
    if job.gave_up:
        return Sender.LAUNCHER
    if not 0 < block.pid - block.sender < NEAR:
        return Sender.OUTSIDE
    return Sender.LAUNCHER if voice.has_log or job.launchers else Sender.UNKNOWN


def _launcher_was_hit(job: Job, sender: int) -> bool:
    """Whether the same sender ended a process in the console that is none of the ranks: the launcher itself."""
    nobody = job.voice(None)
    if nobody is None or not job.rank_pids:
        return False
    return any(
        block.signal == "SIGTERM" and block.sender == sender and block.pid not in job.rank_pids
        for _, block in nobody.signals
    )
