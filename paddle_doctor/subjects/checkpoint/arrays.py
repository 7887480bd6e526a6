"""Pickle nodes read as arrays: the forms in which NumPy and Paddle write one, and what they say of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from paddle_doctor.subjects.checkpoint import known_forms
from paddle_doctor.subjects.checkpoint.pickle_nodes import NO_STATE, Call, Dict, Encoding, Node, Span

#: NumPy's codes of the dtypes that Paddle takes, with Paddle's names. Paddle reads every uint16 as bfloat16.
DTYPES = {
    "b1": "bool",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "bfloat16",
    "u4": "uint32",
    "u8": "uint64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "c8": "complex64",
    "c16": "complex128",
}
_DTYPE_CODE = re.compile(r"[<>|=]?([A-Za-z])([0-9]{0,9})")
_LONGEST_DTYPE = 40


@dataclass(frozen=True, slots=True)
class Array:
    """An array that was not built. `fits` tells whether its data have the length that shape and dtype ask for."""

    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    fits: bool
    offset: int


def as_array(node: Node) -> Array | None:
    """The array that `paddle.load` makes a Tensor of here, in any of its forms; None if the node is none."""
    if isinstance(node, tuple):  # paddle.load takes every (name, array) for a Tensor
        return as_array(node[1]) if len(node) == 2 and isinstance(node[0], str) and _is_plain(node[1]) else None
    if not isinstance(node, Call) or not known_forms.is_known_call(node):
        return None
    read = _FORMS.get(node.target.name)
    return read(node) if read else None


def _of_state(node: Call) -> Array | None:
    if node.state is NO_STATE or not known_forms.is_array_state(node.state):
        return None
    shape, dtype, _, data = node.state[-4:]
    return _array(shape, dtype, data, node.offset)


def _of_buffer(node: Call) -> Array:
    data, dtype, shape, _ = node.arguments
    return _array(shape, dtype, data, node.offset)


#: How to read the known calls that make an array.
_FORMS: dict[str, Callable[[Call], Array | None]] = {
    "_reconstruct": _of_state,
    "_frombuffer": _of_buffer,
    "tuple": lambda node: as_array(node.arguments[0][1]),
    "eval": lambda node: as_array(node.arguments[1].pairs[0][1]),
}


def _is_plain(node: Node) -> bool:
    return known_forms.is_array_call(node) or (
        isinstance(node, Call) and known_forms.is_from(node.target, known_forms.NUMERIC, "_frombuffer")
    )


def _array(shape: tuple[int, ...], dtype: Call, data: Node, offset: int) -> Array:
    name, itemsize = _dtype(dtype)
    least, most = _length(data)
    sizes = tuple(int(size) for size in shape)
    if itemsize is None or isinstance(data, list):  # objects and records: their data are not counted
        return Array(sizes, name, most, fits=True, offset=offset)
    nbytes = prod(sizes) * itemsize
    fits = all(size >= 0 for size in sizes) and least <= nbytes <= most
    return Array(sizes, name, nbytes if fits else most, fits=fits, offset=offset)


def _dtype(dtype: Call) -> tuple[str, int | None]:
    """Paddle's name of a dtype (NumPy's code where Paddle has none) and the bytes of an element, if they are known."""
    code = dtype.arguments[0]
    found = _DTYPE_CODE.fullmatch(code)
    if found is None:
        return code[:_LONGEST_DTYPE], None
    kind, digits = found.groups()
    plain = DTYPES.get(kind + digits)
    return plain or code[:_LONGEST_DTYPE], int(digits) if plain else None


def _length(data: Node) -> tuple[int, int]:
    """The least and the greatest number of bytes that the data of an array can have when they are decoded."""
    if isinstance(data, Call):
        return _length(data.arguments[0]) if data.arguments else (0, 0)
    if not isinstance(data, Span):
        return len(data), len(data)
    if data.encoding is Encoding.BYTES:
        return data.length, data.length
    # Latin-1 text in UTF-8 takes one or two bytes for each; escapes take up to six.
    return (data.length + 1) // 2 if data.encoding is Encoding.UTF8 else 0, data.length


def entries(node: Node) -> list[tuple[Node, Node]] | None:
    """The entries of a dict or of a known kind of it, a key that is set twice with its last value; None for others."""
    if isinstance(node, Dict):
        pairs = node.pairs
    elif known_forms.is_mapping_call(node):
        pairs = [*_initial(node.arguments), *(node.pairs.pairs if node.pairs else ())]
    else:
        return None
    last: dict[object, tuple[Node, Node]] = {}
    for key, value in pairs:
        same = key if isinstance(key, (str, bytes, int, float, type(None))) else (id(key),)
        last[same] = (key, value)
    return list(last.values())


def _initial(arguments: Node) -> list[tuple[Node, Node]]:
    if not isinstance(arguments, tuple) or not arguments:
        return []
    if isinstance(arguments[0], Dict):
        return arguments[0].pairs
    if not isinstance(arguments[0], (list, tuple)):
        return []
    return [(each[0], each[1]) for each in arguments[0] if isinstance(each, (list, tuple)) and len(each) == 2]
