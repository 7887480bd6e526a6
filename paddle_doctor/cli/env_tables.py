"""What `env` shows of a machine besides findings: a short summary, and what could not be seen."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.finding import Table
from paddle_doctor.core.language import Text, counted, listing, same
from paddle_doctor.subjects.environment import Environment, Gpu, ProcessKind, Space, Unseen, Why

SUMMARY = Text("This machine", "本机")
PYTHON, PADDLE = Text("Python", "Python"), Text("Paddle", "Paddle")
MEMORY, SHARED_MEMORY = Text("Memory", "内存"), Text("Shared memory", "共享内存")
VARIABLES, PORTS, JOBS = (
    Text("Launch variables", "启动变量"),
    Text("Ports", "端口"),
    Text("Running jobs", "运行中的任务"),
)
GPU, DRIVER = Text("GPU {index}", "GPU {index}"), Text("Driver", "驱动")

NOT_INSTALLED = Text("not installed", "未安装")
UNDER_A_LAUNCHER = Text("of the launcher above this shell (pid {pid})", "来自当前 shell 之上的启动器（pid {pid}）")
NONE = Text("none", "无")
FREE_OF = Text("{free} of {total} GiB free", "剩余 {free} / {total} GiB")
FREE_PORTS = Text("{ports} free", "{ports} 空闲")
TAKEN_PORTS = Text("{ports} taken", "{ports} 被占用")

NOT_SEEN = Text("Not seen", "未能查看")
PART = {
    "gpus": Text("GPUs", "GPU"),
    "processes": Text("processes", "进程"),
    "ports": Text("ports", "端口"),
    "interpreter": Text("the job's Python", "任务的 Python"),
    "shm": Text("shared memory", "共享内存"),
    "memory": Text("memory", "内存"),
}
WHY = {
    Why.NO_LIBRARY: Text("no NVIDIA driver is installed (no NVML library)", "没有安装 NVIDIA 驱动（找不到 NVML 库）"),
    Why.NO_DRIVER: Text("the NVIDIA driver is not loaded", "NVIDIA 驱动未加载"),
    Why.VERSION_MISMATCH: Text(
        "the NVIDIA driver and its library have different versions: reboot, or reload the driver",
        "NVIDIA 驱动与其库的版本不一致：请重启，或重新加载驱动",
    ),
    Why.NO_RIGHTS: Text("not permitted for this user", "当前用户没有权限"),
    Why.TIMED_OUT: Text("no answer in time", "超时没有应答"),
    Why.NOT_HERE: Text("does not exist here", "这里没有"),
    Why.FAILED: Text("{detail}", "{detail}"),
}

GIB = 1 << 30
ROWS = 16


def tables(environment: Environment) -> list[Table]:
    """The summary, and the table of what could not be seen if there is any."""
    shown = [Table(title=SUMMARY, rows=tuple(_summary(environment)))]
    if environment.unseen:
        rows = tuple((_part(name), _why(unseen)) for name, unseen in sorted(environment.unseen.items()))
        shown.append(Table(title=NOT_SEEN, rows=rows))
    return shown


def _summary(environment: Environment) -> Iterator[tuple[Text, Text]]:
    python = environment.interpreter
    if python is not None:
        yield PYTHON, same(f"{python.python_version}  {python.executable}")
        version = " ".join(word for word in (python.paddle_version, python.paddle_build) if word)
        yield PADDLE, same(version) if version else NOT_INSTALLED
    if environment.driver_version is not None:
        yield DRIVER, same(environment.driver_version)
    for gpu in environment.gpus[:ROWS]:
        yield GPU.fill(index=gpu.index), _gpu(gpu)
    for name, space in ((MEMORY, environment.memory), (SHARED_MEMORY, environment.shm)):
        if space is not None:
            yield name, _space(space)
    yield VARIABLES, _variables(environment)
    yield PORTS, _ports(environment)
    yield JOBS, _jobs(environment)


def _gpu(gpu: Gpu) -> Text:
    free = Space(total=gpu.memory_total, free=max(0, gpu.memory_total - gpu.memory_used))
    return Text("{name}, {space}", "{name}，{space}").fill(name=gpu.name, space=_space(free))


def _space(space: Space) -> Text:
    return FREE_OF.fill(free=f"{space.free / GIB:.1f}", total=f"{space.total / GIB:.1f}")


def _variables(environment: Environment) -> Text:
    names = [name for name in environment.variables if name.startswith(("PADDLE_", "POD_", "TRAINING_ROLE"))]
    if not names:
        return NONE
    launcher = environment.launcher
    whose = UNDER_A_LAUNCHER.fill(pid=launcher.pid) if launcher else None
    shown = listing(names[:ROWS])
    return Text("{names}, {whose}", "{names}，{whose}").fill(names=shown, whose=whose) if whose else shown


def _ports(environment: Environment) -> Text:
    parts = []
    for state, template in (("listening", TAKEN_PORTS), ("free", FREE_PORTS)):
        numbers = [str(port.number) for port in environment.ports if port.state == state]
        if numbers:
            parts.append(template.fill(ports=listing(numbers[:ROWS])))
    return Text(", ".join(each.en for each in parts), "，".join(each.zh for each in parts)) if parts else NONE


def _jobs(environment: Environment) -> Text:
    running = [each for each in environment.processes if not each.zombie and not each.orphan]
    launchers = sum(each.kind is ProcessKind.LAUNCHER for each in running)
    ranks = sum(each.kind is ProcessKind.RANK for each in running)
    if not launchers and not ranks:
        return NONE
    return listing(
        [
            counted(launchers, "launcher", "launchers", "个启动器"),
            counted(ranks, "rank", "ranks", "个 rank"),
        ]
    )


def _part(name: str) -> Text:
    return PART.get(name, same(name))


def _why(unseen: Unseen) -> Text:
    return WHY[unseen.why].fill(detail=unseen.detail or "?")
