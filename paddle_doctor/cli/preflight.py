"""`paddle-doctor preflight`: before a job starts, all that the project's settings name; for CI."""

from __future__ import annotations

import os
from pathlib import Path

from paddle_doctor.cli.gathering import checkpoints_of, modules_of, read_scripts
from paddle_doctor.cli.options import PythonOption, command
from paddle_doctor.cli.session import Session
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.facts import to_plain
from paddle_doctor.core.finding import Table
from paddle_doctor.core.language import Text, same
from paddle_doctor.core.paths import is_there

HELP = Text(
    """Before a job starts, for CI: the machine, the scripts and the checkpoints that the project's settings name.

    The exit status stops the step; there are no spinners. In pyproject.toml:

        [tool.paddle-doctor.preflight]
        scan = ["eval.py"]
        ckpt = ["weights/best.pdparams"]
        env = true

    - A step of CI: **paddle-doctor preflight**
    - Warnings stop it too: **paddle-doctor preflight --fail-on warning**
    - For a program: **paddle-doctor preflight --format json --output preflight.json**
    """,
    """启动任务之前在 CI 中检查：本机，以及设置中列出的脚本和权重文件。

    由退出码决定是否终止这一步；不显示动画。在 pyproject.toml 中：

        [tool.paddle-doctor.preflight]
        scan = ["eval.py"]
        ckpt = ["weights/best.pdparams"]
        env = true

    - CI 中的一步：**paddle-doctor preflight**
    - 有警告也终止：**paddle-doctor preflight --fail-on warning**
    - 供程序读取：**paddle-doctor preflight --format json --output preflight.json**
    """,
)
NOT_CONFIGURED = Text(
    "Nothing to examine: no [tool.paddle-doctor.preflight] in pyproject.toml (nor [preflight] in paddle-doctor.toml), "
    "from {folder} upwards. 'paddle-doctor preflight --help' shows one.",
    "没有可检查的内容：从 {folder} 向上的 pyproject.toml 中没有 [tool.paddle-doctor.preflight]"
    "（paddle-doctor.toml 中也没有 [preflight]）。“paddle-doctor preflight --help”中有示例。",
)
EMPTY = Text(
    "Nothing to examine: [tool.paddle-doctor.preflight] of {folder} names no script and no checkpoint, "
    "and env is false.",
    "没有可检查的内容：{folder} 的 [tool.paddle-doctor.preflight] 既没有列出脚本和权重文件，env 也为 false。",
)
MATCHES_NOTHING = Text(
    "The settings name '{pattern}', but nothing in {folder} has that name.",
    "设置中列出了“{pattern}”，但在 {folder} 中没有这样的文件。",
)
EXAMINED, SCRIPT, CHECKPOINT, MACHINE = (
    Text("What was examined", "检查的内容"),
    Text("script", "脚本"),
    Text("checkpoint", "权重文件"),
    Text("this machine", "本机环境"),
)


@command
def preflight(
    session: Session,
    python: PythonOption = None,
) -> None:
    """Gather what the settings name, and examine all of it together."""
    asked, root = session.settings.preflight, session.settings.root
    if asked is None:
        raise InputError(NOT_CONFIGURED.fill(folder=Path.cwd()))
    if not (asked.scan or asked.ckpt or asked.env):
        raise InputError(EMPTY.fill(folder=root))
    scripts, _ = read_scripts(_matching(root, asked.scan))
    checkpoints = list(dict.fromkeys([*_matching(root, asked.ckpt), *checkpoints_of(scripts)]))
    patients: dict[str, list[object]] = {}
    rows = [(SCRIPT, script.path) for script in scripts] + [(CHECKPOINT, str(path)) for path in checkpoints]
    facts: dict[str, object] = {
        "scripts": [script.path for script in scripts],
        "checkpoints": [str(path) for path in checkpoints],
    }
    if scripts:
        patients["script"] = list(scripts)
    if checkpoints:
        from paddle_doctor.subjects.checkpoint import gather_checkpoint

        patients["checkpoint"] = [gather_checkpoint(path) for path in checkpoints]
    if asked.env:
        from paddle_doctor.subjects.environment import gather_environment

        environment = gather_environment(python=python, modules=modules_of(scripts))
        patients["environment"] = [environment]
        facts["environment"] = to_plain(environment)
        rows.append((MACHINE, environment.interpreter.executable if environment.interpreter else "-"))
    session.finish(
        patients, facts=facts, tables=[Table(title=EXAMINED, rows=tuple((label, same(what)) for label, what in rows))]
    )


def _matching(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    """The files that the settings name, relative to the folder of the settings; each pattern must find one."""
    found: list[Path] = []
    for pattern in patterns:
        paths = _named(root, pattern)
        if not paths or not all(is_there(path) for path in paths):
            raise InputError(MATCHES_NOTHING.fill(pattern=pattern, folder=root))
        found.extend(_from_here(path) for path in paths)
    return found


def _named(root: Path, pattern: str) -> list[Path]:
    """What a pattern names, whether it is there or not; a name that holds a mark of patterns may be meant as it is."""
    if is_there(root / pattern) or not any(mark in pattern for mark in "*?["):
        return [root / pattern]
    top = Path(pattern).anchor
    try:
        return sorted((Path(top) if top else root).glob(pattern[len(top) :]))
    except ValueError:  # "**" next to other letters, before Python 3.13
        return []


def _from_here(path: Path) -> Path:
    """The path as a person in the working folder would write it."""
    return Path(os.path.relpath(path)) if path.is_relative_to(Path.cwd()) else path
