"""The end of a run: the exit status, and what happens when the check that judges has crashed."""

import os
import stat

import pytest
import typer

from paddle_doctor.cli.session import Session, write_file
from paddle_doctor.core.check import Page, check
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.finding import Certainty, Report, Severity, Verdict
from paddle_doctor.core.language import Text, same
from paddle_doctor.core.registry import Registry
from paddle_doctor.core.settings import Settings

WORDS = Text("words", "话")


def page(severity: Severity) -> Page:
    return Page(
        code="PD599",
        name="x",
        severity=severity,
        title=WORDS,
        what=WORDS,
        why=WORDS,
        cure=WORDS,
        since=WORDS,
        sources=("x",),
    )


@pytest.mark.parametrize(
    ("severity", "fail_on", "status"),
    [
        (Severity.ERROR, "error", 1),
        (Severity.WARNING, "error", 0),
        (Severity.WARNING, "warning", 1),
        (Severity.INFO, "warning", 0),
        (Severity.INFO, "info", 1),
        (Severity.ERROR, "never", 0),
    ],
)
def test_the_status_follows_the_worst_finding(severity, fail_on, status):
    session = Session("scan", "en", Settings(fail_on=fail_on))
    assert session.status(Report(command="scan", findings=(page(severity).finding(WORDS),))) == status


@pytest.mark.parametrize(("failed", "status"), [(True, 1), (False, 0)])
def test_a_verdict_counts_as_an_error_only_if_something_failed(failed, status):
    verdict = Verdict(cause="x", certainty=Certainty.CERTAIN, summary=WORDS, failed=failed)
    assert Session("log", "en", Settings()).status(Report(command="log", verdict=verdict)) == status


@pytest.mark.parametrize(("subject", "status"), [("joblog", 2), ("script", 0)])
def test_a_crash_of_the_check_that_judges_is_never_taken_for_all_is_well(monkeypatch, capsys, subject, status):
    def crashes(**_: object):
        raise ValueError("oh")

    crashes.__signature__ = __import__("inspect").signature(eval(f"lambda {subject}: None"))  # type: ignore[attr-defined]
    registry = Registry()
    registry.add(check(page(Severity.ERROR), fires_on=tuple, silent_on=tuple)(crashes))
    monkeypatch.setattr("paddle_doctor.cli.session.load_checks", lambda _: registry)
    with pytest.raises(typer.Exit) as left:
        Session("log", "en", Settings()).finish({subject: [same("patient")]})
    assert left.value.exit_code == status
    assert "ValueError: oh" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX files")
def test_what_is_no_file_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_file(pipe, "report")
        assert os.read(reader, 100) == b"report"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
def test_a_link_stays_a_link_and_a_file_keeps_its_rights(tmp_path):
    secret, link = tmp_path / "secret.json", tmp_path / "link.json"
    secret.write_text("old")
    secret.chmod(0o600)
    link.symlink_to(secret.name)
    write_file(link, "new")
    assert link.is_symlink()
    assert secret.read_text() == "new"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["folder", "gone/report.txt", "kept/report.txt", "x" * 300])
def test_what_cannot_be_written_is_told_and_nothing_is_left(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "kept").write_text("kept")
    with pytest.raises(InputError, match="Cannot write"):
        write_file(tmp_path / name, "report")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "kept"]
    assert (tmp_path / "kept").read_text() == "kept"
