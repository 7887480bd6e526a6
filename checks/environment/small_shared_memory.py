"""Shared memory so small that DataLoader workers are likely to die of it."""

# ruff: noqa: S108 - /dev/shm is spoken of here, not written to
from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.environment import Environment, Space

PAGE = Page(
    code="PD305",
    name="small-shared-memory",
    severity=Severity.WARNING,
    title=Text("/dev/shm is small for DataLoader workers", "/dev/shm 太小，DataLoader worker 可能因此崩溃"),
    what=Text(
        "DataLoader workers hand their batches to the main process through shared memory, /dev/shm. Here it holds no "
        "more than 64 MiB, which is what Docker gives a container unless told otherwise, or less than 64 MiB of it are "
        "free.",
        "DataLoader 的 worker 通过共享内存 /dev/shm 把 batch 交给主进程。这里的 /dev/shm 总共不超过 64 MiB"
        "（Docker 容器的默认值），或剩余不足 64 MiB。",
    ),
    why=Text(
        "When the batches in flight do not fit, a worker dies of a bus error (SIGBUS), 'insufficient shared "
        "memory', or the file of a batch cannot be opened; then the blocking queue is killed. 8 MB samples in "
        "64 MB do that, 4 kB samples even in 4 MB do not: it depends on the size of a batch, times workers, "
        "times batches fetched ahead.",
        "一旦在途的 batch 放不下，worker 就会因总线错误（SIGBUS，insufficient shared memory）而崩溃，或打不开存"
        "放 batch 的文件，随后 Blocking queue 被终止。64 MB 下 8 MB 的样本会出错，而 4 kB 的样本在 4 MB 下也没"
        "问题：取决于 batch 大小 × worker 数 × 预取数。",
    ),
    cure=Text(
        "Start the container with more: docker run --shm-size=8g (or --ipc=host); in Kubernetes mount an emptyDir with "
        "medium: Memory at /dev/shm. Without that, use_shared_memory=False in the DataLoader works, more slowly.",
        "启动容器时加大共享内存：docker run --shm-size=8g（或 --ipc=host）；Kubernetes 中把 medium: Memory 的 emptyDir "
        "挂载到 /dev/shm。无法修改时，DataLoader 设置 use_shared_memory=False 也能用，只是较慢。",
    ),
    since=Text("Paddle 2.6 and 3.3", "Paddle 2.6 和 3.3"),
    sources=(
        "measured: tests/lab/faults/shared-memory-of-4-mb (3.3.1)",
        "measured: 800 kB samples in 4 MB, 8 MB samples in 64 MB, on 2.6.2 and 3.3.1",
        "Docker's default of 64 MB: https://docs.docker.com/reference/cli/docker/container/run/ (--shm-size)",
    ),
)

MIB = 1 << 20
#: What Docker gives a container that asks for nothing.
DOCKER_DEFAULT = 64 * MIB

SMALL = Text(
    "/dev/shm holds {total} MiB in all, {free} of them free. DataLoader workers die of a bus error if their batches do "
    "not fit.",
    "/dev/shm 总共只有 {total} MiB，剩余 {free} MiB。若 batch 放不下，DataLoader worker 会因总线错误而崩溃。",
)
FULL = Text(
    "Only {free} of {total} MiB of /dev/shm are free. DataLoader workers die of a bus error if their "
    "batches do not fit; files that dead jobs left there may be what fills it.",
    "/dev/shm 共 {total} MiB，仅剩 {free} MiB。若 batch 放不下，DataLoader worker 会因总线错误而崩溃；占满"
    "它的可能是已结束任务残留在其中的文件。",
)
ENLARGE = Text(
    "Start the container with a larger /dev/shm; or use_shared_memory=False in the DataLoader.",
    "以更大的 /dev/shm 启动容器；或在 DataLoader 中设置 use_shared_memory=False。",
)
LOOK = Text(
    "See what fills it, and remove what no running process uses.",
    "查看是什么占用了它，并删除没有进程在用的文件。",
)


def _machine(total: int, free: int) -> Environment:
    return Environment(platform="linux", shm=Space(total=total * MIB, free=free * MIB))


def _fires() -> Iterator[Example]:
    yield Example(shows=Text("Docker's default", "Docker 默认值"), subjects={"environment": _machine(64, 64)})
    yield Example(shows=Text("a full one", "已占满"), subjects={"environment": _machine(8192, 3)})


def _silent() -> Iterator[Example]:
    yield Example(shows=Text("plenty", "足够大"), subjects={"environment": _machine(8192, 8000)})
    yield Example(
        shows=Text("a platform without /dev/shm", "没有 /dev/shm 的平台"),
        subjects={"environment": Environment(platform="darwin")},
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def small_shared_memory(environment: Environment) -> Iterator[Finding]:
    """Speaks of what is likely: the size of a batch is not known here."""
    shm = environment.shm
    if shm is None or shm.total <= 0:
        return
    small = shm.total <= DOCKER_DEFAULT
    if small or shm.free < DOCKER_DEFAULT:
        sizes = {"total": shm.total // MIB, "free": shm.free // MIB}
        yield PAGE.finding(
            (SMALL if small else FULL).fill(**sizes),
            certainty=Certainty.LIKELY if small else Certainty.POSSIBLE,
            evidence=[Evidence(text=f"/dev/shm: {sizes['total']} MiB, {sizes['free']} MiB free")],
            fix=Fix(summary=ENLARGE, commands=("docker run --shm-size=8g ...",))
            if small
            else Fix(summary=LOOK, commands=("ls -l /dev/shm",)),
        )
