"""The ladder on small jobs: which rung cures, what counts as a failure, and that nothing is left behind."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from paddle_doctor.core.errors import InputError
from paddle_doctor.subjects.trial import (
    Attempt,
    Outcome,
    Rung,
    Standing,
    Trial,
    Unwatched,
    child,
    climb,
    family,
    ladder,
    standing,
)
from paddle_doctor.subjects.trial.child import Stop


@pytest.fixture
def tried(script: Callable[[str], Path], world: Path) -> Callable[..., Trial]:
    """Write a script and climb the ladder with it."""

    def run(source: str, *, environ: dict[str, str] | None = None, timeout: float = 20, **options: object) -> Trial:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PADDLE_"))}
        return climb(
            [sys.executable, str(script(source))],
            folder=world,
            environment={**kept, **(environ or {})},
            timeout=timeout,
            **options,  # type: ignore[arg-type]
        )

    return run


def outcomes(trial: Trial) -> dict[str, Outcome]:
    return {attempt.rung.value: attempt.outcome for attempt in trial.attempts}


def test_a_job_that_runs_is_run_once(tried):
    trial = tried("print('fine')")
    assert outcomes(trial) == {"as-is": Outcome.PASSED}
    assert (trial.as_is.status, trial.as_is.output, trial.as_is.processes) == (0, ("fine",), 1)
    assert trial.again is None


def test_leftover_variables_that_raise_are_cured_by_a_clean_environment(tried):
    trial = tried("import os\nint(os.environ.get('PADDLE_TRAINER_ID', '0'))", environ={"PADDLE_TRAINER_ID": ""})
    assert outcomes(trial) == {"as-is": Outcome.FAILED, "clean-env": Outcome.PASSED}
    assert trial.cures[0].removed == ("PADDLE_TRAINER_ID",)
    assert trial.again is not None
    assert trial.again.fingerprint == trial.as_is.fingerprint


def test_a_hang_is_an_outcome_and_its_repetition_is_cut_short(tried):
    source = "import os, time\nwhile 'PADDLE_MASTER' in os.environ: time.sleep(0.1)"
    trial = tried(source, environ={"PADDLE_MASTER": "127.0.0.1:1"}, timeout=2)
    assert outcomes(trial) == {"as-is": Outcome.HUNG, "clean-env": Outcome.PASSED}
    assert trial.again is not None
    assert trial.again.outcome is Outcome.HUNG


def test_variables_that_change_what_a_running_job_reads_are_tried_without(tried):
    source = """
import os, paddle
for _ in paddle.io.DataLoader('ab' if 'PADDLE_TRAINERS_NUM' in os.environ else 'abcd'): pass
"""
    trial = tried(source, environ={"PADDLE_TRAINERS_NUM": "2"})
    assert [attempt.batches for attempt in trial.attempts] == [2, 4]


def test_rungs_that_would_change_nothing_are_passed_over(tried):
    trial = tried("raise KeyError('x')")
    assert outcomes(trial) == {
        "as-is": Outcome.FAILED,
        "clean-env": Outcome.UNCHANGED,
        "no-workers": Outcome.UNCHANGED,
        "cpu": Outcome.FAILED,
        "random-weights": Outcome.UNCHANGED,
    }
    assert trial.cures == ()


def test_a_rung_that_was_asked_for_is_run_all_the_same(tried):
    trial = tried("raise KeyError('x')", rungs=[Rung.NO_WORKERS], chosen=True)
    assert outcomes(trial) == {"as-is": Outcome.FAILED, "no-workers": Outcome.FAILED}


def test_a_worker_that_dies_is_cured_by_no_workers(tried):
    source = """
import os, paddle
class Data:
    def __len__(self): return 3
    def __getitem__(self, number):
        if 'IN_A_WORKER' in os.environ: raise ArithmeticError
        return number
print(list(paddle.io.DataLoader(Data(), num_workers=2)))
"""
    trial = tried(source)
    assert trial.as_is.dead_workers
    assert [attempt.rung for attempt in trial.cures] == [Rung.NO_WORKERS]
    assert trial.cures[0].changed == ("paddle.io.reader",)


STANDS_STILL = """
import paddle
class Data:
    def __len__(self): return 3
    def __getitem__(self, number): return {}[number]
for batch in paddle.io.DataLoader(Data(), num_workers=WORKERS): pass
"""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that are there for real jobs, cut short."""
    monkeypatch.setattr(child, "STANDSTILL_SECONDS", 0.5)
    monkeypatch.setattr(family, "GRACE_SECONDS", 0.3)


@pytest.mark.usefixtures("impatient")
def test_a_job_that_stands_still_is_stopped_and_its_exception_kept(tried):
    trial = tried(STANDS_STILL.replace("WORKERS", "0"), rungs=[], timeout=60)
    assert trial.as_is.outcome is Outcome.STOOD_STILL
    assert trial.as_is.seconds < 30
    assert trial.as_is.root is not None
    assert trial.as_is.root.type == "KeyError"


@pytest.mark.usefixtures("impatient")
def test_with_no_workers_the_same_exception_is_no_cure_and_no_other_fault(tried):
    trial = tried(STANDS_STILL.replace("WORKERS", "2"), rungs=[Rung.NO_WORKERS])
    assert outcomes(trial)["no-workers"] is Outcome.STOOD_STILL
    assert standing(trial.attempts[1], trial.as_is) is Standing.SAME


def test_a_run_that_gets_well_past_the_failure_is_stopped_and_counts_as_cured(tried):
    source = """
import os, time, paddle
for number, _ in enumerate(paddle.io.DataLoader(range(10_000))):
    if number == 3 and 'PADDLE_MASTER' in os.environ: raise SystemExit(1)
    time.sleep(0.02)
"""
    trial = tried(source, environ={"PADDLE_MASTER": "x"}, timeout=60)
    assert outcomes(trial) == {"as-is": Outcome.FAILED, "clean-env": Outcome.OUTLIVED}
    assert trial.cures[0].batches > 2 * trial.as_is.batches


def test_a_job_still_at_work_at_the_time_limit_has_not_failed(tried):
    source = "import time, paddle\nfor _ in paddle.io.DataLoader(range(10_000)): time.sleep(0.05)"
    assert outcomes(tried(source, timeout=2)) == {"as-is": Outcome.UNFINISHED}


def test_what_passes_the_second_time_is_noticed(tried, world: Path):
    source = """
import os, pathlib
seen = pathlib.Path('seen')
count = int(seen.read_text()) if seen.exists() else 0
seen.write_text(str(count + 1))
assert count != 0
"""
    trial = tried(source, environ={"PADDLE_MASTER": "x"})
    assert [attempt.rung for attempt in trial.cures] == [Rung.CLEAN_ENV]
    assert trial.again is not None
    assert trial.again.well


def test_a_signal_is_named(tried):
    trial = tried("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", rungs=[])
    assert (trial.as_is.status, trial.as_is.signal, trial.as_is.fingerprint) == (None, "SIGKILL", "signal SIGKILL")


def test_what_cannot_be_started_is_an_input_error(world: Path):
    with pytest.raises(InputError, match="Cannot run"):
        climb(["./nowhere"], folder=world)


def test_secrets_on_the_command_line_and_in_the_output_are_hidden(world: Path):
    trial = climb([sys.executable, "-c", "print('password=hunter2hunter2')", "--token=abcdef0123456789"], folder=world)
    assert "hunter2hunter2" not in str(trial)
    assert "abcdef0123456789" not in str(trial)


LEAVES_CHILDREN = """
import os, signal, subprocess, sys, time
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
subprocess.Popen([sys.executable, "-c", deaf])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(300)
    os._exit(0)
os.wait()
time.sleep(0.5)
"""


def test_a_run_has_outlived_a_failure_well_behind_it():
    failed = Attempt(rung=Rung.AS_IS, outcome=Outcome.FAILED, batches=5, seconds=4.0)
    assert ladder._stop(60, failed) == Stop(60, batches=18, seconds=6.0)
    hung = dataclasses.replace(failed, outcome=Outcome.HUNG, seconds=60.0)
    assert ladder._stop(60, hung) == Stop(60, batches=18)
    assert ladder._stop_again(60, hung, dataclasses.replace(failed, seconds=7.0)) == Stop(24, batches=18)
    assert ladder._stop(60, dataclasses.replace(failed, outcome=Outcome.PASSED)) == Stop(60)


@pytest.mark.usefixtures("impatient")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_nothing_is_left_behind_not_even_what_left_the_family(tried):
    before = set(psutil.Process().children(recursive=True))
    tried(LEAVES_CHILDREN, rungs=[])
    assert set(psutil.Process().children(recursive=True)) <= before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_interrupted_it_ends_the_job_and_its_children(script, world: Path, number: int, status: int):
    path = script(LEAVES_CHILDREN.replace("SIG_IGN", "SIG_DFL") + "print('ready', flush=True); time.sleep(300)")
    doctor = subprocess.Popen(
        [sys.executable, "-m", "paddle_doctor", "repro", "--timeout", "100", "--python", sys.executable, str(path)],
        cwd=world,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    family = psutil.Process(doctor.pid)
    deadline = time.monotonic() + 30
    while len(job := family.children(recursive=True)) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    doctor.send_signal(number)
    assert doctor.wait(timeout=30) == status
    _, alive = psutil.wait_procs(job, timeout=5)
    assert alive == []


class Heard(Unwatched):
    def __init__(self) -> None:
        self.events: list[str] = []

    def started(self, rung: Rung, timeout: float, *, again: bool) -> None:  # noqa: ARG002
        self.events.append(f"start {rung.value}{' again' if again else ''}")

    def ended(self, attempt: Attempt, *, again: bool) -> None:  # noqa: ARG002
        self.events.append(f"end {attempt.rung.value} {attempt.outcome.value}")


def test_a_watcher_is_told(tried):
    heard = Heard()
    tried("import os\nassert 'POD_IP' not in os.environ", environ={"POD_IP": "1.2.3.4"}, watcher=heard)
    assert heard.events == [
        "start as-is",
        "end as-is failed",
        "start clean-env",
        "end clean-env passed",
        "start as-is again",
        "end as-is failed",
    ]


def test_where_no_process_can_be_seen_the_job_still_runs_and_its_group_still_ends(tried, world: Path, monkeypatch):
    def no_proc(pid=None):
        raise psutil.NoSuchProcess(pid)

    monkeypatch.setattr("psutil.Process", no_proc)
    job = f"import os, time; open({str(world / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(300)"
    assert tried(job, rungs=[], timeout=2).as_is.outcome is Outcome.HUNG
    with pytest.raises(ProcessLookupError):
        os.kill(int((world / "pid").read_text()), 0)
