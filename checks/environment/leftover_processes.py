"""Processes that a dead job has left behind: orphaned ranks and workers, and zombies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, counted
from paddle_doctor.subjects.environment import Environment, Process, ProcessKind

PAGE = Page(
    code="PD303",
    name="leftover-processes",
    severity=Severity.WARNING,
    title=Text("A dead job has left processes behind", "已经结束的任务留下了残留进程"),
    what=Text(
        "Orphans: ranks or DataLoader workers whose launcher or main process is dead, while they go on; init "
        "has adopted them. A rank is recognised by the variables that only a launcher sets, a worker by being "
        "a fork that holds Paddle. Zombies: processes that have ended and whose parent has not collected them.",
        "孤儿进程：启动器或主进程已经退出、自己却还在运行的 rank 或 DataLoader worker，它们已由 init 接管。"
        "rank 凭启动器专用的变量识别，worker 凭“由 fork 产生且加载了 Paddle”识别。僵尸进程：已经结束、但父进程"
        "尚未回收的进程。",
    ),
    why=Text(
        "An orphaned rank keeps its GPU memory, its rendezvous port and its shared memory: the next job fails with out "
        "of memory or dies because the port is taken. A zombie holds neither memory nor port, only its number in the "
        "process table; many of them mean that the parent is stuck or stopped, or that a container's first process "
        "does not collect its children. A launcher that was stopped (Ctrl-Z) does not see that its ranks have died.",
        "孤儿 rank 会继续占用显存、通信端口和共享内存：下一个任务会因显存不足或端口被占用而失败。僵尸进程既不占"
        "内存也不占端口，只占一个进程号；如果很多，说明父进程卡住或被挂起，或者容器的 1 号进程不回收子进程。被"
        "挂起（Ctrl-Z）的启动器不会发现它的 rank 已经退出。",
    ),
    cure=Text(
        "End orphans with kill, and with kill -9 if they do not go. A zombie cannot be killed: it goes when its parent "
        "collects it or ends. In a container, start it with an init (docker run --init).",
        "用 kill 结束孤儿进程，不退出再用 kill -9。僵尸进程无法被杀死：父进程回收它或父进程结束后它才会消失。"
        "在容器中请使用带 init 的启动方式（docker run --init）。",
    ),
    since=Text("every version of Paddle", "所有版本的 Paddle"),
    sources=(
        "measured: tests/subjects/environment/test_processes.py",
        "measured: tests/lab/faults/orphaned-ranks, zombie-ranks, stopped-launcher (Paddle 3.3.1)",
        "read: both launchers set PADDLE_RANK_IN_NODE (2.6.2 and 3.3.1)",
    ),
)

ORPHANS = Text(
    "{processes} of a job whose launcher is dead {are} still running: {pids}.",
    "任务的启动器已经退出，但仍有 {processes}在运行：{pids}。",
)
STOPPED = Text(
    "The job under pid {parent} stands still: it is stopped (Ctrl-Z, or SIGSTOP), and {processes} of it "
    "have ended without being collected.",
    "pid {parent} 之下的任务处于停滞状态：它已被挂起（Ctrl-Z 或 SIGSTOP），其 {processes}已结束但尚未回收。",
)
ZOMBIES = Text(
    "Not yet collected by the parent, pid {parent}: {processes}. Zombies hold no memory and no port.",
    "{processes}在等待父进程 {parent} 回收。它们不占内存，也不占端口。",
)
END_THEM = Text(
    "Look at each, then end them: kill asks a process to exit, kill -9 forces it.",
    "逐个确认后结束它们：kill 请求退出，kill -9 强制退出。",
)
END_PARENT = Text(
    "A zombie cannot be killed. It disappears when its parent, pid {parent}, collects it or ends; SIGCHLD "
    "reminds the parent.",
    "僵尸进程无法被杀死。等父进程 {parent} 回收它，或父进程结束后，它才会消失；SIGCHLD 可以提醒父进程。",
)
GO_ON = Text(
    "Let it continue, so that it notices that its processes have ended; or end the whole job.",
    "让它继续运行，它才会发现自己的进程已经结束；或者结束整个任务。",
)
START_WITH_INIT = Text(
    "The first process of this container does not collect its children. Start the container with an init: "
    "docker run --init.",
    "该容器的 1 号进程不回收子进程。请用带 init 的方式启动容器：docker run --init。",
)

RANK = Process(
    pid=4711, ppid=1, name="python", command="python -u train.py", user="wang", kind=ProcessKind.RANK, rank=1, age=7200
)
HEALTHY = Process(pid=4712, ppid=4710, name="python", command="python -u train.py", kind=ProcessKind.RANK, rank=0)
ORPHAN = replace(RANK, orphan=True)
ENDED = Process(pid=4713, ppid=4710, name="python", status="zombie", kind=ProcessKind.RANK)
ZOMBIE = Process(pid=4720, ppid=4700, name="python3", status="zombie")


def _machine(*processes: Process) -> Environment:
    return Environment(platform="linux", processes=processes)


def _fires() -> Iterator[Example]:
    yield Example(shows=Text("an orphaned rank", "孤儿 rank"), subjects={"environment": _machine(ORPHAN)})
    stopped = Process(pid=4710, ppid=4000, name="python", status="stopped", kind=ProcessKind.LAUNCHER)
    yield Example(
        shows=Text("a rank that has ended under a stopped launcher", "启动器被挂起，其 rank 已结束"),
        subjects={"environment": _machine(stopped, ENDED)},
    )
    yield Example(shows=Text("a zombie of Python", "Python 僵尸进程"), subjects={"environment": _machine(ZOMBIE)})


def _silent() -> Iterator[Example]:
    launcher = Process(pid=4710, ppid=4000, name="python", kind=ProcessKind.LAUNCHER)
    yield Example(
        shows=Text("a running job, one of whose ranks has just ended", "正在运行的任务，其中一个 rank 刚刚结束"),
        subjects={"environment": _machine(launcher, HEALTHY, ENDED)},
    )
    yield Example(
        shows=Text("a rank that init has started itself", "由 init 直接启动的 rank"),
        subjects={"environment": _machine(RANK)},
    )
    yield Example(
        shows=Text("a zombie of something else", "其他程序的僵尸进程"),
        subjects={"environment": _machine(Process(pid=9, ppid=8, name="sh", status="zombie"))},
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def leftover_processes(environment: Environment) -> Iterator[Finding]:
    """One finding for the orphans, and one for each parent that leaves zombies."""
    orphans = [each for each in environment.processes if each.orphan and not each.zombie]
    if orphans:
        yield _orphans(orphans)
    known = {each.pid: each for each in environment.processes}
    children: dict[int, list[Process]] = {}
    for each in environment.processes:
        if each.zombie:
            children.setdefault(each.ppid, []).append(each)
    for parent, zombies in sorted(children.items()):
        of_python = [each for each in zombies if each.name.startswith(("python", "pypy"))]
        if parent in known and known[parent].status == "stopped":
            yield _stopped(parent, zombies)
        # A running launcher or rank collects its children by itself, within a second or when it joins its workers.
        elif parent not in known and of_python:
            yield _zombies(parent, of_python)


def _orphans(orphans: Sequence[Process]) -> Finding:
    pids = [str(each.pid) for each in orphans]
    return PAGE.finding(
        ORPHANS.fill(
            processes=counted(len(orphans), "process", "processes", "个进程"),
            are="is" if len(orphans) == 1 else "are",
            pids="pid " + ", ".join(pids),
        ),
        certainty=Certainty.LIKELY,
        location=Location(pid=orphans[0].pid, rank=orphans[0].rank),
        evidence=[Evidence(text=_row(each), rank=each.rank) for each in orphans[:20]],
        fix=Fix(summary=END_THEM, commands=(f"kill {' '.join(pids)}",)),
    )


def _stopped(parent: int, children: Sequence[Process]) -> Finding:
    return PAGE.finding(
        STOPPED.fill(parent=parent, processes=counted(len(children), "process", "processes", "个进程")),
        location=Location(pid=parent),
        evidence=[Evidence(text=_row(each)) for each in children[:20]],
        fix=Fix(summary=GO_ON, commands=(f"kill -s CONT {parent}",)),
    )


def _zombies(parent: int, children: Sequence[Process]) -> Finding:
    return PAGE.finding(
        ZOMBIES.fill(
            processes=counted(len(children), "zombie process", "zombie processes", "个僵尸进程"),
            parent=parent,
        ),
        severity=Severity.INFO,
        location=Location(pid=children[0].pid),
        evidence=[Evidence(text=_row(each)) for each in children[:20]],
        fix=Fix(summary=START_WITH_INIT)
        if parent == 1
        else Fix(summary=END_PARENT.fill(parent=parent), commands=(f"kill -s CHLD {parent}",)),
    )


def _row(process: Process) -> str:
    words = [f"pid {process.pid}", f"ppid {process.ppid}", process.status]
    if process.age is not None:
        words.append(f"{_age(process.age)}")
    return "  ".join([*words, *(word for word in (process.user, process.command or process.name) if word)])


def _age(seconds: float) -> str:
    minutes = int(seconds) // 60
    return f"{minutes // 60}:{minutes % 60:02d} h" if minutes else f"{int(seconds)} s"
