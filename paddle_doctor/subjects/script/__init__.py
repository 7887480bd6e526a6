"""The subject `script`: a Python file or notebook as facts, read and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddle_doctor.subjects.script.model import (
    Argument,
    Call,
    CheckpointLoad,
    Fault,
    FaultKind,
    Import,
    Iteration,
    Kind,
    Origin,
    Place,
    Runs,
    Script,
    VariableChange,
)

if TYPE_CHECKING:
    from paddle_doctor.subjects.script.gather import find_scripts, gather_script
    from paddle_doctor.subjects.script.read import read_script

__all__ = [
    "Argument",
    "Call",
    "CheckpointLoad",
    "Fault",
    "FaultKind",
    "Import",
    "Iteration",
    "Kind",
    "Origin",
    "Place",
    "Runs",
    "Script",
    "VariableChange",
    "find_scripts",
    "gather_script",
    "read_script",
]


def __getattr__(name: str) -> Any:
    """The readers, imported when they are wanted: a check that only names the model shall not pay for them."""
    if name in ("find_scripts", "gather_script"):
        from paddle_doctor.subjects.script import gather

        return getattr(gather, name)
    if name == "read_script":
        from paddle_doctor.subjects.script.read import read_script

        return read_script
    raise AttributeError(name)
