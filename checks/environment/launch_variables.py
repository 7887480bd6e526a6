"""What each variable of a launcher does to a job that no launcher started: the measured rows, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from paddle_doctor.core.finding import Severity
from paddle_doctor.core.language import Text

from .launch_shell import Shell


@dataclass(frozen=True, slots=True)
class Row:
    """What a variable, or a set of them, does. The first of `about` carries the row's words in the evidence."""

    about: tuple[str, ...]
    when: Callable[[Shell], bool]
    severity: Severity
    says: Text


#: The words of several rows.
ONE_OF_N = Text(
    "DistributedBatchSampler gives your script 1 of every {world_size} samples, silently",
    "DistributedBatchSampler 只会把每 {world_size} 个样本中的 1 个交给脚本，且没有任何提示",
)
TWO_HOSTS = Text(
    "Two hosts in it: paddle.distributed.launch takes this for a multi-node job and hangs at 'Waiting peer start...'.",
    "其中有两台主机：paddle.distributed.launch 会当作多机任务，卡在“Waiting peer start...”。",
)
PARAMETER_SERVER = Text(
    "paddle.distributed.launch silently starts a parameter server and trainers that each see all data.",
    "paddle.distributed.launch 会改为启动参数服务器，每个 trainer 都会处理全部数据，且没有任何提示。",
)

#: The rank and world size that a process takes from its environment; the first row that holds is the one in force.
TRAINER_ROWS = (
    Row(
        ("PADDLE_TRAINER_ID",),
        lambda shell: shell.no_number("PADDLE_TRAINER_ID"),
        Severity.ERROR,
        Text(
            "PADDLE_TRAINER_ID is set to {rank_text}, which is not a number: 'import paddle' itself raises a "
            "ValueError.",
            "PADDLE_TRAINER_ID 的值是 {rank_text}，不是数字：连 import paddle 都会抛出 ValueError。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS_NUM",),
        lambda shell: shell.no_number("PADDLE_TRAINERS_NUM"),
        Severity.ERROR,
        Text(
            "PADDLE_TRAINERS_NUM is set to {world_size_text}, which is not a number: every DataLoader of Paddle 3 "
            "raises a ValueError; in Paddle 2, DistributedBatchSampler, paddle.Model and get_rank do.",
            "PADDLE_TRAINERS_NUM 的值是 {world_size_text}，不是数字：Paddle 3 中任何 DataLoader 都会抛出 ValueError；"
            "Paddle 2 中 DistributedBatchSampler、paddle.Model 和 get_rank 会抛出。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS_NUM",),
        lambda shell: shell.world_size < 1,
        Severity.ERROR,
        Text(
            "PADDLE_TRAINERS_NUM is {world_size}: DistributedBatchSampler and paddle.Model.evaluate raise "
            "(ZeroDivisionError, or a bare AssertionError).",
            "PADDLE_TRAINERS_NUM 是 {world_size}：DistributedBatchSampler 和 paddle.Model.evaluate 会抛出异常"
            "（ZeroDivisionError，或没有说明的 AssertionError）。",
        ),
    ),
    Row(
        ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM"),
        lambda shell: 1 < shell.world_size <= shell.rank,
        Severity.ERROR,
        Text(
            "Rank {rank} does not exist among {world_size}: a DataLoader with a DistributedBatchSampler prints a bare "
            "AssertionError and then hangs.",
            "{world_size} 个 rank 中没有 rank {rank}：带 DistributedBatchSampler 的 DataLoader 会打印一个没有说明的 "
            "AssertionError，然后一直卡住。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ID"),
        lambda shell: (
            shell.world_size > 1
            and shell.rank == 0
            and shell.filled("PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT", "PADDLE_MASTER")
        ),
        Severity.ERROR,
        Text(
            f"{ONE_OF_N.en}; init_parallel_env and paddle.Model wait 15 minutes for the other ranks, then fail.",
            f"{ONE_OF_N.zh}；init_parallel_env 和 paddle.Model 会等待其他 rank 15 分钟，然后报错。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ID"),
        lambda shell: (
            shell.world_size > 1
            and shell.filled(
                "PADDLE_TRAINER_ID", "PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT", "PADDLE_MASTER"
            )
        ),
        Severity.ERROR,
        Text(
            f"{ONE_OF_N.en}; init_parallel_env and paddle.Model hang, printing 'Retry to connect' every 3 seconds.",
            f"{ONE_OF_N.zh}；init_parallel_env 和 paddle.Model 会一直卡住，每 3 秒打印一次“Retry to connect”。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ID"),
        lambda shell: (
            shell.world_size > 1
            and shell.filled("PADDLE_TRAINER_ID", "PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT")
        ),
        Severity.ERROR,
        Text(
            f"{ONE_OF_N.en}; init_parallel_env and paddle.Model hang without printing a line.",
            f"{ONE_OF_N.zh}；init_parallel_env 和 paddle.Model 会一直卡住，一行输出都没有。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ID"),
        lambda shell: shell.world_size > 1 and shell.filled("PADDLE_TRAINER_ID"),
        Severity.ERROR,
        Text(
            f"{ONE_OF_N.en}; init_parallel_env and paddle.Model raise a ValueError that asks for another variable.",
            f"{ONE_OF_N.zh}；init_parallel_env 和 paddle.Model 会抛出 ValueError，提示还缺少别的变量。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS_NUM",),
        lambda shell: shell.world_size > 1,
        Severity.ERROR,
        Text(
            f"{ONE_OF_N.en}; init_parallel_env and paddle.Model raise a ValueError that asks for PADDLE_TRAINER_ID.",
            f"{ONE_OF_N.zh}；init_parallel_env 和 paddle.Model 会抛出 ValueError，提示缺少 PADDLE_TRAINER_ID。",
        ),
    ),
    Row(
        ("PADDLE_TRAINER_ID",),
        lambda shell: shell.rank != 0,
        Severity.ERROR,
        Text(
            "PADDLE_TRAINER_ID makes your script rank {rank}: what only rank 0 does is left out silently. "
            "paddle.Model.save saves nothing, evaluate prints nothing, 'if get_rank() == 0' is never true.",
            "PADDLE_TRAINER_ID 使脚本成为 rank {rank}：只由 rank 0 执行的操作都会被跳过，且没有任何提示。"
            "paddle.Model.save 不保存任何文件，evaluate 不打印结果，“if get_rank() == 0”永远不成立。",
        ),
    ),
)

#: What else breaks, whoever's rank it is; every row that holds is told, behind the name of its variable.
OTHER_ROWS = (
    Row(
        ("PADDLE_BACKUP_ENV_PATH",),
        lambda shell: "PADDLE_BACKUP_ENV_PATH" in shell.environment.dangling,
        Severity.ERROR,
        Text(
            "It names a file that does not exist: every DataLoader of Paddle 3 raises a FileNotFoundError; in "
            "Paddle 2, DistributedBatchSampler and paddle.Model do.",
            "指向的文件不存在：Paddle 3 中任何 DataLoader 都会抛出 FileNotFoundError；"
            "Paddle 2 中 DistributedBatchSampler 和 paddle.Model 会抛出。",
        ),
    ),
    Row(
        ("PADDLE_PG_TIMEOUT",),
        lambda shell: shell.no_number("PADDLE_PG_TIMEOUT"),
        Severity.ERROR,
        Text(
            "It is not a number of milliseconds: every DataLoader of Paddle 3 raises a ValueError, and so does "
            "init_parallel_env.",
            "值不是毫秒数：Paddle 3 中任何 DataLoader 都会抛出 ValueError，init_parallel_env 也会。",
        ),
    ),
    Row(
        ("PADDLE_CURRENT_ENDPOINT", "PADDLE_TRAINER_ENDPOINTS"),
        lambda shell: not shell.downloads,
        Severity.WARNING,
        Text(
            "A download of weights (pretrained=True) hangs: it waits for another rank to fetch the file.",
            "下载预训练权重（pretrained=True）会一直卡住：它在等别的 rank 把文件下载好。",
        ),
    ),
    Row(
        ("PADDLE_TRAINER_ENDPOINTS",),
        lambda shell: len(shell.hosts("PADDLE_TRAINER_ENDPOINTS")) > 1,
        Severity.WARNING,
        TWO_HOSTS,
    ),
    Row(
        ("DISTRIBUTED_TRAINER_ENDPOINTS",),
        lambda shell: len(shell.hosts("DISTRIBUTED_TRAINER_ENDPOINTS")) > 1,
        Severity.WARNING,
        TWO_HOSTS,
    ),
    Row(
        ("PADDLE_NNODES",),
        lambda shell: (shell.number("PADDLE_NNODES") or 0) > 1,
        Severity.WARNING,
        Text(
            "paddle.distributed.launch waits for other nodes and hangs at 'Waiting peer start...'.",
            "paddle.distributed.launch 会一直等待其他节点，卡在“Waiting peer start...”。",
        ),
    ),
    Row(
        ("PADDLE_NPROC_PER_NODE",),
        lambda shell: shell.no_number("PADDLE_NPROC_PER_NODE"),
        Severity.WARNING,
        Text(
            "It is not a number: paddle.distributed.launch raises a ValueError.",
            "值不是数字：paddle.distributed.launch 会抛出 ValueError。",
        ),
    ),
    Row(
        ("PADDLE_NPROC_PER_NODE",),
        lambda shell: (shell.number("PADDLE_NPROC_PER_NODE") or 0) > 0,
        Severity.WARNING,
        Text(
            "paddle.distributed.launch starts that many ranks, whatever --nproc_per_node says.",
            "paddle.distributed.launch 会启动这么多个 rank，而不管 --nproc_per_node 写的是多少。",
        ),
    ),
    Row(
        ("PADDLE_SERVER_NUM",),
        lambda shell: (shell.number("PADDLE_SERVER_NUM") or 0) > 0,
        Severity.WARNING,
        PARAMETER_SERVER,
    ),
    Row(
        ("PADDLE_RUN_MODE",),
        lambda shell: shell.get("PADDLE_RUN_MODE") == "ps",
        Severity.WARNING,
        PARAMETER_SERVER,
    ),
    Row(
        ("PADDLE_TRAINER_NUM",),
        lambda shell: shell.filled("PADDLE_TRAINER_NUM"),
        Severity.WARNING,
        Text(
            "paddle.distributed.launch starts in parameter-server mode and its trainers raise a ValueError.",
            "paddle.distributed.launch 会以参数服务器模式启动，其 trainer 会抛出 ValueError。",
        ),
    ),
    Row(
        ("POD_IP",),
        lambda shell: shell.foreign("POD_IP"),
        Severity.WARNING,
        Text(
            "Not an address of this machine: the ranks of paddle.distributed.launch try to meet there and hang, "
            "printing 'Retry to connect'.",
            "不是本机的地址：paddle.distributed.launch 的各 rank 会到该地址建立连接，卡在“Retry to connect”。",
        ),
    ),
    Row(
        ("PADDLE_IPS",),
        lambda shell: shell.foreign("PADDLE_IPS"),
        Severity.WARNING,
        Text(
            "Not an address of this machine: the ranks of paddle.distributed.launch hang or fail to meet.",
            "不是本机的地址：paddle.distributed.launch 的各 rank 无法建立连接，会卡住或报错。",
        ),
    ),
    Row(
        ("PADDLE_DEVICES",),
        lambda shell: (
            shell.filled("PADDLE_DEVICES")
            and shell.environment.interpreter is not None
            and shell.environment.interpreter.paddle_build == "cpu"
        ),
        Severity.WARNING,
        Text(
            "paddle.distributed.launch of a CPU build raises 'ValueError: substring not found'.",
            "CPU 版的 paddle.distributed.launch 会抛出“ValueError: substring not found”。",
        ),
    ),
    Row(
        ("PADDLE_MASTER",),
        lambda shell: shell.get("PADDLE_MASTER") == "" or shell.foreign("PADDLE_MASTER"),
        Severity.WARNING,
        Text(
            "The ranks of fleetrun (the legacy launcher) try to meet there, and fail.",
            "fleetrun（旧版启动器）的各 rank 会到该地址建立连接，并因此报错。",
        ),
    ),
    Row(
        ("PORT_RANGE",),
        lambda shell: _no_range(shell.get("PORT_RANGE")),
        Severity.WARNING,
        Text(
            "paddle.distributed.launch raises a ValueError or IndexError: it wants two numbers, such as 35100:64000.",
            "paddle.distributed.launch 会抛出 ValueError 或 IndexError：它要的是两个数字，例如 35100:64000。",
        ),
    ),
    Row(
        ("PADDLE_ELASTIC_SERVER", "PADDLE_ELASTIC_JOB_ID", "PADDLE_ELASTIC_NP"),
        lambda shell: shell.filled("PADDLE_ELASTIC_SERVER", "PADDLE_ELASTIC_JOB_ID", "PADDLE_ELASTIC_NP"),
        Severity.WARNING,
        Text(
            "fleetrun starts in elastic mode: without the package etcd3 it raises a ModuleNotFoundError.",
            "fleetrun 会以弹性模式启动：没有安装 etcd3 时抛出 ModuleNotFoundError。",
        ),
    ),
    Row(
        ("PADDLE_PSERVERS_IP_PORT_LIST",),
        lambda shell: shell.filled("PADDLE_PSERVERS_IP_PORT_LIST") and shell.get("PADDLE_TRAINERS_NUM") is None,
        Severity.WARNING,
        Text(
            "fleet.init() without is_collective=True raises 'Can not find PADDLE_TRAINERS_NUM'.",
            "不带 is_collective=True 的 fleet.init() 会抛出“Can not find PADDLE_TRAINERS_NUM”。",
        ),
    ),
    Row(
        ("PADDLE_TRAINERS",),
        lambda shell: shell.filled("PADDLE_TRAINERS", "POD_IP", "PADDLE_TRAINER_ID", "TRAINER_PORTS_NUM"),
        Severity.WARNING,
        Text(
            "fleetrun takes this machine for a node of PaddleCloud and fails.",
            "fleetrun 会把本机当作 PaddleCloud 的节点，并因此报错。",
        ),
    ),
    Row(
        ("PADDLE_LOG_DIR",),
        lambda shell: shell.filled("PADDLE_LOG_DIR"),
        Severity.INFO,
        Text(
            "paddle.distributed.launch writes its logs there, whatever --log_dir says.",
            "paddle.distributed.launch 会把日志写到那里，而不管 --log_dir 写的是什么。",
        ),
    ),
)


def _no_range(value: str | None) -> bool:
    if value is None:
        return False
    words = value.split(":")
    return len(words) < 2 or not all(word.strip().isdecimal() for word in words[:2])
