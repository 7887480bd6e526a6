"""A report as JSON, in the shape that `report.schema.json` fixes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from paddle_doctor import __version__
from paddle_doctor.core.facts import to_plain
from paddle_doctor.core.finding import Evidence, Finding, Fix, Report, Verdict
from paddle_doctor.core.language import Language
from paddle_doctor.report.inert import HARMFUL

SCHEMA_VERSION = 1


def render(report: Report, language: Language, *, timings: bool = False) -> str:
    """The report as one JSON document with a newline at its end; whatever a terminal might obey is escaped."""
    text = json.dumps(as_data(report, language, timings=timings), ensure_ascii=False, indent=2)
    return HARMFUL.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def as_data(report: Report, language: Language, *, timings: bool = False) -> dict[str, Any]:
    """The report as plain data."""
    checks: dict[str, Any] = {
        "run": len(report.ran),
        "skipped": [
            {"code": each.code, "name": each.name, "reason": each.reason.say(language)} for each in report.skipped
        ],
        "crashed": [{"code": each.code, "name": each.name, "error": each.error} for each in report.crashed],
    }
    if timings:
        checks["seconds"] = {code: round(seconds, 6) for code, seconds in report.timings.items()}
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "paddle-doctor", "version": __version__},
        "command": report.command,
        "verdict": _verdict(report.verdict, language),
        "findings": [_finding(each, language) for each in report.findings],
        "subject": dict(report.facts),
        "checks": checks,
    }


def _verdict(verdict: Verdict | None, language: Language) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "cause": verdict.cause,
        "certainty": verdict.certainty.value,
        "rank": verdict.rank,
        "failed": verdict.failed,
        "summary": verdict.summary.say(language),
        "evidence": _evidence(verdict.evidence, language),
        "consequences": _evidence(verdict.consequences, language),
        "fix": _fix(verdict.fix, language),
        "next_steps": [each.say(language) for each in verdict.next_steps],
    }


def _finding(finding: Finding, language: Language) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "subject": finding.subject,
        "severity": finding.severity.value,
        "certainty": finding.certainty.value,
        "message": finding.message.say(language),
        "location": to_plain(finding.location),
        "evidence": _evidence(finding.evidence, language),
        "fix": _fix(finding.fix, language),
    }


def _evidence(evidence: Sequence[Evidence], language: Language) -> list[dict[str, Any]]:
    return [
        {
            "path": each.path,
            "line": each.line,
            "rank": each.rank,
            "text": each.text,
            "note": each.note.say(language) if each.note else None,
        }
        for each in evidence
    ]


def _fix(fix: Fix | None, language: Language) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {
        "summary": fix.summary.say(language),
        "commands": list(fix.commands),
        "code": fix.code,
        "edits": to_plain(fix.edits),
        "safe": fix.safe,
    }
