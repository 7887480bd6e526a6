"""Text of the patient made harmless: no terminal obeys it, and every character in it can be seen."""

from __future__ import annotations

import re

#: Control characters (C0 but tab and newline, DEL, C1), line separators, bidirectional marks and overrides, characters
#: without a width, lone surrogates.
HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def inert(text: str) -> str:
    r"""The text with every harmful character written as an escape: ``\x1b``, ``\u202e``."""
    return HARMFUL.sub(_escape, text)


def inert_line(text: str, longest: int = 400) -> str:
    """The text as one line of at most `longest` characters; what is cut is counted."""
    line = inert(text).replace("\n", "\\n").replace("\t", "    ")
    if len(line) <= longest:
        return line
    return f"{line[:longest]}… (+{len(line) - longest})"


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
