"""What kind of file it is, told by its first bytes and never by its name."""

from __future__ import annotations

import re

from paddle_doctor.subjects.checkpoint.model import Format

#: How much of a file's beginning is looked at.
HEAD = 1 << 16
LONGEST_LINE = 200

_LFS = b"version https://git-lfs.github.com/spec/"
_LFS_SIZE = re.compile(rb"^size ([0-9]{1,18})$", re.MULTILINE)
#: The number that torch.save put in front of everything before it took to zip files, as a pickle of its own.
_TORCH_LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
#: What text does not hold: control characters but those of white space, bell to escape.
_NO_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_ZIP_NAME = 30


def kind_of(head: bytes, size: int) -> Format | None:
    """The format that the first bytes tell; None where it may be a pickle, or one of Paddle's binary files."""
    if size == 0:
        return Format.EMPTY
    if not head.strip(b"\0") and (len(head) == size or len(head) >= HEAD):
        return Format.ZEROS
    if head.startswith(_TORCH_LEGACY):
        return Format.TORCH_LEGACY
    return _archive(head) or _text(head)


def _archive(head: bytes) -> Format | None:
    if head.startswith(b"\x1f\x8b"):
        return Format.GZIP
    if head.startswith(b"\x93NUMPY"):
        return Format.NUMPY
    if head.startswith(b"\x89HDF\r\n\x1a\n"):
        return Format.HDF5
    if head[257:262] == b"ustar":
        return Format.TAR
    if head.startswith(b"PK\x03\x04"):
        return _zip(head)
    return Format.ZIP if head.startswith(b"PK\x05\x06") else None


def _zip(head: bytes) -> Format:
    # torch.save's first entry is NAME/data.pkl, numpy.savez's is KEY.npy.
    first = head[_ZIP_NAME : _ZIP_NAME + int.from_bytes(head[26:28], "little")]
    if first.endswith(b"/data.pkl"):
        return Format.TORCH_ZIP
    return Format.NUMPY if first.endswith(b".npy") else Format.ZIP


def _text(head: bytes) -> Format | None:
    """The format of a text; None where it is none, or a text that may be a pickle of protocol 0."""
    if head.startswith(_LFS):
        return Format.LFS_POINTER
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:512].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head")):
        return Format.HTML
    if start.startswith((b"<?xml", b"<error>")):
        return Format.HTML if b"<html" in start else Format.XML
    if start.startswith(b"{") and start[1:].lstrip()[:1] in (b'"', b"}") and is_text(head):
        return Format.INFERENCE_PROGRAM if b'"base_code"' in start else Format.JSON
    return Format.TEXT if (bom := _bom(head)) and _decodes(head, bom) else None


def is_text(head: bytes) -> bool:
    """Whether the first bytes are text, in UTF-8 or another encoding that keeps ASCII, such as GBK."""
    return not _NO_TEXT.search(head) and not head.startswith(b"\x80")  # which begins no character


def _bom(head: bytes) -> str | None:
    return next((encoding for bom, encoding in _BOMS.items() if head.startswith(bom)), None)


def first_line(head: bytes) -> str:
    """The first line that holds something, shortened; bytes that are no text are replaced."""
    encoding = _bom(head) or ("utf-8" if _decodes(head, "utf-8") else "gb18030")
    text = head[:4096].decode(encoding, "replace")
    return next((line.strip()[:LONGEST_LINE] for line in text.splitlines() if line.strip()), "")


def lfs_size(head: bytes) -> int | None:
    """The size of the true file that a Git LFS pointer names."""
    found = _LFS_SIZE.search(head[:1024])
    return int(found[1]) if found else None


def _decodes(head: bytes, encoding: str) -> bool:
    try:
        head[:4096].decode(encoding)
    except UnicodeDecodeError as error:
        return error.start > len(head[:4096]) - 4  # a character that was cut
    return True
