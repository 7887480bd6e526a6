"""Real jobs on real Paddle, tried for real: which corner each fault lies in (tests/lab tries the whole command)."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paddle_doctor.core.finding import Certainty, Finding, Verdict
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.trial import Trial, climb
from paddle_doctor.subjects.trial.interventions import SHIM

pytestmark = pytest.mark.lab

CHECKS = load_checks(["trial"], plugins=False).checks

DATA = """
import os, signal, sys
import numpy as np
import paddle
from paddle.io import DataLoader, Dataset, get_worker_info

class Data(Dataset):
    def __len__(self):
        return 12
    def __getitem__(self, number):
        if number == 5:
            FAULT
        return np.zeros(3, "float32")

for batch in DataLoader(Data(), batch_size=2, num_workers=2):
    pass
"""
LEFT_OVER = {
    "PADDLE_TRAINER_ID": "0",
    "PADDLE_TRAINERS_NUM": "2",
    "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:1,127.0.0.1:2",
    "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:1",
}


@pytest.fixture
def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PADDLE_", "FLAGS_", "PYTHON"))}


@pytest.fixture
def tried(tmp_path: Path, environment: dict[str, str]) -> Callable[..., Trial]:
    def run(source: str, *, timeout: float = 60, launcher: tuple[str, ...] = (), **environ: str) -> Trial:
        path = tmp_path / "job.py"
        path.write_text(source)
        command = [sys.executable, *launcher, str(path)]
        return climb(command, folder=tmp_path, environment={**environment, **environ}, timeout=timeout)

    return run


def verdict(trial: Trial) -> Verdict:
    (opinion,) = CHECKS["PD601"].opinions({"trial": trial})
    assert isinstance(opinion, Verdict)
    return opinion


def evidence(found: Verdict) -> str:
    return "\n".join(each.text for each in found.evidence)


def test_an_exception_in_a_worker_is_the_scripts_own(tried):
    found = verdict(tried(DATA.replace("FAULT", 'raise ValueError("cannot read image 5")')))
    assert (found.cause, found.certainty) == ("script", Certainty.CERTAIN)
    assert "ValueError: cannot read image 5" in evidence(found)
    assert "no-workers: stood-still" in evidence(found)
    assert "Blocking queue" in found.consequences[0].text


def test_a_sys_exit_in_a_dataset_is_revealed_by_no_workers(tried):
    found = verdict(tried(DATA.replace("FAULT", "sys.exit(3)")))
    assert found.cause == "script"
    assert "SystemExit: 3" in evidence(found)


def test_a_worker_that_is_killed_is_cured_by_no_workers(tried):
    fault = "if get_worker_info(): os.kill(os.getpid(), signal.SIGKILL)"
    found = verdict(tried(DATA.replace("FAULT", fault)))
    assert (found.cause, found.certainty) == ("workers", Certainty.CERTAIN)


def test_a_dataset_that_kills_whoever_reads_it_is_the_scripts_own(tried):
    found = verdict(tried(DATA.replace("FAULT", "os.kill(os.getpid(), signal.SIGKILL)")))
    assert found.cause == "script"
    assert "SIGKILL" in found.summary.en


def test_leftover_variables_that_hang_are_the_environments(tried):
    found = verdict(tried("import paddle\npaddle.distributed.init_parallel_env()\n", timeout=12, **LEFT_OVER))
    assert (found.cause, found.certainty) == ("environment", Certainty.CERTAIN)
    assert found.fix is not None
    assert found.fix.commands[0].startswith("env -u PADDLE_CURRENT_ENDPOINT -u PADDLE_TRAINERS_NUM")


def test_leftover_variables_that_take_half_the_data_are_the_environments(tried):
    source = DATA.replace("FAULT", "pass").replace(
        "DataLoader(Data(), batch_size=2, num_workers=2)",
        "DataLoader(Data(), batch_sampler=paddle.io.DistributedBatchSampler(Data(), batch_size=1))",
    )
    found = verdict(tried(source, PADDLE_TRAINERS_NUM="2"))
    assert found.cause == "environment"
    assert "6 batches, without it 12" in found.summary.en


@pytest.mark.parametrize(
    "asks",
    [
        'paddle.set_device("gpu")',
        'paddle.nn.Linear(3, 3).to("gpu:0")',
        "paddle.to_tensor([1.0]).cuda()",
    ],
)
def test_a_gpu_asked_of_the_cpu_wheel_is_the_devices(tried, asks: str):
    assert verdict(tried(f"import paddle\n{asks}\n")).cause == "device"


def test_a_truncated_checkpoint_is_the_weights(tried, tmp_path: Path):
    (tmp_path / "best.pdparams").write_bytes(b"\x80\x04\x95\x10cut off")
    source = """
import paddle
net = paddle.nn.Linear(3, 2)
checkpoint = paddle.load("best.pdparams")
net.set_state_dict(checkpoint["model"])
print(net(paddle.ones([1, 3])))
"""
    found = verdict(tried(source))
    assert (found.cause, found.certainty) == ("weights", Certainty.CERTAIN)
    assert f"paddle-doctor ckpt {tmp_path / 'best.pdparams'}" in found.next_steps[0].en


def test_weights_that_do_not_fit_are_told_though_the_job_runs(tried):
    source = """
import paddle
net = paddle.nn.Linear(3, 2)
paddle.save({"_layers." + name: value for name, value in net.state_dict().items()}, "prefixed.pdparams")
net.set_state_dict(paddle.load("prefixed.pdparams"))
"""
    trial = tried(source)
    assert verdict(trial).cause == "no-failure"
    (finding,) = CHECKS["PD602"].opinions({"trial": trial})
    assert isinstance(finding, Finding)
    assert "prefixed.pdparams" in finding.message.en


def test_the_exception_of_rank_1_is_found_through_the_launcher(tried):
    source = """
import paddle
paddle.distributed.init_parallel_env()
for step in range(6):
    if step == 4 and paddle.distributed.get_rank() == 1:
        raise ValueError("rank one is ill")
    paddle.distributed.all_reduce(paddle.ones([1]))
"""
    found = verdict(tried(source, launcher=("-m", "paddle.distributed.launch", "--nproc_per_node", "2")))
    assert (found.cause, found.rank) == ("script", 1)
    assert "ValueError: rank one is ill" in evidence(found)


def test_a_healthy_job_has_no_failure(tried):
    found = verdict(tried(DATA.replace("FAULT", "pass")))
    assert (found.cause, found.failed) == ("no-failure", False)


@pytest.mark.parametrize(
    "source",
    [
        DATA.replace("FAULT", "pass") + "print('done')\n",
        "import paddle\nnet = paddle.nn.Linear(3, 2)\nnet.set_dict({'bias': net.weight})\nnet.set_dict({'bias': 1})\n",
        "import paddle\npaddle.load('nowhere.pdparams')\n",
    ],
)
def test_under_the_shim_the_output_is_the_same_to_the_byte(tmp_path: Path, environment: dict[str, str], source: str):
    (tmp_path / "job.py").write_text(source)
    (tmp_path / "events").touch()

    def run(**more: str) -> tuple[int, bytes, bytes]:
        ran = subprocess.run(
            [sys.executable, "job.py"], cwd=tmp_path, env={**environment, **more}, capture_output=True, check=False
        )
        return ran.returncode, ran.stdout, ran.stderr

    watched = run(PYTHONPATH=str(SHIM), PADDLE_DOCTOR_EVENTS=str(tmp_path / "events"))
    assert watched == run()
    assert (tmp_path / "events").read_bytes().count(b"\n") > 1
