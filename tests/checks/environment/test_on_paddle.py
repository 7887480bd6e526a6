"""What the pages of the environment's checks claim, on real Paddle: variables, and the port where ranks meet."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.lab

SCRIPT = """
import os, sys
import numpy, paddle
from paddle.io import DataLoader, Dataset, DistributedBatchSampler

class Ten(Dataset):
    def __len__(self):
        return 10
    def __getitem__(self, index):
        return (numpy.float32([index]),)

what = sys.argv[1]
if what == "sampler":
    print("samples", sum(map(len, DistributedBatchSampler(Ten(), batch_size=1))), "rank", paddle.distributed.get_rank())
elif what == "sampler-loader":
    print("samples", sum(len(batch[0]) for batch in DataLoader(Ten(), batch_sampler=DistributedBatchSampler(Ten(), 2))))
elif what == "loader":
    print("samples", sum(len(batch[0]) for batch in DataLoader(Ten(), batch_size=2)))
elif what == "model":
    model = paddle.Model(paddle.nn.Linear(1, 1))
    model.prepare(loss=paddle.nn.MSELoss())
    model.save("out/model")
    print("saved", os.path.exists("out/model.pdparams"))
elif what == "download":
    from paddle.utils.download import get_weights_path_from_url
    print("fetched", get_weights_path_from_url(f"http://127.0.0.1:{sys.argv[2]}/weights.pdparams"))
elif what == "all_reduce":
    paddle.distributed.init_parallel_env()
    tensor = paddle.to_tensor([1.0])
    paddle.distributed.all_reduce(tensor)
    print("sum", float(tensor.numpy()[0]))
"""
HANGS = "it hangs"
RETRIES = r"(?s)(Retry to connect to 127.0.0.1:\d+ while the server is not yet listening.*){2}"


def clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PADDLE_", "FLAGS_"))}


def start(folder: Path, what: str, variables: dict[str, str], *more: object) -> subprocess.Popen[str]:
    (folder / "script.py").write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, "script.py", what, *map(str, more)],
        cwd=folder,
        env={**clean(), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def ending(process: subprocess.Popen[str], patience: float) -> str:
    """What the process said; with `HANGS` in it, if it stood still until it was ended."""
    try:
        return process.communicate(timeout=patience)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0] + HANGS


@pytest.fixture
def closed() -> Iterator[int]:
    """A port of loopback on which nobody listens and that nobody else takes."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.fixture
def taken() -> Iterator[int]:
    """A port of loopback on which somebody listens."""
    with socket.socket() as service:
        service.bind(("127.0.0.1", 0))
        service.listen()
        yield service.getsockname()[1]


@pytest.mark.parametrize(
    ("variables", "what", "says"),
    [
        ({}, "sampler", "samples 10 rank 0"),
        ({}, "loader", "samples 10"),
        ({"PADDLE_TRAINERS_NUM": "2"}, "sampler", "samples 5 rank 0"),
        ({"PADDLE_TRAINERS_NUM": "2"}, "loader", "samples 10"),
        ({"PADDLE_TRAINERS_NUM": "2"}, "model", "PADDLE_TRAINER_ID is needed, but not set"),
        ({"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "1"}, "sampler", "samples 5 rank 1"),
        ({"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "1"}, "model", "PADDLE_CURRENT_ENDPOINT is needed"),
        ({"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "2"}, "sampler-loader", f"(?s)AssertionError.*{HANGS}"),
        ({"PADDLE_TRAINERS_NUM": ""}, "loader", "ValueError: invalid literal"),
        ({"PADDLE_TRAINERS_NUM": "0"}, "sampler", "ZeroDivisionError"),
        ({"PADDLE_TRAINERS_NUM": "-1"}, "sampler", "AssertionError"),
        ({"PADDLE_TRAINER_ID": "1"}, "sampler", "samples 10 rank 1"),
        ({"PADDLE_TRAINER_ID": "0"}, "model", "saved True"),
        ({"PADDLE_TRAINER_ID": "1"}, "model", "saved False"),
        ({"PADDLE_TRAINER_ID": ""}, "loader", r"(?s)hapi.logger\.py.*ValueError: invalid literal"),
        ({"PADDLE_TRAINER_ID": "abc"}, "loader", "ValueError: invalid literal"),
        ({"PADDLE_BACKUP_ENV_PATH": "gone.json"}, "loader", "FileNotFoundError"),
        ({"PADDLE_PG_TIMEOUT": "abc"}, "loader", "ValueError: invalid literal"),
        (
            {"MASTER_ADDR": "10.0.0.9", "RANK": "1", "WORLD_SIZE": "2", "FLAGS_selected_gpus": "3"},
            "model",
            "saved True",
        ),
    ],
)
def test_a_plain_script_with_leftover_variables(variables, what, says, tmp_path):
    patience = 12 if HANGS in says else 60
    assert re.search(says, ending(start(tmp_path, what, variables), patience))


def classic(rank: int, first: int) -> dict[str, str]:
    return {
        "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_TRAINERS_NUM": "2",
        "PADDLE_TRAINER_ENDPOINTS": f"127.0.0.1:{first},127.0.0.1:6171",
        "PADDLE_CURRENT_ENDPOINT": f"127.0.0.1:{(first, 6171)[rank]}",
        "PADDLE_DISTRI_BACKEND": "gloo",
    }


def test_rank_1_of_a_launch_set_asks_for_its_master_for_ever(closed, tmp_path):
    variables = {**classic(1, 6170), "PADDLE_MASTER": f"127.0.0.1:{closed}"}
    said = ending(start(tmp_path, "all_reduce", variables), 14)
    assert said.endswith(HANGS)
    assert re.search(RETRIES, said)


def test_without_a_leftover_a_download_does_not_wait_for_another_rank(closed, tmp_path):
    assert HANGS not in ending(start(tmp_path, "download", {}, closed), 60)


def test_with_an_endpoint_of_its_own_alone_a_download_waits_for_another_rank(closed, tmp_path):
    said = ending(start(tmp_path, "download", {"PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6170"}, closed), 20)
    assert said.endswith(HANGS)


def both_ranks(tmp_path: Path, meeting: int, **more: str) -> list[str]:
    """What two ranks say that meet at the first endpoint, or at PADDLE_MASTER."""
    started = []
    for rank in (0, 1):
        folder = tmp_path / str(rank)
        folder.mkdir()
        started.append(start(folder, "all_reduce", {**classic(rank, meeting), **more}))
    first = ending(started[0], 60)
    return [first, ending(started[1], 5)]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_rank_0_dies_when_the_port_where_the_ranks_meet_is_taken(taken, tmp_path):
    first, second = both_ranks(tmp_path, taken)
    assert f"create libuv server at port: {taken}" in first
    assert "UV_HANDLE_CLOSING" in first
    assert "already in use" not in first
    assert "sum" not in second


def test_with_a_master_the_first_endpoint_may_be_taken(taken, tmp_path):
    said = both_ranks(tmp_path, taken, PADDLE_MASTER=f"127.0.0.1:{free_port()}")
    assert ["sum 2.0" in each for each in said] == [True, True]


def test_the_endpoint_of_another_rank_may_be_taken(taken, tmp_path):
    said = both_ranks(tmp_path, free_port(), PADDLE_CURRENT_ENDPOINT=f"127.0.0.1:{taken}")
    assert ["sum 2.0" in each for each in said] == [True, True]


INSIDE = """
import os, subprocess, sys
asked = subprocess.run(
    [sys.executable, "-m", "paddle_doctor", "env", "--format", "json", "--ignore", "PD302,PD305"], capture_output=True
)
with open("rank" + os.environ["PADDLE_TRAINER_ID"] + ".json", "wb") as file:
    file.write(asked.stdout)
"""


@pytest.mark.parametrize(
    "launcher",
    [["paddle.distributed.launch"], ["paddle.distributed.fleet.launch", "--backend", "gloo"]],
    ids=["launch", "legacy"],
)
def test_inside_a_rank_of_a_healthy_job_nothing_is_found(launcher, tmp_path):
    (tmp_path / "inside.py").write_text(INSIDE)
    line = [sys.executable, "-m", *launcher, "--nproc_per_node", "2", "inside.py"]
    subprocess.run(line, cwd=tmp_path, env=clean(), capture_output=True, timeout=120, check=True)
    for rank in ("0", "1"):
        report = json.loads((tmp_path / f"rank{rank}.json").read_text())
        assert report["subject"]["environment"]["variables"]["PADDLE_TRAINER_ID"] == rank
        own = {"PD301", "PD304"}  # others' zombies and orphans on this machine are not this job's
        assert [each for each in report["findings"] if each["code"] in own] == []
