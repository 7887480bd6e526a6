"""`paddle-doctor explain`: the page of a check, or what a message of a failed job means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

import typer

from paddle_doctor.cli.options import command
from paddle_doctor.cli.session import Session
from paddle_doctor.core.check import Page
from paddle_doctor.core.errors import InputError, near_miss
from paddle_doctor.core.finding import Report, Table
from paddle_doctor.core.language import Text, same, say
from paddle_doctor.core.registry import load_checks, load_signatures, subjects_with_checks
from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.core.signature import Role, Signature

HELP = Text(
    """What a check looks for and why, or what a message means.

    - A check: **paddle-doctor explain PD301**
    - A message: **paddle-doctor explain "terminate all the procs"**
    """,
    """说明某项检查的内容与原因，或解释一条报错信息。

    - 某项检查：**paddle-doctor explain PD301**
    - 一条信息：**paddle-doctor explain "terminate all the procs"**
    """,
)
UNKNOWN = Text(
    "'{text}' is neither a check nor a message that paddle-doctor knows.{hint} 'paddle-doctor checks' "
    "lists the checks.",
    "“{text}”既不是检查的编号或名称，也不是 paddle-doctor 认识的信息。{hint}用“paddle-doctor checks”可列出全部检查。",
)
ROLE = {
    Role.ROOT: Text("a cause", "原因"),
    Role.CONSEQUENCE: Text("a consequence: look for what came before it", "后果：请查看它之前发生了什么"),
    Role.CONFIRMATION: Text("confirms a cause", "可佐证某个原因"),
    Role.ADVICE: Text(
        "advice that Paddle prints for any fault: not evidence", "Paddle 遇到任何故障都会打印的建议：不能作为证据"
    ),
    Role.LAUNCHER: Text("the launcher's own line, never the cause", "启动器自己的输出，从来不是原因"),
}
TITLE = Text("What this message means", "这条信息的含义")
MEANS, ROLE_OF_IT, CAUSE = Text("Means", "含义"), Text("It is", "性质"), Text("Cause", "原因")
WHAT, WHY, CURE = Text("What", "是什么"), Text("Why it matters", "有何影响"), Text("What to do", "怎么办")
SINCE, SOURCES = Text("Holds for", "适用版本"), Text("How it is known", "依据")
FIRES, SILENT = Text("Fires on", "会报告"), Text("Silent on", "不会报告")


@command
def explain(
    session: Session,
    what: Annotated[
        list[str],
        typer.Argument(metavar="CODE|TEXT", help=say("A code, a name, or a message.", "编号、名称或一条信息。")),
    ],
) -> None:
    """Show the page of a check, or look a message up among the signatures of failure logs."""
    text = hide_in_text(" ".join(what).strip())  # what is pasted is a line of a log
    checks = load_checks(subjects_with_checks()).checks
    check = checks.get(text.upper()) or next((each for each in checks.values() if each.page.name == text), None)
    if check is not None:
        page = check.page
        examples = [(FIRES, each.shows) for each in check.fires_on()]
        examples += [(SILENT, each.shows) for each in check.silent_on()]
        table = Table(title=same(f"{page.code} {page.name}"), rows=(*_page_rows(page), *examples))
        session.write(Report(command="explain", facts=_page_facts(session, page), tables=(table,)))
        return
    found = [(each, match) for each in load_signatures() if (match := each.regex.search(text))]
    if not found:
        hint = near_miss(text, (*checks, *(each.page.name for each in checks.values())))
        raise InputError(UNKNOWN.fill(text=text, hint=hint))
    rows = tuple(row for signature, match in found for row in _signature_rows(signature, match))
    facts = {"message": text, "signatures": [_signature_facts(session, *each) for each in found]}
    session.write(Report(command="explain", facts=facts, tables=(Table(title=TITLE, rows=rows),)))


def _page_rows(page: Page) -> tuple[tuple[Text, Text], ...]:
    return (
        (SINCE, page.since),
        (WHAT, page.what),
        (WHY, page.why),
        (CURE, page.cure),
        (SOURCES, page.known),
    )


def _said(words: Text, match: re.Match[str]) -> Text:
    return words.fill(**{name: value or "?" for name, value in match.groupdict().items()})


def _signature_rows(signature: Signature, match: re.Match[str]) -> Iterator[tuple[Text, Text]]:
    yield MEANS, _said(signature.says, match)
    yield ROLE_OF_IT, ROLE[signature.role]
    if signature.cause is not None:
        yield CAUSE, same(signature.cause)
    if signature.fix is not None:
        yield CURE, _said(signature.fix, match)
    for line in signature.commands:
        yield same(""), same(f"$ {line}")


def _page_facts(session: Session, page: Page) -> dict[str, object]:
    return {
        "code": page.code,
        "name": page.name,
        "severity": page.severity.value,
        "title": session.say(page.title),
        "what": session.say(page.what),
        "why": session.say(page.why),
        "cure": session.say(page.cure),
        "since": session.say(page.since),
        "sources": list(page.sources),
    }


def _signature_facts(session: Session, signature: Signature, match: re.Match[str]) -> dict[str, object]:
    return {
        "id": signature.id,
        "role": signature.role.value,
        "cause": signature.cause,
        "says": session.say(_said(signature.says, match)),
        "fix": session.say(_said(signature.fix, match)) if signature.fix else None,
    }
