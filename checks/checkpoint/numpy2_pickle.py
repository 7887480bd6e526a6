"""Finds checkpoints written under NumPy 2 that the NumPy of the job's interpreter cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Evidence, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Checkpoint

from .patients import state_dict

if TYPE_CHECKING:  # `ckpt` alone does not pay for the other subject
    from paddle_doctor.subjects.environment import Environment

#: The first NumPy that has `numpy._core` too.
FIRST_ABLE = (1, 26)

PAGE = Page(
    code="PD208",
    name="numpy2-pickle",
    severity=Severity.ERROR,
    title=Text("The job's NumPy is too old for this checkpoint", "任务所用的 NumPy 版本太旧，读不了这个权重文件"),
    what=Text(
        "The checkpoint was saved under NumPy 2, which names its internals numpy._core; NumPy 1.25 and earlier do not "
        "know that name. NumPy 1.26 does, and reads such files.",
        "权重文件是在 NumPy 2 下保存的，其内部模块名为 numpy._core；NumPy 1.25 及更早版本没有这个名字。NumPy "
        "1.26 有，可以读取。",
    ),
    why=Text(
        "paddle.load fails with ModuleNotFoundError: No module named 'numpy._core'.",
        "paddle.load 会报 ModuleNotFoundError: No module named 'numpy._core'。",
    ),
    cure=Text(
        "Install NumPy 1.26 or later for the job, or load and save the checkpoint once where NumPy 1 is installed.",
        "为任务安装 NumPy 1.26 或更高版本；或在装有 NumPy 1 的环境中加载后重新保存一次。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=(
        "measured: paddlepaddle 2.6.2 with NumPy 1.23, 1.24, 1.25 (fail) and 1.26.4 (reads), files of 3.3.1 with 2.4.6",
        "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html",
    ),
)

TOO_OLD = Text(
    "{name} was saved under NumPy 2, and the job runs NumPy {version}: paddle.load will fail with "
    "\"No module named 'numpy._core'\".",
    "{name} 是在 NumPy 2 下保存的，而任务使用 NumPy {version}：paddle.load 会报“No module named 'numpy._core'”。",
)
UPGRADE = Text("Install NumPy 1.26 or later for the job.", "为任务安装 NumPy 1.26 或更高版本。")


def _environment(numpy: str) -> Environment:
    from paddle_doctor.subjects.environment import Environment, Interpreter

    interpreter = Interpreter(executable="python3", python_version="3.10.14", packages={"numpy": numpy})
    return Environment(platform="linux", interpreter=interpreter)


def _fires() -> Iterator[Example]:
    yield Example(
        Text("saved under NumPy 2, to be loaded with 1.24", "在 NumPy 2 下保存，用 1.24 加载"),
        {"checkpoint": state_dict("fc.weight"), "environment": _environment("1.24.4")},
    )


def _silent() -> Iterator[Example]:
    yield Example(
        Text("NumPy 1.26 reads it", "NumPy 1.26 可以读取"),
        {"checkpoint": state_dict("fc.weight"), "environment": _environment("1.26.4")},
    )
    yield Example(
        Text("saved under NumPy 1", "在 NumPy 1 下保存"),
        {"checkpoint": replace(state_dict("fc.weight"), numpy=1), "environment": _environment("1.24.4")},
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def numpy2_pickle(checkpoint: Checkpoint, environment: Environment) -> Iterator[Finding]:
    """Compare the file's NumPy with that of the job's interpreter."""
    version = environment.interpreter.packages.get("numpy") if environment.interpreter else None
    if checkpoint.numpy != 2 or version is None or _numbers(version) >= FIRST_ABLE:
        return
    yield PAGE.finding(
        TOO_OLD.fill(name=checkpoint.name, version=version),
        location=Location(path=checkpoint.path),
        evidence=[Evidence(text=each, path=checkpoint.path) for each in checkpoint.globals_used if "._core" in each],
        fix=Fix(summary=UPGRADE, commands=("python -m pip install 'numpy>=1.26'",)),
    )


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version; those of a version that has none are above all others."""
    numbers = [part for part in version.split(".")[:2] if part.isdecimal()]
    return tuple(map(int, numbers)) or (9999,)
