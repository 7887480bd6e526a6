"""What could be the cause: every statement of a voice that may be a root, weighed by what it proves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from paddle_doctor.core.finding import Certainty, Evidence, Fix
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature
from paddle_doctor.subjects.joblog import FailedContainer, Link, PythonError

from .causes import CAUSES
from .tables import OF_EXCEPTIONS
from .voices import Heard, Voice

#: Weights: the smaller, the sooner it is believed. Between statements of one weight the earlier wins.
PROVED, PROBABLE, EXCEPTION, HINT, ECHO = range(5)
_WEIGHT = {Certainty.CERTAIN: PROVED, Certainty.LIKELY: PROBABLE, Certainty.POSSIBLE: HINT}

#: An allocation in shared memory that stands so many lines above "No space left" is what found none.
SHARED_REACH = 60
#: Lines that follow a statement for the last time, from which on the job is held to have got over it.
OUTLIVED = 60

#: Exceptions that only end a loop or wait; what comes after them in a chain is the cause.
_ENDS_OF_LOOPS = frozenset({"StopIteration", "Empty", "queue.Empty", "_queue.Empty", "StopAsyncIteration"})
_NO_CAUSE = frozenset({"SystemExit", "KeyboardInterrupt", "ChildFailedError", "GeneratorExit"})

RAISED = Text("An exception was raised: {what}", "程序抛出异常：{what}")
RAISED_IN_SAMPLE = Text(
    "Reading or transforming a sample raised an exception: {what}", "读取或变换样本时抛出异常：{what}"
)
RAISED_IN_CONFIG = Text(
    "Reading or applying the configuration raised an exception: {what}", "读取或应用配置时抛出异常：{what}"
)
RAISED_AT_VARIABLE = Text(
    "A variable that the launcher sets has an invalid value: {what}",
    "某个启动变量的值无效：{what}",
)
BROKEN_OFF = Text(
    "An exception was raised, but the log breaks off before it says which.",
    "程序抛出了异常，但日志在写出异常内容之前就断了。",
)
HEADER = "Traceback (most recent call last):"
AT_FRAME = Text("The innermost frame in your own code.", "您自己的代码中最内层的调用位置。")
FIX_FRAME = Text("Look at {path}, line {line} ({function}).", "查看 {path} 第 {line} 行（{function}）。")
ENDED_BY_CODE = {
    -9: (
        "host-oom-kill",
        Certainty.LIKELY,
        Text(
            "Rank {rank} was killed with SIGKILL (code {code}); the kernel does that when memory runs out.",
            "rank {rank} 被 SIGKILL 杀死（退出码 {code}）；内存耗尽时内核会这样做。",
        ),
    ),
    -7: (
        "shm-exhausted",
        Certainty.LIKELY,
        Text(
            "Rank {rank} died of a bus error (code {code}); a common reason is that /dev/shm is too small.",
            "rank {rank} 因总线错误退出（退出码 {code}），常见原因是 /dev/shm 太小。",
        ),
    ),
    -4: (
        "illegal-instruction",
        Certainty.CERTAIN,
        Text(
            "Rank {rank} used an instruction that its CPU does not support (code {code}).",
            "rank {rank} 遇到了 CPU 不支持的指令（退出码 {code}）。",
        ),
    ),
    -11: (
        "segfault-unknown",
        Certainty.LIKELY,
        Text(
            "Rank {rank} crashed with a segmentation fault (code {code}).", "rank {rank} 发生段错误（退出码 {code}）。"
        ),
    ),
    -6: (
        "segfault-unknown",
        Certainty.POSSIBLE,
        Text("Rank {rank} was aborted (code {code}).", "rank {rank} 异常中止（abort，退出码 {code}）。"),
    ),
    -8: (
        "segfault-unknown",
        Certainty.LIKELY,
        Text(
            "Rank {rank} died of a floating-point exception (code {code}).",
            "rank {rank} 因浮点异常退出（退出码 {code}）。",
        ),
    ),
}
#: Other ways to write the same: 128 + N of a shell, 256 - N of the launcher, unsigned Windows codes.
SAME_CODE = {
    137: -9, 247: -9, 135: -7, 249: -7, 132: -4, 252: -4, 139: -11, 245: -11, 134: -6, 250: -6, 136: -8,
    143: -15, 241: -15, 3221225477: -11, -1073741819: -11, 3221226505: -6, -1073740791: -6,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A cause that a line speaks for; `weight` orders candidates, `certainty` is said of the cause if it is chosen."""

    cause: str
    certainty: Certainty
    weight: int
    rank: int | None
    line: int
    time: float | None
    says: Text
    evidence: tuple[Evidence, ...]
    fix: Fix
    last_line: int

    @property
    def evidence_line(self) -> int:
        """Where the deciding line stands (of an exception, its end; `line` is where it begins)."""
        return self.evidence[0].line or self.line

    @property
    def order(self) -> tuple[int, int]:
        """What is believed first within one voice."""
        return self.weight, self.line


def candidates_of(voice: Voice) -> list[Candidate]:
    """The candidates of a voice, the most credible first."""
    ends = {(path, error.end): error for path, error in voice.errors}
    found = [_of_event(each, ends, voice) for each in voice.of_role(Role.ROOT)]
    claimed = {(each.path, each.event.line) for each in voice.heard if each.signature.role is not Role.ADVICE}
    found += [
        _of_error(path, error, voice)
        for path, error in _causal_errors(voice)
        if not any((path, line) in claimed for line in _lines_of_message(error))
    ]
    if not found:
        found += _of_summaries(voice)
    found = _before_the_end(voice, _confirmed(voice, found))
    return sorted((each for each in found if not _outlived(voice, each)), key=lambda each: each.order)


def _outlived(voice: Voice, found: Candidate) -> bool:
    """Whether the job went on long after a statement that does not stop every job, and nothing else shows a failure."""
    if found.weight == PROVED or voice.errors or voice.signals or voice.summaries:
        return False
    last = max((file.lines for file in voice.files if file.path == found.evidence[0].path), default=0)
    return last - found.last_line > OUTLIVED


def _lines_of_message(error: PythonError) -> range:
    """Where an exception's message stands: on its last line, or below it if that line has none."""
    return range(error.end, error.end + (1 if error.message or not error.type else 3))


def _before_the_end(voice: Voice, found: list[Candidate]) -> list[Candidate]:
    """The candidates without those that only follow: a crash after a peer has gone, anything after Ctrl-C."""
    fallen = [each.event.line for each in (*voice.said("gloo-peer-gone"), *voice.waited)]
    if fallen:
        found = [each for each in found if each.cause != "segfault-unknown" or each.line < min(fallen)]
    interrupted = [each.event.line for each in voice.said("interrupted")]
    if interrupted:
        last = min(interrupted)
        found = [each for each in found if each.line < last or each.cause == "killed-from-outside"]
    return found


def _confirmed(voice: Voice, found: list[Candidate]) -> list[Candidate]:
    """The candidates in the light of what confirms another cause: which disk is full, what made a worker fail."""
    shared = [each.event.line for each in voice.said("shared-memory-made")]
    starving = voice.said("host-starving")
    return [_in_light_of(each, shared, starving) for each in found]


def _in_light_of(found: Candidate, shared: list[int], starving: list[Heard]) -> Candidate:
    if found.cause == "disk-full" and any(0 <= found.evidence_line - line <= SHARED_REACH for line in shared):
        shm = CAUSES["shm-exhausted"]
        return replace(found, cause=shm.slug, says=shm.title, fix=shm.fix)
    if starving and found.weight >= HINT and found.cause == "dataset-exception-in-worker":
        return replace(
            found,
            cause="host-oom-kill",
            certainty=Certainty.POSSIBLE,
            says=starving[0].signature.says,
            evidence=(starving[0].evidence, *found.evidence),
            fix=CAUSES["host-oom-kill"].fix,
        )
    return found


def of_code(path: str, failed: FailedContainer) -> Candidate | None:
    """The cause that a rank's exit code speaks for, if it speaks for any."""
    code = SAME_CODE.get(failed.code, failed.code)
    if code not in ENDED_BY_CODE:
        return None
    cause, certainty, says = ENDED_BY_CODE[code]
    return Candidate(
        cause=cause,
        certainty=certainty,
        weight=_WEIGHT[certainty],
        rank=failed.rank,
        line=failed.line,
        last_line=failed.line,
        time=None,
        says=says.fill(rank=failed.rank, code=failed.code),
        evidence=(Evidence(text=failed.text, path=path, line=failed.line, rank=failed.rank),),
        fix=CAUSES[cause].fix,
    )


def _of_event(heard: Heard, ends: dict[tuple[str, int], PythonError], voice: Voice) -> Candidate:
    signature, event = heard.signature, heard.event
    error = ends.get((heard.path, event.line))
    weight = _WEIGHT[signature.certainty]
    certainty = signature.certainty
    if signature.id in OF_EXCEPTIONS and error is None:
        weight = min(weight + 1, HINT) if weight != EXCEPTION else weight
        certainty = Certainty.LIKELY if certainty is Certainty.CERTAIN else certainty
    cause = signature.cause or "unknown"
    frame = _frame_evidence(heard.path, error) if error else ()
    return Candidate(
        cause=cause,
        certainty=certainty,
        weight=weight,
        rank=voice.rank,
        line=error.line if error else event.line,
        last_line=event.last,
        time=event.time,
        says=_filled(signature.says, signature, event.fields),
        evidence=(heard.evidence, *frame),
        fix=_fix(signature, event.fields),
    )


def _causal_errors(voice: Voice) -> list[tuple[str, PythonError]]:
    """Of each chain of exceptions the one that counts; noise left out."""
    chosen: list[tuple[str, PythonError]] = []
    for path, error in voice.errors:
        name = error.type.rpartition(".")[2]
        if error.link is Link.IGNORED or error.type in _NO_CAUSE or name in _NO_CAUSE:
            continue
        chained = error.link in (Link.DURING, Link.CAUSED) and chosen and chosen[-1][0] == path
        if not chained or chosen[-1][1].type in _ENDS_OF_LOOPS:
            chosen.append((path, error))
    return [(path, error) for path, error in chosen if error.type not in _ENDS_OF_LOOPS]


def _of_error(path: str, error: PythonError, voice: Voice) -> Candidate:
    """An exception that no signature knows: its stack tells if a sample, a configuration or the program raised it."""
    echoes = voice.said("loader-thread-raised", "bad-sample", "blocking-queue-killed", "workers-exit-unexpectedly")
    if error.in_loader or echoes:
        cause, certainty, raised = "dataset-exception-in-worker", Certainty.LIKELY, RAISED_IN_SAMPLE
    elif any(error.line < each.event.line < error.end for each in voice.said("launch-variable-read")):
        cause, certainty, raised = "env-leftover", Certainty.LIKELY, RAISED_AT_VARIABLE
    elif error.in_config:
        cause, certainty, raised = "config-error", Certainty.LIKELY, RAISED_IN_CONFIG
    else:
        cause, certainty, raised = "user-code-exception", Certainty.LIKELY, RAISED
    fix = CAUSES[cause].fix
    if error.own is not None:
        place = FIX_FRAME.fill(path=error.own.path, line=error.own.line, function=error.own.function or "<module>")
        known = cause == "user-code-exception"  # whose general cure is to look for that place
        fix = replace(
            fix, summary=place if known else Text(f"{place.en} {fix.summary.en}", f"{place.zh}{fix.summary.zh}")
        )
    text = f"{error.type}: {error.message}".removesuffix(": ") if error.type else BROKEN_OFF.en
    return Candidate(
        cause=cause,
        certainty=certainty if error.type else Certainty.POSSIBLE,
        weight=EXCEPTION if error.type else HINT,
        rank=voice.rank,
        line=error.line,
        last_line=error.end,
        time=error.time,
        says=raised.fill(what=text) if error.type else BROKEN_OFF,
        evidence=(
            Evidence(text=text if error.type else HEADER, path=path, line=error.end, rank=voice.rank),
            *_frame_evidence(path, error),
        ),
        fix=fix,
    )


def _of_summaries(voice: Voice) -> Iterator[Candidate]:
    """Paddle's own error blocks that no signature knows: the program asked Paddle for something that it refuses."""
    for path, summary in voice.summaries:
        text = f"{summary.type}: {summary.message or summary.hint or ''}".strip()
        yield Candidate(
            cause="user-code-exception",
            certainty=Certainty.POSSIBLE,
            weight=HINT,
            rank=voice.rank,
            line=summary.line,
            last_line=summary.line,
            time=None,
            says=RAISED.fill(what=text),
            evidence=(Evidence(text=text, path=path, line=summary.line, rank=voice.rank),),
            fix=CAUSES["user-code-exception"].fix,
        )


def _frame_evidence(path: str, error: PythonError) -> tuple[Evidence, ...]:
    if error.own is None:
        return ()
    frame = error.own
    text = f'File "{frame.path}", line {frame.line}' + (f", in {frame.function}" if frame.function else "")
    return (Evidence(text=text, path=path, line=error.line, rank=error.rank, note=AT_FRAME),)


def _fix(signature: Signature, fields: dict[str, str]) -> Fix:
    general = CAUSES[signature.cause or "unknown"]
    if signature.fix is None:
        return Fix(summary=general.cure, commands=signature.commands or general.commands)
    return Fix(summary=_filled(signature.fix, signature, fields), commands=signature.commands)


def _filled(text: Text, signature: Signature, fields: dict[str, str]) -> Text:
    """The words with what the line told; a part that the line did not tell is shown as an ellipsis."""
    names = signature.regex.groupindex
    return text.fill(**{name: fields.get(name) or "…" for name in names}) if names else text
