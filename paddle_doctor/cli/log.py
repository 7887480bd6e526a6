"""`paddle-doctor log`: the root cause of a failed job, from what it left in its logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddle_doctor.cli.options import command
from paddle_doctor.cli.session import Session
from paddle_doctor.core.language import Text, say
from paddle_doctor.core.registry import load_signatures
from paddle_doctor.subjects.joblog import JobLog, gather_joblog

HELP = Text(
    """Why did the job die: the one cause, the rank that failed first, the deciding line, the fix.

    - The launcher's log folder: **paddle-doctor log log/**
    - With what the console showed: **paddle-doctor log console.txt log/**
    - A paste: **paddle-doctor log -** and then the text
    """,
    """任务为什么失败：唯一的原因、证据、最先失败的 rank 和修复方法。

    - 启动器的日志目录：**paddle-doctor log log/**
    - 连同控制台输出：**paddle-doctor log console.txt log/**
    - 粘贴的内容：**paddle-doctor log -**，然后输入文本
    """,
)
READING = Text("Reading the logs", "正在读取日志")


@command
def log(
    session: Session,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help=say("Log folders, files, or - for standard input.", "日志目录、文件，或用 - 表示标准输入。"),
        ),
    ],
) -> None:
    """Read the logs, judge, report."""
    with session.progress(READING):
        joblog = gather_joblog(paths, load_signatures())
    session.finish({"joblog": [joblog]}, facts=_summary(joblog))


def _summary(joblog: JobLog) -> dict[str, object]:
    """What was read, short: one entry for each file."""
    files = [
        {
            "path": file.path,
            "kind": file.kind.value,
            "rank": file.rank,
            "lines": file.lines,
            "runs": file.runs,
            "run_starts": file.run_starts,
            "events": len(file.events),
            "exceptions": [f"{each.type}: {each.message}".rstrip(": ") for each in file.errors[:5]],
            "signals": [each.signal for each in file.signals[:5]],
            "last_line": file.tail[-1].text if file.tail else None,
        }
        for file in joblog.files
    ]
    return {"files": files}
