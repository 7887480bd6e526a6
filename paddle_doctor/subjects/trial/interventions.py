"""What each rung changes: the variables that it takes out of the job's environment, and those that it puts in."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from paddle_doctor.subjects.trial.model import Attempt, Rung

#: The shim's variables (see `shim`); they have the same names there.
EVENTS = "PADDLE_DOCTOR_EVENTS"
CHANGE = "PADDLE_DOCTOR_CHANGE"
SHIM = Path(__file__).parent / "shim"

#: Variables that a launcher or a cloud platform sets for one job, and that make another believe it is a rank of it
#: (measured on Paddle 2.6 and 3.3; those of torchrun, FLAGS_selected_gpus and proxies make no difference to Paddle).
_LAUNCH_VARIABLE = re.compile(
    r"""(?x) PADDLE_.+ | TRAINING_ROLE | POD_(?:IP|INDEX|NAME) | TRAINER_PORTS_NUM | TRAINER_IP_PORT_LIST
    | DISTRIBUTED_TRAINER_ENDPOINTS | FLAGS_START_PORT | FLAGS_FIXED_PORT | PORT_RANGE"""
)
#: PADDLE_ variables that say where things are kept or how tools behave, not which rank of what job this is.
_NO_LAUNCH_VARIABLE = re.compile(
    r"PADDLE_(?:DOCTOR|PDX|NLP|OCR|EXTENSION|INSTALL|ROOT|VERSION|CUDA)_?.*|PADDLE_.*_(?:HOME|CACHE|URL)|PADDLE_HOME"
)
_LAUNCHER = re.compile(r"paddle\.distributed(?:\.\w+)*|fleetrun|torchrun")


def launch_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The launch variables that are set, in alphabetical order."""
    return tuple(
        name
        for name in sorted(environment)
        if _LAUNCH_VARIABLE.fullmatch(name) and not _NO_LAUNCH_VARIABLE.fullmatch(name)
    )


def removed_by(rung: Rung, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that a rung takes out."""
    return launch_variables(environment) if rung is Rung.CLEAN_ENV else ()


def added_by(rung: Rung, command: Sequence[str]) -> dict[str, str]:
    """The variables of the user's own that a rung sets. An empty CUDA_VISIBLE_DEVICES would break the launcher."""
    if rung is Rung.CPU and not is_launched(command):
        return {"CUDA_VISIBLE_DEVICES": ""}
    return {}


def is_launched(command: Sequence[str]) -> bool:
    """Whether the command is a launcher's, judged by its own words, not by those of the script behind it."""
    before_the_script = itertools.takewhile(lambda word: not word.endswith(".py"), command)
    return any(_LAUNCHER.fullmatch(Path(word).name) for word in before_the_script)


def child_environment(rung: Rung, environment: Mapping[str, str], command: Sequence[str]) -> dict[str, str]:
    """The environment for a rung's run: the user's own, with the rung's one change and the shim in front."""
    removed = removed_by(rung, environment)
    result = {name: value for name, value in environment.items() if name not in (*removed, EVENTS, CHANGE)}
    result.update(added_by(rung, command))
    path = environment.get("PYTHONPATH")
    result["PYTHONPATH"] = f"{SHIM}{os.pathsep}{path}" if path else str(SHIM)
    if rung in (Rung.NO_WORKERS, Rung.CPU, Rung.RANDOM_WEIGHTS):
        result[CHANGE] = rung.value
    return result


def changes_nothing(rung: Rung, as_is: Attempt, environment: Mapping[str, str]) -> bool:
    """Whether the rung's run would be ``as-is`` once more, as far as could be seen of it.

    Without a launch variable there is none to remove; a job that started no worker and asked for no weights before it
    failed fails the same without them. What could not be watched is not judged.
    """
    if rung is Rung.CLEAN_ENV:
        return not removed_by(rung, environment)
    if rung is Rung.NO_WORKERS:
        return as_is.processes > 0 and not as_is.worker_processes
    if rung is Rung.RANDOM_WEIGHTS:
        return as_is.processes > 0 and not (as_is.checkpoints or as_is.states or as_is.downloads)
    return False
