"""What a doctor can say: findings with their place, evidence and fix; a verdict; and the report that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from paddle_doctor.core.language import Text


class Severity(Enum):
    """How much it matters: it breaks the job here and now; elsewhere or probably; or is worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def weight(self) -> int:
        """Greater means worse."""
        return {"error": 3, "warning": 2, "info": 1}[self.value]


class Certainty(Enum):
    """How well the evidence carries a statement: it proves it, speaks for it, or merely allows it."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where something is. Whatever does not apply is None.

    Lines count from 1 and columns from 1, in characters; `cell` counts a notebook's cells from 1, and `line` is then
    the true line of the file. `path` with `tensor` is a key of a checkpoint, with `rank` a line of that rank's log.
    """

    path: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    cell: int | None = None
    variable: str | None = None
    pid: int | None = None
    port: int | None = None
    tensor: str | None = None
    rank: int | None = None
    gpu: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A piece of the patient, quoted: a line of a file or log, a variable's value, a row of the process table.

    `text` is the patient's own and may hold anything; a report shows it inert. `note` says why it matters.
    """

    text: str
    path: str | None = None
    line: int | None = None
    rank: int | None = None
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replace the text between two places of a file (lines and columns from 1, the end exclusive)."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """What cures it. `commands` are shell lines and `code` is source, both ready to copy; prose stays in `summary`.

    A fix is safe if it can change nothing but the fault. What destroys something (ends a process, removes a file) is
    never safe.
    """

    summary: Text
    commands: tuple[str, ...] = ()
    code: str | None = None
    edits: tuple[Edit, ...] = ()
    safe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a check found. Build it with `Page.finding`, which knows the code, the name and the severity."""

    code: str
    name: str
    subject: str
    severity: Severity
    certainty: Certainty
    message: Text
    location: Location | None = None
    evidence: tuple[Evidence, ...] = ()
    fix: Fix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The one cause of a failure (a slug), how sure it is, and what merely followed from it.

    `certainty` is about `cause`: a verdict ``unknown`` is certain when it is certain that the log does not tell.
    `failed` is False when nothing is wrong (``no-failure``).
    """

    cause: str
    certainty: Certainty
    summary: Text
    rank: int | None = None
    failed: bool = True
    evidence: tuple[Evidence, ...] = ()
    consequences: tuple[Evidence, ...] = ()
    fix: Fix | None = None
    next_steps: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Something seen, to be shown as rows without an opinion: what is in a checkpoint, who holds a GPU.

    Every row has as many cells as there are `columns`; without columns a row is a label and its value.
    """

    title: Text
    rows: tuple[tuple[Text | str, ...], ...]
    columns: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A check that did not run, and why."""

    code: str
    name: str
    reason: Text


@dataclass(frozen=True, slots=True)
class Crashed:
    """A check that raised: a fault of the check, not of the patient. `error` is the exception in one line."""

    code: str
    name: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that one examination has to say.

    `facts` (plain JSON data) and `tables` (for people) are what was seen, without opinions.
    """

    command: str
    verdict: Verdict | None = None
    findings: tuple[Finding, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    ran: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    crashed: tuple[Crashed, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)

    def worst(self) -> Severity | None:
        """The gravest severity in it; a verdict that names a failure counts as an error."""
        if self.verdict is not None and self.verdict.failed:
            return Severity.ERROR
        return max((found.severity for found in self.findings), key=lambda severity: severity.weight, default=None)
