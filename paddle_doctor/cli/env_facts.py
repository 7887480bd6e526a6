"""The file of ``env --facts-out``, and back: what was seen on one machine, to be examined on another."""

from __future__ import annotations

import json
import math
from pathlib import Path

from paddle_doctor import __version__
from paddle_doctor.core.errors import UNREADABLE, InputError, unreadable
from paddle_doctor.core.facts import from_plain, to_plain
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.environment import Environment

NO_FACTS = Text(
    "{path} holds no saved facts: it was not written by 'paddle-doctor env --facts-out'.",
    "{path} 中没有采集到的信息：它不是由“paddle-doctor env --facts-out”写出的。",
)
TOO_LARGE = Text("it is larger than {limit} MB", "它超过了 {limit} MB")
#: The facts of a large machine are some hundred kilobytes.
LIMIT_MB = 4


def facts_text(environment: Environment) -> str:
    """The facts as text of JSON."""
    plain = {"tool": {"name": "paddle-doctor", "version": __version__}, "environment": to_plain(environment)}
    return json.dumps(plain, ensure_ascii=False, indent=1) + "\n"


def read_facts(path: Path) -> Environment:
    """The facts that a file holds. Raises `InputError` if it cannot be read or holds something else."""
    try:
        with path.open("rb") as file:
            data = file.read((LIMIT_MB << 20) + 1)
    except OSError as error:
        raise unreadable(path, error) from error
    if len(data) > LIMIT_MB << 20:
        raise InputError(UNREADABLE.fill(path=path, why=TOO_LARGE.fill(limit=LIMIT_MB)))
    try:
        plain = json.loads(data, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise InputError(NO_FACTS.fill(path=path)) from error
    if not isinstance(plain, dict) or "environment" not in plain:
        raise InputError(NO_FACTS.fill(path=path))
    environment = from_plain(Environment, plain["environment"], str(path))
    if not _may_be_ended(environment):
        raise InputError(NO_FACTS.fill(path=path))
    return environment


def _finite(text: str) -> float:
    """A number as JSON has it. Raises `ValueError` for what only `json` takes for one: NaN, Infinity, 1e999."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _may_be_ended(environment: Environment) -> bool:
    """Whether all that a fix may advise to end are single processes: to kill -1 is to end everything."""
    on_gpus = (each.pid for gpu in environment.gpus for each in gpu.processes)
    pids = [*on_gpus, *(each.pid for each in environment.processes)]
    return all(pid > 0 for pid in pids) and all(each.ppid >= 0 for each in environment.processes)
