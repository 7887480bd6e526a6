"""What a signature is: a kind of line that failing jobs print, with the role it plays and the cause it speaks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text


class Role(Enum):
    """What a line is in the story of a failure; only a root can become the cause."""

    ROOT = "root"
    CONSEQUENCE = "consequence"
    CONFIRMATION = "confirmation"
    ADVICE = "advice"
    LAUNCHER = "launcher"


@dataclass(frozen=True, kw_only=True)
class Signature:
    """A pattern over one line (no look-around over lines) and what a line that matches it means.

    `cause` is a slug for roots and confirmations. Named groups of the pattern can be used as ``{fields}`` in `says` and
    `fix`. `matches` and `misses` are lines that must and must not match; they are tested.
    """

    id: str
    pattern: str
    role: Role
    says: Text
    cause: str | None = None
    certainty: Certainty = Certainty.CERTAIN
    fix: Text | None = None
    commands: tuple[str, ...] = ()
    matches: tuple[str, ...]
    misses: tuple[str, ...] = ()

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)
