"""`paddle-doctor scan` as a person runs it."""

import sys
from pathlib import Path

import pytest

SPAWN = "import paddle.distributed as dist\n\n\ndef train(): ...\n\n\ndist.spawn(train, nprocs=2)\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(SPAWN, encoding="utf-8")
    return path


def test_a_finding_has_its_place_evidence_and_fix(report, script: Path):
    said = report("scan", "--static", script)
    assert said["verdict"] is None
    (finding,) = said["findings"]
    assert (finding["code"], finding["severity"], finding["certainty"]) == ("PD101", "error", "certain")
    assert finding["location"]["line"] == 7
    assert finding["evidence"][0]["text"] == "dist.spawn(train, nprocs=2)"
    assert "__main__" in finding["fix"]["code"]


def test_both_languages(doctor, script: Path):
    english = doctor("scan", "--static", script, "--lang", "en")
    chinese = doctor("scan", "--static", script, "--lang", "zh")
    assert (english.returncode, chinese.returncode) == (1, 1)
    assert "outside the main guard" in english.stdout
    assert "子进程" in chinese.stdout


def test_static_looks_at_the_source_alone(report, script: Path):
    said = report("scan", "--static", script)
    assert list(said["subject"]) == ["scripts"]
    assert "PD103" in [each["code"] for each in said["checks"]["skipped"]]


def test_without_static_the_machine_and_the_checkpoints_are_examined_too(report, script: Path, tmp_path: Path):
    (tmp_path / "best.pdparams").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    script.write_text("import paddle\npaddle.load('best.pdparams')\nimport no_such_module_of_ours\n", encoding="utf-8")
    said = report("scan", "--python", sys.executable, script, PADDLE_TRAINERS_NUM="2")
    assert said["subject"]["checkpoints"] == ["best.pdparams"]
    assert said["subject"]["environment"]["variables"]["PADDLE_TRAINERS_NUM"] == "2"
    assert {each["code"][:3] for each in said["findings"]} >= {"PD1", "PD2", "PD3"}
    assert "PD103" in [each["code"] for each in said["findings"]]


def test_a_folder_is_read_as_far_as_it_can_be(doctor, script: Path, tmp_path: Path):
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\x01\x02")
    (tmp_path / "broken.py").write_text("x = (\n", encoding="utf-8")
    (tmp_path / "empty.py").touch()
    said = doctor("scan", "--static", ".")
    assert said.returncode == 1
    for words in ("PD100", "PD101", "binary.py is not a Python file", "nothing to examine"):
        assert words in " ".join(said.stdout.split()), said.stdout


@pytest.mark.parametrize("name", ["none.py", "binary.py", "notes.txt", "nothing"])
def test_bad_input_is_one_sentence_and_status_2(doctor, tmp_path: Path, name: str):
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\x01\x02")
    (tmp_path / "notes.txt").touch()
    (tmp_path / "nothing").mkdir()
    said = doctor("scan", "--static", name, "--lang", "zh")
    assert (said.returncode, said.stdout) == (2, "")
    assert len(said.stderr.strip().splitlines()) == 1
    assert "Traceback" not in said.stderr
    assert "。" in said.stderr


def test_what_the_script_holds_is_shown_inert(doctor, tmp_path: Path):
    hostile = "import paddle.distributed as d\nd.spawn('[red]\\x1b[31m')  # \x1b]0;owned\x07[bold]\n"
    (tmp_path / "evil.py").write_text(hostile, encoding="utf-8")
    said = doctor("scan", "--static", "evil.py", "--color", "never")
    assert "\x1b" not in said.stdout
    assert "[bold]" in said.stdout
