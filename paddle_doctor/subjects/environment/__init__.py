"""The machine that a job runs on: its variables, interpreter, ports, processes, GPUs and memory."""

from __future__ import annotations

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
]
