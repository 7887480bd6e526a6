"""Names the corner in which a job's fault lies, by the one change that cured it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Fix, Severity, Verdict
from paddle_doctor.core.language import Text, listing, same
from paddle_doctor.subjects.trial import (
    RUNGS,
    Attempt,
    Outcome,
    Raised,
    Rung,
    Standing,
    Trial,
    standing,
    tells_of_dead_workers,
)

from .meanings import MEANINGS, SEE_ENV, WITHOUT_THEM, command_without, fix_of, steps_after, summary_of
from .patients import BAD_SAMPLE, CUT_FILE, FAILED, HUNG, NO_GPU, QUEUE_KILLED, RAN, example, trial

PAGE = Page(
    code="PD601",
    name="what-cures-it",
    severity=Severity.ERROR,
    title=Text("The one change that makes the failing job run", "让失败的任务跑起来的那一处改动"),
    what=Text(
        "The job was run again under one changed condition after the other: without launch variables, with "
        "num_workers=0, on the CPU, without loading weights. The first change with which the fault is gone "
        "names the area in which it lies. Before that is believed, the job is run unchanged once more: if it "
        "passes now, no change cured it, and the failure merely comes and goes. If no change cures it, the "
        "fault is in the script or its data.",
        "依次在一处条件改变的情况下重新运行任务：去掉启动变量、num_workers=0、使用 CPU、不加载权重。第一个使故"
        "障消失的改动，就指出了问题所在的方向。在采信之前，会原样再跑一遍：如果这次通过了，说明起作用的并不是该"
        "改动，故障只是时有时无。如果没有任何改动能消除故障，问题就在脚本或数据本身。",
    ),
    why=Text(
        "What the console shows last is often not the cause: a killed queue, a rank that the launcher ended, a "
        "silent hang. What differs when just one thing is changed is evidence. One trap is avoided: with "
        "num_workers=0 an exception in the Dataset is printed and the job then hangs for ever. That is the "
        "same fault, now shown directly: neither a cure nor a new fault.",
        "控制台最后显示的往往不是原因：被终止的队列、被启动器结束的 rank、毫无输出的卡住。只改一处时所发生的变"
        "化才是证据。这里避开了一个陷阱：num_workers=0 时，Dataset 中的异常会被打印出来，随后任务就一直卡住。那"
        "是同一个故障直接显现出来，既不是修好了，也不是新的故障。",
    ),
    cure=Text(
        "Follow the next step that is named: 'env' for variables and devices, 'ckpt' for weights, the exception and "
        "its "
        "line for the script. The command that is shown runs the job with the cure and without paddle-doctor.",
        "按提示的下一步操作：变量与设备用“env”，权重用“ckpt”，脚本问题看异常及其所在行。给出的命令可以在不借助 "
        "paddle-doctor 的情况下带着改动运行任务。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/checks/trial/test_real_trials.py", "measured: tests/lab"),
)

SCRIPT = Text(
    "None of the changes cures it: the fault is in the script itself or in its data.",
    "所有改动都不能消除故障：问题在脚本自身或其数据中。",
)
SCRIPT_RAISES = Text(
    "None of the changes cures it: the fault is in the script itself or in its data. {place} raises {error}.",
    "所有改动都不能消除故障：问题在脚本自身或其数据中。{place} 抛出了 {error}。",
)
DATASET_KILLS = Text(
    "None of the changes cures it: whichever process reads the data dies ({how}). The fault is in the code "
    "that reads a sample.",
    "所有改动都不能消除故障：无论由哪个进程读取数据，该进程都会异常退出（{how}）。问题在读取样本的代码中。",
)
FLAKY = Text(
    "The failure comes and goes: run again unchanged, the job did not fail. What passed in between proves nothing.",
    "故障时有时无：原样再跑一遍，任务并没有失败。其间某次运行通过不能说明任何问题。",
)
NO_FAILURE = Text("The job does not fail here.", "任务在这里没有失败。")
STILL_WORKING = Text(
    "The job had not failed when it was stopped after {seconds} s; it was still delivering batches. Give it more time "
    "with --timeout.",
    "任务在 {seconds} 秒后被停止时并未失败，仍在读取数据。可用 --timeout 给它更多时间。",
)
OTHER_DATA = Text(
    "The job does not fail, but variables that an earlier launch left behind change what it does: with {variables} it "
    "reads {these} batches, without {count} {those}.",
    "任务没有失败，但残留的启动变量改变了它的行为：带着 {variables} 时只读到 {these} 个 batch，去掉之后读到 {those} "
    "个。",
)
UNWATCHED = Text(
    "The job's Python could not be watched from inside (it was started with -I, -E or -S, or it is not "
    "Python), so only the environment could be changed.",
    "无法从内部观察该任务的 Python（启动时带了 -I、-E 或 -S，或者它不是 Python），因此只能改变环境变量。",
)
READ_THE_OUTPUT = Text(
    "Read the end of its output above, or ask 'paddle-doctor log' about the log folder.",
    "请看上面输出的末尾，或用“paddle-doctor log”分析日志目录。",
)
REPEAT = Text(
    "Run 'paddle-doctor repro' a few more times: which runs fail is the next evidence.",
    "多运行几次“paddle-doctor repro”：哪些运行会失败就是下一步的证据。",
)

AS_IS = Text("the job as it is", "原样运行")
AGAIN = Text("as it is, once more", "再次原样运行")
SHOWN_BARE = Text("with num_workers=0 the same fault shows directly", "num_workers=0 时，同一故障直接显现")
ITS_EXCEPTION = Text("the exception", "异常")
IN_A_WORKER = Text("raised in a DataLoader worker", "在 DataLoader 的 worker 中抛出")
IN_THE_READER = Text("raised while a sample was read", "在读取样本时抛出")
PADDLE_SAYS = Text("what Paddle says of its workers", "Paddle 关于 worker 的说明")
LAST_LINE = Text("the last line that it printed", "它打印的最后一行")


def _fires() -> Iterator[Example]:
    clean = dataclasses.replace(RAN, rung=Rung.CLEAN_ENV, removed=("PADDLE_TRAINERS_NUM",))
    yield example(
        "hangs with a leftover PADDLE_TRAINERS_NUM, runs without it, hangs again with it",
        "残留 PADDLE_TRAINERS_NUM 时卡住，去掉后运行正常，加回来又卡住",
        trial(HUNG, clean, again=HUNG),
    )
    bad = dataclasses.replace(FAILED, raised=(BAD_SAMPLE, QUEUE_KILLED))
    bare = dataclasses.replace(
        FAILED, rung=Rung.NO_WORKERS, outcome=Outcome.STOOD_STILL, status=None, raised=(BAD_SAMPLE,)
    )
    yield example(
        "a sample that cannot be read fails in a worker, and shows directly without workers",
        "某个样本无法读取：在 worker 中失败，不用 worker 时直接显现",
        trial(bad, bare),
    )
    no_gpu = dataclasses.replace(FAILED, raised=(NO_GPU,))
    cpu = dataclasses.replace(RAN, rung=Rung.CPU, changed=("paddle.device",))
    yield example(
        "a job asks for a GPU, but Paddle is the CPU build",
        "在 CPU 版 Paddle 上要求使用 GPU",
        trial(no_gpu, cpu, again=no_gpu),
    )
    cut = dataclasses.replace(FAILED, raised=(CUT_FILE,), checkpoints=("/job/best.pdparams",))
    random = dataclasses.replace(RAN, rung=Rung.RANDOM_WEIGHTS, changed=("paddle.framework.io",))
    yield example("a truncated checkpoint", "被截断的权重文件", trial(cut, random, again=cut))
    dead = dataclasses.replace(FAILED, raised=(QUEUE_KILLED,), dead_workers=True)
    without = dataclasses.replace(RAN, rung=Rung.NO_WORKERS, changed=("paddle.io.reader",))
    yield example(
        "a worker is killed; without workers all is well",
        "worker 被杀死；不用 worker 则正常",
        trial(dead, without, again=dead),
    )
    yield example("the second unchanged run passes", "第二次原样运行通过了", trial(dead, without, again=RAN))
    half = dataclasses.replace(RAN, batches=5)
    yield example(
        "does not fail, but leftover variables take half of its data",
        "没有失败，但残留变量使它只读了一半数据",
        trial(half, clean),
    )


def _silent() -> Iterator[Example]:
    yield example("a job that does not fail", "没有失败的任务", trial(RAN))
    clean = dataclasses.replace(RAN, rung=Rung.CLEAN_ENV, removed=("PADDLE_TRAINER_ID",))
    yield example("launch variables that change nothing", "不影响结果的启动变量", trial(RAN, clean))
    long = dataclasses.replace(RAN, outcome=Outcome.UNFINISHED, status=None, seconds=600.0)
    yield example("a long job, still delivering batches at the time limit", "到时限时仍在读取数据的长任务", trial(long))


@check(PAGE, fires_on=_fires, silent_on=_silent)
def what_cures_it(trial: Trial) -> Iterator[Verdict]:
    """One verdict for every trial."""
    if trial.as_is.well:
        yield _no_failure(trial)
    elif _comes_and_goes(trial):
        yield Verdict(
            cause="flaky",
            certainty=Certainty.CERTAIN,
            summary=FLAKY,
            evidence=(*_failure(trial.as_is), *_again(trial)),
            next_steps=(REPEAT,),
        )
    elif trial.cures:
        yield _cured(trial, trial.cures[0])
    else:
        yield _uncured(trial)


def _no_failure(trial: Trial) -> Verdict:
    as_is, clean = trial.as_is, trial.attempt(Rung.CLEAN_ENV)
    if as_is.outcome is Outcome.UNFINISHED:
        summary = STILL_WORKING.fill(seconds=f"{as_is.seconds:.0f}")
        return Verdict(cause="no-failure", certainty=Certainty.LIKELY, summary=summary, failed=False)
    both_ran = clean is not None and as_is.outcome is clean.outcome is Outcome.PASSED
    if clean is None or not both_ran or clean.batches == as_is.batches or not clean.removed:
        return Verdict(cause="no-failure", certainty=Certainty.CERTAIN, summary=NO_FAILURE, failed=False)
    return Verdict(
        cause="environment",
        certainty=Certainty.CERTAIN,
        summary=OTHER_DATA.fill(
            variables=listing(clean.removed),
            these=as_is.batches,
            those=clean.batches,
            count="it" if len(clean.removed) == 1 else "them",
        ),
        evidence=(_run(as_is, AS_IS), _run(clean, MEANINGS[Rung.CLEAN_ENV].cured)),
        fix=Fix(summary=WITHOUT_THEM, commands=(command_without(trial, clean.removed),), safe=True),
        next_steps=(SEE_ENV,),
    )


def _comes_and_goes(trial: Trial) -> bool:
    """Whether the job passed without any change: in the repeated run, or under a change that never took hold."""
    passed_unchanged = [
        each
        for each in trial.attempts[1:]
        if each.well and each.rung is not Rung.CLEAN_ENV and not each.changed and not each.added
    ]
    return bool(passed_unchanged) or (trial.again is not None and trial.again.well)


def _cured(trial: Trial, cure: Attempt) -> Verdict:
    again = trial.again
    proved = again is not None and again.fingerprint == trial.as_is.fingerprint
    return Verdict(
        cause=MEANINGS[cure.rung].cause,
        certainty=Certainty.CERTAIN if proved else Certainty.LIKELY,
        summary=summary_of(cure),
        rank=_rank(trial.as_is),
        evidence=(*_failure(trial.as_is), _run(cure, MEANINGS[cure.rung].cured), *_again(trial)),
        consequences=_consequences(trial.as_is),
        fix=fix_of(trial, cure),
        next_steps=steps_after(trial, cure),
    )


def _uncured(trial: Trial) -> Verdict:
    as_is = trial.as_is
    bare = next((each for each in trial.attempts[1:] if standing(each, as_is) is Standing.REVEALED), None)
    without_workers = trial.attempt(Rung.NO_WORKERS)
    shown = bare or (without_workers if without_workers and without_workers.outcome is Outcome.STOOD_STILL else None)
    root = as_is.root or (shown.root if shown else None)
    if root is not None:
        place = root.place
        where = same(f"{place.path}:{place.line}") if place else AS_IS
        summary = SCRIPT_RAISES.fill(place=where, error=_named(root))
    elif bare is not None:
        summary = DATASET_KILLS.fill(how=bare.signal or bare.outcome.value)
    else:
        summary = SCRIPT
    evidence = list(_failure(as_is))
    if shown is not None:
        evidence += [_run(shown, SHOWN_BARE), *_raised(shown.root)]
    steps = [] if root is not None else [READ_THE_OUTPUT]
    if not as_is.processes:
        steps.append(UNWATCHED)
    return Verdict(
        cause="script",
        certainty=_certainty_of_no_cure(trial, root),
        summary=summary,
        rank=_rank(as_is),
        evidence=tuple(dict.fromkeys(evidence)),
        consequences=_consequences(as_is),
        next_steps=tuple(steps),
    )


def _certainty_of_no_cure(trial: Trial, root: Raised | None) -> Certainty:
    """Certain if every change was tried, or would have changed nothing, and the same exception came each time."""
    if not trial.as_is.processes:
        return Certainty.POSSIBLE
    tried = {each.rung for each in trial.attempts}
    same_fault = all(standing(each, trial.as_is) is not Standing.OTHER for each in trial.attempts[1:])
    return Certainty.CERTAIN if root is not None and same_fault and tried >= set(RUNGS) else Certainty.LIKELY


def _failure(as_is: Attempt) -> tuple[Evidence, ...]:
    """How the job fails as it is: the exception with its place, or the last line it printed; and how it ended."""
    if as_is.root is not None:
        return (_run(as_is, AS_IS), *_raised(as_is.root))
    telling = [line for line in as_is.output if tells_of_dead_workers(line)]
    if telling:
        return (_run(as_is, AS_IS), Evidence(text=telling[0], note=PADDLE_SAYS))
    return (_run(as_is, AS_IS), *(Evidence(text=line, note=LAST_LINE) for line in as_is.output[-1:]))


def _again(trial: Trial) -> tuple[Evidence, ...]:
    return (_run(trial.again, AGAIN),) if trial.again is not None else ()


def _raised(root: Raised | None) -> tuple[Evidence, ...]:
    if root is None:
        return ()
    place = root.place
    note = IN_A_WORKER if root.in_worker else IN_THE_READER if root.in_reader else ITS_EXCEPTION
    return (
        Evidence(
            text=_named(root),
            path=place.path if place else None,
            line=place.line if place else None,
            rank=root.rank,
            note=note,
        ),
    )


def _run(attempt: Attempt, note: Text) -> Evidence:
    """A run in one line of plain facts: ``clean-env: passed, status 0, 10 batches, 9.1 s``."""
    facts = [attempt.outcome.value]
    if attempt.signal:
        facts.append(attempt.signal)
    elif attempt.status is not None:
        facts.append(f"status {attempt.status}")
    if attempt.batches:
        facts.append(f"batches {attempt.batches}")
    return Evidence(text=f"{attempt.rung.value}: {', '.join(facts)}, {attempt.seconds:.1f} s", note=note)


def _consequences(as_is: Attempt) -> tuple[Evidence, ...]:
    if as_is.root is None:
        return ()
    return tuple(Evidence(text=_named(each), rank=each.rank) for each in as_is.raised if each.secondary)


def _named(raised: Raised) -> str:
    first = raised.message.splitlines()[0] if raised.message else ""
    return f"{raised.type}: {first}" if first else raised.type


def _rank(as_is: Attempt) -> int | None:
    return as_is.root.rank if as_is.root is not None else None
