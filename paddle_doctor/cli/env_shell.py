"""The line of ``env --shell``: what removes the leftover variables from a shell, and nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import PurePath

from paddle_doctor.core.finding import Finding
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.environment import Environment

CHECK = "PD301"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def removing(environment: Environment, kind: str | None) -> str:
    """The command with its newline, in the language of a shell (None: the one that runs us); empty if all is well."""
    names = leftover(environment)
    return _line(kind or _this_shell(environment.platform), names) + "\n" if names else ""


def leftover(environment: Environment) -> list[str]:
    """The names of the variables that are to go: what the check shows as its evidence, ``NAME=value`` each."""
    findings = load_checks(["environment"], plugins=False).checks[CHECK].opinions({"environment": environment})
    names = [each.text.partition("=")[0] for found in findings if isinstance(found, Finding) for each in found.evidence]
    # The line is evaluated by a shell: nothing but a plain name may get into it, whatever a facts file holds.
    return [name for name in names if NAME.fullmatch(name)]


def _line(kind: str, names: Sequence[str]) -> str:
    if kind == "fish":
        return "set --erase " + " ".join(names)
    if kind == "powershell":
        return "Remove-Item -ErrorAction SilentlyContinue " + ", ".join(f"Env:{name}" for name in names)
    if kind == "cmd":
        return "\n".join(f'set "{name}="' for name in names)
    return "unset " + " ".join(names)


def _this_shell(platform: str) -> str:
    if platform == "win32":
        return "powershell" if "PSModulePath" in os.environ else "cmd"
    name = PurePath(os.environ.get("SHELL", "")).name
    return "powershell" if name == "pwsh" else name
