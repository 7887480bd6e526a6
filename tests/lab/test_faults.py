"""Every fault of the lab: the job dies on real Paddle as its page says, and each command says the right thing of it."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.lab

LANGUAGES = ("en", "zh")
CERTAINTIES = ("possible", "likely", "certain")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def test_log(fault: str, start: Any, bench: Any, subtests: pytest.Subtests) -> None:
    job = bench.declared.job_of.get(start, bench.declared.job)
    ended = bench.run_job(start)
    with subtests.test("the job ends as on the page"):
        assert how_it_ended(ended.status) == job.ends, bench.everything_said()
        assert missing_of(bench.filled(job.says), bench.everything_said()) == []

    expected = bench.declared.log_of.get(start, bench.declared.log)
    if not re.search(expected.when, bench.everything_said()):
        expected = expected.otherwise
    usual = "console.txt" if start == "plain" else "console.txt log"
    for arguments in expected.inputs or [usual]:
        for language in LANGUAGES:
            with subtests.test("log", arguments=arguments, language=language):
                report = bench.ask("log", arguments.split(), language)
                check_verdict(report, expected.causes, language)
                check_log(report.verdict, expected)


def test_scan(fault: str, bench: Any, subtests: pytest.Subtests) -> None:
    check_finds(bench, "scan", bench.declared.scan, [bench.declared.script], subtests)


def test_ckpt(fault: str, bench: Any, subtests: pytest.Subtests) -> None:
    check_finds(bench, "ckpt", bench.declared.ckpt, ["output/best.pdparams"], subtests)


def test_env(fault: str, bench: Any, subtests: pytest.Subtests) -> None:
    check_finds(bench, "env", bench.declared.env, [], subtests)


def test_repro(fault: str, bench: Any, subtests: pytest.Subtests) -> None:
    expected = bench.declared.repro
    for language in ["zh"] if expected.slow else LANGUAGES:
        with subtests.test("repro", language=language):
            report = bench.ask("repro", [*expected.options, bench.declared.script], language)
            check_verdict(report, expected.causes, language)


def how_it_ended(status: int | None) -> str:
    return {None: "never", 0: "success"}.get(status, "failure")


def missing_of(patterns: list[str], text: str) -> list[str]:
    return [pattern for pattern in patterns if not re.search(pattern, text)]


def check_verdict(report: Any, causes: list[str], language: str) -> None:
    verdict = report.verdict
    assert verdict["cause"] in causes, verdict
    assert report.status == (0 if verdict["cause"] == "no-failure" else 1)
    assert report.crashed == []
    assert bool(CHINESE.search(verdict["summary"])) == (language == "zh"), verdict["summary"]


def check_log(verdict: dict[str, Any], expected: Any) -> None:
    if expected.rank is not None:
        assert verdict["rank"] == expected.rank, verdict
    if expected.at_most is not None and verdict["cause"] != "unknown":  # "unknown" may well be certain
        assert CERTAINTIES.index(verdict["certainty"]) <= CERTAINTIES.index(expected.at_most), verdict
    if verdict["cause"] not in {"no-failure", "unknown"}:
        assert verdict["evidence"], "a cause without a line that shows it"
    assert missing_of(expected.evidence, quoted(verdict["evidence"])) == [], verdict
    assert missing_of(expected.consequences, quoted(verdict["consequences"])) == [], verdict


def quoted(rows: list[dict[str, Any]]) -> str:
    return "\n".join(row["text"] for row in rows)


def check_finds(bench: Any, command: str, expected: Any, usual: list[str], subtests: pytest.Subtests) -> None:
    for language in LANGUAGES:
        with subtests.test(command, language=language):
            report = bench.ask(command, expected.arguments or usual, language)
            assert report.verdict is None
            assert report.crashed == []
            assert report.grave() == expected.finds, report.findings
            assert report.status == (1 if "error" in expected.finds.values() else 0)
            for found in report.findings:
                assert bool(CHINESE.search(found["message"])) == (language == "zh"), found["message"]
