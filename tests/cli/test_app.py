"""The program as a whole: its help, its errors, its exit statuses. Nobody ever sees a traceback."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from paddle_doctor import __version__
from paddle_doctor.cli import app
from paddle_doctor.cli.process import orderly_end
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.language import Text

IDEOGRAPH = re.compile("[\u4e00-\u9fff]")


def test_version(doctor):
    assert doctor("--version").stdout == f"paddle-doctor {__version__}\n"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_names_every_command_and_teaches_with_examples(doctor, language):
    ran = doctor("--lang", language, "--help")
    assert ran.returncode == 0
    for command in app.COMMANDS:
        assert re.search(rf"^│ {command} ", ran.stdout, re.MULTILINE), command
    assert "paddle-doctor log log/" in ran.stdout
    assert bool(IDEOGRAPH.search(ran.stdout)) == (language == "zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_command_has_help_with_an_example_in_both_languages(language, tmp_path):
    code = """if True:
        from paddle_doctor.cli.app import COMMANDS, run
        for name in COMMANDS:
            print("HELP OF", name)
            run([name, "--help"])
    """
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "PADDLE_DOCTOR_LANG": language, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"},
        timeout=60,
    )
    _, *pages = ran.stdout.split("HELP OF ")
    assert [page.split()[0] for page in pages] == list(app.COMMANDS)
    for command, page in zip(app.COMMANDS, pages, strict=True):
        assert f"paddle-doctor {command}" in page
        for option in ("--format", "--output", "--select", "--ignore", "--fail-on", "--lang", "--color", "--timings"):
            assert option in page
        assert bool(IDEOGRAPH.search(page)) == (language == "zh"), command
        assert not re.search(r"…\s*│", page), "a line of the help is cut"
        if language == "zh":
            assert not re.search("Options|Arguments|default|required|Show this", page)


@pytest.mark.parametrize(
    ("line", "offered"),
    [("paddle-doctor c", {"ckpt", "checks"}), ("paddle-doctor ckpt --fo", {"--format"})],
)
def test_the_shell_completes_commands_and_options(doctor, line, offered):
    word = str(len(line.split()) - 1)
    ran = doctor(_PADDLE_DOCTOR_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=word)
    assert set(ran.stdout.split()) == offered


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        (["cheks"], "There is no command 'cheks'. Did you mean 'checks'?", "没有“cheks”这个命令。"),
        (
            ["checks", "--formt", "x"],
            "There is no option '--formt'. Did you mean '--format'",
            "没有“--formt”这个选项。",
        ),
        (["checks", "--fail-on", "x"], "--fail-on cannot be 'x'. It is one of error,", "--fail-on 不能是“x”。"),
        (["env", "--port", "65536"], "--port must be between 1 and 65535.", "--port 必须在 1 到 65535 之间。"),
        (["repro", "--timeout", "0", "x.py"], "--timeout must be at least 1.", "--timeout 必须不小于 1。"),
        (["explain"], "CODE|TEXT is missing.", "缺少 CODE|TEXT。"),
        (["checks", "--report", "x"], "--report wants FORMAT=FILE", "--report 的写法是"),
        (["checks", "--ignore", "PD999"], "There is no check 'PD999'.", "没有叫“PD999”的检查。"),
        (["checks", "--output", "no/such/folder/x"], "Cannot write no/such/folder/x", "无法写入 no/such/folder/x"),
    ],
)
def test_a_wrong_use_is_one_sentence_and_status_2(monkeypatch, tmp_path, capsys, arguments, english, chinese):
    monkeypatch.chdir(tmp_path)
    for language, sentence in (("en", english), ("zh", chinese)):
        spoken = ["--lang", language]
        status = app.run(spoken + arguments if arguments[0] == "cheks" else arguments[:1] + spoken + arguments[1:])
        said = capsys.readouterr()
        assert status == 2
        assert said.err.startswith(sentence)
        assert said.out == ""


def test_without_arguments_the_help_is_shown(doctor):
    ran = doctor()
    assert ran.returncode == 2
    assert "paddle-doctor log log/" in ran.stdout + ran.stderr


def fail(monkeypatch, error: BaseException) -> int:
    def broken(**_: object) -> None:
        raise error

    monkeypatch.setattr(app, "app", broken)
    return app.run(["checks"])


def test_a_bug_of_ours_is_told_without_a_traceback(monkeypatch, capsys):
    assert fail(monkeypatch, RuntimeError("oh [bold]no[/bold]\x1b[2J")) == 2
    told = capsys.readouterr().err
    assert told.startswith("paddle-doctor itself failed (RuntimeError: oh [bold]no[/bold]\\x1b[2J).")
    assert "Traceback" not in told


def test_a_bug_shows_where_when_asked(monkeypatch, capsys):
    monkeypatch.setenv("PADDLE_DOCTOR_DEBUG", "1")
    assert fail(monkeypatch, RuntimeError("oh")) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_status_130(monkeypatch, capsys):
    assert fail(monkeypatch, KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_while_waiting_for_input_is_one_word_and_status_130(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-m", "paddle_doctor", "log", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert child.stdin is not None
    child.stdin.write("x" * 200_000)  # more than a pipe holds: once it is taken, the doctor is reading
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, "", "Interrupted.\n")


def test_a_bad_input_is_told_in_the_users_language(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["paddle-doctor", "checks"])
    monkeypatch.setenv("PADDLE_DOCTOR_LANG", "zh")
    assert fail(monkeypatch, InputError(Text("gone", "不见了"))) == 2
    assert capsys.readouterr().err == "不见了\n"


def test_the_json_report_goes_to_standard_output_alone(doctor):
    ran = doctor("checks", "--format", "json")
    assert json.loads(ran.stdout)["command"] == "checks"
    assert ran.stderr == ""


def test_reports_can_be_written_to_files_next_to_each_other(doctor, tmp_path):
    ran = doctor("checks", "--output", "main.txt", "--report", "json=second.json", "--lang", "zh")
    assert ran.stdout == ""
    assert IDEOGRAPH.search((tmp_path / "main.txt").read_text(encoding="utf-8"))
    assert json.loads((tmp_path / "second.json").read_text(encoding="utf-8"))["command"] == "checks"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main.txt", "second.json"]


def test_a_settings_file_with_a_mistake_is_told(doctor, tmp_path):
    (tmp_path / "paddle-doctor.toml").write_text('selct = ["PD1"]', encoding="utf-8")
    ran = doctor("checks")
    assert ran.returncode == 2
    assert "unknown setting 'selct'. Did you mean 'select'?" in ran.stderr


def test_the_language_may_come_from_the_settings_file(doctor, tmp_path):
    (tmp_path / "paddle-doctor.toml").write_text('lang = "zh"', encoding="utf-8")
    assert IDEOGRAPH.search(doctor("checks").stdout)


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "utf-16"])
def test_json_is_utf_8_whatever_the_terminal_speaks(tmp_path, encoding):
    (tmp_path / "é 😀.py").write_text("x = (", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "paddle_doctor", "scan", "--static", "--lang", "zh", "--format", "json", "."],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        timeout=60,
    )
    (finding,) = json.loads(ran.stdout.decode("utf-8"))["findings"]
    assert finding["location"]["path"] == "é 😀.py"
    assert IDEOGRAPH.search(finding["message"])


def test_an_output_that_cannot_show_chinese_gets_escapes_not_a_crash(doctor):
    ran = doctor("checks", "--lang", "zh", PYTHONIOENCODING="ascii")
    assert ran.returncode == 0
    assert "\\u" in ran.stdout


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m paddle_doctor checks | head -1"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize("form", ["terminal", "json"])
def test_a_reader_that_leaves_early_does_not_make_a_fault_pass(tmp_path, form):
    line = f"{sys.executable} -m paddle_doctor env --format {form} --select PD301 | true; exit ${{PIPESTATUS[0]}}"
    leftover = {"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "1"}
    ran = subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={**os.environ, **leftover},
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"])
@pytest.mark.parametrize("command", ["checks", "--version"])
def test_a_stream_that_is_closed_is_no_fault(tmp_path, command, redirection):
    line = f"{sys.executable} -m paddle_doctor {command} {redirection}"
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["checks", "--version", "checks --format json", "checks --output /dev/full"])
def test_an_output_without_room_is_one_sentence_and_status_2(tmp_path, command):
    line = f"{sys.executable} -m paddle_doctor {command} >/dev/full"
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)
    assert ran.returncode == 2
    assert re.fullmatch(r"Cannot write (the report|/dev/full): No space left on device\.\n", ran.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed")
def test_a_working_folder_that_is_gone_is_told(tmp_path):
    line = f"mkdir gone; cd gone; rmdir ../gone; {sys.executable} -m paddle_doctor env"
    environ = {**os.environ, "PADDLE_DOCTOR_LANG": "zh", "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(
        ["sh", "-c", line], capture_output=True, encoding="utf-8", timeout=60, cwd=tmp_path, env=environ, check=False
    )
    assert (ran.returncode, ran.stderr) == (2, "当前工作目录已不存在。请切换到存在的目录后重试。\n")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_one_word_and_leaves_no_child_behind(tmp_path, number):
    (tmp_path / "python").write_text("#!/bin/sh\nsleep 300 & echo $! $$ > pids.new; mv pids.new pids; wait\n")
    (tmp_path / "python").chmod(0o755)
    doctor = subprocess.Popen(
        [sys.executable, "-m", "paddle_doctor", "env", "--python", "./python"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    while not (tmp_path / "pids").exists():
        time.sleep(0.02)
    doctor.send_signal(number)
    word = "Interrupted.\n" if number == signal.SIGINT else "Terminated.\n"
    assert doctor.communicate(timeout=30) == ("", word)
    assert doctor.returncode == 128 + number
    for pid in (tmp_path / "pids").read_text().split():
        _, alive = psutil.wait_procs([psutil.Process(int(pid))] if psutil.pid_exists(int(pid)) else [], timeout=5)
        assert alive == []


def test_a_signal_that_the_caller_ignores_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with orderly_end():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
