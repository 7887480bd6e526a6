"""The options that every command has, written once, and the decorator that adds them to a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from paddle_doctor.cli.session import Format, Session
from paddle_doctor.core.language import AskedLanguage, say
from paddle_doctor.core.settings import FailOn

REPORT_PANEL = say("Report", "报告")
EXAMINE_PANEL = say("Examination", "检查")


#: When to use colour.
Color = Literal["auto", "always", "never"]
#: The interpreter that runs the job; for the commands that ask it.
PythonOption = Annotated[
    str | None,
    typer.Option(
        "--python",
        metavar="PATH",
        help=say("The interpreter that runs the job.", "运行任务的 Python 解释器。"),
        rich_help_panel=EXAMINE_PANEL,
    ),
]


def _common(
    *,
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
            help=say("How to write the report.", "报告的格式。"),
            rich_help_panel=REPORT_PANEL,
        ),
    ] = "terminal",
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=say("Write the report to FILE, not to standard output.", "把报告写入 FILE，而不是标准输出。"),
            rich_help_panel=REPORT_PANEL,
        ),
    ] = None,
    report: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FORMAT=FILE",
            help=say("One more report next to the main one; repeatable.", "在主报告之外再写一份；可重复使用。"),
            rich_help_panel=REPORT_PANEL,
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODES",
            help=say(
                "Run only these checks: codes, prefixes (PD3) or names, with commas.",
                "只运行这些检查：编号、前缀（PD3）或名称，用逗号分隔。",
            ),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODES",
            help=say("Leave these checks out.", "不运行这些检查。"),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            help=say(
                "Exit with 1 from this severity on (default: error).",
                "达到该级别时退出码为 1（默认 error）。",
            ),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = None,
    lang: Annotated[
        AskedLanguage | None,
        typer.Option(
            help=say("The report's language (default: auto).", "报告的语言（默认 auto）。"),
            rich_help_panel=REPORT_PANEL,
        ),
    ] = None,
    color: Annotated[
        Color,
        typer.Option(help=say("When to use colour.", "何时使用颜色。"), rich_help_panel=REPORT_PANEL),
    ] = "auto",
    timings: Annotated[
        bool,
        typer.Option(
            "--timings",
            help=say("Show how long each check took.", "显示每项检查的用时。"),
            rich_help_panel=REPORT_PANEL,
        ),
    ] = False,
) -> None:
    """Carries the signature of the common options; never called."""


_COMMON = inspect.signature(_common, eval_str=True).parameters


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the common options. Its first parameter is the `Session` made of them; the others are its own."""
    name = function.__name__
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *_COMMON.values())]

    @functools.wraps(function)
    def run(**given: Any) -> None:
        common = {each: given.pop(each) for each in _COMMON}
        function(Session.begin(name, **common), **given)

    del run.__wrapped__  # the signature is ours, not the wrapped function's
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
