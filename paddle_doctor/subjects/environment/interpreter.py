"""The job's interpreter: which one it is, and what its probe tells of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paddle_doctor.core.errors import InputError
from paddle_doctor.core.language import Text
from paddle_doctor.core.paths import is_file
from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.subjects.environment.child import Answer, ask
from paddle_doctor.subjects.environment.model import Interpreter, Unseen, Why

PROBE = Path(__file__).parent / "probe" / "probe.py"
MARK = '{"paddle-doctor-probe"'
SECONDS = 5.0

NOT_THERE = Text("There is no Python at {path}.", "{path} 处没有 Python 解释器。")
NO_PYTHON = Text(
    "{path} is not a Python 3.7 or later that runs here: {why}",
    "{path} 不是可在本机运行的 Python 3.7 及以上版本：{why}",
)
NO_ANSWER = Text("it did not answer as one.", "它没有像 Python 那样应答。")


def find_interpreter(asked: str | None, variables: Mapping[str, str]) -> str | None:
    """The path of the job's interpreter: the one asked for, else the active virtualenv's, else conda's, else PATH's.

    Raises `InputError` if the one asked for is not there; None if none was asked for and none is found.
    """
    if asked is not None:
        at_home = os.path.expanduser(asked)  # noqa: PTH111 - Path's raises where ~name is nobody
        found = shutil.which(at_home, path=variables.get("PATH"))
        if found is None:
            raise InputError(NOT_THERE.fill(path=asked))
        return str(Path(found).absolute())
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if folder := variables.get(variable):
            inside = Path(folder, "python.exe") if variable == "CONDA_PREFIX" else Path(folder, "Scripts", "python.exe")
            path = inside if os.name == "nt" else Path(folder, "bin", "python")
            if is_file(path):
                return str(path)
    names = ("python", "py") if os.name == "nt" else ("python3", "python")
    return next((found for name in names if (found := shutil.which(name, path=variables.get("PATH")))), None)


def ask_interpreter(
    path: str, *, modules: Sequence[str], folder: Path, variables: Mapping[str, str], insist: bool
) -> Interpreter | Unseen:
    """What the probe tells of the interpreter at `path`, or why it tells nothing.

    With `insist` (the user named this interpreter) one that is no Python raises `InputError`.
    """
    # The probe writes nothing, and neither does the interpreter for it.
    environ = {**variables, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    try:
        answer = ask([path, str(PROBE), *modules], seconds=SECONDS, folder=folder, variables=environ)
    except OSError as error:
        return _refuse(path, Text(f"{error.strerror or error}.", f"{error.strerror or error}。"), insist=insist)
    told = _told(answer)
    if told is not None:
        return told
    if answer.status is None:
        return Unseen(why=Why.TIMED_OUT, detail=path)
    return _refuse(path, _last_line(answer), insist=insist)


def _told(answer: Answer) -> Interpreter | None:
    line = next((line for line in reversed(answer.output.splitlines()) if line.startswith(MARK)), None)
    if line is None:
        return None
    try:
        facts: dict[str, Any] = json.loads(line)
        return _interpreter(facts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _interpreter(facts: dict[str, Any]) -> Interpreter:
    return Interpreter(
        executable=str(facts["executable"]),
        python_version=str(facts["python_version"]),
        prefix=str(facts["prefix"]),
        platform=str(facts["platform"]),
        start_method=str(facts["start_method"]),
        packages={str(name): str(version) for name, version in sorted(facts["packages"].items())},
        paddle_version=_text(facts.get("paddle_version")),
        paddle_build=_text(facts.get("paddle_build")),
        paddle_path=_text(facts.get("paddle_path")),
        paddle_is_namespace=bool(facts.get("paddle_is_namespace", False)),
        missing_modules=tuple(str(name) for name in facts["missing_modules"]),
        shadowing=tuple(str(name) for name in facts["shadowing"]),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _last_line(answer: Answer) -> Text:
    """What a program that failed said last, or that it said nothing to the purpose."""
    lines = [line.strip() for line in answer.output.splitlines() if line.strip()]
    if not answer.status or answer.status < 0 or not lines or len(lines[-1]) > 200:
        return NO_ANSWER
    said = hide_in_text(lines[-1])
    return Text(said, said)


def _refuse(path: str, why: Text, *, insist: bool) -> Unseen:
    if insist:
        raise InputError(NO_PYTHON.fill(path=path, why=why))
    return Unseen(why=Why.FAILED, detail=f"{path}: {why.en}")
