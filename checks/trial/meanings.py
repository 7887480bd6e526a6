"""What it means that a rung cured the job, in words, and where to look next."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from paddle_doctor.core.finding import Fix
from paddle_doctor.core.language import Text, listing
from paddle_doctor.subjects.trial import Attempt, Rung, Trial

FILES_NAMED = 3


@dataclass(frozen=True, slots=True)
class Meaning:
    """The slug of the cause, the sentence that names it, and the words for the cured run."""

    cause: str
    summary: Text
    cured: Text


MEANINGS = {
    Rung.CLEAN_ENV: Meaning(
        "environment",
        Text(
            "Variables that an earlier launch left in the environment break this job: without {variables} it runs.",
            "环境中残留的启动变量导致任务失败：去掉 {variables} 之后，任务可以正常运行。",
        ),
        Text("runs without the launch variables", "去掉启动变量后可以运行"),
    ),
    Rung.NO_WORKERS: Meaning(
        "workers",
        Text(
            "The DataLoader's worker processes break this job: when the main process reads the data (num_workers=0), "
            "it runs.",
            "问题出在 DataLoader 的 worker 进程：改由主进程读取数据（num_workers=0）后，任务可以正常运行。",
        ),
        Text("runs with num_workers=0", "num_workers=0 时可以运行"),
    ),
    Rung.CPU: Meaning(
        "device",
        Text(
            "The job's use of the GPU breaks it: on the CPU it runs.",
            "问题出在 GPU 的使用上：改在 CPU 上，任务可以正常运行。",
        ),
        Text("runs on the CPU", "在 CPU 上可以运行"),
    ),
    Rung.RANDOM_WEIGHTS: Meaning(
        "weights",
        Text(
            "Loading the weights breaks this job: when nothing is loaded, it runs (its results then mean nothing).",
            "问题出在加载权重：不加载任何权重时，任务可以正常运行（此时的结果没有意义）。",
        ),
        Text("runs when no weights are loaded", "不加载权重时可以运行"),
    ),
}

WITHOUT_THEM = Text("Start the job without these variables.", "启动任务时去掉这些变量。")
WITHOUT_WORKERS = Text(
    "Until the cause in the workers is found, read the data in the main process. It is slower, and an "
    "exception in the Dataset then leaves the job hanging instead of ending it.",
    "在查明 worker 的问题之前，可先由主进程读取数据。这样较慢，而且 Dataset 一旦抛出异常，任务会一直卡住而不会退出。",
)
ON_THE_CPU = Text(
    "Run it on the CPU for now, or install the Paddle wheel and the driver that fit this machine.",
    "暂时在 CPU 上运行，或者安装与本机匹配的 Paddle 版本和驱动。",
)
SEE_ENV = Text(
    "Run 'paddle-doctor env': it explains each of these variables, and prints the line that clears them.",
    "运行“paddle-doctor env”：它会逐个说明这些变量，并给出清除它们的命令。",
)
SEE_ENV_FOR_GPUS = Text(
    "Run 'paddle-doctor env': it compares the installed Paddle with this machine's GPUs and driver.",
    "运行“paddle-doctor env”：它会核对已安装的 Paddle 与本机的 GPU 和驱动。",
)
SEE_ENV_FOR_MEMORY = Text(
    "A worker process was killed or crashed. Run 'paddle-doctor env' to see /dev/shm and the memory; and make sure "
    "that "
    "the Dataset gives NumPy arrays, not paddle Tensors.",
    "有 worker 进程被杀死或崩溃。运行“paddle-doctor env”查看 /dev/shm 与内存；并确认 Dataset 返回的是 NumPy 数组，"
    "而不是 paddle Tensor。",
)
SEE_CKPT = Text("Run 'paddle-doctor ckpt {files}'.", "运行“paddle-doctor ckpt {files}”。")
SEE_DOWNLOADS = Text(
    "The job asked for pretrained weights from {urls}: see whether they can be downloaded from here.",
    "任务要从 {urls} 下载预训练权重：请确认本机能否下载。",
)


def summary_of(cure: Attempt) -> Text:
    """The sentence that names the cause."""
    meaning = MEANINGS[cure.rung]
    return meaning.summary.fill(variables=listing(cure.removed)) if cure.removed else meaning.summary


def fix_of(trial: Trial, cure: Attempt) -> Fix | None:
    """The smallest difference to paste: the command or the line of source with which the job runs."""
    if cure.rung is Rung.CLEAN_ENV:
        return Fix(summary=WITHOUT_THEM, commands=(command_without(trial, cure.removed),), safe=True)
    if cure.rung is Rung.NO_WORKERS:
        return Fix(summary=WITHOUT_WORKERS, code="DataLoader(..., num_workers=0)")
    if cure.rung is Rung.CPU:
        return Fix(summary=ON_THE_CPU, code='paddle.set_device("cpu")')
    return None


def command_without(trial: Trial, variables: tuple[str, ...]) -> str:
    """The job's command line, started without these variables."""
    return shlex.join(["env", *(word for name in variables for word in ("-u", name)), *trial.command])


def steps_after(trial: Trial, cure: Attempt) -> tuple[Text, ...]:
    """What to look at next, now that the corner is known."""
    if cure.rung is Rung.CLEAN_ENV:
        return (SEE_ENV,)
    if cure.rung is Rung.CPU:
        return (SEE_ENV_FOR_GPUS,)
    if cure.rung is Rung.NO_WORKERS:
        return (SEE_ENV_FOR_MEMORY,) if trial.as_is.dead_workers else ()
    files = dict.fromkeys((*trial.as_is.checkpoints, *cure.checkpoints))
    urls = dict.fromkeys((*trial.as_is.downloads, *cure.downloads))
    steps = []
    if files:
        steps.append(SEE_CKPT.fill(files=shlex.join(list(files)[-FILES_NAMED:])))
    if urls:
        steps.append(SEE_DOWNLOADS.fill(urls=listing(list(urls)[:FILES_NAMED])))
    return tuple(steps)
