"""What a fault folder declares in its `fault.toml`, as typed tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import msgspec

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAULTS = Path(__file__).parent / "faults"

Start = Literal["plain", "launch", "legacy"]
Severity = Literal["error", "warning", "info"]
Ending = Literal["success", "failure", "never"]


class Words(msgspec.Struct, forbid_unknown_fields=True):
    """The fault in one line."""

    en: str
    zh: str


class Job(msgspec.Struct, forbid_unknown_fields=True):
    """How the job ends on real Paddle, and what (regular expressions) its console and logs then hold."""

    ends: Ending
    says: list[str] = []


class Log(msgspec.Struct, forbid_unknown_fields=True):
    """What `log` must say. `inputs` are its arguments, one run for each; `at_most` caps the certainty;
    `finds` are the findings next to the verdict, all of those at or above warning.

    Where Paddle reports a fault in one of two ways by chance: this holds if what was said matches `when`, else
    `otherwise`.
    """

    causes: list[str]
    rank: int | None = None
    at_most: Literal["likely", "possible"] | None = None
    evidence: list[str] = []
    consequences: list[str] = []
    finds: dict[str, Severity] = {}
    inputs: list[str] | None = None
    when: str = ""
    otherwise: Log | None = None


class Found(msgspec.Struct, forbid_unknown_fields=True):
    """What `scan`, `ckpt` or `env` must find: names of checks with the severity of their finding.

    Nothing else at or above warning may be found.
    """

    finds: dict[str, Severity] = {}
    arguments: list[str] = []


class Repro(msgspec.Struct, forbid_unknown_fields=True):
    """What `repro` must say of the job started by plain python. `options` stand before the script.

    `finds` are findings that must stand next to the verdict. A slow one, which climbs all rungs or waits for one that
    stands still, is asked in one language; of each cause there is a quicker one that is asked in both.
    """

    causes: list[str]
    options: list[str] = []
    finds: dict[str, Severity] = {}
    slow: bool = False


class Fault(msgspec.Struct, forbid_unknown_fields=True):
    """A `fault.toml`: the fault, how its job is started, and what is to be expected of whom.

    Where the fault is the machine's alone there is no job, and no script. A job that is to stand still is ended when it
    has said what it says and then stood for `patience` seconds. `job_of` and `log_of` are for launchers under which
    Paddle ends, or reports, in another way. `{neighbour}` in a value stands for the first line that the folder's
    `neighbour.py` prints.
    """

    title: Words
    job: Job | None = None
    job_of: dict[Start, Job] = {}
    script: str | None = None
    arguments: list[str] = []
    starts: tuple[Start, ...] = ("plain",)
    launcher_options: list[str] = []
    patience: int = 4
    environment: dict[str, str] = {}
    small_shm: bool = False
    own_machine: bool = False
    log: Log | None = None
    log_of: dict[Start, Log] = {}
    scan: Found | None = None
    ckpt: Found | None = None
    env: Found | None = None
    repro: Repro | None = None


def read_faults() -> dict[str, Fault]:
    """All faults by the name of their folder."""
    return {
        path.parent.name: msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Fault)
        for path in sorted(FAULTS.glob("*/fault.toml"))
    }
