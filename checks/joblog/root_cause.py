"""The one cause of a job's failure, and the rank that died first of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Severity, Verdict
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role
from paddle_doctor.subjects.joblog import JobLog

from .candidates import EXCEPTION, Candidate
from .causes import CAUSES
from .first_death import first_to_fail, missed_ranks
from .ground import LOOK_KERNEL, Ground
from .machine import explained_by_machine
from .rootless import without_root
from .stories import STORIES, Story
from .voices import Job, listen

PAGE = Page(
    code="PD501",
    name="root-cause",
    severity=Severity.ERROR,
    title=Text("The root cause of a failed job", "任务失败的根本原因"),
    what=Text(
        "Reads the logs of all ranks and of the launcher and names one cause: the earliest that the evidence "
        "proves, in the rank that failed first, in the last run. Every known line has a role. Lines of the "
        "launcher, advice, and what a rank prints because another one failed or because the launcher ended it "
        "never become the cause.",
        "读取所有 rank 和启动器的日志，给出唯一的原因：最后一次运行中、最先失败的 rank 里、证据能够证明的最早的"
        "那个。每一种已知的行都有其角色：启动器自己的输出、通用建议，以及某个 rank 因其他 rank 退出或被启动器结"
        "束而打印的内容，都不会成为原因。",
    ),
    why=Text(
        "The launcher's last lines (terminate all the procs, ABORT, Container failed) name the first failed "
        "rank by number, not by time, and often show a victim. The cause is often in another rank's workerlog.",
        "启动器最后的输出（terminate all the procs、ABORT、Container failed）按编号而不是按时间列出失败的 rank，"
        "常常展示的是被牵连者；真正的原因往往在另一个 rank 的 workerlog 里。",
    ),
    cure=Text(
        "Follow the fix that the verdict gives. Where it says launcher-only, give paddle-doctor the log "
        "folder; where it says unknown, let paddle-doctor repro run the script again.",
        "按结论给出的方法处理。结论为 launcher-only 时，请把日志目录交给 paddle-doctor；结论为 unknown 时，用 "
        "paddle-doctor repro 再运行一次。",
    ),
    since=Text("Paddle 1.6 to 3.3", "Paddle 1.6 至 3.3"),
    sources=(
        "measured: tests/lab (both launchers, Paddle 3.3.1)",
        "read: public reports of Paddle jobs, 2018 to 2026",
    ),
)

FAILED_FIRST = Text("Rank {rank} failed first. {says}", "最先失败的是 rank {rank}。{says}")
ENDED = Text("Ended with SIGTERM.", "被 SIGTERM 结束。")


def _fires() -> Iterator[Example]:
    return (_example(story) for story in STORIES if story.cause != "no-failure")


def _silent() -> Iterator[Example]:
    return (_example(story) for story in STORIES if story.cause == "no-failure")


def _example(story: Story) -> Example:
    return Example(shows=story.shows, subjects={"joblog": story.joblog()})


@check(PAGE, fires_on=_fires, silent_on=_silent)
def root_cause(joblog: JobLog) -> Iterator[Verdict]:
    """One verdict for the job whose logs these are."""
    job = listen(joblog)
    chosen = first_to_fail(job)
    ground = without_root(job) if chosen is None else _ground_of(job, explained_by_machine(job, chosen))
    yield Verdict(
        cause=ground.cause,
        certainty=ground.certainty,
        summary=ground.summary,
        rank=ground.rank,
        failed=CAUSES[ground.cause].failed,
        evidence=tuple(ground.evidence),
        consequences=tuple(_consequences(job, ground)),
        fix=ground.fix or (CAUSES[ground.cause].fix if CAUSES[ground.cause].failed else None),
        next_steps=tuple(ground.next_steps),
    )


def _ground_of(job: Job, candidate: Candidate) -> Ground:
    steps = [LOOK_KERNEL] if candidate.cause == "host-oom-kill" and candidate.certainty is not Certainty.CERTAIN else []
    return Ground(
        summary=_of_rank(job, candidate),
        cause=candidate.cause,
        certainty=Certainty.CERTAIN if _proved_by_others(job, candidate) else candidate.certainty,
        rank=candidate.rank,
        evidence=list(candidate.evidence),
        fix=candidate.fix,
        next_steps=steps,
    )


def _of_rank(job: Job, candidate: Candidate) -> Text:
    """What happened; in a job of several ranks, to which of them."""
    if candidate.rank is None or len(job.ranks) < 2 or f"ank {candidate.rank}" in candidate.says.en:
        return candidate.says
    return FAILED_FIRST.fill(rank=candidate.rank, says=candidate.says)


def _proved_by_others(job: Job, candidate: Candidate) -> bool:
    """Whether a rank's own last exception is its end: its peers miss that rank, or the launcher saw it fail."""
    if candidate.cause != "user-code-exception" or candidate.weight != EXCEPTION or candidate.rank is None:
        return False
    failed = [one.rank for _, one in job.failed if one.code == 1]
    return candidate.rank in missed_ranks(job) or failed == [candidate.rank]


def _consequences(job: Job, ground: Ground) -> Iterator[Evidence]:
    """What followed, in the order of the ranks: each line once, the deciding ones left out."""
    shown = {(each.path, each.line) for each in ground.evidence}
    for voice in job.voices:
        for heard in (*voice.of_role(Role.CONSEQUENCE), *voice.waited):
            if heard.signature.id == "termination-signal" and voice.signals:
                continue  # the signal block says the same and more
            if (heard.path, heard.event.line) not in shown:
                shown.add((heard.path, heard.event.line))
                yield replace(heard.evidence, rank=voice.rank, note=heard.signature.says)
        for path, block in voice.signals:
            if block.signal == "SIGTERM" and (path, block.line) not in shown:
                shown.add((path, block.line))
                yield Evidence(text=block.text, path=path, line=block.line, rank=voice.rank, note=ENDED)
    for path, one in job.failed:
        if (path, one.line) not in shown and one.rank != ground.rank:
            yield Evidence(text=one.text, path=path, line=one.line, rank=one.rank)
