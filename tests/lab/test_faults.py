"""Every fault of the lab: the job dies on real Paddle as its page says, and each command says the right thing of it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.lab.conftest import Bench, Report, how_it_ended, missing_of
from tests.lab.declaration import FAULTS, Found, Job, Log, Start, read_faults

LANGUAGES = ("en", "zh")
CERTAINTIES = ("possible", "likely", "certain")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def test_every_folder_declares_its_fault_in_both_languages() -> None:
    declared = read_faults()
    assert sorted(declared) == sorted(path.name for path in FAULTS.iterdir())
    assert [name for name, fault in declared.items() if not CHINESE.search(fault.title.zh)] == []
    assert [name for name, fault in declared.items() if CHINESE.search(fault.title.en)] == []


@pytest.mark.lab
def test_log(fault: str, start: Start, bench: Bench, subtests: pytest.Subtests) -> None:
    declared = bench.declared
    ended = bench.run_job(start)
    said = bench.everything_said()
    job = declared.job_of.get(start, declared.job)
    assert isinstance(job, Job)
    with subtests.test("the job ends as on the page"):
        assert how_it_ended(ended.status) == job.ends, said
        assert missing_of(bench.filled(job.says), said) == [], said

    expected = declared.log_of.get(start, declared.log)
    if expected is not None and not re.search(expected.when, said):
        expected = expected.otherwise
    assert isinstance(expected, Log)
    usual = "console.txt" if start == "plain" else "console.txt log"
    for arguments in expected.inputs or [usual]:
        for language in LANGUAGES:
            with subtests.test("log", arguments=arguments, language=language):
                report = bench.ask("log", arguments.split(), language)
                check_log(verdict_of(report, expected.causes, language), expected)
                assert report.found(besides=expected.finds) == expected.finds, report.findings


@pytest.mark.lab
def test_scan(fault: str, bench: Bench, subtests: pytest.Subtests) -> None:
    check_finds(bench, "scan", bench.declared.scan, [str(bench.declared.script)], subtests)


@pytest.mark.lab
def test_ckpt(fault: str, bench: Bench, subtests: pytest.Subtests) -> None:
    check_finds(bench, "ckpt", bench.declared.ckpt, ["output/best.pdparams"], subtests)


@pytest.mark.lab
def test_env(fault: str, bench: Bench, subtests: pytest.Subtests) -> None:
    check_finds(bench, "env", bench.declared.env, [], subtests)


@pytest.mark.lab
def test_repro(fault: str, bench: Bench, subtests: pytest.Subtests) -> None:
    expected = bench.declared.repro
    assert expected is not None
    for language in ["zh"] if expected.slow else LANGUAGES:
        with subtests.test("repro", language=language):
            report = bench.ask("repro", [*expected.options, str(bench.declared.script)], language)
            verdict_of(report, expected.causes, language)
            assert expected.finds.items() <= report.found(besides=expected.finds).items(), report.findings


def verdict_of(report: Report, causes: list[str], language: str) -> dict[str, Any]:
    verdict = report.verdict
    assert verdict is not None
    assert verdict["cause"] in causes, verdict
    assert report.status == (0 if verdict["cause"] == "no-failure" else 1)
    assert report.crashed == []
    assert bool(CHINESE.search(verdict["summary"])) == (language == "zh"), verdict["summary"]
    return verdict


def check_log(verdict: dict[str, Any], expected: Log) -> None:
    if expected.rank is not None:
        assert verdict["rank"] == expected.rank, verdict
    if expected.at_most is not None and verdict["cause"] != "unknown":  # that it is not known may well be certain
        assert CERTAINTIES.index(verdict["certainty"]) <= CERTAINTIES.index(expected.at_most), verdict
    if verdict["cause"] not in {"no-failure", "unknown"}:
        assert verdict["evidence"], "a cause without a line that shows it"
    assert missing_of(expected.evidence, quoted(verdict["evidence"])) == [], verdict
    assert missing_of(expected.consequences, quoted(verdict["consequences"])) == [], verdict


def quoted(rows: list[dict[str, Any]]) -> str:
    return "\n".join(row["text"] for row in rows)


def check_finds(
    bench: Bench, command: str, expected: Found | None, usual: list[str], subtests: pytest.Subtests
) -> None:
    assert expected is not None
    for language in LANGUAGES:
        with subtests.test(command, language=language):
            report = bench.ask(command, expected.arguments or usual, language)
            assert report.verdict is None
            assert report.crashed == []
            assert report.found(besides=expected.finds) == expected.finds, report.findings
            assert report.status == (1 if "error" in expected.finds.values() else 0)
            for found in report.findings:
                assert bool(CHINESE.search(found["message"])) == (language == "zh"), found["message"]
