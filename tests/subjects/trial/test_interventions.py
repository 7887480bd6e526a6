"""What each rung changes in the environment."""

import os

import pytest

from paddle_doctor.subjects.trial import Attempt, Outcome, Rung
from paddle_doctor.subjects.trial.interventions import SHIM, changes_nothing, child_environment, launch_variables

LEFT_OVER = {
    "PADDLE_TRAINER_ID": "1",
    "PADDLE_TRAINERS_NUM": "2",
    "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:6170",
    "POD_IP": "10.0.0.1",
    "FLAGS_START_PORT": "6170",
    "DISTRIBUTED_TRAINER_ENDPOINTS": "a:1",
}
HARMLESS = {
    "PATH": "/bin",
    "PADDLE_DOCTOR_LANG": "zh",
    "PADDLE_PDX_CACHE_HOME": "/cache",
    "FLAGS_selected_gpus": "0",
    "MASTER_ADDR": "x",
    "HTTP_PROXY": "http://proxy",
    "CUDA_VISIBLE_DEVICES": "3",
}


def test_launch_variables_are_those_that_make_a_job_believe_it_is_a_rank():
    assert set(launch_variables({**LEFT_OVER, **HARMLESS})) == set(LEFT_OVER)


def test_a_clean_environment_differs_by_the_launch_variables_alone():
    environment = {**LEFT_OVER, **HARMLESS}
    as_is = child_environment(Rung.AS_IS, environment, ["python"])
    clean = child_environment(Rung.CLEAN_ENV, environment, ["python"])
    assert {name: value for name, value in as_is.items() if name not in LEFT_OVER} == clean
    assert {**as_is, **HARMLESS} == as_is


def test_the_shim_stands_before_the_users_pythonpath():
    assert child_environment(Rung.AS_IS, {}, ["x"])["PYTHONPATH"] == str(SHIM)
    assert child_environment(Rung.AS_IS, {"PYTHONPATH": "/mine"}, ["x"])["PYTHONPATH"] == f"{SHIM}{os.pathsep}/mine"


@pytest.mark.parametrize(
    ("command", "hidden"),
    [
        (["python", "eval.py"], True),
        (["python", "eval.py", "-m", "paddle.distributed.launch"], True),
        (["python", "-m", "paddle.distributed.launch", "eval.py"], False),
        (["python", "-u", "-m", "paddle.distributed.fleet.launch", "eval.py"], False),
        (["/env/bin/fleetrun", "eval.py"], False),
    ],
)
def test_cards_are_hidden_unless_a_launcher_would_stumble(command: list[str], hidden: bool):
    environment = child_environment(Rung.CPU, {"CUDA_VISIBLE_DEVICES": "0"}, command)
    assert environment["CUDA_VISIBLE_DEVICES"] == ("" if hidden else "0")


def test_a_rung_that_would_change_nothing_is_known_beforehand():
    bare = Attempt(rung=Rung.AS_IS, outcome=Outcome.FAILED, processes=1)
    unseen = Attempt(rung=Rung.AS_IS, outcome=Outcome.FAILED)
    busy = Attempt(rung=Rung.AS_IS, outcome=Outcome.FAILED, processes=1, worker_processes=True, checkpoints=("/a",))
    assert changes_nothing(Rung.CLEAN_ENV, bare, HARMLESS)
    assert not changes_nothing(Rung.CLEAN_ENV, bare, LEFT_OVER)
    for rung in (Rung.NO_WORKERS, Rung.RANDOM_WEIGHTS):
        assert changes_nothing(rung, bare, {})
        assert not changes_nothing(rung, unseen, {})
        assert not changes_nothing(rung, busy, {})
