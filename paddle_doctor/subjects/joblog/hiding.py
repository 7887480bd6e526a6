"""Facts of a log as they may enter a report: every text in them without secrets, and cut to a bound."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from paddle_doctor.core.secrets import hide_in_text

SHOWN = 600

Facts = TypeVar("Facts")


def hidden(facts: Facts) -> Facts:
    """The same facts, whatever holds them: a text, a tuple, a dict or a frozen dataclass of such."""
    return _hidden(facts)  # type: ignore[no-any-return]


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        text = hide_in_text(value)
        return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
    if isinstance(value, tuple):
        return tuple(map(_hidden, value))
    if isinstance(value, dict):
        return {name: _hidden(each) for name, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _hidden(getattr(value, each.name)) for each in fields(value)})
    return value
