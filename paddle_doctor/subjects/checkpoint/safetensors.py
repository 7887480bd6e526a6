"""The header of a .safetensors file: its length (u64), JSON that names each tensor, then the data."""

from __future__ import annotations

from math import prod
from typing import Any, BinaryIO

from paddle_doctor.subjects.checkpoint.model import MOST_DIMENSIONS, Break, Damage, Tensor

#: The format's own limit is 100 MB; real headers are far below this.
LONGEST_HEADER = 1 << 25
DTYPES = {
    "BOOL": ("bool", 1),
    "U8": ("uint8", 1),
    "I8": ("int8", 1),
    "I16": ("int16", 2),
    "U16": ("uint16", 2),
    "I32": ("int32", 4),
    "U32": ("uint32", 4),
    "I64": ("int64", 8),
    "U64": ("uint64", 8),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "F32": ("float32", 4),
    "F64": ("float64", 8),
    "F8_E4M3": ("float8_e4m3fn", 1),
    "F8_E5M2": ("float8_e5m2", 1),
}


def is_safetensors(head: bytes) -> bool:
    """Whether the first bytes are a header's length and the beginning of its JSON."""
    return len(head) > 9 and head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= LONGEST_HEADER


def read_header(file: BinaryIO, size: int) -> tuple[tuple[Tensor, ...], Damage | None, int]:
    """The tensors, the damage, and the bytes behind the last tensor."""
    import json

    length = int.from_bytes(file.read(8), "little")
    start = 8 + length
    if start > size:
        return (), Damage(kind=Break.TRUNCATED, offset=size, missing=start - size), 0
    try:
        header = json.loads(file.read(length))
        named = [_tensor(key, value) for key, value in header.items() if key != "__metadata__"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return (), Damage(kind=Break.BAD_HEADER, offset=8), 0
    placed = sorted(named, key=lambda pair: pair[1])
    tensors = tuple(tensor for tensor, _ in placed)
    for tensor, (begin, end) in placed:
        if end - begin != tensor.nbytes:
            return tensors, Damage(kind=Break.SIZE_MISMATCH, offset=8, last_key=tensor.key), 0
    whole = start + max((end for _, (_, end) in placed), default=0)
    for tensor, (_, end) in placed:
        if start + end > size:
            cut = Damage(kind=Break.TRUNCATED, offset=size, missing=whole - size, last_key=tensor.key, inside=True)
            return tensors, cut, 0
    return tensors, None, size - whole


def _tensor(key: str, value: dict[str, Any]) -> tuple[Tensor, tuple[int, int]]:
    shape = tuple(value["shape"])
    begin, end = value["data_offsets"]
    if len(shape) > MOST_DIMENSIONS or not all(
        type(each) is int and 0 <= each < 1 << 62 for each in (*shape, begin, end)
    ):
        raise ValueError(key)
    dtype, itemsize = DTYPES[value["dtype"]]
    return Tensor(key=key, shape=shape, dtype=dtype, nbytes=prod(shape) * itemsize), (begin, end)
