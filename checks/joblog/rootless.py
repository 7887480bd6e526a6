"""What can be said where no line speaks for a root: who is missing, who hung, which file would tell."""

from __future__ import annotations

from collections.abc import Sequence

from paddle_doctor.core.finding import Certainty, Evidence
from paddle_doctor.core.language import Text, listing
from paddle_doctor.core.signature import Role

from .first_death import missed_ranks
from .ground import LOOK_EXIT, LOOK_HANG, LOOK_KERNEL, RUN_AGAIN, Ground
from .voices import Job, Voice

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
ONLY_LAUNCHER = Text(
    "These are only the launcher's lines. It ended the job because a rank failed; the reason is in that "
    "rank's own log.",
    "这里只有启动器的输出：某个 rank 失败后它结束了任务，原因在该 rank 自己的日志里。",
)
ONLY_VICTIM = Text(
    "This rank was ended because another one failed; the cause is in the other rank's log.",
    "该 rank 是因为别的 rank 失败而结束的；原因在那个 rank 的日志里。",
)
NOT_TOLD = Text("Something failed, and the log does not tell why.", "任务失败了，但日志没有说明原因。")
WORKER_FAILED = Text(
    "A DataLoader worker failed; its own message is not in this log.",
    "DataLoader worker 出错，但日志里没有它自己的信息。",
)
FINE = Text("These logs show no failure.", "这些日志中没有发现失败。")

OPEN = Text("Open {files}.", "打开 {files}。")
OPEN_RANKS = Text(
    "Open workerlog.N of the ranks that failed; the launcher keeps them in --log_dir (by default ./log).",
    "打开失败 rank 的 workerlog.N；启动器把它们放在 --log_dir（默认 ./log）。",
)
LAST_LINE = Text("The last line of this rank's log.", "该 rank 日志的最后一行。")
NO_LOG_DIR = Text(
    "This launcher kept no workerlog (log_dir: None). Run again with --log_dir log.",
    "该启动器没有保存 workerlog（log_dir: None）。请加 --log_dir log 重新运行。",
)

#: Asking a server this often, three seconds apart, is more than a slow start.
ENDLESS = 20


def without_root(job: Job) -> Ground:
    """What can be said where no line speaks for a root: who is missing, who hung, or that only the launcher speaks."""
    for reason in (_waiting, _endless_retry, _dead_silently, _left_by_launcher, _echoes):
        if (ground := reason(job)) is not None:
            return ground
    return Ground(summary=FINE, cause="no-failure", certainty=Certainty.LIKELY)


def _waiting(job: Job) -> Ground | None:
    waiting = [voice for voice in job.voices if voice.waited]
    if not waiting or missed_ranks(job):
        return None
    hung = [voice for voice in job.ranks if voice.has_log and not voice.waited]
    rank = hung[0].rank if len(hung) == 1 else None
    evidence = [each.evidence for voice in waiting for each in voice.waited][:3]
    return Ground(
        summary=WAITED if rank is None else HUNG.fill(rank=rank),
        cause="rank-desync-hang",
        certainty=Certainty.LIKELY,
        rank=rank,
        evidence=evidence + (_last_line(hung[0]) if len(hung) == 1 else []),
        next_steps=[LOOK_HANG],
    )


def _dead_silently(job: Job) -> Ground | None:
    """A rank whose own log ends without a word although peers miss it or the launcher saw it fail."""
    codes = {one.rank: (path, one) for path, one in job.failed}
    suspects = [*missed_ranks(job), *codes, *job.blamed]
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
        return Ground(
            summary=summary,
            cause="unknown",
            certainty=Certainty.POSSIBLE,
            rank=rank,
            evidence=evidence,
            next_steps=[LOOK_EXIT, LOOK_KERNEL, RUN_AGAIN],
        )
    return None


def _left_by_launcher(job: Job) -> Ground | None:
    """Only a launcher's obituary, or only its victims: name the files that would tell."""
    victims = [(path, block) for voice in job.voices for path, block in voice.signals if block.signal == "SIGTERM"]
    gone = [each for voice in job.voices for each in voice.said("gloo-peer-gone", "nccl-remote-gone", "store-gone")]
    if not (job.gave_up or victims or gone):
        return None
    missing = missed_ranks(job) or [one.rank for _, one in job.failed] or list(job.blamed)
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
    return Ground(
        summary=ONLY_LAUNCHER if job.gave_up else ONLY_VICTIM,
        cause="launcher-only"
        if unread or not job.ranks or not any(voice.has_log for voice in job.ranks)
        else "unknown",
        certainty=Certainty.LIKELY,
        rank=missing[0] if len(missing) == 1 or missed_ranks(job) else None,
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


def _echoes(job: Job) -> Ground | None:
    """Only echoes of a failure, or lines that merely confirm one."""
    echoes = [each for voice in job.voices for each in voice.of_role(Role.CONSEQUENCE)]
    workers = [each for each in echoes if each.signature.id in ("blocking-queue-killed", "workers-exit-unexpectedly")]
    if workers:
        return Ground(
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
        return Ground(
            summary=NOT_TOLD,
            cause="unknown",
            certainty=Certainty.LIKELY,
            evidence=[each.evidence for each in echoes[:3]],
            next_steps=[RUN_AGAIN],
        )
    return None


def _endless_retry(job: Job) -> Ground | None:
    """A rank that asked so often for a server that this alone is the trouble."""
    return _retry(job, least=ENDLESS)


def _retry(job: Job, *, least: int) -> Ground | None:
    for voice in job.voices:
        connected = max((each.event.last for each in voice.said("ready-endpoints")), default=0)
        retries = [each for each in voice.said("peer-retry") if each.event.last > connected]
        if sum(each.event.count for each in retries) >= max(least, 2 if connected else 1):
            return Ground(
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
