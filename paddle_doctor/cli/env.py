"""`paddle-doctor env`: this machine, this shell and the job's interpreter, as they are now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from paddle_doctor.cli.options import EXAMINE_PANEL, PythonOption, command
from paddle_doctor.cli.session import Session, write_file
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.language import Text, say

if TYPE_CHECKING:
    from paddle_doctor.subjects.environment import Environment

HELP = Text(
    """Is this machine fit to run the job: leftover variables and processes, GPUs, ports, memory, the job's Python.

    - This machine: **paddle-doctor env**
    - The port of a job: **paddle-doctor env --port 6170**
    - Clean this shell: **eval "$(paddle-doctor env --shell)"**
    - To send to somebody else: **paddle-doctor env --facts-out facts.json**
    - What they run: **paddle-doctor env --facts facts.json**
    """,
    """本机能否运行任务：残留的变量和进程、GPU、端口、内存、Python。

    - 检查本机：**paddle-doctor env**
    - 某个任务的端口：**paddle-doctor env --port 6170**
    - 清理当前 shell：**eval "$(paddle-doctor env --shell)"**
    - 保存下来发给别人：**paddle-doctor env --facts-out facts.json**
    - 对方查看：**paddle-doctor env --facts facts.json**
    """,
)
LOOKING = Text("Looking at this machine …", "正在查看本机……")
NOT_WITH_FACTS = Text(
    "--facts examines what was saved; {option} would look at this machine and cannot go with it.",
    "--facts 检查的是已保存的信息；{option} 要查看本机，不能与它同时使用。",
)
ONLY_WITH_SHELL = Text("'{word}' only makes sense after --shell.", "“{word}”只能用在 --shell 之后。")


#: The shells whose language `--shell` speaks.
ShellKind = Literal["bash", "zsh", "fish", "powershell", "cmd"]


@command
def env(
    session: Session,
    *,
    kind: Annotated[
        ShellKind | None,
        typer.Argument(
            metavar="[SHELL]",
            help=say(
                "After --shell: the kind of shell (default: this one).",
                "用在 --shell 之后：shell 的种类（默认为当前 shell）。",
            ),
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            min=1,
            max=65535,
            help=say("A port that the job will use; repeatable.", "任务将使用的端口；可重复使用。"),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = None,
    python: PythonOption = None,
    facts_out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=say(
                "Save what was seen, to examine it elsewhere; secrets are left out.",
                "保存采集到的信息，以便在别处检查；不含敏感信息。",
            ),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = None,
    facts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=say("Examine what was saved, not this machine.", "检查已保存的信息，而不是本机。"),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = None,
    shell: Annotated[
        bool,
        typer.Option(
            "--shell",
            help=say(
                "Print only the line that removes leftover variables from this shell, to eval.",
                "只打印清除残留变量的命令，供 eval 使用。",
            ),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = False,
) -> None:
    """Look, or read what was seen elsewhere; save it if asked; examine and report."""
    from paddle_doctor.cli.env_facts import facts_text
    from paddle_doctor.cli.env_tables import tables
    from paddle_doctor.core.facts import to_plain

    if kind is not None and not shell:
        raise InputError(ONLY_WITH_SHELL.fill(word=kind))
    if facts is not None:
        environment = _saved(facts, port=port, python=python, facts_out=facts_out)
    else:
        environment = _seen(session, port=port, python=python)
    if facts_out is not None:
        write_file(facts_out, facts_text(environment))
    if shell:
        from paddle_doctor.cli.env_shell import removing

        typer.echo(removing(environment, kind), nl=False)
        return
    session.finish(
        {"environment": [environment]}, facts={"environment": to_plain(environment)}, tables=tables(environment)
    )


def _seen(session: Session, *, port: list[int] | None, python: str | None) -> Environment:
    from paddle_doctor.subjects.environment import gather_environment

    with session.progress(LOOKING):
        return gather_environment(ports=port or (), python=python)


def _saved(path: Path, **given: object) -> Environment:
    from paddle_doctor.cli.env_facts import read_facts

    for name, value in given.items():
        if value:
            raise InputError(NOT_WITH_FACTS.fill(option="--" + name.replace("_", "-")))
    return read_facts(path)
