"""The runner: who runs on what, who is skipped and why, and what a crash does (nothing to the others)."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from paddle_doctor.core.check import Check, Example, Page, check
from paddle_doctor.core.examine import examine
from paddle_doctor.core.finding import Certainty, Finding, Severity, Verdict
from paddle_doctor.core.language import Text, same
from paddle_doctor.core.registry import Registry
from paddle_doctor.core.settings import Settings


@dataclass(frozen=True)
class Thing:
    """A subject of these tests."""

    name: str


def page(code: str, severity: Severity = Severity.ERROR) -> Page:
    words = Text("words", "话")
    return Page(
        code=code, name=f"check-{code}", severity=severity, title=words, what=words, why=words, cure=words,
        since=Text("always", "一直"), sources=("here",),
    )  # fmt: skip


def none() -> Iterator[Example]:
    return iter(())


def make(code: str, function) -> Check:
    return check(page(code), fires_on=none, silent_on=none)(function)


def run(patients, *checks: Check, settings: Settings | None = None):
    registry = Registry()
    for each in checks:
        registry.add(each)
    return examine("scan", patients, registry, settings or Settings())


def names_the_script(script):
    yield page("PD101").finding(same(script.name))


def test_a_check_sees_every_instance_of_the_subject_it_names():
    report = run({"script": [Thing("a.py"), Thing("b.py")]}, make("PD101", names_the_script))
    assert [found.message.en for found in report.findings] == ["a.py", "b.py"]
    assert report.ran == ("PD101",)


def test_a_check_of_two_subjects_sees_every_pair():
    def pairs(script, checkpoint):
        yield page("PD102").finding(same(f"{script.name} loads {checkpoint.name}"))

    report = run({"script": [Thing("a")], "checkpoint": [Thing("x"), Thing("y")]}, make("PD102", pairs))
    assert [found.message.en for found in report.findings] == ["a loads x", "a loads y"]


def test_a_subject_with_a_default_is_given_if_it_is_there():
    def sharpened(script, environment=None):
        yield page("PD103").finding(same(environment.name if environment else "alone"))

    one = make("PD103", sharpened)
    assert run({"script": [Thing("a")]}, one).findings[0].message.en == "alone"
    assert run({"script": [Thing("a")], "environment": [Thing("linux")]}, one).findings[0].message.en == "linux"


def test_a_check_without_its_subject_is_skipped_with_the_reason():
    report = run({"checkpoint": [Thing("m")], "script": []}, make("PD101", names_the_script))
    assert report.ran == ()
    assert report.skipped[0].code == "PD101"
    assert report.skipped[0].reason.en == "needs script, which this command does not look at"


def test_a_check_that_is_not_selected_is_skipped():
    report = run({"script": [Thing("a")]}, make("PD101", names_the_script), settings=Settings(ignore=("PD1",)))
    assert report.findings == ()
    assert report.skipped[0].reason.en == "not selected"


def test_a_crash_is_reported_and_the_others_go_on():
    def crashes(script):
        yield page("PD100").finding(same("never seen"))
        raise KeyError("lost")

    report = run({"script": [Thing("a")]}, make("PD100", crashes), make("PD101", names_the_script))
    assert [(each.code, each.error) for each in report.crashed] == [("PD100", "KeyError: 'lost'")]
    assert [found.code for found in report.findings] == ["PD101"]


def test_a_verdict_of_a_check_becomes_the_reports_verdict_and_counts_as_an_error():
    verdict = Verdict(cause="gpu-oom", certainty=Certainty.CERTAIN, summary=Text("full", "满了"))

    def judges(joblog):
        yield verdict

    report = run({"joblog": [Thing("log")]}, make("PD501", judges))
    assert report.verdict is verdict
    assert report.worst() is Severity.ERROR


def test_findings_stand_worst_first():
    def three(script):
        for severity in (Severity.INFO, Severity.ERROR, Severity.WARNING):
            yield page("PD101").finding(same(severity.value), severity=severity)

    report = run({"script": [Thing("a")]}, make("PD101", three))
    assert [found.severity for found in report.findings] == [Severity.ERROR, Severity.WARNING, Severity.INFO]
    assert report.worst() is Severity.ERROR


def test_every_check_that_ran_was_timed():
    report = run({"script": [Thing("a")]}, make("PD101", names_the_script))
    assert report.timings.keys() == {"PD101"}
    assert report.timings["PD101"] >= 0


def test_two_checks_cannot_have_one_code():
    registry = Registry()
    registry.add(make("PD101", names_the_script))
    with pytest.raises(ValueError, match="PD101 is check-PD101"):
        registry.add(make("PD101", names_the_script))


def test_a_finding_takes_code_and_severity_from_its_page():
    found = page("PD203", Severity.WARNING).finding(same("x"))
    assert isinstance(found, Finding)
    assert (found.code, found.subject, found.severity) == ("PD203", "checkpoint", Severity.WARNING)
