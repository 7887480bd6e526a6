"""What a pickle would build, as inert data: names of globals, calls that nobody makes, containers, spans of bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import NoneType
from typing import Any

#: A value of a pickle: one of the nodes below, or None, bool, int, float, str, bytes, tuple, list of values.
Node = Any

#: The state of a call that has got none (it may get None).
NO_STATE = object()
LONGEST_QUOTE = 200


class Encoding(Enum):
    """How data stands in a pickle: byte by byte, as text in UTF-8, or as text with escapes."""

    BYTES = "bytes"
    UTF8 = "utf-8"
    ESCAPED = "escaped"


@dataclass(slots=True, eq=False)
class Global:
    """A name that unpickling would import."""

    module: str
    name: str
    offset: int


@dataclass(slots=True, eq=False)
class Extension:
    """A code of copyreg's extension registry: it stands for a global that the file does not name."""

    code: int


@dataclass(slots=True, eq=False)
class Call:
    """A call that unpickling would make. BUILD gives it its `state`; `pairs` fill it, if it makes a kind of dict."""

    opcode: str
    target: Node
    arguments: Node
    offset: int
    state: Node = NO_STATE
    pairs: Dict | None = None


@dataclass(slots=True, eq=False)
class Dict:
    """A dict under construction: its entries in the order in which they are set, a key twice if it is set twice."""

    pairs: list[tuple[Node, Node]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Set:
    """A set or frozenset."""

    items: list[Node]


@dataclass(slots=True, eq=False)
class Span:
    """Data that stays in the file, too long to be anything else: `length` bytes at `offset`, in their encoding."""

    offset: int
    length: int
    encoding: Encoding


def quote(node: Node, depth: int = 4) -> str:
    """The value as Python would write it, cut short, nothing of it evaluated."""
    written = _written(node, depth)
    return written if len(written) <= LONGEST_QUOTE else f"{written[:LONGEST_QUOTE]}…"


def _written(node: Node, depth: int) -> str:
    kind = type(node)
    if kind in _ATOMS:
        return _ATOMS[kind](node)
    return _WHOLES[kind](node, depth - 1) if depth > 0 else "…"


def _number(node: int) -> str:
    return repr(node) if node.bit_length() <= 256 else f"<a number of {node.bit_length()} bits>"


def _dotted(node: Global) -> str:
    return ".".join(part if len(part) <= 100 else f"{part[:100]}…" for part in (node.module, node.name))


def _tuple(node: tuple[Node, ...], depth: int) -> str:
    return f"({_row(node, depth)}{',' if len(node) == 1 else ''})"


def _dict(node: Dict, depth: int) -> str:
    pairs = [f"{_written(key, depth)}: {_written(value, depth)}" for key, value in node.pairs[:4]]
    return f"{{{', '.join([*pairs, '…'] if len(node.pairs) > 4 else pairs)}}}"


def _call(node: Call, depth: int) -> str:
    arguments = node.arguments if isinstance(node.arguments, tuple) else (node.arguments,)
    return f"{_written(node.target, depth)}({_row(arguments, depth)})"


def _row(nodes: Sequence[Node], depth: int) -> str:
    shown = [_written(each, depth) for each in nodes[:6]]
    return ", ".join([*shown, "…"] if len(nodes) > 6 else shown)


_ATOMS: dict[type, Callable[[Node], str]] = {
    NoneType: repr,
    bool: repr,
    float: repr,
    int: _number,
    str: lambda node: repr(node[:LONGEST_QUOTE]),
    bytes: lambda node: repr(node[:LONGEST_QUOTE]),
    Global: _dotted,
    Extension: lambda node: f"copyreg extension {node.code}",
    Span: lambda node: f"<{node.length} bytes>",
}
_WHOLES: dict[type, Callable[[Node, int], str]] = {
    tuple: _tuple,
    list: lambda node, depth: f"[{_row(node, depth)}]",
    Set: lambda node, depth: f"{{{_row(node.items, depth)}}}",
    Dict: _dict,
    Call: _call,
}
