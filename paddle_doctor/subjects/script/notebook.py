"""The code cells of a Jupyter notebook as one source, each line with its cell and its true line in the .ipynb file."""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from collections.abc import Iterator

from paddle_doctor.subjects.script.model import FaultKind
from paddle_doctor.subjects.script.source import Line, Source, UndecodableError

#: One token of JSON; strings first, because they may hold anything. An image is one long string: the expression
#: must not take a step, and remember it, for each of its characters.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
#: Cells whose first line hands them to something other than Python.
_NOT_PYTHON = re.compile(r"%%(?!(?:time|timeit|capture|prun)\b)")
_MAGIC = re.compile(r"(\s*)(?:[%!?]|\w[\w.]*\?{1,2}\s*$)|\s*[\w, ]+=\s*[!%]\w")
#: Where a cell stands in the file: format 4, and formats 2 and 3. Its code is called ``source`` or, of old, ``input``.
_CELLS = (["", "cells", ""], ["", "worksheets", "", "cells", ""])
_SOURCE = ("source", "input")


def notebook_source(text: str) -> Source:
    """The source of a notebook: its code cells in order. Magics and shell lines are blank.

    Raises `UndecodableError` if the text is no notebook.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UndecodableError(FaultKind.NOTEBOOK, str(error), line, getattr(error, "colno", 1)) from error
    if not isinstance(content, dict) or not isinstance(content.get("cells", content.get("worksheets")), list):
        raise UndecodableError(FaultKind.NOTEBOOK, "no cells")
    lines: list[Line] = []
    for number, kind, pieces in _cells(text):
        if kind == "code":
            lines.extend(_cell_lines(pieces, number))
    return Source(tuple(lines))


def _cell_lines(pieces: list[tuple[str, int, int]], cell: int) -> list[Line]:
    """The lines of one cell; `pieces` are JSON strings, each with the line and column at which it starts."""
    lines: list[Line] = []
    characters: list[str] = []
    columns: list[int] = []
    number = pieces[0][1] if pieces else 1
    for raw, at_line, at_column in pieces:
        for character, column in _characters(raw, at_column + 1):
            if not columns:
                number = at_line
            columns.append(column)
            if character == "\n":
                lines.append(Line("".join(characters).removesuffix("\r"), number, cell, tuple(columns)))
                characters, columns = [], []
            else:
                characters.append(character)
    if characters:
        lines.append(Line("".join(characters), number, cell, tuple(columns)))
    return _without_magics(lines)


def _without_magics(lines: list[Line]) -> list[Line]:
    if not any(_MAGIC.match(line.text) for line in lines) or _is_python("\n".join(line.text for line in lines)):
        return lines
    foreign = bool(_NOT_PYTHON.match(next((line.text.strip() for line in lines if line.text.strip()), "")))
    kept: list[Line] = []
    continued = False
    for line in lines:
        magic = foreign or continued or bool(_MAGIC.match(line.text))
        continued = magic and line.text.endswith("\\")
        indent = line.text[: len(line.text) - len(line.text.lstrip())]
        # A magic can be all there is in a block, so a statement takes its place.
        blank = f"{indent}pass" if indent and not foreign else ""
        kept.append(line._replace(text=blank) if magic else line)
    return kept


def _is_python(text: str) -> bool:
    """Whether a cell is Python as it stands: a line may begin with ``%`` inside of parentheses or a string."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _characters(raw: str, column: int) -> Iterator[tuple[str, int]]:
    """The characters of a JSON string (without its quotes), each with the column at which it stands in the file."""
    pending = ""
    for match in _UNIT.finditer(raw):
        unit, at = match.group(), column + match.start()
        if unit[0] != "\\":
            yield unit, at
        elif unit[1] != "u":
            yield json.loads(f'"{unit}"'), at
        elif 0xD800 <= (code := int(unit[2:6], 16)) < 0xDC00:
            pending = unit
        else:
            yield (json.loads(f'"{pending}{unit}"') if pending else chr(code)), at
            pending = ""


def _cells(text: str) -> Iterator[tuple[int, str, list[tuple[str, int, int]]]]:
    """Each cell's number (from 1), kind, and the strings of its source with their line and column (from 1)."""
    starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
    path: list[str] = []
    key = ""
    number, kind = 0, ""
    pieces: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        if word in "{[":
            path.append(key)
            key = ""
            if path in _CELLS:
                number, kind, pieces = number + 1, "", []
        elif word in "}]":
            if path in _CELLS:
                yield number, kind, pieces
            del path[-1:]
            key = ""
        elif word[0] == '"':
            if text[match.end() : match.end() + 64].lstrip().startswith(":"):
                key = json.loads(word)
                continue
            if path in _CELLS and key == "cell_type":
                kind = json.loads(word)
            elif (path in _CELLS and key in _SOURCE) or (path[:-1] in _CELLS and path[-1] in _SOURCE):
                line = bisect_right(starts, match.start())
                pieces.append((word[1:-1], line, match.start() - starts[line - 1] + 1))
