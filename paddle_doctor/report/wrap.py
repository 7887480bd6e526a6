"""Lines broken to a width, for English and Chinese alike: between words, between ideographs, never before a comma."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

_OPENING = "（《「『【〔“‘([{"
_CLOSING = "，。、；：？！）》」』】〕”’…—,.;:?!)]}%"
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u3000-\u303f"
#: What must stay together: one ideograph, or a run of other characters, with its opening and closing marks.
_UNIT = re.compile(
    rf"[{re.escape(_OPENING)}]*(?:[{_WIDE}]|[^\s{_WIDE}]+?(?=[\s{_WIDE}{re.escape(_OPENING)}]|$))[{re.escape(_CLOSING)}]*\s*"
    rf"|\S\s*|\s+"
)


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` terminal cells; line feeds stay, a longer word is cut."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_fill(paragraph, max(width, 8)))
    return lines


def _fill(paragraph: str, width: int) -> Iterator[str]:
    line = ""
    for match in _UNIT.finditer(paragraph):
        unit = match[0]
        if line and cell_len(line) + cell_len(unit.rstrip()) > width:
            yield line.rstrip()
            line = ""
        while cell_len(unit.rstrip()) > width:
            head = _head(unit, width)
            yield head
            unit = unit[len(head) :]
        line += unit
    yield line.rstrip()


def _head(unit: str, width: int) -> str:
    """As many characters from the front as fit into `width` cells, at least one."""
    cells = 0
    for index, character in enumerate(unit):
        cells += cell_len(character)
        if cells > width and index:
            return unit[:index]
    return unit
