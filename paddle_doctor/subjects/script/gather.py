"""Reads scripts from disk, with what stands around them: modules of their project, checkpoints that they load."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from paddle_doctor.core import errors
from paddle_doctor.core.errors import InputError
from paddle_doctor.core.language import Text
from paddle_doctor.core.paths import is_folder, is_there
from paddle_doctor.subjects.script.model import CheckpointLoad, FaultKind, Kind, Script
from paddle_doctor.subjects.script.read import read_script, unreadable
from paddle_doctor.subjects.script.source import UndecodableError, decode, is_binary

#: A script larger than this is data that calls itself a script.
MAX_BYTES = 8 * 2**20
SUFFIXES = (".py", ".pyw", ".ipynb")
#: Folders that hold no script of the user's own. Hidden folders and virtual environments are passed over too.
PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages"})
#: What marks the top folder of a project, and how far above a script it is looked for.
_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
_LEVELS = 5

NOT_THERE = Text("There is no file {path}.", "没有 {path} 这个文件。")
IS_FOLDER = Text("{path} is a folder, not a script.", "{path} 是目录，不是脚本。")
NO_FILE = Text("{path} is not an ordinary file.", "{path} 不是普通文件。")
TOO_LARGE = Text(
    "{path} has {size} MB; a script of more than {limit} MB is not read.",
    "{path} 有 {size} MB；超过 {limit} MB 的脚本不予读取。",
)
BINARY = Text("{path} is not a Python file: it holds binary data.", "{path} 不是 Python 文件：里面是二进制数据。")
NOT_PYTHON = Text(
    "{path} is neither a Python file (.py) nor a notebook (.ipynb).",
    "{path} 既不是 Python 文件（.py），也不是 notebook（.ipynb）。",
)
NOTHING_IN = Text("There is no .py or .ipynb file in {path}.", "{path} 里没有 .py 或 .ipynb 文件。")


def gather_script(path: Path) -> Script:
    """The facts about one file. Raises `InputError` if it is not there, cannot be read, or is no text."""
    data = _bytes(path)
    if is_binary(data):
        raise InputError(BINARY.fill(path=path))
    if path.suffix.lower() == ".ipynb":
        script = _notebook(path, data)
    else:
        try:
            script = read_script(decode(data), str(path))
        except UndecodableError as error:
            return unreadable(str(path), error, data.decode("gb18030" if "GBK" in error.words else "utf-8", "replace"))
    checkpoints = tuple(_looked_for(each, script, path) for each in script.checkpoints)
    return replace(script, checkpoints=checkpoints, neighbours=tuple(_neighbours(script, path)))


def find_scripts(paths: Iterable[Path]) -> list[Path]:
    """The scripts that paths stand for: a file itself, a folder all .py and .ipynb files in and below it, sorted.

    Raises `InputError` for a path that is not there, and for a folder without scripts.
    """
    found: list[Path] = []
    for path in paths:
        if is_folder(path):
            below = sorted(_scripts_below(path))
            if not below:
                raise InputError(NOTHING_IN.fill(path=path))
            found.extend(below)
        elif not _looked_at(path):
            raise InputError(NOT_THERE.fill(path=path))
        elif path.suffix and path.suffix.lower() not in SUFFIXES:
            raise InputError(NOT_PYTHON.fill(path=path))
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise InputError(IS_FOLDER.fill(path=path))
        if not path.exists():
            raise InputError(NOT_THERE.fill(path=path))
        if not path.is_file():
            raise InputError(NO_FILE.fill(path=path))
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise errors.unreadable(path, error) from error
    if len(data) > MAX_BYTES:
        raise InputError(TOO_LARGE.fill(path=path, size=f"{size / 2**20:.0f}", limit=MAX_BYTES // 2**20))
    return data


def _notebook(path: Path, data: bytes) -> Script:
    try:
        return read_script(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return replace(
            unreadable(str(path), UndecodableError(FaultKind.ENCODING, f"utf-8: byte 0x{data[error.start]:02x}", line)),
            kind=Kind.NOTEBOOK,
        )


def _scripts_below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):  # follows no link to a folder, so a loop of links ends nowhere
        here = Path(root)
        folders[:] = [each for each in folders if not _passed_over(here / each)]
        yield from (here / each for each in files if each.lower().endswith(SUFFIXES) and not each.startswith("."))


def _passed_over(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in PASSED_OVER or is_there(folder / "pyvenv.cfg")


def _looked_for(checkpoint: CheckpointLoad, script: Script, path: Path) -> CheckpointLoad:
    loader = script.calls[checkpoint.call].name
    endings = ("", ".pdparams") if loader == "paddle.Model.load" else ("",)  # Model.load takes both
    for folder in dict.fromkeys((Path(), path.parent)):
        for ending in endings:
            candidate = folder / (checkpoint.path + ending)
            if is_there(candidate):
                return replace(checkpoint, looked=True, found=str(candidate), is_folder=candidate.is_dir())
    return replace(checkpoint, looked=True)


def _neighbours(script: Script, path: Path) -> Iterator[str]:
    """The imported modules that the project itself holds: next to the script, in the working folder, or above it."""
    wanted = sorted({each.module.partition(".")[0] for each in script.imports if not each.level} - {""})
    folders = list(dict.fromkeys((path.absolute().parent, Path.cwd(), *_project_folders(path.absolute().parent))))
    for name in wanted:
        if any(_holds_module(folder, name) for folder in folders):
            yield name


def _project_folders(folder: Path) -> Iterator[Path]:
    """The folders above up to the top of the project; none if there is no sign of a project."""
    above = [folder, *folder.parents][:_LEVELS]
    for index, each in enumerate(above):
        if any(is_there(each / mark) for mark in _PROJECT_MARKS):
            yield from above[: index + 1]
            return


def _holds_module(folder: Path, name: str) -> bool:
    if is_there(folder / f"{name}.py") or is_there(folder / name / "__init__.py"):
        return True
    try:
        with os.scandir(folder / name) as entries:
            return any(entry.name.endswith(".py") for entry in entries)
    except (OSError, ValueError):
        return False


def _looked_at(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise errors.unreadable(path, error) from error
