"""Facts as plain data and back, so that what was seen on one machine can be examined on another."""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any, TypeVar

from paddle_doctor.core.errors import InputError
from paddle_doctor.core.language import Text

Facts = TypeVar("Facts")

NOT_FACTS = Text("{where} does not hold facts of this kind: {why}.", "{where} 不是这一类采集信息：{why}。")


def to_plain(value: Any) -> Any:
    """A frozen dataclass (or tuple, dict, enum, scalar of them) as what JSON can hold; fields keep their names."""
    if dataclasses.is_dataclass(value):
        return {each.name: to_plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_plain(each) for each in value]
    return value


def from_plain(kind: type[Facts], data: Any, where: str) -> Facts:
    """The facts that `to_plain` made `data` of. Raises `InputError` if the data does not have their shape."""
    import msgspec

    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # the latter: half a character where a word is due
        raise InputError(NOT_FACTS.fill(where=where, why=error)) from error
