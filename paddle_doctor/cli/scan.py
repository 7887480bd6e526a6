"""`paddle-doctor scan`: what can be known of a script before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from paddle_doctor.cli.gathering import checkpoints_of, gathered, modules_of, read_scripts
from paddle_doctor.cli.options import EXAMINE_PANEL, PythonOption, command
from paddle_doctor.cli.session import Session
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.facts import to_plain
from paddle_doctor.core.finding import Table
from paddle_doctor.core.language import Text, counted, same, say
from paddle_doctor.subjects.script import Script

HELP = Text(
    """Look at scripts and notebooks without running them: what will kill the job, or falsify its result?

    The checkpoints that they load by a literal path are examined too, and this machine.

    - One script: **paddle-doctor scan eval.py**
    - A whole folder, the source only: **paddle-doctor scan --static tools/**
    - The job runs on another Python: **paddle-doctor scan --python ~/miniconda3/envs/pd/bin/python eval.py**
    """,
    """不运行脚本，先看看有什么会让任务挂掉，或让结果出错。

    脚本按固定路径加载的权重文件和本机环境也会一并检查。

    - 一个脚本：**paddle-doctor scan eval.py**
    - 整个目录，只看源代码：**paddle-doctor scan --static tools/**
    - 任务使用另一个 Python：**paddle-doctor scan --python ~/miniconda3/envs/pd/bin/python eval.py**
    """,
)
READING = Text("Reading scripts …", "正在读取脚本……")
LOOKING = Text("Looking at this machine …", "正在查看本机……")
READ = Text("What was read", "已读取的内容")
CHECKPOINTS = Text("checkpoints they load", "它们加载的权重文件")
EMPTY = Text("empty: nothing to examine", "空文件：没有可检查的内容")
PASSED_OVER = Text("not read", "未读取")
MORE = Text("{count} more", "另外 {count} 个")

_ROWS = 12


@command
def scan(
    session: Session,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help=say("Scripts, notebooks, or folders of them.", "脚本、notebook，或包含它们的目录。"),
            show_default=False,
        ),
    ],
    static: Annotated[
        bool,
        typer.Option(
            "--static",
            help=say(
                "The source only: no checkpoints, nothing of this machine.",
                "只看源代码：不看权重文件，也不看本机环境。",
            ),
            rich_help_panel=EXAMINE_PANEL,
        ),
    ] = False,
    python: PythonOption = None,
) -> None:
    """Gather the scripts, what they load, and this machine; examine them together."""
    with session.progress(READING):
        scripts, refused = read_scripts(paths)
    patients: dict[str, list[object]] = {"script": list(scripts)}
    facts: dict[str, object] = {"scripts": [_summary(script) for script in scripts]}
    loaded: list[Path] = []
    if not static:
        from paddle_doctor.subjects.checkpoint import gather_checkpoint
        from paddle_doctor.subjects.environment import gather_environment

        loaded = checkpoints_of(scripts)
        with session.progress(LOOKING):
            environment = gather_environment(python=python, modules=modules_of(scripts))
            patients["environment"] = [environment]
            patients["checkpoint"] = [each for path in loaded for each in gathered(gather_checkpoint, path, refused)]
        facts["checkpoints"] = [str(path) for path in loaded]
        facts["environment"] = to_plain(environment)
    session.finish(patients, facts=facts, tables=[_table(scripts, loaded, refused)])


def _table(scripts: Sequence[Script], loaded: Sequence[Path], refused: Sequence[InputError]) -> Table:
    rows: list[tuple[Text | str, Text]] = [
        (script.path, EMPTY if _is_empty(script) else counted(script.lines, "line", "lines", "行"))
        for script in scripts[:_ROWS]
    ]
    if len(scripts) > _ROWS:
        rows.append(("…", MORE.fill(count=len(scripts) - _ROWS)))
    rows.extend((CHECKPOINTS, same(str(path))) for path in loaded)
    rows.extend((PASSED_OVER, error.text) for error in refused)
    return Table(title=READ, rows=tuple(rows))


def _summary(script: Script) -> dict[str, object]:
    """What was read, short: one entry for each script."""
    return {
        "path": script.path,
        "kind": script.kind.value,
        "lines": script.lines,
        "imports": sorted({each.module for each in script.imports if each.module}),
        "checkpoints": [
            {"path": each.path, "found": each.found, "line": script.calls[each.call].place.line}
            for each in script.checkpoints
        ],
    }


def _is_empty(script: Script) -> bool:
    return script.fault is None and not (script.imports or script.calls or script.variables)
