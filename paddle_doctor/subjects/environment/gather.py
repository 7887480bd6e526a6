"""Look at this machine: all parts side by side, each with a deadline; what cannot be seen is noted with its reason."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.subjects.environment.aside import Aside, TooSlow
from paddle_doctor.subjects.environment.gpus import Sight, hide_invisible, look_at_gpus, name_processes
from paddle_doctor.subjects.environment.interpreter import ask_interpreter, find_interpreter
from paddle_doctor.subjects.environment.model import Environment, Interpreter, Space, Unseen, Why
from paddle_doctor.subjects.environment.ports import listeners, own_addresses, seen_ports, wanted_ports
from paddle_doctor.subjects.environment.processes import ProcessTable, user_of
from paddle_doctor.subjects.environment.variables import dangling, job_variables, preset

SECONDS = 4.0
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - looked at, not written to

Result = TypeVar("Result")


def gather_environment(
    *,
    python: str | None = None,
    ports: Sequence[int] = (),
    modules: Sequence[str] = (),
    working_folder: Path | None = None,
) -> Environment:
    """This machine now: the variables of this shell, the job's interpreter, ports, processes, GPUs, memory.

    `python` is the job's interpreter (default: the active virtualenv's, conda's or PATH's), which runs the probe in
    `working_folder` (default: the current one) and is asked whether it could import `modules`. `ports` are looked at
    besides those that the variables name. Raises `InputError` if `python` is no Python.
    """
    environ = dict(os.environ)
    unseen: dict[str, Unseen] = {}
    watching = Aside(look_at_gpus, seconds=SECONDS)
    reading = Aside(ProcessTable.read, seconds=SECONDS)
    listening = Aside(listeners, seconds=SECONDS)
    folder = working_folder or _here()
    interpreter = _interpreter(environ, unseen, python=python, modules=modules, folder=folder)

    table = _seen("processes", reading, unseen)
    sight = _seen("gpus", watching, unseen) or Sight()
    unseen.update(sight.unseen)
    addresses = own_addresses()
    wanted = wanted_ports(environ, ports, addresses)
    return Environment(
        platform=sys.platform,
        variables=job_variables(environ),
        preset=preset(environ),
        dangling=dangling(environ),
        addresses=tuple(sorted(addresses)),
        user=user_of(os.getpid()),
        ancestors=table.ancestors(os.getpid()) if table else (),
        interpreter=interpreter,
        ports=seen_ports(wanted, _seen("ports", listening, unseen), table),
        processes=table.of_jobs() if table else (),
        gpus=hide_invisible(name_processes(sight.gpus, table), environ),
        driver_version=sight.driver_version,
        shm=_shared_memory(unseen),
        memory=_memory(unseen),
        unseen=unseen,
    )


def _here() -> Path:
    """The working folder; the root where it has been removed under our feet."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def _seen(part: str, work: Aside[Result], unseen: dict[str, Unseen]) -> Result | None:
    """The result of a part, or None with the reason noted."""
    import psutil

    try:
        return work.result()
    except TooSlow:
        unseen[part] = Unseen(why=Why.TIMED_OUT)
    except (psutil.AccessDenied, PermissionError) as error:
        unseen[part] = Unseen(why=Why.NO_RIGHTS, detail=hide_in_text(str(error)))
    except Exception as error:  # noqa: BLE001 - a part that fails in a way of its own must not hide the others
        unseen[part] = Unseen(why=Why.FAILED, detail=hide_in_text(f"{type(error).__name__}: {error}"))
    return None


def _interpreter(
    environ: dict[str, str], unseen: dict[str, Unseen], *, python: str | None, modules: Sequence[str], folder: Path
) -> Interpreter | None:
    path = find_interpreter(python, environ)
    if path is None:
        unseen["interpreter"] = Unseen(why=Why.NOT_HERE)
        return None
    told = ask_interpreter(path, modules=modules, folder=folder, variables=environ, insist=python is not None)
    if isinstance(told, Unseen):
        unseen["interpreter"] = told
        return None
    return told


def _shared_memory(unseen: dict[str, Unseen]) -> Space | None:
    try:
        usage = shutil.disk_usage(SHARED_MEMORY)
    except OSError as error:
        why = Why.NOT_HERE if isinstance(error, FileNotFoundError) else Why.FAILED
        unseen["shm"] = Unseen(why=why, detail=error.strerror or "")
        return None
    return Space(total=usage.total, free=usage.free)


def _memory(unseen: dict[str, Unseen]) -> Space | None:
    import psutil

    try:
        memory = psutil.virtual_memory()
    except OSError as error:  # no /proc
        unseen["memory"] = Unseen(why=Why.FAILED, detail=error.strerror or "")
        return None
    return Space(total=memory.total, free=memory.available)
