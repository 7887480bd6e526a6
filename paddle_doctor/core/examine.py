"""The runner: gives each check the subjects that it names, keeps crashes apart, and notes who was skipped and why."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from paddle_doctor.core.check import Check
from paddle_doctor.core.finding import Crashed, Finding, Report, Skipped, Table, Verdict
from paddle_doctor.core.language import Text, listing
from paddle_doctor.core.registry import Registry
from paddle_doctor.core.settings import Settings

#: What was gathered: for each subject its instances (two scripts, one environment), as frozen facts.
Patients = Mapping[str, Sequence[object]]

DESELECTED = Text("not selected", "未选中")
NOT_AT_HAND = Text("needs {subjects}, which this command does not look at", "需要 {subjects}，而本命令不查看它")


@dataclass
class _Examination:
    """The report in the making."""

    findings: list[Finding] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    crashed: list[Crashed] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)


def examine(
    command: str,
    patients: Patients,
    registry: Registry,
    settings: Settings,
    *,
    facts: Mapping[str, object] | None = None,
    tables: Sequence[Table] = (),
) -> Report:
    """Run the checks over the patients; `facts` and `tables` are what the report shows as seen."""
    result = _Examination(crashed=list(registry.broken))
    for code, check in sorted(registry.checks.items()):
        if not settings.selects(code, check.page.name):
            result.skipped.append(Skipped(code, check.page.name, DESELECTED))
        elif missing := [subject for subject in check.needs if not patients.get(subject)]:
            reason = NOT_AT_HAND.fill(subjects=listing(missing))
            result.skipped.append(Skipped(code, check.page.name, reason))
        else:
            _run(check, patients, result)
    return Report(
        command=command,
        verdict=result.verdicts[0] if result.verdicts else None,
        findings=tuple(sorted(result.findings, key=_order)),
        facts=facts or {},
        tables=tuple(tables),
        ran=tuple(result.ran),
        skipped=tuple(result.skipped),
        crashed=tuple(result.crashed),
        timings=result.timings,
    )


def _run(check: Check, patients: Patients, result: _Examination) -> None:
    page = check.page
    start = time.perf_counter()
    try:
        for subjects in _combinations(check, patients):
            for opinion in check.opinions(subjects):
                if isinstance(opinion, Verdict):
                    result.verdicts.append(opinion)
                else:
                    result.findings.append(opinion)
        result.ran.append(page.code)
    except Exception as error:  # noqa: BLE001 - a check must not hide the others, whatever is wrong with it
        result.crashed.append(Crashed(page.code, page.name, f"{type(error).__name__}: {error}"))
    result.timings[page.code] = time.perf_counter() - start


def _combinations(check: Check, patients: Patients) -> Iterator[dict[str, object]]:
    """Every way to give the check one instance of each subject that it names and that is at hand."""
    names = [name for name in (*check.needs, *check.uses) if patients.get(name)]
    for chosen in itertools.product(*(patients[name] for name in names)):
        yield dict(zip(names, chosen, strict=True))


def _order(finding: Finding) -> tuple[int, str, str, int]:
    place = finding.location
    return (
        -finding.severity.weight,
        finding.code,
        (place.path if place else None) or "",
        (place.line if place else None) or 0,
    )
