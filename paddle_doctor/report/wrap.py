"""Lines broken to a width, for English and Chinese alike: between words, between ideographs, never before a comma."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

#: Marks that cling to what follows them, and marks that cling to what stands before them.
_OPENING = frozenset("（《「『【〔“‘([{")
_CLOSING = frozenset("，。、；：？！）》」』】〕”’…—,.;:?!)]}%")


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` terminal cells; line feeds stay, a longer word is cut."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_fill(paragraph, max(width, 8)))
    return lines


def _fill(paragraph: str, width: int) -> Iterator[str]:
    line, cells = "", 0
    for unit in _units(paragraph):
        if line and cells + cell_len(unit.rstrip()) > width:
            yield line.rstrip()
            line, cells = "", 0
        while cell_len(unit.rstrip()) > width:
            head = _head(unit, width)
            yield head
            unit = unit[len(head) :]  # noqa: PLW2901 - what is left of it
        line += unit
        cells += cell_len(unit)
    yield line.rstrip()


def _units(paragraph: str) -> Iterator[str]:
    """What must stay together: a word or one ideograph, with the marks that cling to it and the spaces behind it."""
    unit = ""
    for character in paragraph:
        if unit and _may_break(unit[-1], character):
            yield unit
            unit = ""
        unit += character
    if unit:
        yield unit


def _may_break(before: str, after: str) -> bool:
    if after.isspace() or after in _CLOSING or before in _OPENING:
        return False
    return before.isspace() or _is_ideograph(before) or _is_ideograph(after) or (before in _CLOSING and before > "\x7f")


def _is_ideograph(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"


def _head(unit: str, width: int) -> str:
    """As many characters from the front as fit into `width` cells, at least one."""
    cells = 0
    for index, character in enumerate(unit):
        cells += cell_len(character)
        if cells > width and index:
            return unit[:index]
    return unit
