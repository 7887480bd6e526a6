"""The subject `script`: a Python file or notebook as facts, read and never run."""

from __future__ import annotations

from paddle_doctor.subjects.script.gather import find_scripts, gather_script
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
    Statement,
    VariableChange,
)
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
    "Statement",
    "VariableChange",
    "find_scripts",
    "gather_script",
    "read_script",
]
