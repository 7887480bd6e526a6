"""Literals that stand in every text a pattern matches, so that it need be tried only where it may match."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Shorter literals stand in too many lines to be worth looking for.
SHORTEST = 2
LONG_ENOUGH = 5

_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(?P<least>\d*),?\d*\})[?+]?")
_GROUP_OPENS = re.compile(r"\((?:\?:|\?P<\w+>)?")
_NO_GROUP = ("(?=", "(?!", "(?<=", "(?<!", "(?P=", "(?#")


def required_literals(pattern: str) -> tuple[str, ...]:
    """Literals of which at least one stands in every text that the pattern matches; empty if none can be told.

    Reads the pattern's own text: plain characters and groups that a match must hold. A pattern that ignores case has
    none.
    """
    if pattern.startswith("(?i"):
        return ()
    found: list[str] = []
    for alternative in _alternatives(pattern):
        options: list[tuple[str, ...]] = [
            option for option in _options(alternative) if min(map(len, option)) >= SHORTEST
        ]
        if not options:
            return ()
        best = max(options, key=_worth)
        found += best
    return tuple(dict.fromkeys(found))


def _worth(option: tuple[str, ...]) -> tuple[int, int]:
    """Long literals are rare in ordinary lines; beyond a length it counts more that they are few."""
    return min(LONG_ENOUGH, *map(len, option)), -len(option)


def _options(sequence: str) -> Iterator[tuple[str, ...]]:
    """Sets of literals, of each of which one must stand in a match of the sequence (which has no outer ``|``)."""
    run = ""
    for literal, group in _atoms(sequence):
        if literal is not None:
            run += literal
            continue
        if run:
            yield (run,)
        run = ""
        if group is not None and (inside := required_literals(group)):
            yield inside
    if run:
        yield (run,)


def _atoms(sequence: str) -> Iterator[tuple[str | None, str | None]]:
    """Piece by piece: a character that must stand there, the inside of a group that must match, or neither."""
    place = 0
    while place < len(sequence):
        sign = sequence[place]
        literal: str | None = None
        group: str | None = None
        end = place + 1
        if sign == "\\":
            end = place + 2
            literal = sequence[place + 1] if not sequence[place + 1].isalnum() else None
        elif sign == "[" and (found := _CLASS.match(sequence, place)):
            end = found.end()
        elif sign == "(":
            end = _group_end(sequence, place)
            opening = _GROUP_OPENS.match(sequence, place)
            if opening and not sequence.startswith(_NO_GROUP, place):
                group = sequence[opening.end() : end - 1]
        elif sign not in "^$.":
            literal = sign
        quantifier = _QUANTIFIER.match(sequence, end)
        if quantifier:
            end = quantifier.end()
            least = quantifier["least"]
            optional = quantifier[0][0] in "*?" or (least is not None and int(least or 0) == 0)
            if optional:
                literal = group = None
        yield literal, group
        if quantifier and literal is not None:
            yield None, None  # it may stand there more than once: the run ends behind it
        place = end


def _alternatives(pattern: str) -> Iterator[str]:
    """The pattern cut at its outermost ``|``."""
    start = place = 0
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            place += 2
        elif sign == "[" and (found := _CLASS.match(pattern, place)):
            place = found.end()
        elif sign == "(":
            place = _group_end(pattern, place)
        else:
            if sign == "|":
                yield pattern[start:place]
                start = place + 1
            place += 1
    yield pattern[start:]


def _group_end(pattern: str, start: int) -> int:
    """Where the group that opens at `start` has ended."""
    depth = 0
    place = start
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            place += 2
            continue
        if sign == "[" and (found := _CLASS.match(pattern, place)):
            place = found.end()
            continue
        depth += {"(": 1, ")": -1}.get(sign, 0)
        place += 1
        if depth == 0:
            break
    return place
