"""What can be told of a pickle that broke off: the object as far as it was filled, and the key where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paddle_doctor.subjects.checkpoint import known_forms
from paddle_doctor.subjects.checkpoint.pickle_machine import Machine
from paddle_doctor.subjects.checkpoint.pickle_nodes import NO_STATE, Call, Dict, Global, Node

DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Rest:
    """An unfinished object. `last_key` is the last key whose value was begun; `inside` if that value is not whole."""

    root: Node
    last_key: str | None
    inside: bool


def salvage(machine: Machine) -> Rest:
    """Put the values that wait on the stack of a broken pickle into the containers below them."""
    outermost, *inner = [*machine.below_marks, machine.stack]
    if not outermost:
        return Rest(None, None, inside=False)
    path, inside = _fill(outermost[0], [outermost[1:], *inner], DEEPEST)
    return Rest(outermost[0], ".".join(path) or None, inside)


def _fill(node: Node, waiting: Sequence[list[Node]], depth: int) -> tuple[list[str], bool]:
    """Fill a node with what waits above it on the stack: the rest of its own frame, then the frames above.

    Gives the path of keys down to the last value that was begun, and whether that value is not whole.
    """
    here, *above = waiting
    if not here and above:
        here, *above = above
    if depth == 0:
        return [], True
    if isinstance(node, list):
        node.extend(here)
        if not here:
            return [], False
        path, inside = _fill(here[-1], [[], *above], depth - 1)
        return [str(len(node) - 1), *path], inside
    if isinstance(node, Dict) or known_forms.is_mapping_call(node):
        return _fill_dict(_pairs(node), here, above, depth)
    return [], bool(here or above) or not _is_whole(node)


def _fill_dict(
    pairs: list[tuple[Node, Node]], here: list[Node], above: list[list[Node]], depth: int
) -> tuple[list[str], bool]:
    begun = _last_begun(here)
    if begun is None:
        last = pairs[-1][0] if pairs else None
        return [last] if isinstance(last, str) else [], False
    pairs.extend((here[index], here[index + 1]) for index in range(0, begun + 1, 2))
    path, inside = _fill(here[begun + 1], [here[begun + 2 :], *above], depth - 1)
    return [here[begun], *path], inside


def _pairs(node: Dict | Call) -> list[tuple[Node, Node]]:
    if isinstance(node, Dict):
        return node.pairs
    node.pairs = node.pairs or Dict()
    return node.pairs.pairs


def _last_begun(items: list[Node]) -> int | None:
    """The place of the last key whose value was begun: keys stand at even places.

    A value that is a call in the making begins with what is called, and all above belongs to it. Text in a value's
    place may be the name of such a global, so it does not count.
    """
    last = None
    for index in range(0, len(items) - 1, 2):
        key, value = items[index], items[index + 1]
        if isinstance(key, str) and not isinstance(value, str):
            last = index
        if isinstance(value, Global) and (value.module, value.name) in known_forms.FORMS:
            break
    return last


def _is_whole(node: Node) -> bool:
    if isinstance(node, Global):
        return False
    return not (known_forms.is_array_call(node) and node.state is NO_STATE)
