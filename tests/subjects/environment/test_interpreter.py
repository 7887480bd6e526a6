"""Which interpreter is the job's, what it is asked in a child process, and what is no Python."""

import os
import stat
import sys
import time
from pathlib import Path

import psutil
import pytest

from paddle_doctor.core.errors import InputError
from paddle_doctor.subjects.environment import Interpreter, Unseen, Why, gather_environment
from paddle_doctor.subjects.environment import interpreter as subject
from paddle_doctor.subjects.environment.child import OUTPUT_LIMIT, ask
from paddle_doctor.subjects.environment.interpreter import ask_interpreter, find_interpreter


def program(path: Path, *lines: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def asked(path: str, *, insist: bool = True) -> Interpreter | Unseen:
    return ask_interpreter(path, modules=(), folder=Path("/"), variables=os.environ, insist=insist)


def test_the_virtualenv_goes_before_conda_and_conda_before_the_path(tmp_path):
    venv, conda = program(tmp_path / "venv/bin/python"), program(tmp_path / "conda/bin/python")
    on_path = program(tmp_path / "bin/python3")
    variables = {"PATH": str(tmp_path / "bin"), "CONDA_PREFIX": str(tmp_path / "conda")}
    assert find_interpreter(None, {**variables, "VIRTUAL_ENV": str(tmp_path / "venv")}) == venv
    assert find_interpreter(None, variables) == conda
    assert find_interpreter(None, {"PATH": str(tmp_path / "bin")}) == on_path
    assert find_interpreter(None, {"PATH": str(tmp_path)}) is None


def test_a_virtualenv_that_is_gone_is_passed_over(tmp_path):
    on_path = program(tmp_path / "bin/python3")
    assert find_interpreter(None, {"PATH": str(tmp_path / "bin"), "VIRTUAL_ENV": str(tmp_path / "gone")}) == on_path


@pytest.mark.parametrize("folder", ["/" + "x" * 5000, "\udcff", "/etc/passwd"])
def test_a_virtualenv_that_nothing_can_be_is_passed_over(folder, tmp_path):
    on_path = program(tmp_path / "bin/python3")
    assert (
        find_interpreter(None, {"PATH": str(tmp_path / "bin"), "VIRTUAL_ENV": folder, "CONDA_PREFIX": folder})
        == on_path
    )


def test_the_interpreter_answers():
    told = asked(sys.executable)
    assert isinstance(told, Interpreter)
    assert told.executable == sys.executable
    assert told.python_version == ".".join(map(str, sys.version_info[:3]))


@pytest.mark.parametrize(
    "path", ["/no/such/python", "/etc/passwd", "/tmp", "no-such-python", "~nobody-of-that-name/python"]
)
def test_an_interpreter_that_is_not_there_is_said_in_one_sentence(path):
    with pytest.raises(InputError, match="There is no Python at"):
        gather_environment(python=path)


@pytest.mark.parametrize(
    "lines",
    [
        ["exit 0"],
        ["echo hello", "exit 3"],
        ["""echo '{"paddle-doctor-probe": 1, "executable": 5}'"""],
        ["cat /dev/zero"],
        ["""printf '{"paddle-doctor-probe": '; head -c 100000 /dev/zero | tr '\\0' '['"""],
    ],
)
def test_what_is_no_python_is_said_in_one_sentence(lines, tmp_path):
    with pytest.raises(InputError, match="is not a Python"):
        asked(program(tmp_path / "python", *lines))


def test_what_one_said_before_it_was_killed_is_no_reason(tmp_path):
    with pytest.raises(InputError, match="it did not answer as one"):
        asked(program(tmp_path / "python", "echo all is well", "kill -KILL $$"))


def test_an_interpreter_that_nobody_named_is_merely_not_seen(tmp_path):
    told = asked(program(tmp_path / "python", "echo ImportError: libpython3.9.so >&2", "exit 127"), insist=False)
    assert isinstance(told, Unseen)
    assert told.why is Why.FAILED
    assert "libpython3.9.so" in told.detail


def test_noise_around_the_answer_is_passed_over(tmp_path):
    noisy = program(tmp_path / "python", "echo '{\"a banner\": 1}'", f'{sys.executable} "$@"', "echo goodbye >&2")
    assert isinstance(asked(noisy), Interpreter)


def test_one_that_hangs_is_stopped_with_its_children(tmp_path, monkeypatch):
    monkeypatch.setattr(subject, "SECONDS", 0.5)
    mark = tmp_path / "pid"
    told = asked(program(tmp_path / "python", f"sleep 300 & echo $! > {mark}", "wait"))
    assert told == Unseen(why=Why.TIMED_OUT, detail=str(tmp_path / "python"))
    assert_gone(int(mark.read_text()))


def test_a_child_that_talks_without_end_is_cut_off():
    start = time.monotonic()
    answer = ask(["yes"], seconds=30, folder=Path("/"), variables=os.environ)
    assert len(answer.output) == OUTPUT_LIMIT
    assert time.monotonic() - start < 20


def test_what_a_child_leaves_behind_is_ended(tmp_path):
    mark = tmp_path / "pid"
    ask(["sh", "-c", f"sleep 300 >&- 2>&- & echo $! > {mark}"], seconds=5, folder=Path("/"), variables=os.environ)
    assert_gone(int(mark.read_text()))


def assert_gone(pid: int) -> None:
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} lives on")
