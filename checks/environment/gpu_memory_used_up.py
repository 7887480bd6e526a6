"""A GPU whose memory is nearly used up before the job has started, and by whom."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.environment import Environment, Gpu, GpuProcess

PAGE = Page(
    code="PD302",
    name="gpu-memory-used-up",
    severity=Severity.WARNING,
    title=Text("A GPU's memory is nearly used up by other processes", "GPU 显存几乎已被其他进程占满"),
    what=Text(
        "At least 90 % of a GPU's memory is in use, or less than 1 GiB of it is free, before your job has started. "
        "The report names the processes that hold it, as far as the driver tells.",
        "任务还没有启动，GPU 显存就已经用掉 90% 以上，或剩余不足 1 GiB。"
        "报告会列出占用显存的进程（以驱动能提供的信息为准）。",
    ),
    why=Text(
        "A job that starts on this GPU is likely to end with ResourceExhaustedError (out of memory), and the "
        "rank on it takes the other ranks down with it. Paddle allocates memory as it needs it, so the failure "
        "can come late. Memory that no visible process holds belongs to another container, or to a process "
        "that has not fully exited.",
        "在这块 GPU 上启动的任务很可能以 ResourceExhaustedError（显存不足）告终，并连累其他 rank。"
        "Paddle 按需分配显存，所以错误可能很晚才出现。没有可见进程占用的显存，属于其他容器，或某个没有彻底退出的进程。",
    ),
    cure=Text(
        "Choose another GPU (CUDA_VISIBLE_DEVICES, or --devices of the launcher), wait, or end processes of "
        "yours that are no longer needed. Look at each process before you end it: it may be somebody's running "
        "job.",
        "换一块 GPU（CUDA_VISIBLE_DEVICES 或启动器的 --devices）、等待，或结束您自己不再需要的进程。结束之前请"
        "逐个确认：它可能是别人正在运行的任务。",
    ),
    since=Text("every GPU build of Paddle", "所有 GPU 版 Paddle"),
    sources=(
        "facts of NVML, as shown in tests/subjects/environment/test_gpus.py",
        "the thresholds are a choice: a CUDA context with Paddle's kernels alone takes some hundred MiB",
    ),
)

GIB = 1 << 30
#: Driver and firmware keep some memory of every GPU for themselves; less than this is nobody's leftover.
DRIVER_SHARE = GIB

MESSAGE = Text(
    "GPU {index} ({name}): {used} of {total} GiB are in use, {free} GiB are free. {holders}",
    "GPU {index}（{name}）：显存已用 {used} / {total} GiB，剩余 {free} GiB。{holders}",
)
HELD_BY = Text("Held by {processes}.", "占用者：{processes}。")
NOBODY = Text(
    "{memory} GiB of it belong to no process that can be seen from here: another container may hold them, "
    "or a process that has not fully exited.",
    "其中 {memory} GiB 不属于从这里能看到的任何进程：可能由其他容器占用，或属于某个没有彻底退出的进程。",
)
FIX = Text(
    "Use another GPU, or end processes of yours that are no longer needed.",
    "换一块 GPU，或结束您自己不再需要的进程。",
)


def _gpu(used: float, total: float, *processes: GpuProcess, hidden: bool = False) -> Environment:
    gpu = Gpu(
        index=0,
        name="NVIDIA A100-SXM4-40GB",
        memory_total=int(total * GIB),
        memory_used=int(used * GIB),
        processes=processes,
        hidden=hidden,
    )
    return Environment(platform="linux", gpus=(gpu,))


HOLDER = GpuProcess(pid=4711, memory=38 * GIB, command="python train.py", user="wang")


def _fires() -> Iterator[Example]:
    yield Example(
        shows=Text("95 % used by a process", "一个进程占用 95%"), subjects={"environment": _gpu(38.2, 40, HOLDER)}
    )
    yield Example(
        shows=Text("a small GPU with half a GiB left", "小显存 GPU 只剩半个 GiB"),
        subjects={"environment": _gpu(3.5, 4, GpuProcess(pid=7, memory=3 * GIB))},
    )
    yield Example(
        shows=Text("memory that nobody holds", "没有进程占用的显存"), subjects={"environment": _gpu(39.5, 40)}
    )


def _silent() -> Iterator[Example]:
    yield Example(
        shows=Text("half of it is used", "用了一半"),
        subjects={"environment": _gpu(20, 40, GpuProcess(pid=7, memory=20 * GIB))},
    )
    yield Example(
        shows=Text("a full GPU that CUDA_VISIBLE_DEVICES leaves out", "已满但不在 CUDA_VISIBLE_DEVICES 中的 GPU"),
        subjects={"environment": _gpu(38.2, 40, HOLDER, hidden=True)},
    )
    yield Example(shows=Text("no GPU", "没有 GPU"), subjects={"environment": Environment(platform="linux")})


@check(PAGE, fires_on=_fires, silent_on=_silent)
def gpu_memory_used_up(environment: Environment) -> Iterator[Finding]:
    """One finding for each GPU that this shell's jobs would see."""
    inside = environment.launcher is not None  # the memory may well be this very job's
    for gpu in environment.gpus:
        if gpu.hidden or gpu.memory_total <= 0 or inside or not _used_up(gpu):
            continue
        # A process without a command is in no table of ours: its number is another container's.
        ended = [str(each.pid) for each in gpu.processes if each.command and environment.may_end(each.user)]
        yield PAGE.finding(
            MESSAGE.fill(
                index=gpu.index,
                name=gpu.name,
                used=_gib(gpu.memory_used),
                total=_gib(gpu.memory_total),
                free=_gib(max(0, gpu.memory_total - gpu.memory_used)),
                holders=_holders(gpu),
            ),
            certainty=Certainty.LIKELY,
            location=Location(gpu=gpu.index),
            evidence=[Evidence(text=_row(each)) for each in gpu.processes],
            fix=Fix(summary=FIX, commands=(f"kill {' '.join(ended)}",) if ended else ()),
        )


def _used_up(gpu: Gpu) -> bool:
    return gpu.memory_used >= 0.9 * gpu.memory_total or gpu.memory_total - gpu.memory_used < GIB


def _holders(gpu: Gpu) -> Text:
    """Who holds the memory, and how much of it nobody does, where the driver tells who holds how much."""
    sentences = []
    if gpu.processes:
        names = [f"pid {each.pid}" + (f" ({each.user})" if each.user else "") for each in gpu.processes[:5]]
        more = len(gpu.processes) - 5
        sentences.append(HELD_BY.fill(processes=", ".join(names) + (f", +{more}" if more > 0 else "")))
    if gpu.processes_told and all(each.memory is not None for each in gpu.processes):
        unowned = gpu.memory_used - sum(each.memory or 0 for each in gpu.processes)
        if unowned > DRIVER_SHARE:
            sentences.append(NOBODY.fill(memory=_gib(unowned)))
    return Text(" ".join(each.en for each in sentences), "".join(each.zh for each in sentences))


def _row(process: GpuProcess) -> str:
    memory = "?" if process.memory is None else f"{_gib(process.memory)} GiB"
    return "  ".join(word for word in (f"pid {process.pid}", memory, process.user, process.command) if word)


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}"
