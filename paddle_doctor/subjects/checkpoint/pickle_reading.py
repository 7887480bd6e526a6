"""A pickle file read as a checkpoint: followed by the inert machine, then told as facts."""

from __future__ import annotations

from collections.abc import Iterator
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
    machine = follow(file, size)
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
        globals_used=tuple(sorted({quote(each) for each in machine.globals})[:MOST_GLOBALS]),
        suspicious=tuple(_suspicious(machine)),
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


def _suspicious(machine: Machine) -> Iterator[model.Call]:
    """What is no known form, each once, in the file's order: calls, and globals that nothing known uses."""
    refused = {id(node) for _, opcode, node in machine.suspicious if isinstance(node, Call) and opcode == node.opcode}
    called = {id(node.target) for _, _, node in machine.suspicious if isinstance(node, Call)}
    used = machine.accepted | called
    found = [
        (offset, opcode, _WORDING.get(opcode, "{}").format(quote(node)))
        for offset, opcode, node in machine.suspicious
        if opcode not in _WORDING or id(node) not in refused
    ]
    found += [
        (each.offset, "GLOBAL", quote(each))
        for each in machine.globals
        if not known_forms.is_known_global(each) and id(each) not in used
    ]
    texts: set[str] = set()
    for offset, opcode, text in sorted(found):
        if text not in texts and len(texts) < MOST_SUSPICIOUS:
            texts.add(text)
            yield model.Call(text=text, opcode=opcode, offset=offset)


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
