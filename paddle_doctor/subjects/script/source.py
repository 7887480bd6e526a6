"""From the bytes of a file to the text that Python would run, with the place of every character in the file."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from paddle_doctor.core.secrets import hide_in_text, hide_in_value
from paddle_doctor.subjects.script.model import FaultKind, Place

#: First bytes of files that are no text, whatever their name says.
_MAGIC = (
    b"\x7fELF",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"%PDF",
    b"MZ",
    b"\xca\xfe\xba\xbe",
    b"BZh",
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SHOWN = 160
#: How far into a line one looks for its first word, and in what steps the columns of a long line are counted.
_LOOKED_AT, _STEP = 4096, 512
#: A name and its value as source has them: ``["NAME"] = "value"``, ``"NAME": "value"``, ``("NAME", "value"``.
_ITEM = re.compile(r"""(['"])(\w+)(['"]\s*(?:\]\s*=|[:,])\s*['"])([^'"]+)(['"])""")
#: A character of GB2312: punctuation, or one of the two levels of Chinese characters.
_GB2312 = re.compile(rb"[\xa1-\xa3\xb0-\xf7][\xa1-\xfe]")


class UndecodableError(Exception):
    """Python cannot read these bytes as source; `kind`, `words` and the line (from 1) say why and where."""

    def __init__(self, kind: FaultKind, words: str, line: int = 1, column: int = 1) -> None:
        super().__init__(words)
        self.kind, self.words, self.line, self.column = kind, words, line, column


class Line(NamedTuple):
    """A line of source: its text and where it stands. `columns` maps its characters to columns of the file.

    `columns` is None where character 0 is column 1 and so on, as in every file that is no notebook.
    """

    text: str
    number: int
    cell: int | None = None
    columns: tuple[int, ...] | None = None

    def column(self, character: int) -> int:
        """The column of the file (from 1) at which a character (from 0) stands."""
        if self.columns is None:
            return character + 1
        return self.columns[min(character, len(self.columns) - 1)]


class Source(NamedTuple):
    """Text that Python would run, as lines."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The whole text, a line feed between its lines."""
        return "\n".join(line.text for line in self.lines)

    @property
    def line_count(self) -> int:
        """How many lines there are; what follows the last line feed is none if it is empty."""
        return len(self.lines) - (1 if self.lines and not self.lines[-1].text else 0)

    def place(self, line: int, column: int, end_line: int | None = None, end_column: int | None = None) -> Place:
        """A place from lines from 1 and offsets from 0 in UTF-8 bytes, as `ast` gives them."""
        first, last = self._line(line), self._line(end_line or line)
        start = _characters(first.text, column)
        end = _characters(last.text, column if end_column is None else end_column)
        return Place(
            line=first.number,
            column=first.column(start),
            end_line=last.number,
            end_column=last.column(end),
            cell=first.cell,
            text=shortened(first.text),
        )

    def written(self, line: int, column: int, end_line: int, end_column: int) -> str:
        """The text of a stretch on one line, or its first line; shortened."""
        text = self._line(line).text
        end = _characters(text, end_column) if end_line == line else len(text)
        return shortened(text[_characters(text, column) : end])

    def _line(self, number: int) -> Line:
        if not self.lines:
            return Line("", 1)
        return self.lines[max(0, min(number, len(self.lines)) - 1)]


def plain(text: str) -> Source:
    """The source of a Python file."""
    return Source(tuple(Line(line, number) for number, line in enumerate(split_lines(text), 1)))


def split_lines(text: str) -> list[str]:
    """Lines as Python's tokenizer counts them: a form feed or U+2028 ends none."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@lru_cache(maxsize=1024)
def shortened(text: str) -> str:
    """A line to be shown: stripped, cut, secrets hidden."""
    words = hide_in_text(_ITEM.sub(_hidden_item, text[:_LOOKED_AT].strip()[: _SHOWN * 4]))
    if not words.isascii():
        words = words.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate goes into no report
    return words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"


def _hidden_item(match: re.Match[str]) -> str:
    start, name, between, value, end = match.groups()
    return f"{start}{name}{between}{hide_in_value(name, value)}{end}"


def is_binary(data: bytes) -> bool:
    """Whether these are the bytes of something other than text: a known kind of file, or full of control bytes."""
    head = data[:4096]
    if head.startswith(_MAGIC) or (head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05" and len(head) > 1):
        return True
    if head.startswith(_UTF16) or _looks_utf16(head):
        return False
    control = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    return control * 10 > len(head)


def decode(data: bytes) -> str:
    """The text of a Python file, decoded as Python does: byte order mark, coding line, else UTF-8.

    Raises `UndecodableError` where Python would refuse the file.
    """
    if data.startswith(_UTF16) or _looks_utf16(data[:4096]):
        raise UndecodableError(FaultKind.ENCODING, "UTF-16")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except (SyntaxError, UnicodeDecodeError) as error:
        text = str(error)
        if text.startswith("unknown encoding"):
            raise UndecodableError(FaultKind.ENCODING, text) from error
        encoding = "utf-8"  # detect_encoding has met a line that is no UTF-8: say where, below
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        words = f"{encoding}: byte 0x{data[error.start]:02x}" + (", GBK" if _is_gbk(data) else "")
        raise UndecodableError(FaultKind.ENCODING, words, line, column + 1) from error
    except (LookupError, UnicodeError) as error:  # a codec that is none for text, or that decodes nothing
        raise UndecodableError(FaultKind.ENCODING, str(error)) from error
    if "\x00" in text:
        before = text[: text.index("\x00")]
        column = len(before) - (before.rfind("\n") + 1)
        raise UndecodableError(
            FaultKind.NUL, "source code string cannot contain null bytes", before.count("\n") + 1, column + 1
        )
    return text.removeprefix("\ufeff")


def _looks_utf16(head: bytes) -> bool:
    """UTF-16 without a byte order mark: every other byte of ASCII text is NUL."""
    return len(head) >= 8 and max(head[::2].count(0), head[1::2].count(0)) * 5 > len(head) * 2 and b"\0\0\0" not in head


def _is_gbk(data: bytes) -> bool:
    """Whether what is not ASCII is nearly all Chinese in GBK: pairs of bytes in the rows of common characters."""
    foreign = sum(byte > 127 for byte in data)
    pairs = _GB2312.findall(data)
    return len(pairs) >= 2 and len(pairs) * 2 >= foreign * 0.9


def _characters(text: str, offset: int) -> int:
    """How many characters stand before an offset in bytes of UTF-8."""
    if text.isascii():
        return offset
    starts = _starts(text)
    step = bisect_right(starts, offset) - 1
    rest = text[step * _STEP : (step + 1) * _STEP].encode("utf-8", "surrogatepass")
    return step * _STEP + len(rest[: offset - starts[step]].decode("utf-8", "ignore"))


@lru_cache(maxsize=8)
def _starts(text: str) -> list[int]:
    """The offset in bytes at which each stretch of `_STEP` characters begins: columns of a long line cost no more."""
    pieces = (text[start : start + _STEP] for start in range(0, len(text), _STEP))
    return list(accumulate((len(piece.encode("utf-8", "surrogatepass")) for piece in pieces), initial=0))
