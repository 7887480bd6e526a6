"""Which signatures know a line; lines that differ only in their numbers are looked through once."""

from __future__ import annotations

from collections.abc import Sequence

from paddle_doctor.core.signature import Signature
from paddle_doctor.subjects.joblog.literals import required_literals

#: Every digit as a zero: what is left of a line is its shape, the same for each step of a training.
_SHAPE = {ord(digit): "0" for digit in "123456789"}
#: Shapes that are remembered; when there are more, all are forgotten.
MOST_SHAPES = 20_000


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
                self._by_literal.setdefault(literal.translate(_SHAPE), []).append(each)
        self._of_shape: dict[str, tuple[Signature, ...]] = {}

    def matches(self, text: str) -> list[tuple[Signature, dict[str, str]]]:
        """Every signature that knows the line, in the order of the tables, with the fields that it captured."""
        return [
            (each, {name: value for name, value in match.groupdict().items() if value is not None})
            for each in self._candidates(text.translate(_SHAPE))
            if (match := each.regex.search(text))
        ]

    def _candidates(self, shape: str) -> tuple[Signature, ...]:
        """The signatures that may know lines of this shape: what stands in a line stands in its shape, too."""
        known = self._of_shape.get(shape)
        if known is None:
            chosen = {each.id: each for each in self._always}
            for literal, signatures in self._by_literal.items():
                if literal in shape:
                    chosen.update({each.id: each for each in signatures})
            known = tuple(sorted(chosen.values(), key=lambda each: self._order[each.id]))
            if len(self._of_shape) >= MOST_SHAPES:
                self._of_shape.clear()
            self._of_shape[shape] = known
        return known
