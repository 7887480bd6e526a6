"""`paddle-doctor log` as a person runs it."""

from pathlib import Path

import pytest

TRACEBACK = 'Traceback (most recent call last):\n  File "/home/me/eval.py", line 27, in <module>\n    f()\n'
PEER_GONE = "RuntimeError: [x/pair.cc:584] TIMEOUT self_rank = 0 pair_rank = 1 peer_str = [127.0.0.1]:2\n"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job of two ranks: the console blames rank 0, and the cause stands in rank 1's log."""
    (tmp_path / "log").mkdir()
    (tmp_path / "console.txt").write_text(
        f"{TRACEBACK}{PEER_GONE}LAUNCH INFO 2026-03-02 10:00:31,954 Pod failed\n"
        "Container rank 0 status failed cmd ['python', 'eval.py'] code 1 log log/workerlog.0\n"
    )
    (tmp_path / "log" / "workerlog.0").write_text(f"step 5\n{TRACEBACK}{PEER_GONE}")
    (tmp_path / "log" / "workerlog.1").write_text(f"step 5\n{TRACEBACK}ValueError: label [7] in batch 5\n")
    (tmp_path / "log" / "envlog.0").write_text("HF_TOKEN=hf_abcdefghijklmnop1234\nLANG=C\n")
    return tmp_path


def test_the_verdict_as_json(report, job: Path):
    said = report("log", job / "console.txt", job / "log")
    verdict = said["verdict"]
    assert (verdict["cause"], verdict["certainty"], verdict["rank"]) == ("user-code-exception", "certain", 1)
    assert verdict["evidence"][0]["path"].endswith("workerlog.1")
    assert verdict["evidence"][0]["line"] == 5
    assert [each["rank"] for each in verdict["consequences"]] == [0, 0]
    assert [each["code"] for each in said["findings"]] == ["PD502"]
    assert [each["rank"] for each in said["subject"]["files"]] == [None, 0, 1, 0]


def test_the_verdict_on_the_terminal_in_both_languages(doctor, job: Path):
    for language, words in (("en", "raised: ValueError: label [7] in batch 5"), ("zh", "程序抛出异常")):
        ran = doctor("log", job, "--lang", language)
        assert ran.returncode == 1
        assert words in " ".join(ran.stdout.split())
        assert "workerlog.1:5" in "".join(ran.stdout.split())
        assert "hf_abcdefghijklmnop" not in ran.stdout + ran.stderr


def test_a_paste(doctor):
    ran = doctor("log", "-", "--lang", "en", input="```\n> Bus error (core dumped)\n```\n")
    assert ran.returncode == 1
    assert "shm-exhausted" in ran.stdout


def test_a_job_that_went_well(doctor, tmp_path: Path):
    (tmp_path / "workerlog.0").write_text("step 1\ndone\n")
    ran = doctor("log", tmp_path, "--lang", "en")
    assert ran.returncode == 0
    assert "These logs show no failure." in ran.stdout


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda _: None, "There is no file or folder"),
        (lambda path: path.mkdir(), "no logs"),
        (lambda path: path.write_bytes(bytes(range(30)) * 20), "binary"),
    ],
)
def test_bad_input(doctor, tmp_path: Path, make, says: str):
    path = tmp_path / "given"
    make(path)
    ran = doctor("log", path, "--lang", "en")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_help_teaches(doctor):
    assert "paddle-doctor log log/" in doctor("log", "--help", LANG="C").stdout
