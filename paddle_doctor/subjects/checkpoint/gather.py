"""The gatherer: looks into a checkpoint file without loading it, and gives what is known of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from paddle_doctor.core.errors import DID_YOU_MEAN, NOTHING, UNREADABLE, InputError
from paddle_doctor.core.language import Text, listing
from paddle_doctor.core.paths import is_file
from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.subjects.checkpoint import kinds, safetensors
from paddle_doctor.subjects.checkpoint.model import Checkpoint, Format, Tensor
from paddle_doctor.subjects.checkpoint.pickle_reading import read_pickle

#: Small, since most of a checkpoint is passed over and every jump throws the buffer away.
BUFFER = 1 << 14
SUFFIXES = (".pdparams", ".pdopt", ".pdiparams", ".safetensors", ".pth", ".pt")
_SAMPLES, _SAMPLE = 64, 1 << 12

MISSING = Text("There is no file {path}.{near}", "文件 {path} 不存在。{near}")
A_FOLDER = Text("{path} is a folder, not a checkpoint file.{inside}", "{path} 是目录，不是权重文件。{inside}")
IT_HOLDS = Text(" It holds {files}: name one of them.", "其中有 {files}，请指明要检查哪一个。")
HOLDS_NONE = Text(" There is no checkpoint file in it.", "其中没有权重文件。")
NO_FILE = Text("{path} is not a regular file (a device or a pipe).", "{path} 不是普通文件（而是设备或管道）。")


def gather_checkpoint(path: Path) -> Checkpoint:
    """What the file holds. Reads its structure and passes over the data of tensors; runs nothing that is in it.

    Raises `InputError` if there is no such file, or it cannot be read.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError(A_FOLDER.fill(path=path, inside=_checkpoints_in(path)))
        if not stat.S_ISREG(mode):
            raise InputError(NO_FILE.fill(path=path))
        with path.open("rb", buffering=BUFFER) as file:
            return _without_secrets(_read(str(path), file, os.fstat(file.fileno()).st_size))
    except FileNotFoundError as error:
        raise InputError(MISSING.fill(path=path, near=_near(path))) from error
    except (OSError, ValueError) as error:  # ValueError: a path that holds a NUL byte
        why = getattr(error, "strerror", None) or error
        raise InputError(UNREADABLE.fill(path=path, why=why)) from error


def _read(path: str, file: BinaryIO, size: int) -> Checkpoint:
    head = file.read(min(kinds.HEAD, size))  # some files of /proc have no size, and wait for what they will hold
    known = kinds.kind_of(head, size)
    if known is Format.ZEROS and not _samples_are_zero(file, size):
        known = Format.UNKNOWN
    if known is not None:
        return _plain(path, size, known, head)
    return _read_binary(path, file, size, head) or _read_pickle(path, file, size, head)


def _plain(path: str, size: int, known: Format, head: bytes) -> Checkpoint:
    shows_text = known in (Format.LFS_POINTER, Format.HTML, Format.XML, Format.JSON, Format.TEXT)
    return Checkpoint(
        path=path,
        size=size,
        format=known,
        first_line=kinds.first_line(head) if shows_text else None,
        lfs_size=kinds.lfs_size(head) if known is Format.LFS_POINTER else None,
    )


def _read_binary(path: str, file: BinaryIO, size: int, head: bytes) -> Checkpoint | None:
    file.seek(0)
    if safetensors.is_safetensors(head):
        form, read = Format.SAFETENSORS, safetensors.read_header(file, size)
    elif head.startswith(b"\0\0\0\0"):
        from paddle_doctor.subjects.checkpoint.paddle_binary import read_tensors

        if (found := read_tensors(file, size)) is None:
            return None
        form, read = Format.INFERENCE_PARAMS, found
    else:
        return None
    tensors, damage, trailing = read
    return Checkpoint(path=path, size=size, format=form, tensors=tensors, damage=damage, trailing=trailing)


def _read_pickle(path: str, file: BinaryIO, size: int, head: bytes) -> Checkpoint:
    file.seek(0)
    found = read_pickle(path, file, size, marked=head.startswith(b"\x80"))
    if found is not None:
        return found
    return _plain(path, size, Format.TEXT if kinds.is_text(head) else Format.UNKNOWN, head)


def _samples_are_zero(file: BinaryIO, size: int) -> bool:
    """Whether the file holds only zeros at places spread over it, its end among them."""
    for number in range(_SAMPLES + 1):
        file.seek(max(0, size * number // _SAMPLES - _SAMPLE))
        if file.read(_SAMPLE).strip(b"\0"):
            return False
    return True


def _without_secrets(found: Checkpoint) -> Checkpoint:
    """Keys and quoted text may hold what nobody should read, and characters that no encoding can write."""
    return replace(
        found,
        tensors=_hide_in_keys(found.tensors),
        branches=tuple(replace(each, key=_hide(each.key)) for each in found.branches),
        globals_used=tuple(map(_hide, found.globals_used)),
        suspicious=tuple(replace(each, text=_hide(each.text)) for each in found.suspicious),
        damage=found.damage and replace(found.damage, last_key=found.damage.last_key and _hide(found.damage.last_key)),
        first_line=found.first_line and _hide(found.first_line),
    )


def _hide(text: str) -> str:
    return hide_in_text(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def _hide_in_keys(tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    tensors = tuple(tensors)
    together = "\n".join(each.key for each in tensors)
    if together == _hide(together):  # by far the most files, at a hundredth of the cost
        return tensors
    return tuple(replace(each, key=_hide(each.key)) for each in tensors)


def _checkpoints_in(folder: Path) -> Text:
    try:
        with os.scandir(folder) as entries:
            names = sorted(each.name for each in entries if each.name.endswith(SUFFIXES))
    except OSError:
        return NOTHING
    if not names:
        return HOLDS_NONE
    return IT_HOLDS.fill(files=listing([*names[:3], *(["…"] if len(names) > 3 else [])]))


def _near(path: Path) -> Text:
    """A hint at a file that the path may stand for: with a suffix added, or with a name that is close."""
    import difflib

    for suffix in SUFFIXES:
        if is_file(whole := path.with_name(path.name + suffix)):
            return DID_YOU_MEAN.fill(near=whole)
    try:
        names = os.listdir(path.parent)  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return NOTHING
    close = difflib.get_close_matches(path.name, [name for name in names if name.endswith(SUFFIXES)], n=1)
    return DID_YOU_MEAN.fill(near=path.with_name(close[0])) if close else NOTHING
