"""A pickle file read as a checkpoint: followed by the inert machine, then told as facts."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from paddle_doctor.subjects.checkpoint import known_forms, model
from paddle_doctor.subjects.checkpoint.model import Break, Checkpoint, Damage
from paddle_doctor.subjects.checkpoint.pickle_content import NAME_TABLE, Content, read_content
from paddle_doctor.subjects.checkpoint.pickle_machine import MOST_SUSPICIOUS, Machine
from paddle_doctor.subjects.checkpoint.pickle_nodes import Call, Dict, Global, Set, quote
from paddle_doctor.subjects.checkpoint.pickle_opcodes import HIGHEST_PROTOCOL, follow
from paddle_doctor.subjects.checkpoint.pickle_salvage import Rest, salvage

MOST_GLOBALS = 200
_WHOLE_OBJECTS = (Dict, Set, Call, Global, list, tuple)


def read_pickle(path: str, file: BinaryIO, size: int, *, marked: bool) -> Checkpoint | None:
    """The checkpoint in a file that may be a pickle; None if it is none.

    `marked` tells that it begins as pickles of protocol 2 and later do. A file that does not is one if it makes a
    whole object, or a call: Python would make that call, whatever stands behind it.
    """
    with _without_collector():
        return _read(path, follow(file, size), size, marked=marked)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Many nodes are made and none is let go: to look for garbage among them again and again would cost most."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(path: str, machine: Machine, size: int, *, marked: bool) -> Checkpoint | None:
    if not (_is_marked_pickle(machine) if marked else _is_bare_pickle(machine)):
        return None
    rest = Rest(machine.root, None, inside=False) if machine.complete else salvage(machine)
    content = read_content(rest.root)
    return Checkpoint(
        path=path,
        size=size,
        format=content.format,
        protocol=machine.protocol or 0,
        numpy=_numpy_generation(machine),
        root=content.root,
        named=content.named,
        tensors=tuple(content.tensors),
        branches=tuple(content.branches),
        globals_used=_names(machine.globals),
        suspicious=_suspicious(machine),
        damage=_damage(machine, content, rest),
        trailing=size - machine.position if machine.complete else 0,
    )


def _is_marked_pickle(machine: Machine) -> bool:
    return machine.protocol is not None and machine.protocol <= HIGHEST_PROTOCOL


def _is_bare_pickle(machine: Machine) -> bool:
    made_a_call = bool(machine.accepted) or any(isinstance(node, Call) for _, _, node in machine.suspicious)
    return made_a_call or (machine.complete and isinstance(machine.root, _WHOLE_OBJECTS))


def _numpy_generation(machine: Machine) -> int | None:
    modules = {each.module for each in machine.globals if each.module.startswith("numpy.")}
    if any(each.startswith("numpy._core") for each in modules):
        return 2
    return 1 if any(each.startswith("numpy.core") for each in modules) else None


def _names(found: list[Global]) -> tuple[str, ...]:
    names: set[str] = set()
    for each in found:
        names.add(quote(each))
        if len(names) == MOST_GLOBALS:
            break
    return tuple(sorted(names))


def _suspicious(machine: Machine) -> tuple[model.Call, ...]:
    """What is no known form, each once, in the file's order: calls, and globals that nothing known uses."""
    refused = {id(node) for _, opcode, node in machine.suspicious if isinstance(node, Call) and opcode == node.opcode}
    called = {id(node.target) for _, _, node in machine.suspicious if isinstance(node, Call)}
    used = machine.accepted | called
    found = [
        (offset, opcode, _WORDING.get(opcode, "{}").format(quote(node)))
        for offset, opcode, node in machine.suspicious
        if opcode not in _WORDING or id(node) not in refused
    ]
    foreign = (each for each in machine.globals if not known_forms.is_known_global(each) and id(each) not in used)
    found += [(each.offset, "GLOBAL", quote(each)) for each in itertools.islice(foreign, MOST_SUSPICIOUS)]
    first: dict[str, model.Call] = {}
    for offset, opcode, text in sorted(found):
        first.setdefault(text, model.Call(text=text, opcode=opcode, offset=offset))
    return tuple(first.values())[:MOST_SUSPICIOUS]


#: How Python would write what an instruction does to an object, other than calling it.
_WORDING = {
    "BUILD": "{}.__setstate__(…)",
    "SETITEMS": "{}[…] = …",
    "APPENDS": "{}.append(…)",
    "ADDITEMS": "{}.add(…)",
}


def _damage(machine: Machine, content: Content, rest: Rest) -> Damage | None:
    if machine.broken is not None:
        key, inside = rest.last_key, rest.inside
        if key is not None and key.startswith(NAME_TABLE):  # it stands behind all tensors
            key, inside = (content.tensors[-1].key if content.tensors else None), False
        return Damage(
            kind=machine.broken.why,
            offset=machine.offset,
            missing=machine.broken.missing,
            last_key=key,
            inside=inside,
        )
    if content.misfit is not None:
        key, offset = content.misfit
        return Damage(kind=Break.SIZE_MISMATCH, offset=offset, last_key=key, inside=True)
    return None if content.whole else Damage(kind=Break.TOO_MUCH, offset=machine.position)
