"""Launchers, ranks, workers, orphans and zombies: made for real, and told apart."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from paddle_doctor.subjects.environment import Process, ProcessKind
from paddle_doctor.subjects.environment.processes import ProcessTable, Row, shortened

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

RANK_VARIABLES = {
    "PADDLE_TRAINER_ID": "1",
    "PADDLE_TRAINERS_NUM": "2",
    "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6171",
    "PADDLE_RANK_IN_NODE": "1",
}
SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start processes that are gone, with all that they have started, when the test is over."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*command: str, **variables: str) -> subprocess.Popen[bytes]:
        started.append(
            subprocess.Popen(
                command, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )  # fmt: skip
        return started[-1]

    yield run
    for process in started:
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
        process.kill()
        process.communicate()


def seen(pid: int) -> Process | None:
    return next((each for each in ProcessTable.read().of_jobs() if each.pid == pid), None)


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within 10 seconds")


def fake_launcher(folder: Path, *, then: str) -> list[str]:
    """A program that a command line takes for Paddle's launcher, and that starts a rank as launchers do."""
    module = folder / "paddle" / "distributed" / "launch" / "__main__.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        "import os, subprocess, sys, time\n"
        f"rank = subprocess.Popen([sys.executable, '-c', {SLEEP!r}], "
        f"env={{**os.environ, **{RANK_VARIABLES!r}}}, start_new_session=True, stdout=subprocess.DEVNULL)\n"
        "print(rank.pid, flush=True)\n"
        f"{then}\n"
    )
    return [sys.executable, str(module)]


def number_from(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def test_a_running_job_is_told_and_nothing_of_it_is_an_orphan(start, tmp_path):
    launcher = start(*fake_launcher(tmp_path, then="time.sleep(60)"))
    rank = seen(number_from(launcher))
    told = seen(launcher.pid)
    assert told is not None
    assert told.kind is ProcessKind.LAUNCHER
    assert rank is not None
    assert (rank.kind, rank.rank, rank.world_size, rank.endpoint) == (ProcessKind.RANK, 1, 2, "127.0.0.1:6171")
    assert rank.ppid == launcher.pid
    assert not rank.orphan
    assert rank.age is not None
    assert rank.age < 60


@pytest.fixture
def nobody_s_child() -> Iterator[Callable[[int], None]]:
    """Ends processes that are no longer children of ours."""
    left: list[int] = []
    yield left.append
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_a_rank_whose_launcher_was_killed_is_an_orphan(start, tmp_path, nobody_s_child):
    launcher = start(*fake_launcher(tmp_path, then="time.sleep(60)"))
    rank = number_from(launcher)
    nobody_s_child(rank)
    launcher.kill()
    launcher.wait()
    wait_for(lambda: psutil.Process(rank).ppid() != launcher.pid)
    told = seen(rank)
    assert told is not None
    assert told.kind is ProcessKind.RANK
    assert told.orphan


def test_a_rank_started_by_hand_whose_shell_has_ended_is_no_orphan(start, nobody_s_child):
    """`nohup python train.py &` with variables set by hand, and log out: a healthy way to run a rank."""
    by_hand = {name: value for name, value in RANK_VARIABLES.items() if name != "PADDLE_RANK_IN_NODE"}
    shell = start("sh", "-c", f"{sys.executable} -c '{SLEEP}' >/dev/null & echo $!", **by_hand)
    rank = number_from(shell)
    nobody_s_child(rank)
    shell.wait()
    wait_for(lambda: psutil.Process(rank).ppid() != shell.pid and (seen(rank) is not None))
    told = seen(rank)
    assert told is not None
    assert told.kind is ProcessKind.RANK
    assert not told.orphan


IN_A_CONTAINER = f"""
{sys.executable} -c '{SLEEP}' >/dev/null & rank=$!
{sys.executable} -c "
from paddle_doctor.subjects.environment.processes import ProcessTable
print([(each.ppid, each.orphan) for each in ProcessTable.read().of_jobs() if each.pid == $rank])"
kill $rank
"""


def test_a_rank_that_a_container_s_first_process_has_started_is_no_orphan():
    own_table = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--pid", "--fork", "--mount-proc"]
    with contextlib.suppress(FileNotFoundError):
        if subprocess.run([*own_table, "true"], capture_output=True, check=False).returncode == 0:
            line = [*own_table, "sh", "-c", IN_A_CONTAINER]
            ran = subprocess.run(line, env={**os.environ, **RANK_VARIABLES}, capture_output=True, text=True, check=True)
            assert ran.stdout == "[(1, False)]\n"
            return
    pytest.skip("a process table of one's own (unshare --pid) is not permitted here")


FORKING = f"""
import os, time
if os.fork() == 0:
    {SLEEP}
else:
    print(os.getpid(), flush=True)
    {SLEEP}
"""


def test_a_forked_worker_is_told_and_is_an_orphan_once_its_rank_is_dead(start, nobody_s_child):
    rank = start(sys.executable, "-c", FORKING, **RANK_VARIABLES)
    number_from(rank)
    wait_for(lambda: bool(psutil.Process(rank.pid).children()))
    (worker,) = (child.pid for child in psutil.Process(rank.pid).children())
    nobody_s_child(worker)
    told = seen(worker)
    assert told is not None
    assert told.kind is ProcessKind.WORKER
    assert not told.orphan
    rank.kill()
    rank.wait()
    wait_for(lambda: psutil.Process(worker).ppid() != rank.pid)
    told = seen(worker)
    assert told is not None
    assert told.orphan


def test_a_zombie_is_told_with_its_parent():
    child = os.fork()
    if child == 0:
        os._exit(0)
    try:
        wait_for(lambda: psutil.Process(child).status() == psutil.STATUS_ZOMBIE)
        told = seen(child)
        assert told is not None
        assert told.zombie
        assert told.ppid == os.getpid()
    finally:
        os.waitpid(child, 0)


def test_a_zombie_of_a_launcher_was_a_rank(start, tmp_path):
    launcher = start(*fake_launcher(tmp_path, then="rank.kill(); time.sleep(60)"))
    rank = number_from(launcher)
    wait_for(lambda: psutil.Process(rank).status() == psutil.STATUS_ZOMBIE)
    told = seen(rank)
    assert told is not None
    assert told.kind is ProcessKind.RANK


def test_the_ancestors_of_a_rank_hold_its_launcher(start, tmp_path):
    launcher = start(*fake_launcher(tmp_path, then="time.sleep(60)"))
    rank = number_from(launcher)
    ancestors = ProcessTable.read().ancestors(rank)
    assert (ancestors[0].pid, ancestors[0].kind) == (launcher.pid, ProcessKind.LAUNCHER)
    assert os.getpid() in {each.pid for each in ancestors}
    assert all(each.command == "" for each in ancestors[1:]), "an ancestor's command line is nobody's business"


def test_an_ordinary_python_is_no_part_of_a_job(start):
    ordinary = start(sys.executable, "-c", SLEEP)
    assert seen(ordinary.pid) is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m paddle.distributed.launch --nproc_per_node 2 train.py", True),
        ("python -u -m paddle.distributed.fleet.launch train.py", True),
        ("/opt/venv/bin/python /opt/venv/bin/fleetrun --gpus 0,1 train.py", True),
        ("torchrun --nproc-per-node 2 train.py", True),
        ("mpirun -np 4 python train.py", True),
        ("python train.py -m paddle.distributed.launch.py", False),
        ("python launch.py", False),
        ("vim notes about fleetrun", False),
    ],
)
def test_launchers_are_known_by_their_command_line(command, expected):
    row = Row(pid=2, ppid=1, name="x", status="running", created=None, arguments=tuple(command.split()))
    assert row.is_launcher is expected


@pytest.mark.parametrize(("parent", "lost"), [(0, False), (4_242_424, True)])
def test_a_parent_outside_of_the_container_is_alive(parent, lost):
    row = Row(pid=2, ppid=parent, name="python", status="running", created=None, arguments=())
    assert ProcessTable({2: row})._has_lost_parent(row) is lost


def test_commands_are_shortened_and_hold_no_secrets():
    text = shortened(["python", "train.py", "--wandb-api-key", "0123456789abcdef", "x" * 500])
    assert "0123456789abcdef" not in text
    assert len(text) <= 160
    assert text.endswith("…")
