"""The variables of this shell that matter to a job, secrets hidden; and which of them the machine itself set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from paddle_doctor.core.paths import is_file
from paddle_doctor.core.secrets import hide_in_value

#: Families of variables that Paddle, its launchers, NCCL, gloo, CUDA or the linker read, and torch's own; not the
#: doctor's.
FAMILIES = re.compile(
    r"""(?x) (?: PADDLE (?!_DOCTOR_) | FLAGS | POD | NCCL | GLOO | CUDA | TRAINER | DISTRIBUTED | OMP | MKL | KMP )_ .*
    | TRAINING_ROLE | MASTER_(?:ADDR|PORT) | RANK | WORLD_SIZE | LOCAL_RANK | PORT_RANGE
    | [A-Z]{2,4}_VISIBLE_DEVICES | (?i:https?|all|no)_(?i:proxy) | LD_LIBRARY_PATH | LD_PRELOAD | PYTHONPATH"""
)
#: Variables whose value is the path of a file that Paddle opens.
FILE_VARIABLES = ("PADDLE_BACKUP_ENV_PATH",)
VALUE_LIMIT = 4096
INIT_ENVIRON = Path("/proc/1/environ")


def job_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of the families that matter, by name; what is secret in them is hidden."""
    chosen = sorted(name for name in environ if FAMILIES.fullmatch(name))
    return {_printable(name): hide_in_value(name, _printable(environ[name][:VALUE_LIMIT])) for name in chosen}


def preset(environ: Mapping[str, str], init: Path = INIT_ENVIRON) -> tuple[str, ...]:
    """Names of job variables that the first process of this container holds with the same value.

    Where its variables may not be read (on a machine that is no container of ours), nothing is known to be preset.
    """
    try:
        entries = init.read_bytes().decode("utf-8", "surrogateescape").split("\0")
    except OSError:
        return ()
    first = dict(entry.partition("=")[::2] for entry in entries)
    return tuple(sorted(name for name in environ if FAMILIES.fullmatch(name) and first.get(name) == environ[name]))


def dangling(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Names of the variables of `FILE_VARIABLES` that name a file which is not there."""
    return tuple(name for name in FILE_VARIABLES if name in environ and not is_file(environ[name]))


def _printable(text: str) -> str:
    """Bytes that are no text (they come as lone surrogates) as escapes: JSON could not hold them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
