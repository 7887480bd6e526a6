"""What `make demo` shows tells one story, and each part of it is right. The recording is real; no Paddle is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DEMO = Path(__file__).resolve().parents[2] / "docs" / "demo"


def report_of(*arguments: str, language: str) -> dict[str, Any]:
    line = [sys.executable, "-m", "paddle_doctor", *arguments, "--format", "json", "--lang", language]
    ended = subprocess.run(line, cwd=DEMO, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1, ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout)
    return report


def findings_of(report: dict[str, Any]) -> set[tuple[str, str]]:
    return {(found["name"], found["severity"]) for found in report["findings"] if found["severity"] != "info"}


def test_the_console_blames_rank_0_and_never_shows_the_cause() -> None:
    console = (DEMO / "console.txt").read_text(encoding="utf-8")
    assert "Container rank 0 status failed" in console
    assert "scratchs" not in console


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("inputs", [["log"], ["console.txt", "log"]])
def test_log_names_the_exception_of_rank_1(inputs: list[str], language: str) -> None:
    report = report_of("log", *inputs, language=language)
    verdict = report["verdict"]
    assert (verdict["cause"], verdict["rank"]) == ("user-code-exception", 1)
    assert any("'scratchs' is not in list" in line["text"] for line in verdict["evidence"])
    assert any("gloo" in line["text"] and line["rank"] == 0 for line in verdict["consequences"])
    assert findings_of(report) == {("weights-skipped", "warning")}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_scan_finds_the_unguarded_start(language: str) -> None:
    report = report_of("scan", "--static", "eval.py", language=language)
    assert findings_of(report) == {("unguarded-main", "error")}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_ckpt_finds_the_wrapper_in_every_key(language: str) -> None:
    report = report_of("ckpt", "model.pdparams", language=language)
    assert findings_of(report) == {("wrapper-prefix", "error")}
