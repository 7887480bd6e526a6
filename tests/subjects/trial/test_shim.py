"""The shim inside a job: it sees what it should, changes only what it was asked to, and leaves the output alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LOADS = """
import sys
import paddle
net = paddle.nn.Layer()
state = paddle.load("state.py")
print(net.set_state_dict(state["model"]), file=sys.stderr)
print([batch for batch in paddle.io.DataLoader("abc")])
"""
RAISES = """
import paddle
print(paddle.load("state.py"))
paddle.load("empty.py")
"""
IN_A_SAMPLE = """
import paddle
class Data:
    def __len__(self): return 4
    def __getitem__(self, number): return 1 / (2 - number)
for batch in paddle.io.DataLoader(Data(), num_workers=2): print(batch, flush=True)
"""


def read(events: Path) -> list[dict]:
    return [json.loads(line) for line in events.read_text().splitlines()]


def of_kind(events: Path, kind: str) -> list[dict]:
    return [event for event in read(events) if event["event"] == kind]


@pytest.fixture(autouse=True)
def files(world: Path):
    (world / "state.py").write_text("{'model': {'weight': 1, 'w': 2}, 'epoch': 3}")
    (world / "empty.py").write_text("")


def plainly(path: Path, python: str = sys.executable) -> subprocess.CompletedProcess[bytes]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PADDLE_"))}
    return subprocess.run([python, str(path)], capture_output=True, cwd=path.parent, env=environ, check=False)


@pytest.mark.parametrize("source", [LOADS, RAISES, IN_A_SAMPLE, "import json\n", "import nowhere\n"])
def test_what_the_job_prints_stays_the_same_to_the_byte(script, under_the_shim, source: str):
    path = script(source)
    script("raise ImportError('this json is mine')", "json.py")
    plain = plainly(path)
    watched, _ = under_the_shim(path)
    assert (watched.stdout, watched.stderr, watched.returncode) == (plain.stdout, plain.stderr, plain.returncode)


def test_it_sees_the_checkpoint_and_what_became_of_it(script, under_the_shim, world: Path):
    ran, events = under_the_shim(script(LOADS))
    assert b"(['bias'], ['w'])" in ran.stderr
    assert [event["path"] for event in of_kind(events, "load")] == [str(world / "state.py")]
    (state,) = of_kind(events, "state_set")
    assert (state["layer"], state["missing"], state["unexpected"], state["matched"]) == ("Layer", 1, 1, 1)
    assert state["path"] == str(world / "state.py")
    assert state["example_missing"] == ["bias"]
    assert [event["count"] for event in of_kind(events, "batches")] == [1, 2, 3]


def test_it_sees_the_exception_that_ends_the_job(script, under_the_shim, world: Path):
    _, events = under_the_shim(script(RAISES))
    (raised,) = of_kind(events, "raised")
    assert (raised["type"], raised["message"], raised["thread"]) == ("EOFError", "Ran out of input", False)
    assert raised["frames"][0] == [str(world / "job.py"), 4, "<module>"]
    assert raised["frames"][-1][2] == "load"


def test_without_workers_the_loader_reads_in_the_main_process(script, under_the_shim):
    source = """
import os, paddle
loader = paddle.io.DataLoader("ab", num_workers=4)
print(loader.num_workers, len(list(loader)), os.environ.get("IN_A_WORKER"))
"""
    as_is, _ = under_the_shim(script(source))
    changed, events = under_the_shim(script(source), change="no-workers")
    assert as_is.stdout.split() == [b"4", b"2", b"1"]
    assert changed.stdout.split() == [b"0", b"2", b"None"]
    assert [event["module"] for event in of_kind(events, "changed")] == ["paddle.io.reader"]


def test_an_exception_in_the_reading_thread_is_told_as_a_standstill(script, under_the_shim):
    source = IN_A_SAMPLE.replace("num_workers=2", "num_workers=0").replace("for batch", "import threading\nfor batch")
    source = source.replace("print(batch, flush=True)", "break") + "threading.Event().wait(1)\n"
    _, events = under_the_shim(script(source))
    (raised,) = of_kind(events, "raised")
    assert (raised["type"], raised["thread"], raised["stands_still"]) == ("ZeroDivisionError", True, True)


def test_with_random_weights_no_file_is_opened_and_no_weight_is_set(script, under_the_shim):
    source = """
import paddle
net = paddle.nn.Layer()
ckpt = paddle.load("not/there.pdparams")
start = ckpt["epoch"] + 1
print(net.set_state_dict(ckpt["model"]["ema"]), net.load_dict(ckpt.pop("other")), start, "model" in ckpt)
print(f"best so far {ckpt['best']:.2f}", int(ckpt["step"]), ckpt.get("lr", 0.1), list(range(ckpt["epoch"], 2)))
"""
    ran, events = under_the_shim(script(source), change="random-weights")
    assert ran.stdout.decode().split("\n")[:2] == ["([], []) ([], []) 1 False", "best so far 0.00 0 0.1 [0, 1]"]
    assert [Path(event["path"]).name for event in of_kind(events, "load")] == ["there.pdparams"]


def test_it_stands_before_another_sitecustomize_and_runs_it(script, under_the_shim, world: Path):
    other = world / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("import sys; sys.mine = __file__")
    path = script(
        "import sys, sitecustomize; print(sys.mine == sitecustomize.__file__, [p for p in sys.path if 'shim' in p])"
    )
    from paddle_doctor.subjects.trial.interventions import SHIM

    ran, _ = under_the_shim(path, PYTHONPATH=os.pathsep.join([str(SHIM), str(other)]))
    assert ran.stdout.split(maxsplit=1) == [b"True", b"[]\n"]


def test_a_broken_sitecustomize_is_complained_of_as_ever(script, world: Path, under_the_shim):
    other = world / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("1 / 0")
    from paddle_doctor.subjects.trial.interventions import SHIM

    path = script("print('goes on')")
    ran, events = under_the_shim(path, PYTHONPATH=os.pathsep.join([str(SHIM), str(other)]))
    assert ran.stdout == b"goes on\n"
    assert b"Error in sitecustomize" in ran.stderr
    assert of_kind(events, "start")


def test_it_is_inherited_by_the_processes_that_the_job_starts(script, under_the_shim):
    source = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import paddle'], check=True)"
    _, events = under_the_shim(script(source))
    assert len({event["pid"] for event in of_kind(events, "start")}) == 2


def interpreters() -> Iterator[str]:
    """Other Pythons at hand, the oldest that the shim supports among them."""
    kept = Path.home() / ".pyenv" / "versions"
    for minor in (7, 8, 9, 12, 13):
        yield from sorted(map(str, kept.glob(f"3.{minor}.*/bin/python")))[:1] or filter(
            None, [shutil.which(f"python3.{minor}")]
        )


@pytest.mark.parametrize("python", list(interpreters()) or [sys.executable], ids=lambda path: Path(path).parts[-3])
def test_it_works_on_other_pythons(script, under_the_shim, python: str):
    path = script(LOADS)
    plain = plainly(path, python)
    watched, events = under_the_shim(path, python=python)
    assert (watched.stdout, watched.stderr) == (plain.stdout, plain.stderr)
    assert plain.returncode == 0, plain.stderr
    assert of_kind(events, "state_set")
    changed, _ = under_the_shim(path, python=python, change="random-weights")
    assert changed.stderr == b"([], [])\n"


def test_a_python_too_old_for_it_runs_on(script, under_the_shim):
    old = sorted((Path.home() / ".pyenv" / "versions").glob("3.6.*/bin/python"))
    if not old:
        pytest.skip("no Python 3.6 here")
    ran, events = under_the_shim(script("print('runs')"), python=str(old[0]))
    assert (ran.stdout, ran.stderr) == (b"runs\n", b"")
    assert read(events) == []
