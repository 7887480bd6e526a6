"""The whole machine at once: facts to JSON and back, parts that cannot be seen, deadlines."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddle_doctor.core.facts import from_plain, to_plain
from paddle_doctor.subjects.environment import Environment, Why, gather, gather_environment
from paddle_doctor.subjects.environment.aside import Aside, TooSlow


def there_and_back(environment: Environment) -> Environment:
    return from_plain(Environment, json.loads(json.dumps(to_plain(environment))), "facts.json")


def test_this_machine_goes_to_json_and_comes_back_equal():
    environment = gather_environment(ports=[65000], modules=["no_such_module"])
    assert there_and_back(environment) == environment
    assert environment.platform == sys.platform
    assert environment.memory is not None
    assert environment.interpreter is not None
    assert environment.interpreter.missing_modules == ("no_such_module",)
    assert 65000 in {port.number for port in environment.ports}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.from_type(Environment))
def test_any_facts_go_to_json_and_come_back_equal(environment):
    assert there_and_back(environment) == environment


def test_nothing_is_gathered_by_importing_the_package():
    code = (
        "import sys, paddle_doctor.subjects.environment;"
        "print({'psutil', 'pynvml', 'subprocess', 'socket', 'msgspec'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_a_part_that_fails_does_not_hide_the_others(monkeypatch):
    import psutil

    def denied(**_: object) -> None:
        raise psutil.AccessDenied(msg="not you")

    def broken() -> None:
        raise RuntimeError("password=hunter2hunter2")

    monkeypatch.setattr(psutil, "net_connections", denied)
    monkeypatch.setattr(gather, "look_at_gpus", broken)
    environment = gather_environment()
    assert environment.unseen["ports"].why is Why.NO_RIGHTS
    assert environment.unseen["gpus"].why is Why.FAILED
    assert "hunter2" not in environment.unseen["gpus"].detail
    assert {port.state for port in environment.ports} == {"unknown"}
    assert environment.ancestors


def test_a_platform_without_shared_memory(monkeypatch, tmp_path):
    monkeypatch.setattr(gather, "SHARED_MEMORY", tmp_path / "gone")
    environment = gather_environment()
    assert environment.shm is None
    assert environment.unseen["shm"].why is Why.NOT_HERE


def test_the_working_folder_may_be_gone(monkeypatch, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert gather_environment().interpreter is not None


def test_the_probe_runs_in_the_folder_of_the_job(tmp_path):
    (tmp_path / "queue.py").write_text("")
    interpreter = gather_environment(working_folder=tmp_path).interpreter
    assert interpreter is not None
    assert interpreter.shadowing == ("queue.py",)
    assert [path.name for path in tmp_path.iterdir()] == ["queue.py"], "the doctor has left something behind"


def test_work_aside_gives_its_result_or_its_exception():
    assert Aside(lambda: 42, seconds=5).result() == 42
    with pytest.raises(ZeroDivisionError):
        Aside(lambda: 1 // 0, seconds=5).result()


def test_work_that_is_too_slow_is_not_waited_for():
    start = time.monotonic()
    with pytest.raises(TooSlow):
        Aside(lambda: time.sleep(2), seconds=0.1).result()
    assert time.monotonic() - start < 1.5


def test_the_probe_is_a_file_of_the_package():
    from paddle_doctor.subjects.environment.interpreter import PROBE

    assert PROBE.is_file()
    assert "import paddle\n" not in Path(PROBE).read_text()


def test_memory_that_cannot_be_seen_is_noted(monkeypatch):
    def no_proc():
        raise FileNotFoundError(2, "No such file or directory", "/proc/meminfo")

    monkeypatch.setattr("psutil.virtual_memory", no_proc)
    environment = gather_environment()
    assert environment.memory is None
    assert environment.unseen["memory"].why is Why.FAILED
