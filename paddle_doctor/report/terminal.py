"""A report for people: the verdict first, what proves it, the fix to copy, then the rest, grouped by subject."""

from __future__ import annotations

import io
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as Styled

from paddle_doctor.core.finding import Certainty, Evidence, Finding, Fix, Location, Report, Severity, Table, Verdict
from paddle_doctor.core.language import Language, Text
from paddle_doctor.report import words
from paddle_doctor.report.inert import inert, inert_line
from paddle_doctor.report.wrap import wrap

WIDEST = 100
MOST_CONSEQUENCES = 4
MOST_EVIDENCE = 6

STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold blue"}
MARK = {Severity.ERROR: "✗", Severity.WARNING: "!", Severity.INFO: "i"}
PLAIN_MARK = {Severity.ERROR: "x", Severity.WARNING: "!", Severity.INFO: "i"}
WELL, PLAIN_WELL = "✓", "ok"
BAR, PLAIN_BAR = "│", "|"


def print_report(report: Report, language: Language, console: Console, *, timings: bool = False) -> None:
    """Print the report on a console that `console_for` made, or on any other without markup and highlighting."""
    _Page(console, language).report(report, timings=timings)


def console_for(color: str) -> Console:
    """Standard output, in colour where it is a terminal (``auto``), ``always`` or ``never``."""
    return Console(
        file=sys.stdout,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=True if color == "always" else None,
        no_color=True if color == "never" else None,
    )


def render_plain(report: Report, language: Language, *, width: int = 80, timings: bool = False) -> str:
    """The same as text without colour, for a file."""
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, markup=False, emoji=False, color_system=None)
    print_report(report, language, console, timings=timings)
    return file.getvalue()


def _can_show_anything(encoding: str) -> bool:
    return encoding.lower().replace("-", "").startswith("utf")


@dataclass
class _Page:
    """The page being printed; every method prints one part of it."""

    console: Console
    language: Language

    def report(self, report: Report, *, timings: bool) -> None:
        if report.verdict is not None:
            self.verdict(report.verdict)
        for subject, findings in itertools.groupby(sorted(report.findings, key=_subject_order), key=_subject):
            self.heading(words.SUBJECT[subject])
            for finding in findings:
                self.finding(finding)
        for table in report.tables:
            self.table(table)
        if (report.verdict is None and report.ran) or report.findings:
            self.line(self.say(words.tally(report)), style="" if report.findings else "green")
        self.crashed(report)
        if timings:
            self.timings(report)

    def verdict(self, verdict: Verdict) -> None:
        style = STYLE[Severity.ERROR] if verdict.failed else "bold green"
        mark = self.glyph("✗", "x") if verdict.failed else self.glyph(WELL, PLAIN_WELL)
        self.paragraph(self.say(verdict.summary), first=f"{mark} ", style=style)
        label = [verdict.cause]
        if verdict.certainty is not Certainty.CERTAIN or verdict.failed:
            label.append(self.say(words.CERTAINTY[verdict.certainty]))
        if verdict.rank is not None:
            label.append(f"rank {verdict.rank}")
        self.line(" · ".join(label), indent=2, style="dim")
        self.blank()
        if verdict.evidence:
            self.line(self.say(words.EVIDENCE), indent=2, style="bold")
            self.evidence(verdict.evidence, MOST_EVIDENCE, indent=4)
            self.blank()
        if verdict.fix is not None:
            self.fix(verdict.fix, indent=2)
        if verdict.consequences:
            self.line(self.say(words.FOLLOWED), indent=2, style="bold")
            self.evidence(verdict.consequences, MOST_CONSEQUENCES, indent=4, style="dim")
            self.blank()
        if verdict.next_steps:
            self.line(self.say(words.NEXT), indent=2, style="bold")
            for step in verdict.next_steps:
                self.paragraph(self.say(step), first="- ", indent=4)
            self.blank()

    def finding(self, finding: Finding) -> None:
        mark = self.glyph(MARK[finding.severity], PLAIN_MARK[finding.severity])
        self.paragraph(self.say(finding.message), first=f"{mark} ", style=STYLE[finding.severity])
        label = [finding.code, finding.name, self.say(words.SEVERITY[finding.severity])]
        label.append(self.say(words.CERTAINTY[finding.certainty]))
        self.line(" · ".join(label), indent=2, style="dim")
        if finding.location is not None:
            self.quoted(self.say(words.place(finding.location)), indent=2, style="cyan")
        self.evidence(finding.evidence, MOST_EVIDENCE, indent=4, known=finding.location)
        self.blank()
        if finding.fix is not None:
            self.fix(finding.fix, indent=2)

    def fix(self, fix: Fix, *, indent: int) -> None:
        self.paragraph(self.say(fix.summary), first=self.say(words.FIX), indent=indent, bold_first=True)
        for command in fix.commands:
            self.copyable(f"$ {command}", indent=indent + 2)
        for line in (fix.code or "").splitlines():
            self.copyable(line, indent=indent + 2)
        self.blank()

    def evidence(
        self,
        evidence: Sequence[Evidence],
        most: int,
        *,
        indent: int,
        style: str = "",
        known: Location | None = None,
    ) -> None:
        """Quoted lines, each under its place; a place that is `known` already, or was just named, is not repeated."""
        named = (known.path, known.line, known.rank) if known else (None, None, None)
        for each in evidence[:most]:
            if (each.path, each.line, each.rank) != named and (each.path is not None or each.rank is not None):
                self.quoted(_where(each), indent=indent, style="cyan")
            named = (each.path, each.line, each.rank)
            bar = self.glyph(BAR, PLAIN_BAR)
            for line in each.text.split("\n"):
                self.paragraph(inert_line(line), first=f"{bar} ", rest=f"{bar} ", indent=indent, style=style)
            if each.note is not None:
                self.paragraph(self.say(each.note), indent=indent + 2, style="dim")
        if len(evidence) > most:
            self.line(self.say(words.MORE_LINES.fill(count=len(evidence) - most)), indent=indent, style="dim")

    def table(self, table: Table) -> None:
        self.heading(table.title)
        head = [tuple(self.say(each) for each in table.columns)] if table.columns else []
        rows = head + [tuple(self.cell(each) for each in row) for row in table.rows]
        widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
        for index, row in enumerate(rows):
            *front, last = row
            lead = "".join(
                cell + " " * (width - cell_len(cell) + 2) for cell, width in zip(front, widths[:-1], strict=True)
            )
            style = "dim" if head and index == 0 else ""
            self.paragraph(last, first=lead, indent=2, style=style, dim_first=not head)
        self.blank()

    def crashed(self, report: Report) -> None:
        if not report.crashed:
            return
        self.blank()
        self.line(self.say(words.CRASHED), style="bold")
        for each in report.crashed:
            self.paragraph(inert_line(each.error), first=f"{each.code} {each.name}: ", indent=2)

    def timings(self, report: Report) -> None:
        self.blank()
        self.line(self.say(words.TIMINGS), style="bold")
        for code, seconds in sorted(report.timings.items(), key=lambda pair: -pair[1]):
            self.line(f"{code}  {seconds * 1000:8.1f} ms", indent=2)
        for skipped in report.skipped:
            self.paragraph(self.say(skipped.reason), first=f"{skipped.code}  ", indent=2, style="dim")

    # Lines, the smallest parts of the page.

    def say(self, text: Text) -> str:
        return inert(text.say(self.language))

    def cell(self, cell: Text | str) -> str:
        return self.say(cell) if isinstance(cell, Text) else inert_line(cell)

    def glyph(self, fine: str, plain: str) -> str:
        return fine if _can_show_anything(self.console.encoding) else plain

    def heading(self, title: Text) -> None:
        self.line(inert_line(title.say(self.language)), style="bold underline")
        self.blank()

    def blank(self) -> None:
        self.console.print()

    def line(self, text: str, *, indent: int = 0, style: str = "") -> None:
        self.paragraph(text, indent=indent, style=style)

    def quoted(self, text: str, *, indent: int, style: str = "") -> None:
        self.paragraph(inert_line(text), indent=indent, style=style)

    def copyable(self, text: str, *, indent: int) -> None:
        """A line to copy: never broken by us, so that what is copied is what was meant."""
        self.console.print(Styled(" " * indent + inert(text), style="green"), soft_wrap=True)

    def paragraph(
        self,
        text: str,
        *,
        first: str = "",
        rest: str | None = None,
        indent: int = 0,
        style: str = "",
        bold_first: bool = False,
        dim_first: bool = False,
    ) -> None:
        """Wrapped text; its first line begins with `first`, the others with `rest` or as many spaces."""
        rest = " " * cell_len(first) if rest is None else rest
        width = min(self.console.width, WIDEST) - indent - cell_len(first)
        if width < 24:  # the label takes the line for itself
            self.console.print(Styled(" " * indent + first.rstrip(), style=style), soft_wrap=True)
            first = rest = "  "
            width = min(self.console.width, WIDEST) - indent - 2
        for index, line in enumerate(wrap(text, width)):
            lead = first if index == 0 else rest
            lead_style = "bold" if bold_first and index == 0 else "dim" if dim_first else style
            self.console.print(
                Styled.assemble((" " * indent + lead, lead_style), (line, style)), soft_wrap=True, end="\n"
            )


def _where(evidence: Evidence) -> str:
    spot = ":".join(str(part) for part in (evidence.path, evidence.line) if part is not None)
    return spot if evidence.rank is None else f"rank {evidence.rank}  {spot}".rstrip()


def _subject(finding: Finding) -> str:
    return finding.subject


def _subject_order(finding: Finding) -> int:
    return list(words.SUBJECT).index(finding.subject)
