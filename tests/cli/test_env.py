"""`env`, as a whole process: what it reports, the facts file, and the line that cleans a shell."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable

import psutil
import pytest

from paddle_doctor.cli.app import run

Asked = Callable[..., tuple[int, str, str]]


@pytest.fixture
def asked(tmp_path, monkeypatch, capsys) -> Asked:
    """`env` within this process, where a process of its own would show no more: status, output, errors."""
    for name in [name for name in os.environ if name.startswith(("PADDLE_", "FLAGS_", "POD_", "LC_", "LANG"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def ask(*arguments: str, **variables: str) -> tuple[int, str, str]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        status = run(["env", *arguments])
        return status, *capsys.readouterr()

    return ask


LEFT = {"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "1"}
CLEAN = ("--python", sys.executable)


def test_leftover_variables_are_an_error_with_a_line_to_copy(doctor):
    ran = doctor("env", *CLEAN, **LEFT)
    assert ran.returncode == 1
    assert "1 of every 2 samples, silently" in " ".join(ran.stdout.split())
    assert "$ unset PADDLE_TRAINER_ID PADDLE_TRAINERS_NUM" in ran.stdout
    chinese = doctor("env", "--lang", "zh", *CLEAN, **LEFT)
    assert "没有任何提示" in chinese.stdout
    assert "$ unset PADDLE_TRAINER_ID PADDLE_TRAINERS_NUM" in chinese.stdout


def test_a_clean_shell_gets_a_short_summary(doctor):
    ran = doctor("env", "--select", "PD301", *CLEAN)
    assert ran.returncode == 0
    assert "Launch variables  none" in ran.stdout
    assert sys.executable in "".join(ran.stdout.split())  # a long path goes on in the next line
    assert len(ran.stdout.splitlines()) < 40


def test_a_taken_port_is_found_and_a_free_one_is_not(doctor, report):
    with socket.socket() as service:
        service.bind(("127.0.0.1", 0))
        service.listen()
        port = service.getsockname()[1]
        found = [each for each in report("env", "--port", port, *CLEAN)["findings"] if each["code"] == "PD304"]
        assert [(each["severity"], each["location"]["port"]) for each in found if each["location"]["port"] == port] == [
            ("error", port)
        ]
    after = report("env", "--port", port, *CLEAN)["findings"]
    assert not [each for each in after if each["location"] and each["location"].get("port") == port]


def test_facts_saved_here_give_the_same_report_elsewhere(doctor, tmp_path):
    here = doctor("env", "--facts-out", "facts.json", *CLEAN, **LEFT)
    there = doctor("env", "--facts", "facts.json")
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout)
    json_here = doctor("env", "--facts", "facts.json", "--format", "json")
    assert json.loads(json_here.stdout)["subject"]["environment"]["variables"] == LEFT
    assert [path.name for path in tmp_path.iterdir()] == ["facts.json"]


def test_no_secret_gets_into_report_or_facts(doctor, tmp_path):
    planted = {
        "http_proxy": "http://me:hunter2hunter2@proxy:3128",
        "PADDLE_CLOUD_TOKEN": "hunter2hunter2",
        "HF_TOKEN": "hf_hunter2hunter2HUNTER2",
        "NCCL_PASSWORD": "hunter2hunter2",
    }
    for form in ("terminal", "json"):
        ran = doctor("env", "--facts-out", "facts.json", "--format", form, *CLEAN, **planted, **LEFT)
        assert "hunter2" not in ran.stdout + ran.stderr
    assert "hunter2" not in (tmp_path / "facts.json").read_text()


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("bash", "unset PADDLE_TRAINERS_NUM PADDLE_TRAINER_ID\n"),
        ("zsh", "unset PADDLE_TRAINERS_NUM PADDLE_TRAINER_ID\n"),
        ("fish", "set --erase PADDLE_TRAINERS_NUM PADDLE_TRAINER_ID\n"),
        ("powershell", "Remove-Item -ErrorAction SilentlyContinue Env:PADDLE_TRAINERS_NUM, Env:PADDLE_TRAINER_ID\n"),
        ("cmd", 'set "PADDLE_TRAINERS_NUM="\nset "PADDLE_TRAINER_ID="\n'),
    ],
)
def test_the_line_for_a_shell_and_nothing_else(asked, kind, line):
    assert asked("--shell", kind, **LEFT) == (0, line, "")


def test_the_line_speaks_the_language_of_this_shell(asked):
    assert asked("--shell", SHELL="/usr/bin/fish", **LEFT)[1].startswith("set --erase")
    assert asked("--shell", SHELL="/bin/bash", **LEFT)[1].startswith("unset")
    assert asked("--shell", SHELL="/usr/bin/pwsh", **LEFT)[1].startswith("Remove-Item")


def test_a_clean_shell_gets_no_line(asked):
    assert asked("--shell") == (0, "", "")


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_leaves_no_child_behind(tmp_path):
    mark = tmp_path / "pid"
    hangs = tmp_path / "python"
    hangs.write_text(f"#!/bin/sh\necho $$ > {mark}.new && mv {mark}.new {mark}\nsleep 300\n")
    hangs.chmod(0o755)
    doctor = subprocess.Popen(
        [sys.executable, "-m", "paddle_doctor", "env", "--python", hangs],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not mark.exists():
        time.sleep(0.05)
    child = psutil.Process(int(mark.read_text()))
    family = [child, *child.children(recursive=True)]
    doctor.send_signal(signal.SIGINT)
    _, errors = doctor.communicate(timeout=20)
    assert doctor.returncode == 130
    assert "Traceback" not in errors
    _, alive = psutil.wait_procs(family, timeout=5)
    assert alive == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_eval_really_cleans_the_shell(tmp_path):
    script = (
        f'eval "$({sys.executable} -m paddle_doctor env --shell)";'
        'echo "left: ${PADDLE_TRAINERS_NUM-} ${PADDLE_TRAINER_ID-} ${PADDLE_TRAINER_ENDPOINTS-}"'
    )
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:1,127.0.0.1:2"}
    ran = subprocess.run(
        ["bash", "-c", script], env={**environ, **LEFT}, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert ran.stdout == "left:   \n"


def test_a_hostile_facts_file_cannot_put_anything_into_the_line(doctor, tmp_path):
    doctor("env", "--facts-out", "facts.json", **LEFT)
    facts = json.loads((tmp_path / "facts.json").read_text())
    facts["environment"]["variables"] = {"PADDLE_TRAINERS_NUM": "2\n$(touch owned)", "PADDLE_TRAINER_ID": "1; ls"}
    facts["environment"]["variables"]["PADDLE_X; touch owned"] = "1"
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    line = doctor("env", "--facts", "facts.json", "--shell", "bash").stdout
    assert set(line.split()) <= {"unset", "PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ID"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--facts", "gone.json"], "Cannot read gone.json"),
        (["--facts", "."], "Cannot read ."),
        (["--facts", "binary.json"], "holds no saved facts"),
        (["--facts", "other.json"], "holds no saved facts"),
        (["--facts", "wrong.json"], "does not hold facts of this kind"),
        (["--facts", "other.json", "--port", "80"], "--port would look at this machine"),
        (["--facts", "other.json", "--python", "python3"], "--python would look at this machine"),
        (["--facts-out", "no/such/folder/facts.json", "--python", sys.executable], "Cannot write"),
        (["--python", "/no/such/python"], "There is no Python at /no/such/python"),
        (["--python", "/bin/true"], "is not a Python"),
        (["--port", "0"], "--port"),
        (["--port", "http"], "--port"),
        (["fish"], "only makes sense after --shell"),
        (["--shell", "tcsh"], "tcsh"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(asked, tmp_path, arguments, sentence):
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00\x01" * 50)
    (tmp_path / "other.json").write_text('{"verdict": null}')
    (tmp_path / "wrong.json").write_text('{"environment": {"platform": 5}}')
    status, output, errors = asked(*arguments)
    assert (status, output) == (2, "")
    assert sentence in errors
    assert "Traceback" not in errors
    assert len(errors.strip().splitlines()) <= 2


def test_the_probe_leaves_nothing_in_the_working_folder(doctor, tmp_path):
    doctor("env", *CLEAN)
    assert list(tmp_path.iterdir()) == []


PROCESS = {"pid": 7, "ppid": 1, "name": "python", "kind": "rank", "orphan": True}
ON_GPU = {"index": 0, "name": "A100", "memory_total": 10, "memory_used": 10, "processes": [{"pid": -1}]}


@pytest.mark.parametrize(
    "facts",
    [
        '{"platform": "\\ud800"}',
        '{"platform": "linux", "processes": [{"pid": 7, "ppid": 1, "name": "x", "kind": "\\ud800"}]}',
        json.dumps({"platform": "linux", "processes": [{**PROCESS, "age": float("nan")}]}),
        json.dumps({"platform": "linux", "processes": [{**PROCESS, "age": 5}]}).replace("5", "1e999"),
        json.dumps({"platform": "linux", "processes": [{**PROCESS, "pid": -1}]}),
        json.dumps({"platform": "linux", "processes": [{**PROCESS, "ppid": -1, "status": "zombie"}]}),
        json.dumps({"platform": "linux", "gpus": [ON_GPU]}),
        "[" * 100_000,
    ],
)
def test_facts_that_no_machine_has_are_refused_or_shown_inert(asked, tmp_path, facts):
    (tmp_path / "facts.json").write_text(f'{{"environment": {facts}}}')
    status, output, errors = asked("--facts", "facts.json")
    assert "itself failed" not in errors
    assert "crash" not in output
    assert "kill -1" not in output
    assert status == 2 or (status, errors) == (0, "")
