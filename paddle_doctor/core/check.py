"""What a check is: a page that explains it, and a function from subjects to findings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Severity, Verdict
from paddle_doctor.core.language import Text

#: What a check's function gives: findings, and where it can name the one cause of a failure, a verdict.
Opinions = Iterable[Finding | Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """All that is to be read about a check; `paddle-doctor explain CODE` and the documentation are made of it.

    `sources` says how each claim is known: the lab test that shows it on real Paddle, or where it was read.
    `since` names the Paddle versions it holds for.
    """

    code: str
    name: str
    severity: Severity
    title: Text
    what: Text
    why: Text
    cure: Text
    since: Text
    sources: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise `ValueError` for a code of no family: the report could not say what the check is about."""
        if not (self.code.startswith("PD") and self.code[2:3] in SUBJECT_OF_HUNDRED):
            raise ValueError(f"{self.code} is in no family of codes: they begin with PD and one of {_HUNDREDS}")

    @property
    def subject(self) -> str:
        """The subject that the code's hundred stands for (PD2xx: checkpoint)."""
        return SUBJECT_OF_HUNDRED[self.code[2]]

    @property
    def known(self) -> Text:
        """The sources in a row; what was measured and what was read is said in both languages."""
        return Text("; ".join(self.sources), "；".join(_cited_in_chinese(source) for source in self.sources))

    def finding(
        self,
        message: Text,
        *,
        severity: Severity | None = None,
        certainty: Certainty = Certainty.CERTAIN,
        location: Location | None = None,
        evidence: Iterable[Evidence] = (),
        fix: Fix | None = None,
    ) -> Finding:
        """A finding of this check, with the page's severity unless another is given."""
        return Finding(
            code=self.code,
            name=self.name,
            subject=self.subject,
            severity=severity or self.severity,
            certainty=certainty,
            message=message,
            location=location,
            evidence=tuple(evidence),
            fix=fix,
        )


#: Families of codes; the report groups by them.
SUBJECT_OF_HUNDRED = {
    "1": "script",
    "2": "checkpoint",
    "3": "environment",
    "5": "joblog",
    "6": "trial",
    "7": "cluster",
}
_HUNDREDS = ", ".join(SUBJECT_OF_HUNDRED)


@dataclass(frozen=True, slots=True)
class Example:
    """A patient for a check, as facts: on it the check must fire, or stay silent. `shows` says what it is."""

    shows: Text
    subjects: Mapping[str, object]


Examples = Callable[[], Iterable[Example]]


@dataclass(frozen=True, slots=True)
class Check:
    """A page with its logic. `needs` are the subjects that it cannot do without, `uses` those that sharpen it."""

    page: Page
    function: Callable[..., Opinions]
    needs: tuple[str, ...]
    uses: tuple[str, ...] = ()
    fires_on: Examples = field(default=tuple)
    silent_on: Examples = field(default=tuple)

    def opinions(self, subjects: Mapping[str, object]) -> list[Finding | Verdict]:
        """What this check says of the subjects; whatever its function raises passes through."""
        wanted: dict[str, Any] = {name: subjects[name] for name in self.needs}
        wanted.update({name: subjects.get(name) for name in self.uses})
        return list(self.function(**wanted))


def check(page: Page, *, fires_on: Examples, silent_on: Examples) -> Callable[[Callable[..., Opinions]], Check]:
    """Make a check of a function whose parameters are named as the subjects it examines.

    A parameter with the default None is a subject that the check can do without.
    """

    def make(function: Callable[..., Opinions]) -> Check:
        parameters = inspect.signature(function).parameters.values()
        return Check(
            page=page,
            function=function,
            needs=tuple(each.name for each in parameters if each.default is inspect.Parameter.empty),
            uses=tuple(each.name for each in parameters if each.default is not inspect.Parameter.empty),
            fires_on=fires_on,
            silent_on=silent_on,
        )

    return make


def _cited_in_chinese(source: str) -> str:
    for english, chinese in (("measured", "实测"), ("read", "阅读源码或报告")):
        if source.startswith(f"{english}:"):
            return f"{chinese}：{source.removeprefix(english + ':').strip()}"
    return source
