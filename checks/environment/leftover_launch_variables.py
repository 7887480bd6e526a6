"""Variables that an earlier distributed job has left in this shell, and what they do to the next one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.environment import Environment, Interpreter, Process, ProcessKind

from .launch_shell import RANK_VARIABLES, Shell
from .launch_variables import OTHER_ROWS, TRAINER_ROWS, Row

PAGE = Page(
    code="PD301",
    name="leftover-launch-variables",
    severity=Severity.ERROR,
    title=Text(
        "The shell holds variables of an earlier distributed job",
        "当前 shell 中残留着之前分布式任务的环境变量",
    ),
    what=Text(
        "A launcher tells each rank who it is by environment variables: PADDLE_TRAINER_ID is its rank, "
        "PADDLE_TRAINERS_NUM the number of ranks, the endpoints say where the others are. When such variables are in a "
        "shell that no launcher has started (exported by hand, sourced from a script, copied from a log), every job "
        "started there believes that it is one rank of many.",
        "启动器通过环境变量告诉每个 rank 它的身份：PADDLE_TRAINER_ID 是它的 rank，PADDLE_TRAINERS_NUM 是 rank 总数，"
        "各个 endpoint 说明其他 rank 在哪里。如果这些变量出现在并非由启动器启动的 shell 中"
        "（手工 export、source 过脚本、从日志里复制），在这里启动的任何任务都会以为自己是众多 rank 中的一个。",
    ),
    why=Text(
        "Depending on which of them are set, the job hangs, raises, saves nothing, or evaluates one of every N samples "
        "without a word, so that a wrong accuracy is reported as a right one. Some do nothing: FLAGS_selected_gpus, "
        "MASTER_ADDR, torch's RANK and WORLD_SIZE, PADDLE_TRAINER_ID=0 and PADDLE_TRAINERS_NUM=1 are never reported. "
        "Under a running launcher all of them are right, and nothing is reported either.",
        "残留的变量不同，后果也不同：任务会卡住、报错、什么也不保存，或者每 N 个样本只评估 1 个而没有任何提示，"
        "于是错误的精度被当成正确的结果。有些变量没有影响：FLAGS_selected_gpus、MASTER_ADDR、torch 的 RANK 和 "
        "WORLD_SIZE、PADDLE_TRAINER_ID=0 以及 PADDLE_TRAINERS_NUM=1，都不会报告。在正在运行的启动器之下，这些变"
        "量都是正确的，同样不会报告。",
    ),
    cure=Text(
        "Unset all of them, not only the one that causes the trouble: part of a set does different harm than "
        "the whole. 'eval \"$(paddle-doctor env --shell)\"' does it. Then find who sets them: ~/.bashrc, a "
        "sourced script, the kernel of a notebook.",
        "请一次全部 unset，而不是只清除造成问题的那一个：只剩一半的变量会带来别的问题。"
        '执行 eval "$(paddle-doctor env --shell)" 即可。'
        "然后找出是谁设置的：~/.bashrc、被 source 的脚本、notebook 的内核。",
    ),
    since=Text("Paddle 2.6 and 3.3", "Paddle 2.6 和 3.3"),
    sources=(
        "measured: tests/checks/environment/test_on_paddle.py (paddlepaddle 3.3.1)",
        "measured: paddlepaddle 2.6.2 and 3.3.1, every variable alone and in sets",
        "read: distributed/parallel.py, utils/download.py, distributed/launch/context/args_envs.py of Paddle 3.3.1",
    ),
)

MESSAGE = Text(
    "This shell holds launch variables, but no launcher is among its parent processes. {effect}",
    "当前 shell 中有启动变量，但它的父进程中并没有启动器。{effect}",
)
OF_VARIABLE = Text("{name}: {effect}", "{name}：{effect}")
FIX = Text("Remove them from this shell.", "从当前 shell 中清除它们。")


def _environment(**variables: str) -> Environment:
    return Environment(platform="linux", variables=variables, addresses=("127.0.0.1", "localhost", "10.0.0.5"))


CLASSIC = {
    "PADDLE_TRAINER_ID": "1",
    "PADDLE_TRAINERS_NUM": "2",
    "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:6170,127.0.0.1:6171",
    "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6171",
}
LAUNCHER = Process(
    pid=41,
    ppid=40,
    name="python",
    command="python -m paddle.distributed.launch --nproc_per_node 2 train.py",
    kind=ProcessKind.LAUNCHER,
)


def _fires() -> Iterator[Example]:
    for shows, variables in (
        (Text("the world size alone", "只有 rank 总数"), {"PADDLE_TRAINERS_NUM": "2"}),
        (Text("the rank alone", "只有 rank"), {"PADDLE_TRAINER_ID": "1"}),
        (Text("an empty rank", "rank 为空"), {"PADDLE_TRAINER_ID": ""}),
        (Text("an empty world size", "rank 总数为空"), {"PADDLE_TRAINERS_NUM": ""}),
        (Text("no ranks", "rank 总数为 0"), {"PADDLE_TRAINERS_NUM": "0"}),
        (Text("a rank beyond the world size", "rank 超出总数"), {"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "2"}),
        (Text("the classic set", "经典的一组变量"), CLASSIC),
        (Text("the set of launch", "launch 的一组变量"), {**CLASSIC, "PADDLE_MASTER": "127.0.0.1:50001"}),
        (Text("its own endpoint alone", "只有自己的 endpoint"), {"PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6170"}),
        (Text("two nodes", "两个节点"), {"PADDLE_NNODES": "2"}),
        (Text("another machine's address", "另一台机器的地址"), {"POD_IP": "10.0.0.9"}),
        (Text("a number of ranks per node", "每个节点的 rank 数"), {"PADDLE_NPROC_PER_NODE": "4"}),
    ):
        yield Example(shows=shows, subjects={"environment": _environment(**variables)})
    cpu = Interpreter(executable="/usr/bin/python3", python_version="3.11.7", paddle_build="cpu")
    yield Example(
        shows=Text("a list of devices, and the CPU build", "设备列表与 CPU 版"),
        subjects={"environment": replace(_environment(PADDLE_DEVICES="0"), interpreter=cpu)},
    )
    yield Example(
        shows=Text("a backup of the environment that is gone", "环境备份文件已不存在"),
        subjects={
            "environment": replace(
                _environment(PADDLE_BACKUP_ENV_PATH="log/backup_env.0.json"), dangling=("PADDLE_BACKUP_ENV_PATH",)
            )
        },
    )


def _silent() -> Iterator[Example]:
    yield Example(
        shows=Text("variables that do nothing", "没有影响的变量"),
        subjects={
            "environment": _environment(
                FLAGS_selected_gpus="0",
                MASTER_ADDR="10.0.0.9",
                MASTER_PORT="29500",
                RANK="1",
                WORLD_SIZE="2",
                LOCAL_RANK="1",
                PADDLE_TRAINER_ID="0",
                PADDLE_TRAINERS_NUM="1",
                PADDLE_NNODES="1",
                PADDLE_DISTRI_BACKEND="gloo",
                TRAINING_ROLE="TRAINER",
                POD_IP="127.0.0.1",
            )
        },
    )
    yield Example(
        shows=Text("inside a rank of a running job", "正在运行的任务的某个 rank 之内"),
        subjects={"environment": replace(_environment(**CLASSIC), ancestors=(LAUNCHER,))},
    )
    yield Example(
        shows=Text("a running job with these endpoints", "拥有这些 endpoint 的任务正在运行"),
        subjects={
            "environment": replace(
                _environment(**CLASSIC),
                processes=(
                    Process(pid=50, ppid=41, name="python", kind=ProcessKind.RANK, rank=0, endpoint="127.0.0.1:6170"),
                ),
            )
        },
    )
    yield Example(
        shows=Text("a container that was started as a rank", "作为某个 rank 启动的容器"),
        subjects={"environment": replace(_environment(**CLASSIC), preset=tuple(CLASSIC))},
    )
    yield Example(shows=Text("a clean shell", "干净的 shell"), subjects={"environment": _environment()})


@check(PAGE, fires_on=_fires, silent_on=_silent)
def leftover_launch_variables(environment: Environment) -> Iterator[Finding]:
    """One finding for all of them: they come together and have to go together."""
    if _belong_to_a_running_job(environment):
        return
    shell = Shell(environment)
    rows = [row for row in _holding(shell) if not set(row.about) <= set(environment.preset)]
    if not rows:
        return
    worst = min(rows, key=lambda row: -row.severity.weight)
    left = _left(environment, rows)
    yield PAGE.finding(
        MESSAGE.fill(effect=_said(worst, shell) if worst in TRAINER_ROWS else _named(worst, shell)),
        severity=worst.severity,
        location=Location(variable=_variable(worst, shell)),
        evidence=_evidence(shell, worst, rows, left),
        fix=Fix(summary=FIX, commands=(_unset_line(environment.platform, left),), safe=True),
    )


def _left(environment: Environment, rows: list[Row]) -> tuple[str, ...]:
    """What is to go: whatever a launcher gives its ranks, and what else does harm; not what the container came with."""
    names = dict.fromkeys((*RANK_VARIABLES, *(name for row in rows for name in row.about)))
    return tuple(name for name in names if name in environment.variables and name not in environment.preset)


def _unset_line(platform: str, names: tuple[str, ...]) -> str:
    """The line that removes variables from the usual shell of a platform."""
    if platform == "win32":
        return " & ".join(f'set "{name}="' for name in names)
    return "unset " + " ".join(names)


def _belong_to_a_running_job(environment: Environment) -> bool:
    """Whether this shell is inside a rank that a launcher runs, or its variables name a job whose ranks are alive."""
    own = environment.variables.get("PADDLE_CURRENT_ENDPOINT")
    endpoints = environment.variables.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")
    if environment.launcher is not None:
        return own is None or own in endpoints
    return any(
        each.kind is ProcessKind.RANK and not each.orphan and each.endpoint is not None and each.endpoint in endpoints
        for each in environment.processes
    )


def _holding(shell: Shell) -> list[Row]:
    trainer = next((row for row in TRAINER_ROWS if row.when(shell)), None)
    others = [row for row in OTHER_ROWS if row.when(shell)]
    return ([trainer] if trainer else []) + others


def _said(row: Row, shell: Shell) -> Text:
    return row.says.fill(
        rank=shell.rank,
        world_size=shell.world_size,
        rank_text=repr(shell.get("PADDLE_TRAINER_ID")),
        world_size_text=repr(shell.get("PADDLE_TRAINERS_NUM")),
    )


def _named(row: Row, shell: Shell) -> Text:
    return OF_VARIABLE.fill(name=_variable(row, shell), effect=_said(row, shell))


def _variable(row: Row, shell: Shell) -> str:
    """The first of the row's variables that is set."""
    return next(name for name in row.about if shell.get(name) is not None)


def _evidence(shell: Shell, worst: Row, rows: list[Row], left: tuple[str, ...]) -> Iterator[Evidence]:
    """Every variable that is to go: the worst row's first, those of other rows with what they do, then the rest."""
    told: set[str] = set()
    for row in (worst, *(row for row in rows if row is not worst)):
        notes = {_variable(row, shell): _said(row, shell)} if row is not worst else {}
        for name in row.about:
            if name in left and name not in told:
                told.add(name)
                yield Evidence(text=f"{name}={shell.get(name)}", note=notes.get(name))
    for name in left:
        if name not in told:
            yield Evidence(text=f"{name}={shell.get(name)}")
