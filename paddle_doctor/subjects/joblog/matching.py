"""Which signatures know a line: a literal is looked for before any pattern is tried, so that ordinary lines cost little."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from paddle_doctor.core.signature import Signature

#: Shorter literals stand in too many lines to be worth looking for.
SHORTEST = 3

_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_QUANTIFIER = re.compile(r"[*+?]|\{\d*,?\d*\}")


class Matcher:
    """The signatures, each with the literals of which one must stand in a line that it matches."""

    def __init__(self, signatures: Sequence[Signature]) -> None:
        self._order = {each.id: place for place, each in enumerate(signatures)}
        self._always = [each for each in signatures if not required_literals(each.pattern)]
        self._by_literal: dict[str, list[Signature]] = {}
        for each in signatures:
            for literal in required_literals(each.pattern):
                self._by_literal.setdefault(literal, []).append(each)

    def matches(self, text: str) -> list[tuple[Signature, dict[str, str]]]:
        """Every signature that knows the line, in the order of the tables, with the fields that it captured."""
        candidates = {each.id: each for each in self._always}
        for literal, signatures in self._by_literal.items():
            if literal in text:
                for each in signatures:
                    candidates[each.id] = each
        found = []
        for each in candidates.values():
            if match := each.regex.search(text):
                fields = {name: value for name, value in match.groupdict().items() if value is not None}
                found.append((each, fields))
        return sorted(found, key=lambda pair: self._order[pair[0].id])


def required_literals(pattern: str) -> tuple[str, ...]:
    """Literals of which at least one stands in every text that the pattern matches; empty if none can be told.

    Reads the pattern's own text: the longest run of plain characters outside groups and classes, for each alternative
    of the outermost level. Patterns that ignore case have none.
    """
    if pattern.startswith("(?i"):
        return ()
    longest = [max(runs, key=len, default="") for runs in _runs(pattern)]
    return tuple(dict.fromkeys(longest)) if all(len(run) >= SHORTEST for run in longest) else ()


def _runs(pattern: str) -> Iterator[list[str]]:
    """For each outermost alternative the runs of characters that a match must hold, as they stand."""
    runs: list[str] = []
    run = ""
    place = 0
    while place < len(pattern):
        sign = pattern[place]
        literal = ""
        if sign == "\\":
            following = pattern[place + 1]
            literal = following if not following.isalnum() else ""
            width = 2
        elif sign == "[":
            class_match = _CLASS.match(pattern, place)
            width = len(class_match[0]) if class_match else 1
        elif sign == "(":
            width = _group_width(pattern, place)
        elif sign in "^$.|":
            width = 1
        else:
            literal, width = sign, 1
        place += width
        quantifier = _QUANTIFIER.match(pattern, place)
        if quantifier:
            place = quantifier.end()
            while place < len(pattern) and pattern[place] in "?+":
                place += 1
        if literal and not quantifier:
            run += literal
            continue
        runs.append(run)
        run = ""
        if sign == "|":
            yield runs
            runs = []
    yield [*runs, run]


def _group_width(pattern: str, start: int) -> int:
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
    return place - start
