"""Which rank failed first, and of what: the roots of all voices weighed against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paddle_doctor.core.finding import Certainty, Evidence
from paddle_doctor.core.language import Text

from .candidates import EXCEPTION, HINT, Candidate, candidates_of, of_code
from .causes import CAUSES
from .stopping import Sender, sender_of
from .voices import Job, Voice

STOPPED = Text("The job was ended with SIGTERM from outside.", "任务被外部用 SIGTERM 终止。")
STOPPED_RANK = Text(
    "Rank {rank} was ended with SIGTERM, and not by the launcher.", "rank {rank} 被 SIGTERM 终止，且不是启动器发出的。"
)


def first_to_fail(job: Job) -> Candidate | None:
    """The most credible root of the rank that failed first; None if no voice tells a root."""
    best = [found[0] for voice in job.voices if (found := candidates_of(voice))]
    best += _told_by_codes(job, {each.rank for each in best})
    stopped = [each for voice in job.voices for each in _stopped_from_outside(job, voice)]
    solid = [each for each in best if each.weight <= EXCEPTION]
    if solid:
        return _earliest(job, solid)
    hints = [each for each in best if each.weight == HINT]
    if hints:
        return _earliest(job, hints)
    return _earliest(job, stopped) if stopped else None


def _earliest(job: Job, candidates: Sequence[Candidate]) -> Candidate:
    """First in time over all ranks. Where times are not known: whom its peers miss, whom the launcher blames."""
    known = [each for each in candidates if each.rank is not None]
    pool = known or list(candidates)
    missed = set(missed_ranks(job))
    blamed = [one.rank for _, one in job.failed] or list(job.blamed)

    def order(each: Candidate) -> tuple[bool, float, int, bool, int]:
        return (
            each.rank not in missed,
            each.time or float("inf"),
            each.weight,
            each.rank not in blamed,
            each.rank or 0,
        )

    earliest = min(pool, key=order)
    proof = [each for each in candidates if each.rank is None and each.weight < earliest.weight]
    return min(proof, key=lambda each: each.order) if proof and not known else earliest


def _told_by_codes(job: Job, speaking: set[int | None]) -> list[Candidate]:
    """What exit codes speak for, of ranks that say nothing themselves."""
    found = [of_code(path, one) for path, one in job.failed if one.rank not in speaking]
    return [each for each in found if each is not None]


def _stopped_from_outside(job: Job, voice: Voice) -> Iterator[Candidate]:
    for path, block in voice.signals:
        if block.signal != "SIGTERM" or sender_of(job, voice, block) is not Sender.OUTSIDE:
            continue
        says = STOPPED if voice.rank is None else STOPPED_RANK.fill(rank=voice.rank)
        yield Candidate(
            cause="killed-from-outside",
            certainty=Certainty.LIKELY,
            weight=HINT,
            rank=voice.rank,
            line=block.line,
            last_line=block.line,
            time=block.time,
            says=says,
            evidence=(Evidence(text=block.text, path=path, line=block.line, rank=voice.rank),),
            fix=CAUSES["killed-from-outside"].fix,
        )


def missed_ranks(job: Job) -> list[int]:
    """Ranks that their peers say have gone: ``pair_rank = 1``; in a job of two, the other one."""
    missed: list[int] = []
    for voice in job.voices:
        for heard in voice.said("gloo-peer-gone"):
            peer = heard.event.fields.get("pair_rank")
            if peer is not None and len(peer) < 7:
                missed.append(int(peer))
            elif voice.rank is not None and _size(job) == 2:
                missed.append(1 - voice.rank)
    return list(dict.fromkeys(missed))


def _size(job: Job) -> int:
    told = [each.world_size for _, each in job.launchers if each.world_size]
    return told[0] if told else len(job.ranks)
