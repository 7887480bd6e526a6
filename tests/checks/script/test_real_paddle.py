"""What the pages of PD1xx claim, shown on real Paddle: each script is run and, the same script, read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paddle_doctor.core.finding import Finding, Severity
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.environment import gather_environment
from paddle_doctor.subjects.script import gather_script

pytestmark = pytest.mark.lab

BOOTSTRAPPING = "finished its bootstrapping phase"

DATA = """
import multiprocessing as mp
import numpy as np
import paddle
from paddle.io import DataLoader, Dataset

class Squares(Dataset):
    def __getitem__(self, index):
        return np.float32([index, index]), np.int64(0)

    def __len__(self):
        return 8
"""
LOOP = """
for batch in DataLoader(Squares(), batch_size=2, num_workers=2):
    print("batch")
"""


@pytest.fixture
def run(tmp_path: Path):
    """Run a script with real Paddle in a folder of its own: exit status and all that it printed."""

    def run(source: str, **environ: str) -> tuple[int, str]:
        (tmp_path / "eval.py").write_text(source, encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PADDLE_", "FLAGS_"))}
        ran = subprocess.run(
            [sys.executable, "eval.py"],
            cwd=tmp_path,
            env={**kept, **environ},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        return ran.returncode, ran.stdout + ran.stderr

    return run


@pytest.fixture
def errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The codes of the findings, with their severity, on the script that was run."""

    def errors() -> dict[str, Severity]:
        monkeypatch.chdir(tmp_path)
        script = gather_script(Path("eval.py"))
        environment = gather_environment(python=sys.executable, modules=script.foreign_modules())
        checks = load_checks(["script"], plugins=False).checks.values()
        subjects = {"script": script, "environment": environment}
        findings = (each for check in checks for each in check.opinions(subjects))
        return {each.code: each.severity for each in findings if isinstance(each, Finding)}

    return errors


def test_workers_outside_the_guard_are_harmless_with_fork(run, errors):
    status, output = run(DATA + LOOP)
    assert (status, output.count("batch\n")) == (0, 4)
    assert errors() == {"PD101": Severity.INFO}


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_outside_the_guard_break_with_other_start_methods(run, errors, method: str):
    status, output = run(DATA + f"mp.set_start_method({method!r}, force=True)\n" + LOOP)
    assert status == 1
    assert BOOTSTRAPPING in output
    assert "Blocking queue is killed" in output
    assert errors() == {"PD101": Severity.ERROR}


def test_a_loader_that_is_only_made_outside_the_guard_does_no_harm(run, errors):
    status, output = run(
        DATA
        + "mp.set_start_method('spawn', force=True)\nloader = DataLoader(Squares(), num_workers=2)\n"
        + "if __name__ == '__main__':\n    print('batches', len(list(loader)))\n"
    )
    assert (status, "batches 8" in output) == (0, True)
    assert errors() == {}


def test_the_high_level_model_starts_workers_too(run, errors):
    status, output = run(
        DATA
        + "mp.set_start_method('spawn', force=True)\nmodel = paddle.Model(paddle.nn.Linear(2, 2))\n"
        + "model.prepare(metrics=paddle.metric.Accuracy())\nmodel.evaluate(Squares(), batch_size=2, num_workers=2)\n"
    )
    assert (status, BOOTSTRAPPING in output) == (1, True)
    assert errors() == {"PD101": Severity.ERROR}


def test_paddles_spawn_breaks_outside_the_guard_and_works_by_fork(run, errors):
    spawn = "import paddle.distributed as dist\ndef train():\n    print('did its part')\n"
    status, output = run(spawn + "dist.spawn(train, nprocs=2, backend='gloo')\n")
    assert (status, BOOTSTRAPPING in output) == (1, True)
    assert "terminated with exit code 1" in output
    assert errors() == {"PD101": Severity.ERROR}
    status, output = run(spawn + "dist.spawn(train, nprocs=2, backend='gloo', start_method='fork')\n")
    assert (status, output.count("did its part")) == (0, 2)
    assert errors() == {}


@pytest.mark.parametrize(
    "ask", ["paddle.set_device('gpu')", "paddle.CUDAPlace(0)", "paddle.nn.Linear(2, 2).weight.cuda()"]
)
def test_a_gpu_asked_of_the_cpu_build_raises(run, errors, ask: str):
    status, output = run(f"import paddle\n{ask}\n")
    assert (status, "ValueError" in output) == (1, True)
    assert errors() == {"PD102": Severity.ERROR}


def test_a_fallback_works_on_the_cpu_build(run, errors):
    status, _ = run(
        "import paddle\ntry:\n    paddle.set_device('gpu')\nexcept ValueError:\n    paddle.set_device('cpu')\n"
    )
    assert status == 0
    assert errors() == {}


def test_a_missing_module(run, errors):
    status, output = run("import paddle\nimport no_such_module_of_ours\n")
    assert (status, "ModuleNotFoundError" in output) == (1, True)
    assert errors() == {"PD103": Severity.ERROR}


def test_a_fixed_world_size_halves_the_data(run, errors):
    status, output = run(
        DATA
        + "import os\nfrom paddle.io import DistributedBatchSampler\nos.environ['PADDLE_TRAINERS_NUM'] = '2'\n"
        + "print('seen', sum(len(batch) for batch in DistributedBatchSampler(Squares(), 2)))\n"
    )
    assert (status, "seen 4" in output) == (0, True)
    assert errors() == {"PD105": Severity.WARNING}


def test_a_fixed_rank_saves_nothing(run, errors, tmp_path: Path):
    status, _ = run(
        "import os\nos.environ['PADDLE_TRAINER_ID'] = '1'\nimport paddle\n"
        "paddle.Model(paddle.nn.Linear(2, 2)).save('out/model')\n"
    )
    assert status == 0
    assert not list(tmp_path.rglob("*.pdparams"))
    assert errors() == {"PD105": Severity.WARNING}


@pytest.mark.parametrize("path", ["none.pdparams", "~/none.pdparams"])
def test_a_checkpoint_that_is_not_there(run, errors, path: str):
    status, output = run(f"import paddle\npaddle.load({path!r})\n")
    assert (status, "to load model not exists" in output) == (1, True)
    assert errors() == {"PD106": Severity.WARNING}


def test_a_folder_in_place_of_a_checkpoint_loads_nothing_and_says_nothing(run, errors, tmp_path: Path):
    (tmp_path / "output").mkdir()
    status, output = run("import paddle\nprint('loaded', paddle.load('output'))\n")
    assert (status, "loaded {}" in output) == (0, True)
    assert errors() == {"PD106": Severity.WARNING}


def test_a_syntax_error_ends_the_job_before_its_first_line(run, errors):
    status, output = run("print('first')\nx = (\n")
    assert (status, "SyntaxError" in output, "first" in output) == (1, True, False)
    assert errors() == {"PD100": Severity.ERROR}


def test_gbk_that_is_not_declared_ends_the_job(tmp_path: Path, errors):
    (tmp_path / "eval.py").write_bytes("print('验证精度')\n".encode("gbk"))
    ran = subprocess.run([sys.executable, "eval.py"], cwd=tmp_path, capture_output=True, check=False)
    assert (ran.returncode, b"Non-UTF-8 code" in ran.stderr) == (1, True)
    assert errors() == {"PD100": Severity.ERROR}
