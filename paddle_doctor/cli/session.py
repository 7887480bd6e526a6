"""One run of a command: its settings and language, its progress, and the end of it: examine, render, exit status."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn, get_args

import typer

from paddle_doctor.cli.process import reader_may_leave
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.examine import Patients, examine
from paddle_doctor.core.finding import Report, Severity, Table
from paddle_doctor.core.language import AskedLanguage, Language, Text, choose
from paddle_doctor.core.registry import load_checks, subjects_with_checks
from paddle_doctor.core.settings import FailOn, Settings, find_settings

#: How a report is written.
Format = Literal["terminal", "json"]

#: Subjects of which exactly one check gives a verdict, whatever it is.
_VERDICT_DUE = {"joblog", "trial"}

BAD_REPORT = Text(
    "--report wants FORMAT=FILE, where FORMAT is one of {formats}; not '{given}'.",
    "--report 的写法是 FORMAT=FILE，其中 FORMAT 为 {formats} 之一；而不是“{given}”。",
)
NO_FOLDER = Text(
    "The working folder no longer exists. Go to one that does, and try again.",
    "当前工作目录已不存在。请切换到存在的目录后重试。",
)
CANNOT_WRITE = Text("Cannot write {path}: {why}.", "无法写入 {path}：{why}。")


@dataclass(frozen=True)
class Session:
    """What a command needs besides its own arguments; the command ends with `finish`."""

    command: str
    language: Language
    settings: Settings
    format: str = "terminal"
    output: Path | None = None
    reports: tuple[tuple[str, Path], ...] = ()
    color: str = "auto"
    timings: bool = False

    @classmethod
    def begin(
        cls,
        command: str,
        *,
        format_: Format,
        output: Path | None,
        report: list[str] | None,
        select: list[str] | None,
        ignore: list[str] | None,
        fail_on: FailOn | None,
        lang: AskedLanguage | None,
        color: str,
        timings: bool,
    ) -> Session:
        """The session for these options, over the settings file of the working folder. Raises `InputError`."""
        settings = find_settings(_working_folder()).override(
            select=_codes(select),
            ignore=_codes(ignore),
            fail_on=fail_on,
            lang=lang,
        )
        if settings.select or settings.ignore:
            known = load_checks(subjects_with_checks()).checks.values()
            settings.verify_codes({each.page.code: each.page.name for each in known})
        return cls(
            command=command,
            language=choose(settings.lang, os.environ),
            settings=settings,
            format=format_,
            output=output,
            reports=tuple(_report(each) for each in report or ()),
            color=color,
            timings=timings,
        )

    def say(self, text: Text) -> str:
        """The text in this session's language."""
        return text.say(self.language)

    @contextmanager
    def progress(self, doing: Text) -> Iterator[None]:
        """Show on the terminal (never in a report, never where nobody looks) what takes a while."""
        if not sys.stderr.isatty():
            yield
            return
        from rich.console import Console

        with Console(stderr=True).status(self.say(doing)):
            yield

    def finish(
        self,
        patients: Patients,
        *,
        facts: Mapping[str, object] | None = None,
        tables: Sequence[Table] = (),
    ) -> NoReturn:
        """Examine the patients with the checks of their subjects, write the reports, leave with the exit status."""
        report = examine(self.command, patients, load_checks(patients), self.settings, facts=facts, tables=tables)
        with reader_may_leave():
            self.write(report)
        if report.crashed and report.verdict is None and _VERDICT_DUE & patients.keys():
            raise typer.Exit(2)  # the check that judges has crashed: nobody may take that for "all is well"
        raise typer.Exit(self.status(report))

    def status(self, report: Report) -> int:
        """1 if the report holds anything at or above ``--fail-on``, else 0."""
        if self.settings.fail_on == "never":
            return 0
        worst = report.worst()
        return int(worst is not None and worst.weight >= Severity(self.settings.fail_on).weight)

    def write(self, report: Report) -> None:
        """Write the report wherever it was asked for; files are complete or not there."""
        for form, path in self.reports:
            write_file(path, self._text(report, form))
        if self.output is not None:
            write_file(self.output, self._text(report, self.format))
        elif self.format == "terminal":
            from paddle_doctor.report.terminal import console_for, print_report

            print_report(report, self.language, console_for(self.color), timings=self.timings)
        else:
            if isinstance(sys.stdout, io.TextIOWrapper):  # JSON is for programs, whatever the terminal speaks
                sys.stdout.reconfigure(encoding="utf-8")
            sys.stdout.write(self._text(report, self.format))

    def _text(self, report: Report, form: str) -> str:
        if form == "json":
            from paddle_doctor.report.json import render

            return render(report, self.language, timings=self.timings)
        from paddle_doctor.report.terminal import render_plain

        return render_plain(report, self.language, timings=self.timings)


def write_file(path: Path, text: str) -> None:
    """Put text into a file at once: a reader sees the old file or the whole new one. Raises `InputError`.

    A link is followed and stays. What is no regular file (``/dev/stdout``, a pipe) is written to, never replaced.
    """
    try:
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            _replace(Path(os.path.realpath(path)), text, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
    except OSError as error:
        raise InputError(CANNOT_WRITE.fill(path=path, why=error.strerror or error)) from error


def _replace(path: Path, text: str, mode: int) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", errors="backslashreplace", dir=path.parent, prefix=".paddle-doctor.", delete=False
    ) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).chmod(mode)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise InputError(NO_FOLDER) from error


def _codes(given: list[str] | None) -> tuple[str, ...]:
    return tuple(code for each in given or () for code in each.replace(",", " ").split())


def _report(given: str) -> tuple[str, Path]:
    form, separator, path = given.partition("=")
    if form not in get_args(Format) or not separator or not path:
        raise InputError(BAD_REPORT.fill(formats=", ".join(get_args(Format)), given=given))
    return form, Path(path)
