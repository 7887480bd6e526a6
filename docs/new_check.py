"""Write the page of a new check: ``make new-check SUBJECT=script NAME=my-check CODE=PD199``."""

import re
import sys
from pathlib import Path

CHECKS = Path(__file__).parent.parent / "checks"

TEMPLATE = '''"""{sentence}."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.{subject} import {model}

PAGE = Page(
    code="{code}",
    name="{name}",
    severity=Severity.WARNING,
    title=Text("One line: what is wrong", "一句话：哪里不对"),
    what=Text("What the fault is.", "问题是什么。"),
    why=Text("Why it kills the job, or falsifies its result.", "为什么会让任务退出，或让结果出错。"),
    cure=Text("What to do about it.", "该怎么做。"),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("how each claim is known: a test of the lab, or a link",),
)

FOUND = Text("What was found, with {{what}} in it.", "发现了什么，其中有 {{what}}。")
DO = Text("What to do.", "该怎么做。")


def _fires() -> Iterator[Example]:
    """The smallest patients on which it must fire."""
    raise NotImplementedError("yield Example(shows=Text(...), subjects={{'{subject}': ...}})")


def _silent() -> Iterator[Example]:
    """Near misses, on which it must stay silent."""
    raise NotImplementedError("yield Example(shows=Text(...), subjects={{'{subject}': ...}})")


@check(PAGE, fires_on=_fires, silent_on=_silent)
def {function}({subject}: {model}) -> Iterator[Finding]:
    """Yield what is wrong; read nothing and print nothing here."""
    if not {subject}:
        return
    yield PAGE.finding(FOUND.fill(what="..."), location=Location(), fix=Fix(summary=DO))
'''
MODEL = {
    "checkpoint": "Checkpoint",
    "environment": "Environment",
    "joblog": "JobLog",
    "script": "Script",
    "trial": "Trial",
}
HUNDRED = {"script": "1", "checkpoint": "2", "environment": "3", "joblog": "5", "trial": "6"}


def free_code(subject: str) -> str:
    """The first code of the subject's hundred that no page has."""
    taken = {
        code for path in CHECKS.glob("*/*.py") for code in re.findall(r'code="(PD\d{3})"', path.read_text("utf-8"))
    }
    return next(code for number in range(1, 100) if (code := f"PD{HUNDRED[subject]}{number:02}") not in taken)


def main(subject: str, name: str, code: str) -> str:
    """Write the page; the sentence that says what to do next, or what is wrong."""
    if subject not in MODEL:
        return f"SUBJECT is one of {', '.join(MODEL)}; for example: make new-check SUBJECT=script NAME=my-check"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        return "NAME is kebab-case; for example: make new-check SUBJECT=script NAME=my-check"
    code = code or free_code(subject)
    if not re.fullmatch(rf"PD{HUNDRED[subject]}\d\d", code):
        return f"CODE is PD{HUNDRED[subject]}xx for a check of a {subject}"
    path = CHECKS / subject / f"{name.replace('-', '_')}.py"
    if path.exists():
        return f"{path} is there already"
    sentence = f"The check {name}: say here in one sentence what it finds"
    text = TEMPLATE.format(
        sentence=sentence, subject=subject, model=MODEL[subject], code=code, name=name, function=path.stem
    )
    path.write_text(text, encoding="utf-8")
    return f"Wrote {path}. Fill it in, then: .venv/bin/python -m pytest tests/checks/test_pages.py -k {code}"


if __name__ == "__main__":
    print(main(*sys.argv[1:4]))
