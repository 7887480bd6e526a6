"""Paddle's own tensor files (.pdiparams, paddle.save with use_binary_format): tensors one behind the other, unnamed.

Source: paddle/phi/core/framework/dense_tensor_serialize.cc and framework.proto. Each tensor is: version (u32, 0), the
number of LoD levels (u64) and for each its length (u64) and data, version (u32, 0), the length of a description
(i32), the description (protobuf TensorDesc: data_type = 1, dims = 2), the data.
"""

from __future__ import annotations

import struct
from math import prod
from typing import BinaryIO

from paddle_doctor.subjects.checkpoint.model import LONGEST_DATA, MOST_DIMENSIONS, Break, Damage, Tensor

#: framework.proto's VarType.Type, with the bytes of an element.
DTYPES = {
    0: ("bool", 1),
    1: ("int16", 2),
    2: ("int32", 4),
    3: ("int64", 8),
    4: ("float16", 2),
    5: ("float32", 4),
    6: ("float64", 8),
    20: ("uint8", 1),
    21: ("int8", 1),
    22: ("bfloat16", 2),
    23: ("complex64", 8),
    24: ("complex128", 16),
    32: ("float8_e4m3fn", 1),
    33: ("float8_e5m2", 1),
}
_HEAD = struct.Struct("<IQ")
_DESC = struct.Struct("<Ii")
_U8 = struct.Struct("<Q")
MOST_LEVELS = 8
LONGEST_DESC = 4096
MOST_TENSORS = 200_000


class _OtherError(Exception):
    """What stands here is no tensor."""


class _CutError(Exception):
    """The file ends here; so many bytes are missing at least."""

    def __init__(self, missing: int) -> None:
        super().__init__(missing)
        self.missing = missing


def read_tensors(file: BinaryIO, size: int) -> tuple[tuple[Tensor, ...], Damage | None, int] | None:
    """The tensors, the damage, and the bytes behind the last tensor; None if the file does not begin with a tensor.

    A tensor has no name here, only a place: its key is ``#0``, ``#1``, ...
    """
    reader = _Reader(file, size)
    tensors: list[Tensor] = []
    start = 0
    while start < size and len(tensors) < MOST_TENSORS:
        try:
            tensors.append(reader.tensor(f"#{len(tensors)}"))
        except _OtherError:
            return (tuple(tensors), None, size - start) if tensors else None
        except _CutError as cut:
            key = f"#{len(tensors)}"
            damage = Damage(kind=Break.TRUNCATED, offset=start, missing=cut.missing, last_key=key, inside=True)
            return (tuple(tensors), damage, 0) if tensors or reader.described else None
        start = reader.position
    return tuple(tensors), None, size - start


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file = file
        self.size = size
        self.position = 0
        self.described = False

    def take(self, count: int) -> bytes:
        data = self.file.read(count)
        if len(data) < count:
            raise _CutError(count - len(data))
        self.position += count
        return data

    def skip(self, count: int) -> None:
        if self.position + count > self.size:
            raise _CutError(self.position + count - self.size)
        self.position += count
        self.file.seek(self.position)

    def tensor(self, key: str) -> Tensor:
        version, levels = _HEAD.unpack(self.take(_HEAD.size))
        if version != 0 or levels > MOST_LEVELS:
            raise _OtherError
        for _ in range(levels):
            self.skip(_U8.unpack(self.take(_U8.size))[0])
        version, length = _DESC.unpack(self.take(_DESC.size))
        if version != 0 or not 0 < length <= LONGEST_DESC:
            raise _OtherError
        dtype, itemsize, shape = _description(self.take(length))
        self.described = True
        nbytes = prod(shape) * itemsize
        self.skip(nbytes)
        return Tensor(key=key, shape=shape, dtype=dtype, nbytes=nbytes)


def _description(data: bytes) -> tuple[str, int, tuple[int, ...]]:
    """The dtype, the bytes of an element, and the shape in a TensorDesc."""
    kind: int | None = None
    shape: list[int] = []
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        value, position = _varint(data, position)
        if tag == 0x08:
            kind = value
        elif tag == 0x10:
            shape.append(value)
        elif tag == 0x12:  # packed: the value is the length of the dims that follow
            end = position + value
            while position < end:
                size, position = _varint(data, position)
                shape.append(size)
        else:
            raise _OtherError
    if kind not in DTYPES or len(shape) > MOST_DIMENSIONS or prod(shape) > LONGEST_DATA:
        raise _OtherError
    return (*DTYPES[kind], tuple(shape))


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise _OtherError
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise _OtherError
