"""What `scan` and `preflight` gather alike: scripts, the checkpoints that they load, the modules that they import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from paddle_doctor.core.errors import InputError
from paddle_doctor.subjects.script import Script, find_scripts, gather_script

#: What loads a checkpoint of Paddle's own kinds.
_PADDLE_LOADERS = ("paddle.load", "paddle.Model.load")

Facts = TypeVar("Facts")


def read_scripts(paths: Sequence[Path]) -> tuple[list[Script], list[InputError]]:
    """The scripts that paths stand for, and why some in a folder could not be read.

    A path that was named and cannot be read raises `InputError`: the user means that very file.
    """
    refused: list[InputError] = []
    named = set(paths)
    scripts = [
        script
        for path in find_scripts(paths)
        for script in gathered(gather_script, path, None if path in named else refused)
    ]
    return scripts, refused


def gathered(gather: Callable[[Path], Facts], path: Path, refused: list[InputError] | None) -> Iterator[Facts]:
    """What a path holds, or nothing and why in `refused`, where there is such a list."""
    try:
        yield gather(path)
    except InputError as error:
        if refused is None:
            raise
        refused.append(error)


def checkpoints_of(scripts: Iterable[Script]) -> list[Path]:
    """The checkpoints of Paddle that the scripts load by a literal path and that are there, each once."""
    return [
        Path(found)
        for found in dict.fromkeys(
            each.found
            for script in scripts
            for each in script.checkpoints
            if each.found and not each.is_folder and script.calls[each.call].name in _PADDLE_LOADERS
        )
    ]


def modules_of(scripts: Iterable[Script]) -> list[str]:
    """The modules that the scripts import and that are not their project's own, each once."""
    return sorted({module for script in scripts for module in script.foreign_modules()})
