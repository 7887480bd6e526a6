"""Bytes of logs as numbered lines of text, in one pass and bounded memory, whatever their encoding."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import BinaryIO

CHUNK = 1 << 20
#: Of a line longer than this the middle is dropped while it is read.
LONGEST_LINE = 1 << 18
#: Characters of a piece of a line that are looked at: its beginning and its end.
KEPT_HEAD = 6000
KEPT_TAIL = 2000

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0b\x0c\x1b\x08\x00\x07")


def lines_of(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Lines with their numbers from 1. A line that carriage returns overwrite comes in pieces with one number."""
    number = 1
    for raw in _raw_lines(_utf8(stream)):
        for piece in raw.replace(b"\r\n", b"\n").split(b"\r") if b"\r" in raw else (raw,):
            yield number, _bounded(decoded(piece))
        number += 1


def decoded(raw: bytes) -> str:
    """Text of a line: UTF-8, else what Chinese Windows writes (GBK), else UTF-8 with marks for what is broken."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("gb18030")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


def encoding_of(head: bytes) -> str | None:
    """The UTF-16 form of a file from its beginning, or None: a byte order mark, or NULs in every other place."""
    for mark, name in _UTF16.items():
        if head.startswith(mark):
            return name
    sample = head[:2000]
    if len(sample) >= 8:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        half = len(sample) // 2
        if odd > half * 0.6 and even < half * 0.1:
            return "utf-16-le"
        if even > half * 0.6 and odd < half * 0.1:
            return "utf-16-be"
    return None


def what_binary(head: bytes) -> str | None:
    """What a file is if it is no text, judged by its beginning; None for text."""
    for magic, name in _COMPRESSED.items():
        if head.startswith(magic):
            return name
    if encoding_of(head) is not None:
        return None
    sample = head[:8192]
    odd = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in sample)
    nuls = sample.count(0)
    return "binary" if sample and (odd > len(sample) * 0.05 or nuls > len(sample) * 0.25) else None


def _utf8(stream: BinaryIO) -> Iterator[bytes]:
    """The stream's chunks in UTF-8 (or GBK, untouched), without NULs and marks."""
    chunk = stream.read(CHUNK)
    encoding = encoding_of(chunk)
    if encoding is None:
        chunk = chunk.removeprefix(codecs.BOM_UTF8)
        while chunk:
            yield chunk.replace(b"\0", b"")
            chunk = stream.read(CHUNK)
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    while chunk:
        text = decoder.decode(chunk)
        yield text.replace("\ufeff", "").replace("\0", "").encode("utf-8", "replace")
        chunk = stream.read(CHUNK)
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _raw_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    pending = b""
    for chunk in chunks:
        lines = (pending + chunk).split(b"\n")
        pending = lines.pop()
        for line in lines:
            yield line.removesuffix(b"\r")
        if len(pending) > LONGEST_LINE:
            pending = pending[: LONGEST_LINE // 2] + b"\r" + pending[-LONGEST_LINE // 4 :]
    if pending:
        yield pending.removesuffix(b"\r")


def _bounded(text: str) -> str:
    if len(text) <= KEPT_HEAD + KEPT_TAIL:
        return text
    return f"{text[:KEPT_HEAD]} ... {text[-KEPT_TAIL:]}"
