"""``paddle-doctor repro`` as a whole: what it says of small jobs, and how it answers bad input."""

import json
import sys
from pathlib import Path

import pytest

JOB = """
import os, sys
print(sys.argv[1:])
if "PADDLE_MASTER" in os.environ:
    raise RuntimeError("no rank of mine")
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    path = tmp_path / "job.py"
    path.write_text(JOB)
    return path


def test_a_job_that_runs(report, job: Path):
    said = report("repro", "--python", sys.executable, job)
    assert said["verdict"]["cause"] == "no-failure"
    assert [attempt["outcome"] for attempt in said["subject"]["attempts"]] == ["passed"]


def test_leftover_variables_and_the_command_that_cures(report, job: Path):
    said = report("repro", "--python", sys.executable, job, "x y", PADDLE_MASTER="127.0.0.1:1")
    assert said["verdict"]["cause"] == "environment"
    assert said["verdict"]["fix"]["commands"] == [f"env -u PADDLE_MASTER {sys.executable} {job} 'x y'"]


def test_all_behind_the_script_belongs_to_the_job(report, job: Path):
    said = report("repro", "--python", sys.executable, job, "--timeout", "5", "--format", "xml", "--", "-x")
    assert said["subject"]["attempts"][0]["output"] == ["['--timeout', '5', '--format', 'xml', '--', '-x']"]


def test_a_command_behind_two_dashes(report):
    said = report("repro", "--", sys.executable, "-c", "print('hello')")
    assert said["subject"]["command"][1:] == ["-c", "print('hello')"]
    assert said["subject"]["attempts"][0]["output"] == ["hello"]


def test_the_report_and_where_the_job_runs(doctor, job: Path):
    ran = doctor("repro", "--lang", "zh", "--python", sys.executable, job, PADDLE_MASTER="x")
    assert ran.returncode == 1
    assert "环境中残留的启动变量导致任务失败" in ran.stdout
    assert "RuntimeError: no rank of mine" in ran.stdout
    assert str(job.parent) in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere.py"], "There is no script nowhere.py."),
        (["nowhere"], "There is no script and no command 'nowhere'."),
        (["."], ". is a folder"),
        (["--rungs", "no-worker", "job.py"], "Did you mean 'no-workers'?"),
        (["--timeout", "nan", "job.py"], "--timeout is a number of seconds."),
        (["--timeout", "0", "job.py"], "--timeout"),
        (["--rung", "cpu", "job.py"], "There is no option '--rung'."),
        (["--python", "/no/python", "job.py"], "There is no Python at /no/python."),
        ([], "missing"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(doctor, job: Path, arguments: list[str], complaint: str):
    ran = doctor("repro", *arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert complaint in ran.stderr
    assert "Traceback" not in ran.stderr


def test_json_is_json_whatever_the_job_prints(doctor, tmp_path: Path):
    (tmp_path / "job.py").write_text(r"import sys; sys.stdout.buffer.write(b'\x1b[31m\xff\x00[red]'); sys.exit(3)")
    ran = doctor("repro", "--format", "json", "--rungs", "as-is", "--python", sys.executable, "job.py")
    assert json.loads(ran.stdout)["subject"]["attempts"][0]["status"] == 3
