"""The one cause of a job's failure, and the rank that died first of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Fix, Severity, Verdict
from paddle_doctor.core.language import Text, listing
from paddle_doctor.core.signature import Role
from paddle_doctor.subjects.joblog import JobLog

from .candidates import ECHO, EXCEPTION, HINT, Candidate, candidates_of, of_code
from .causes import CAUSES
from .stories import STORIES, Story
from .machine import explained_by_machine
from .stopping import Sender, sender_of
from .voices import Job, Voice, listen

PAGE = Page(
    code="PD501",
    name="root-cause",
    severity=Severity.ERROR,
    title=Text("The root cause of a failed job", "任务失败的根本原因"),
    what=Text(
        "Reads the logs of all ranks and of the launcher and names one cause: the earliest that the evidence proves, in the rank that died first, in the "
        "last run. Every known line has a role. Lines of the launcher, advice, and what a rank prints because another one died or because the launcher ended it never become the cause.",
        "读取所有 rank 和启动器的日志，给出唯一的原因：最后一次运行中、最先死亡的 rank 里、证据能够证明的最早的那个。每一种已知的行都有其角色："
        "启动器自己的输出、通用建议，以及某个 rank 因其他 rank 死亡或被启动器结束而打印的内容，都不会成为原因。",
    ),
    why=Text(
        "The launcher's last lines (terminate all the procs, ABORT, Container failed) name the first failed rank by number, not by time, and often show a victim. "
        "The cause mostly stands in another rank's workerlog.",
        "启动器最后的输出（terminate all the procs、ABORT、Container failed）按编号而不是按时间列出失败的 rank，常常展示的是被牵连者；真正的原因多半在另一个 rank 的 workerlog 里。",
    ),
    cure=Text(
        "Follow the fix that the verdict gives. Where it says launcher-only, give it the log folder; where it says unknown, run the job under paddle-doctor run.",
        "按结论给出的方法处理。结论为 launcher-only 时，请把日志目录交给它；结论为 unknown 时，用 paddle-doctor run 再运行一次。",
    ),
    since="Paddle 1.6 to 3.3",
    sources=(
        "measured: tests/lab (both launchers, Paddle 3.3.1)",
        "read: public reports of Paddle jobs, 2018 to 2026",
    ),
)

SILENT_DEATH = Text(
    "Rank {rank} ended without a word while the others went on; nothing in its log says why.",
    "rank {rank} 没有留下任何信息就退出了，其余 rank 仍在运行；它的日志没有说明原因。",
)
SILENT_CODE = Text(
    "Rank {rank} ended with exit code {code} and said nothing about it.",
    "rank {rank} 以退出码 {code} 结束，没有留下任何说明。",
)
HUNG = Text(
    "Rank {rank} did not come to a collective call in which the others waited for 30 seconds.",
    "rank {rank} 没有到达集合通信，其他 rank 等待了 30 秒。",
)
WAITED = Text(
    "Ranks waited in a collective call for 30 seconds, and another rank did not come.",
    "有 rank 在集合通信中等待了 30 秒，而另一个 rank 始终没有到达。",
)
STOPPED = Text("The job was ended with SIGTERM from outside.", "任务被外部用 SIGTERM 终止。")
STOPPED_RANK = Text(
    "Rank {rank} was ended with SIGTERM, and not by the launcher.", "rank {rank} 被 SIGTERM 终止，且不是启动器发出的。"
)
ONLY_LAUNCHER = Text(
    "Only the launcher speaks here. It ended the job because a rank failed; why stands in that rank's own log.",
    "这里只有启动器的输出：某个 rank 失败后它结束了任务，原因在该 rank 自己的日志里。",
)
ONLY_VICTIM = Text(
    "This rank was ended because another one failed; the cause stands in the other rank's log.",
    "该 rank 是因为别的 rank 失败而结束的；原因在那个 rank 的日志里。",
)
NOT_TOLD = Text("Something failed, and the log does not tell why.", "任务失败了，但日志没有说明原因。")
WORKER_FAILED = Text(
    "A DataLoader worker failed; its own message is not in this log.",
    "DataLoader worker 出错，但日志里没有它自己的信息。",
)
FINE = Text("Nothing in these logs failed.", "这些日志里没有失败。")

OPEN = Text("Open {files}.", "打开 {files}。")
OPEN_RANKS = Text(
    "Open workerlog.N of the ranks that failed; the launcher keeps them in --log_dir (by default ./log).",
    "打开失败 rank 的 workerlog.N；启动器把它们放在 --log_dir（默认 ./log）。",
)
NO_LOG_DIR = Text(
    "This launcher kept no workerlog (log_dir: None). Run again with --log_dir log.",
    "该启动器没有保存 workerlog（log_dir: None）。请加 --log_dir log 重新运行。",
)
LOOK_KERNEL = Text(
    "Look for an oom-kill of that time: dmesg -T | grep -i oom", "查看当时是否有 oom-kill：dmesg -T | grep -i oom"
)
LOOK_EXIT = Text(
    "Look for sys.exit, os._exit or an early return in the script; nothing is printed for them.",
    "检查脚本里的 sys.exit、os._exit 或提前返回；它们不会打印任何信息。",
)
RUN_AGAIN = Text("Run it again with: paddle-doctor run -- COMMAND", "用 paddle-doctor run -- COMMAND 再运行一次。")
LOOK_HANG = Text(
    "While it hangs, look where each rank stands: py-spy dump --pid PID",
    "卡住时查看每个 rank 停在哪里：py-spy dump --pid PID",
)


#: Asking a server this often, three seconds apart, is more than a slow start.
ENDLESS = 20


@dataclass(slots=True)
class _Ground:
    """What the verdict rests on besides the candidate itself."""

    summary: Text
    cause: str
    certainty: Certainty
    rank: int | None = None
    evidence: list[Evidence] = field(default_factory=list)
    next_steps: list[Text] = field(default_factory=list)
    fix: Fix | None = None


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
    chosen = _first_to_fail(job)
    if chosen is not None and chosen.weight < ECHO:
        ground = _ground_of(explained_by_machine(job, chosen))
    else:
        ground = _without_root(job, chosen)
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


def _ground_of(candidate: Candidate) -> _Ground:
    steps = [LOOK_KERNEL] if candidate.cause == "host-oom-kill" and candidate.certainty is not Certainty.CERTAIN else []
    return _Ground(
        summary=candidate.says,
        cause=candidate.cause,
        certainty=candidate.certainty,
        rank=candidate.rank,
        evidence=list(candidate.evidence),
        fix=candidate.fix,
        next_steps=steps,
    )


def _first_to_fail(job: Job) -> Candidate | None:
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
    missed = set(_missed_ranks(job))
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
            weight=ECHO - 1,
            rank=voice.rank,
            line=block.line,
            time=block.time,
            says=says,
            evidence=(Evidence(text=block.text, path=path, line=block.line, rank=voice.rank),),
            fix=CAUSES["killed-from-outside"].fix,
        )


def _missed_ranks(job: Job) -> list[int]:
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


def _without_root(job: Job, _chosen: Candidate | None) -> _Ground:
    """What can be said where no line speaks for a root: who is missing, who hung, or that only the launcher speaks."""
    for reason in (_waiting, _endless_retry, _dead_silently, _left_by_launcher, _echoes):
        if (ground := reason(job)) is not None:
            return ground
    return _Ground(summary=FINE, cause="no-failure", certainty=Certainty.LIKELY)


def _waiting(job: Job) -> _Ground | None:
    waiting = [voice for voice in job.voices if voice.waited]
    if not waiting or _missed_ranks(job):
        return None
    hung = [voice for voice in job.ranks if voice.has_log and not voice.waited]
    rank = hung[0].rank if len(hung) == 1 else None
    evidence = [each.evidence for voice in waiting for each in voice.waited][:3]
    return _Ground(
        summary=WAITED if rank is None else HUNG.fill(rank=rank),
        cause="rank-desync-hang",
        certainty=Certainty.LIKELY,
        rank=rank,
        evidence=evidence + (_last_line(hung[0]) if len(hung) == 1 else []),
        next_steps=[LOOK_HANG],
    )


def _dead_silently(job: Job) -> _Ground | None:
    """A rank whose own log ends without a word although peers miss it or the launcher saw it fail."""
    codes = {one.rank: (path, one) for path, one in job.failed}
    suspects = [*_missed_ranks(job), *codes, *job.blamed]
    for rank in dict.fromkeys(suspects):
        voice = job.voice(rank)
        if voice is None or not voice.has_log or not voice.quiet:
            continue
        evidence = _last_line(voice)
        summary = SILENT_DEATH.fill(rank=rank)
        if rank in codes and codes[rank][1].code not in (0, -15):
            path, one = codes[rank]
            evidence.append(Evidence(text=one.text, path=path, line=one.line, rank=rank))
            summary = SILENT_CODE.fill(rank=rank, code=one.code)
        evidence += [each.evidence for other in job.voices for each in other.said("gloo-peer-gone")][:2]
        return _Ground(
            summary=summary,
            cause="unknown",
            certainty=Certainty.LIKELY,
            rank=rank,
            evidence=evidence,
            next_steps=[LOOK_EXIT, LOOK_KERNEL, RUN_AGAIN],
        )
    return None


def _left_by_launcher(job: Job) -> _Ground | None:
    """Only a launcher's obituary, or only its victims: name the files that would tell."""
    victims = [(path, block) for voice in job.voices for path, block in voice.signals if block.signal == "SIGTERM"]
    gone = [each for voice in job.voices for each in voice.said("gloo-peer-gone", "nccl-remote-gone", "store-gone")]
    if not (job.gave_up or victims or gone):
        return None
    missing = _missed_ranks(job) or [one.rank for _, one in job.failed] or list(job.blamed)
    unread = [rank for rank in missing if not (voice := job.voice(rank)) or not voice.has_log]
    evidence = [Evidence(text=one.text, path=path, line=one.line, rank=one.rank) for path, one in job.failed][:2]
    evidence += [
        Evidence(text=each.blame_text, path=path, line=each.blame_line)
        for path, each in job.launchers
        if each.blame_text is not None
    ][:1]
    if not evidence and job.gave_up:
        evidence = [each.evidence for voice in job.voices for each in voice.of_role(Role.LAUNCHER)][-1:]
    evidence += [Evidence(text=block.text, path=path, line=block.line, rank=block.rank) for path, block in victims][:1]
    evidence += [each.evidence for each in gone][:1]
    return _Ground(
        summary=ONLY_LAUNCHER if job.gave_up else ONLY_VICTIM,
        cause="launcher-only"
        if unread or not job.ranks or not any(voice.has_log for voice in job.ranks)
        else "unknown",
        certainty=Certainty.LIKELY,
        rank=missing[0] if len(missing) == 1 or _missed_ranks(job) else None,
        evidence=evidence,
        next_steps=_what_to_open(job, unread),
    )


def _what_to_open(job: Job, ranks: Sequence[int]) -> list[Text]:
    if any(not each.keeps_logs for _, each in job.launchers):
        return [NO_LOG_DIR]
    logs = {one.rank: one.log for _, one in job.failed if one.log}
    folder = next((each.log_dir for _, each in job.launchers if each.log_dir), "log")
    files = [logs.get(rank) or f"{folder}/workerlog.{rank}" for rank in ranks[:8]]
    return [OPEN.fill(files=listing(files))] if files else [OPEN_RANKS]


def _echoes(job: Job) -> _Ground | None:
    """Only echoes of a failure, or lines that merely confirm one."""
    echoes = [each for voice in job.voices for each in voice.of_role(Role.CONSEQUENCE)]
    workers = [each for each in echoes if each.signature.id in ("blocking-queue-killed", "workers-exit-unexpectedly")]
    if workers:
        return _Ground(
            summary=WORKER_FAILED,
            cause="dataset-exception-in-worker",
            certainty=Certainty.POSSIBLE,
            rank=workers[0].event.rank,
            evidence=[each.evidence for each in workers[:2]],
            next_steps=[LOOK_KERNEL, RUN_AGAIN],
        )
    if (ground := _retry(job, least=1)) is not None:
        return ground
    if echoes:
        return _Ground(
            summary=NOT_TOLD,
            cause="unknown",
            certainty=Certainty.LIKELY,
            evidence=[each.evidence for each in echoes[:3]],
            next_steps=[RUN_AGAIN],
        )
    return None


def _endless_retry(job: Job) -> _Ground | None:
    """A rank that asked so often for a server that this alone is the trouble."""
    return _retry(job, least=ENDLESS)


def _retry(job: Job, *, least: int) -> _Ground | None:
    for voice in job.voices:
        connected = max((each.event.last for each in voice.said("ready-endpoints")), default=0)
        retries = [each for each in voice.said("peer-retry") if each.event.last > connected]
        if sum(each.event.count for each in retries) >= max(least, 2 if connected else 1):
            return _Ground(
                summary=retries[0].signature.says,
                cause="connection-refused-or-timeout",
                certainty=Certainty.LIKELY,
                rank=voice.rank,
                evidence=[retries[-1].evidence],
            )
    return None


def _last_line(voice: Voice) -> list[Evidence]:
    for file in voice.files:
        for line in reversed(file.tail):
            return [Evidence(text=line.text, path=file.path, line=line.number, rank=voice.rank, note=LAST_LINE)]
    return []


LAST_LINE = Text("The last line of this rank's log.", "该 rank 日志的最后一行。")


def _consequences(job: Job, ground: _Ground) -> Iterator[Evidence]:
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


ENDED = Text("Ended with SIGTERM.", "被 SIGTERM 结束。")
