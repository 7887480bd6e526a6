"""`paddle-doctor repro`: run the job again under one changed condition after the other, and say what cures it."""

from __future__ import annotations

import math
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Annotated

import typer

from paddle_doctor.cli.options import command
from paddle_doctor.cli.session import Session
from paddle_doctor.core.errors import InputError, near_miss
from paddle_doctor.core.facts import to_plain
from paddle_doctor.core.finding import Table
from paddle_doctor.core.language import Text, listing, same, say
from paddle_doctor.core.paths import is_file, is_folder
from paddle_doctor.subjects.environment import find_interpreter
from paddle_doctor.subjects.trial import (
    DEFAULT_TIMEOUT,
    RUNGS,
    Attempt,
    Outcome,
    Rung,
    Standing,
    Trial,
    climb,
    standing,
)

HELP = Text(
    """Run the job again, changing one thing at a time, until it runs: that thing names the cause.

    The runs: **as-is**; **clean-env** (without launch variables); **no-workers** (every DataLoader with num_workers=0);
    **cpu**; **random-weights** (no weights are loaded). No file of yours is edited; the job runs in this folder and
    writes there what it always writes. Its standard input is empty.

    - A script: **paddle-doctor repro eval.py --data val/**
    - A launch: **paddle-doctor repro -- python -m paddle.distributed.launch --nproc_per_node 2 eval.py**
    - Only some runs: **paddle-doctor repro --rungs cpu,random-weights --timeout 60 eval.py**

    Options of paddle-doctor come before the script or the --; everything after it belongs to the job.
    """,
    """每次只改一处，反复运行任务，直到它跑起来：那一处就是原因所在。

    依次运行：**as-is**（原样）；**clean-env**（去掉启动变量）；**no-workers**（所有 DataLoader 的 num_workers=0）；
    **cpu**；**random-weights**（不加载任何权重）。不会修改您的文件；任务在当前目录运行，照常在这里写文件。标准输入为空。

    - 脚本：**paddle-doctor repro eval.py --data val/**
    - 启动命令：**paddle-doctor repro -- python -m paddle.distributed.launch --nproc_per_node 2 eval.py**
    - 只跑部分：**paddle-doctor repro --rungs cpu,random-weights --timeout 60 eval.py**

    paddle-doctor 的选项写在脚本或 -- 之前；其后的一切都属于任务。
    """,
)
CONTEXT = {"allow_interspersed_args": False}

NO_SCRIPT = Text("There is no script {path}.", "没有脚本 {path}。")
A_FOLDER = Text(
    "{path} is a folder; repro runs a script or, after --, a command.",
    "{path} 是目录；repro 运行脚本，或 -- 之后的命令。",
)
NO_COMMAND = Text("There is no script and no command '{name}'.", "没有名为“{name}”的脚本或命令。")
NO_PYTHON = Text(
    "No Python was found to run {path} with; name one with --python.",
    "找不到可运行 {path} 的 Python；请用 --python 指定。",
)
NO_TIME = Text("--timeout is a number of seconds.", "--timeout 应为秒数。")
NO_RUNG = Text(
    "There is no run '{word}'.{hint} The runs are {rungs}.", "没有“{word}”这种运行方式。{hint}可选：{rungs}。"
)
RUNNING_IN = Text(
    "Running the job in {folder}, up to {seconds} s each time. It writes its files as always.",
    "在 {folder} 中运行任务，每次最多 {seconds} 秒。任务会照常写文件。",
)
NOW_RUNNING = Text(
    "{rung}: {seconds} s of at most {limit} s, {batches} batches",
    "{rung}：{seconds} 秒（上限 {limit} 秒），{batches} 个 batch",
)
ONCE_MORE = Text("{rung}, once more", "{rung}（再次）")
JOB, COMMAND, FOLDER = Text("The job", "任务"), Text("command", "命令"), Text("folder", "目录")
RUNS = Text("The runs", "各次运行")
COLUMNS = (
    Text("run", "运行"),
    Text("time", "用时"),
    Text("batches", "batch 数"),
    Text("fault", "故障"),
    Text("outcome", "结果"),
)

OUTCOMES = {
    Outcome.PASSED: Text("ran to its end", "运行到结束"),
    Outcome.FAILED: Text("failed", "失败"),
    Outcome.STOOD_STILL: Text("stood still", "停住不动"),
    Outcome.HUNG: Text("hung", "卡住"),
    Outcome.UNFINISHED: Text("still working", "仍在工作"),
    Outcome.OUTLIVED: Text("got past the failure", "越过了失败点"),
    Outcome.UNCHANGED: Text("would change nothing", "不会带来改变"),
}
ENDED_WITH = Text("{outcome} ({how})", "{outcome}（{how}）")
STATUS = Text("status {status}", "退出码 {status}")
STANDINGS = {
    Standing.CURED: Text("gone", "消失"),
    Standing.SAME: Text("the same", "相同"),
    Standing.REVEALED: Text("shown directly", "直接显现"),
    Standing.OTHER: Text("another", "不同"),
    Standing.UNCHANGED: same("-"),
}


@command
def repro(
    session: Session,
    job: Annotated[
        list[str],
        typer.Argument(
            metavar="SCRIPT [ARG]... | -- COMMAND...",
            help=say("The job: a script with its arguments, or a command.", "任务：脚本及其参数，或一条命令。"),
        ),
    ],
    *,
    rungs: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help=say(
                "Only these runs after as-is (default: one after the other, until one cures).",
                "只进行这些运行（默认：依次进行，直到故障消失为止）。",
            ),
        ),
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help=say("Go on after a run that cures.", "故障消失后仍继续其余运行。")),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1,
            help=say(
                "Time limit of each run; a run that reaches it without progress counts as hung.",
                "每次运行的时限；到时限仍无进展即视为卡住。",
            ),
        ),
    ] = DEFAULT_TIMEOUT,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help=say(
                "The Python that runs SCRIPT (default: that of the active virtualenv or conda, else python3).",
                "用来运行 SCRIPT 的 Python（默认：当前 virtualenv 或 conda 的，其次 python3）。",
            ),
        ),
    ] = None,
) -> None:
    """Climb the ladder, judge, report."""
    if math.isnan(timeout):
        raise InputError(NO_TIME)
    words = _command_line(job, python)
    chosen = _rungs(rungs) if rungs is not None else RUNGS
    with _Progress(session, timeout) as progress:
        trial = climb(
            words, rungs=chosen, chosen=rungs is not None, timeout=timeout, keep_going=keep_going, watcher=progress
        )
    session.finish({"trial": [trial]}, facts=to_plain(trial), tables=[_job(trial), _runs(trial)])


def _command_line(job: Sequence[str], python: str | None) -> list[str]:
    """The command that runs the job: a script goes to the job's Python, anything else is run as it stands."""
    first = Path(job[0])
    is_script = first.suffix in (".py", ".pyw") or (is_file(first) and not os.access(first, os.X_OK))
    if is_folder(first):
        raise InputError(A_FOLDER.fill(path=first))
    if not is_script:
        if shutil.which(job[0]) is None:
            raise InputError(NO_COMMAND.fill(name=job[0]))
        return list(job)
    if not is_file(first):
        raise InputError(NO_SCRIPT.fill(path=first))
    interpreter = find_interpreter(python, os.environ)
    if interpreter is None:
        raise InputError(NO_PYTHON.fill(path=first))
    return [interpreter, *job]


def _rungs(given: str) -> list[Rung]:
    """The rungs that were named, in the order of the ladder; as-is always comes first and may be named too."""
    known = {rung.value: rung for rung in Rung}
    words = given.replace(",", " ").split()
    for word in words:
        if word not in known:
            raise InputError(NO_RUNG.fill(word=word, hint=near_miss(word, known), rungs=listing(known)))
    return [rung for rung in RUNGS if rung.value in words]


class _Progress:
    """Shows on the terminal which run is under way; where nobody looks, only where the job runs."""

    def __init__(self, session: Session, timeout: float) -> None:
        self._session = session
        self._timeout = timeout
        self._rung = same("")
        self._limit = timeout

    def __enter__(self) -> _Progress:
        from rich.console import Console

        from paddle_doctor.report.inert import inert

        self._console = Console(stderr=True, highlight=False, markup=False)
        start = RUNNING_IN.fill(folder=Path.cwd(), seconds=f"{self._timeout:g}")
        self._console.print(inert(self._session.say(start)), style="dim", soft_wrap=True)
        self._status = self._console.status("") if sys.stderr.isatty() else None
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def started(self, rung: Rung, timeout: float, *, again: bool) -> None:
        """A run begins."""
        self._rung = ONCE_MORE.fill(rung=rung.value) if again else same(rung.value)
        self._limit = timeout
        self.progressed(0.0, 0)

    def progressed(self, seconds: float, batches: int) -> None:
        """The run goes on."""
        if self._status is not None:
            words = NOW_RUNNING.fill(
                rung=self._rung, seconds=f"{seconds:.0f}", limit=f"{self._limit:g}", batches=batches
            )
            self._status.update(self._session.say(words))

    def ended(self, attempt: Attempt, *, again: bool) -> None:
        """A run is over: on the terminal its outcome stays to be read."""
        if self._status is not None:
            name = ONCE_MORE.fill(rung=attempt.rung.value) if again else same(attempt.rung.value)
            self._console.print(f"{self._session.say(name)}: {self._session.say(_outcome(attempt))}", style="dim")


def _job(trial: Trial) -> Table:
    return Table(title=JOB, rows=((COMMAND, shlex.join(trial.command)), (FOLDER, trial.folder)))


def _runs(trial: Trial) -> Table:
    rows = [_row(same(each.rung.value), each, trial.as_is) for each in trial.attempts]
    if trial.again is not None:
        rows.append(_row(ONCE_MORE.fill(rung=trial.again.rung.value), trial.again, trial.as_is))
    return Table(title=RUNS, columns=COLUMNS, rows=tuple(rows))


def _row(name: Text, attempt: Attempt, as_is: Attempt) -> tuple[Text | str, ...]:
    ran = attempt.outcome is not Outcome.UNCHANGED
    fault: Text | str = "-" if attempt is as_is or as_is.well else STANDINGS[standing(attempt, as_is)]
    return (
        name,
        f"{attempt.seconds:.1f} s" if ran else "-",
        str(attempt.batches) if ran else "-",
        fault,
        _outcome(attempt),
    )


def _outcome(attempt: Attempt) -> Text:
    words = OUTCOMES[attempt.outcome]
    if attempt.outcome is not Outcome.FAILED:
        return words
    return ENDED_WITH.fill(outcome=words, how=attempt.signal or STATUS.fill(status=attempt.status))
