"""Which signatures know a line: literals are looked for in many lines at once, so that ordinary lines cost little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paddle_doctor.core.signature import Signature
from paddle_doctor.subjects.joblog.literals import required_literals

Match = tuple[Signature, dict[str, str]]


class Matcher:
    """The signatures, each with the literals of which one must stand in a line that it matches."""

    def __init__(self, signatures: Sequence[Signature]) -> None:
        self._order = {each.id: place for place, each in enumerate(signatures)}
        self._always: list[Signature] = []
        self._by_literal: dict[str, list[Signature]] = {}
        for each in signatures:
            literals = required_literals(each.pattern)
            if not literals:
                self._always.append(each)
            for literal in literals:
                self._by_literal.setdefault(literal, []).append(each)

    def among(self, block: str) -> Mapping[str, Sequence[Signature]]:
        """Of the literals those that stand in a block of lines, each with its signatures."""
        return {literal: known for literal, known in self._by_literal.items() if literal in block}

    def matches(self, text: str, among: Mapping[str, Sequence[Signature]]) -> list[Match]:
        """Every signature that knows the line, in the order of the tables, with the fields that it captured.

        `among` is what `among` gave for a block that holds the line.
        """
        candidates = {each.id: each for each in self._always}
        for literal, signatures in among.items():
            if literal in text:
                candidates.update({each.id: each for each in signatures})
        found = []
        for each in candidates.values():
            if match := each.regex.search(text):
                found.append((each, {name: value for name, value in match.groupdict().items() if value is not None}))
        return sorted(found, key=lambda pair: self._order[pair[0].id])
