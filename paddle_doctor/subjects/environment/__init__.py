"""The machine that a job runs on: its variables, interpreter, ports, processes, GPUs and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddle_doctor.subjects.environment.model import (
    Environment,
    Gpu,
    GpuProcess,
    Interpreter,
    Port,
    Process,
    ProcessKind,
    Space,
    Unseen,
    Why,
)

if TYPE_CHECKING:
    from paddle_doctor.subjects.environment.gather import gather_environment
    from paddle_doctor.subjects.environment.interpreter import find_interpreter

__all__ = [
    "Environment",
    "Gpu",
    "GpuProcess",
    "Interpreter",
    "Port",
    "Process",
    "ProcessKind",
    "Space",
    "Unseen",
    "Why",
    "find_interpreter",
    "gather_environment",
]


def __getattr__(name: str) -> Any:
    """What looks at the machine, imported when it is wanted: a check that only names the model shall not pay for it."""
    if name == "gather_environment":
        from paddle_doctor.subjects.environment.gather import gather_environment

        return gather_environment
    if name == "find_interpreter":
        from paddle_doctor.subjects.environment.interpreter import find_interpreter

        return find_interpreter
    raise AttributeError(name)
