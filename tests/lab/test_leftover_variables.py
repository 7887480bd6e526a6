"""Each variable that a launcher may have left in a shell: what it does to real Paddle, and what `env` says of it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from tests.lab.conftest import Bench
from tests.lab.declaration import Fault, Start, Words
from tests.lab.machine import own_processes, plain_environment

SCRIPT = Path(__file__).parent / "jobs" / "leftover.py"
HERE = "127.0.0.1"
CLASSIC = {
    "PADDLE_TRAINER_ID": "0",
    "PADDLE_TRAINERS_NUM": "2",
    "PADDLE_TRAINER_ENDPOINTS": f"{HERE}:6170,{HERE}:6171",
    "PADDLE_CURRENT_ENDPOINT": f"{HERE}:6170",
}
HARMLESS = {
    "PADDLE_TRAINER_ID": "0",
    "PADDLE_TRAINERS_NUM": "1",
    "PADDLE_NNODES": "1",
    "PADDLE_DISTRI_BACKEND": "gloo",
    "PADDLE_GLOBAL_RANK": "1",
    "PADDLE_LOCAL_RANK": "1",
    "TRAINING_ROLE": "TRAINER",
    "POD_IP": HERE,
    "FLAGS_selected_gpus": "0",
    "MASTER_ADDR": HERE,
    "MASTER_PORT": "1",
    "RANK": "1",
    "LOCAL_RANK": "1",
    "WORLD_SIZE": "2",
}


@dataclass(frozen=True)
class Case:
    """Variables, the code that runs among them, how that ends, what it then has printed, and what `env` calls it."""

    name: str
    variables: dict[str, str]
    does: Literal["data", "model", "save", "init", "download"]
    ends: Literal["success", "failure", "never"]
    prints: str
    severity: Literal["error", "warning"] | None = "error"
    start: Start = "plain"


CASES = (
    Case("harmless", HARMLESS, "data", "success", "rank 0 loop 10 sampler 10", severity=None),
    Case("harmless-model", HARMLESS, "save", "success", "saved", severity=None),
    Case("rank-alone", {"PADDLE_TRAINER_ID": "1"}, "data", "success", "rank 1 loop 10 sampler 10"),
    Case("rank-alone-saves", {"PADDLE_TRAINER_ID": "1"}, "save", "success", "saved nothing"),
    Case("size-alone", {"PADDLE_TRAINERS_NUM": "2"}, "data", "success", "loop 10 sampler 5"),
    Case("size-alone-model", {"PADDLE_TRAINERS_NUM": "2"}, "model", "failure", "PADDLE_TRAINER_ID is needed"),
    Case(
        "rank-beyond-size",
        {"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "2"},
        "data",
        "never",
        "AssertionError",
    ),
    Case("size-empty", {"PADDLE_TRAINERS_NUM": ""}, "data", "failure", "ValueError: invalid literal for int()"),
    Case("size-zero", {"PADDLE_TRAINERS_NUM": "0"}, "data", "failure", "ZeroDivisionError"),
    Case("classic-data", CLASSIC, "data", "success", "loop 10 sampler 5"),
    Case("classic-init", CLASSIC, "init", "never", ""),
    Case("launch-rank-0", {**CLASSIC, "PADDLE_MASTER": f"{HERE}:0"}, "data", "success", "loop 10 sampler 5"),
    Case("own-endpoint", {"PADDLE_CURRENT_ENDPOINT": f"{HERE}:6170"}, "download", "never", "asks", severity="warning"),
    Case(
        "endpoints",
        {"PADDLE_TRAINER_ENDPOINTS": f"{HERE}:6170,{HERE}:6171"},
        "download",
        "never",
        "asks",
        severity="warning",
    ),
    Case("timeout-no-number", {"PADDLE_PG_TIMEOUT": "abc"}, "data", "failure", "ValueError: invalid literal for int()"),
    Case("backup-gone", {"PADDLE_BACKUP_ENV_PATH": "log/backup_env.0.json"}, "data", "failure", "FileNotFoundError"),
    Case("nodes", {"PADDLE_NNODES": "2"}, "init", "never", "Waiting peer start", severity="warning", start="launch"),
    Case(
        "ranks-per-node",
        {"PADDLE_NPROC_PER_NODE": "1"},
        "init",
        "success",
        "rank 0 of 1",
        severity="warning",
        start="launch",
    ),
    Case("devices", {"PADDLE_DEVICES": "0"}, "init", "failure", "substring not found", "warning", "launch"),
    Case(
        "trainer-number",
        {"PADDLE_TRAINER_NUM": "2"},
        "init",
        "failure",
        "ValueError",
        severity="warning",
        start="launch",
    ),
)


@pytest.mark.lab
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_a_leftover_variable_does_and_what_env_says_of_it(case: Case, tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = tmp_path / "project"
    home.mkdir()
    folder.mkdir()
    shutil.copy(SCRIPT, folder)
    shell = Fault(title=Words("", ""), script=SCRIPT.name, arguments=[case.does], patience=10)
    with own_processes(folder) as apart:
        bench = Bench(shell, folder, {**plain_environment(home), **case.variables}, apart=apart)
        ended = bench.run_job(case.start)
        assert {None: "never", 0: "success"}.get(ended.status, "failure") == case.ends, bench.everything_said()
        assert case.prints in bench.everything_said()

        found = bench.ask("env", [], "en").found()
        assert found.get("leftover-launch-variables") == case.severity
