"""What stands around a log line and is none of it: colours, quote marks, prefixes of mpirun and torchrun."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_QUOTE = re.compile(r"^(?:> ?){1,5}(?!>)")
_RANK_PREFIXES = (
    re.compile(r"^\[\d{1,6},(?P<rank>\d{1,6})\]<std(?:out|err)>: ?"),  # mpirun --tag-output
    re.compile(r"^\[(?:rank|default)(?P<rank>\d{1,6})\]: ?"),  # torchrun
)
_POD_PREFIX = re.compile(r"^\[pod/[\w.-]{1,200}/[\w.-]{1,200}\] ")  # kubectl logs --prefix

#: An environment printed whole: ``env {'SHELL': ...}`` by the launcher, ``environ({...})`` in default.POD.log.
_ENVIRONMENT = re.compile(r"^(?:env|environ)\s?\(?\{'[A-Za-z_]")
_VARIABLE = re.compile(r"'([A-Za-z_]\w{0,100})': '")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A line without its wrapping; `rank` if the prefix told it."""

    text: str
    rank: int | None


def clean(text: str) -> Cleaned:
    """A line as the program printed it."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if not text.isprintable():
        text = _CONTROLS.sub("", text)
    if text.startswith(">") and not text.startswith(">>>"):
        text = _QUOTE.sub("", text)
    rank = None
    if text.startswith("["):
        text = _POD_PREFIX.sub("", text)
        for prefix in _RANK_PREFIXES:
            if found := prefix.match(text):
                rank = int(found["rank"])
                text = text[found.end() :]
                break
    return Cleaned(text.rstrip(), rank)


def is_fence(text: str) -> bool:
    """Whether a line only opens or closes a code block of a pasted issue."""
    return text.startswith("```") and len(text) < 30


def begins_dump(text: str) -> bool:
    """Whether a line prints an environment whole, or begins to."""
    return text.startswith("env") and bool(_ENVIRONMENT.match(text))


def variables_in(text: str) -> list[str]:
    """The names in such a dump, or in a further line of one that was wrapped. Values are never looked at."""
    return _VARIABLE.findall(text)
