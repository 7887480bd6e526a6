"""Every check's page: complete in both languages, firing where it says it fires, silent where it says so."""

import re

import pytest

from paddle_doctor.core.check import Check, Example
from paddle_doctor.core.finding import Finding, Fix, Severity, Verdict
from paddle_doctor.core.language import Text
from paddle_doctor.core.registry import load_checks, subjects_with_checks

CHECKS = sorted(load_checks(subjects_with_checks(), plugins=False).checks.values(), key=lambda check: check.page.code)
IDEOGRAPH = re.compile("[\u4e00-\u9fff]")


def cases(kind: str) -> list[object]:
    return [
        pytest.param(check, example, id=f"{check.page.code}-{number}")
        for check in CHECKS
        for number, example in enumerate(getattr(check, kind)(), start=1)
    ]


every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.page.code)


def spoken(text: Text) -> bool:
    """Whether a text says something in both languages, and something Chinese in Chinese."""
    return bool(text.en.strip()) and bool(IDEOGRAPH.search(text.zh)) and not IDEOGRAPH.search(text.en)


@every_check
def test_the_page_is_whole(check: Check):
    page = check.page
    assert re.fullmatch(r"PD[1-7]\d\d", page.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", page.name)
    for text in (page.title, page.what, page.why, page.cure):
        assert spoken(text), text
    assert page.since.en
    assert page.since.zh
    assert page.known.en
    assert page.known.zh


@every_check
def test_the_file_is_named_as_the_check(check: Check):
    module = check.function.__module__
    assert module == f"paddle_doctor.checks.{check.page.subject}.{check.page.name.replace('-', '_')}"
    assert check.function.__name__ == check.page.name.replace("-", "_")


@every_check
def test_there_is_something_it_fires_on_and_something_it_leaves_alone(check: Check):
    assert list(check.fires_on())
    assert list(check.silent_on())
    for example in (*check.fires_on(), *check.silent_on()):
        assert spoken(example.shows), example.shows


@pytest.mark.parametrize(("check", "example"), cases("fires_on"))
def test_it_fires(check: Check, example: Example):
    opinions = check.opinions(example.subjects)
    assert [each for each in opinions if not isinstance(each, Verdict) or each.failed], example.shows.en
    for opinion in opinions:
        complete(opinion)


@pytest.mark.parametrize(("check", "example"), cases("silent_on"))
def test_it_stays_silent(check: Check, example: Example):
    opinions = check.opinions(example.subjects)
    assert [each for each in opinions if not isinstance(each, Verdict) or each.failed] == [], example.shows.en


def complete(opinion: Finding | Verdict) -> None:
    """An opinion speaks both languages, shows evidence or a place, and an error says what to do."""
    assert spoken(opinion.message if isinstance(opinion, Finding) else opinion.summary)
    if isinstance(opinion, Finding):
        assert opinion.location is not None or opinion.evidence
        assert opinion.severity is not Severity.ERROR or opinion.fix is not None
    if opinion.fix is not None:
        complete_fix(opinion.fix)
    for evidence in opinion.evidence:
        assert evidence.note is None or spoken(evidence.note)


def complete_fix(fix: Fix) -> None:
    assert spoken(fix.summary)
    for command in fix.commands:
        assert "\n" not in command
