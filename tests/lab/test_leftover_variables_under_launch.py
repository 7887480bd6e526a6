"""What variables left in a shell do to `paddle.distributed.launch`, started there on purpose, and what `env` says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lab.conftest import Bench, how_it_ended
from tests.lab.declaration import Ending, Fault, Job, Severity, Words
from tests.lab.machine import own_processes, plain_environment

SCRIPT = """
import paddle.distributed as dist

dist.init_parallel_env()
print("rank", dist.get_rank(), "of", dist.get_world_size())
"""


@dataclass(frozen=True)
class Left:
    """Variables, how a launch of two ranks ends among them, what it says, and how grave `env` calls them."""

    variables: dict[str, str]
    ends: Ending
    says: str
    severity: Severity | None = "warning"


LEFT = (
    Left({"PADDLE_NNODES": "1", "PADDLE_TRAINER_ID": "0", "MASTER_ADDR": "127.0.0.1"}, "success", "rank 1 of 2", None),
    Left({"PADDLE_NNODES": "2"}, "never", "Waiting peer start"),
    Left({"PADDLE_NPROC_PER_NODE": "1"}, "success", "rank 0 of 1"),
    Left({"PADDLE_DEVICES": "0"}, "failure", "ValueError: substring not found"),
    Left({"PADDLE_SERVER_NUM": "1"}, "success", "rank 0 of 1"),
    Left({"PADDLE_TRAINER_NUM": "2"}, "failure", "ValueError"),
    Left({"PORT_RANGE": "abc"}, "failure", "ValueError"),
    Left({"PADDLE_LOG_DIR": "elsewhere"}, "success", "rank 0 of 2", "info"),
)


@pytest.mark.lab
@pytest.mark.parametrize("left", LEFT, ids=["-".join(each.variables) for each in LEFT])
def test_launch_among_leftover_variables(left: Left, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT)
    shell = Fault(title=Words("", ""), script="train.py", job=Job(left.ends, [left.says]))
    with own_processes(folder) as apart:
        bench = Bench(shell, folder, {**plain_environment(home), **left.variables}, apart=apart)
        ended = bench.run_job("launch")
        assert how_it_ended(ended.status) == left.ends, bench.everything_said()
        assert left.says in bench.everything_said()

        found = bench.ask("env", [], "en").found(besides=["leftover-launch-variables"])
        assert found.get("leftover-launch-variables") == left.severity
