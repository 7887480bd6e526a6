"""`paddle-doctor checks`: the list of all checks."""

from __future__ import annotations

from paddle_doctor.cli.options import command
from paddle_doctor.cli.session import Session
from paddle_doctor.core.finding import Report, Table
from paddle_doctor.core.language import Text
from paddle_doctor.core.registry import load_checks, subjects_with_checks
from paddle_doctor.report.words import SEVERITY, SUBJECT

HELP = Text(
    """List every check with its code, name and severity.

    - One page: **paddle-doctor explain PD301**
    """,
    """列出全部检查：编号、名称和级别。

    - 查看某项检查的说明：**paddle-doctor explain PD301**
    """,
)
COLUMNS = (Text("code", "编号"), Text("name", "名称"), Text("severity", "级别"), Text("what it finds", "检查内容"))


@command
def checks(session: Session) -> None:
    """Show the checks of all subjects, those of other packages included."""
    registry = load_checks(subjects_with_checks())
    pages = [check.page for _, check in sorted(registry.checks.items())]
    tables = [
        Table(
            title=SUBJECT[subject],
            columns=COLUMNS,
            rows=tuple(
                (page.code, page.name, SEVERITY[page.severity], page.title) for page in pages if page.subject == subject
            ),
        )
        for subject in dict.fromkeys(page.subject for page in pages)
    ]
    facts = {
        "checks": [
            {
                "code": page.code,
                "name": page.name,
                "subject": page.subject,
                "severity": page.severity.value,
                "title": session.say(page.title),
                "since": session.say(page.since),
                "sources": list(page.sources),
            }
            for page in pages
        ]
    }
    session.write(Report(command="checks", facts=facts, tables=tuple(tables), crashed=tuple(registry.broken)))
