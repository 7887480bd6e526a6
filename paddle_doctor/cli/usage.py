"""What is wrong with a command line, in one sentence of the user's language."""

from __future__ import annotations

import errno
import os
from typing import Any

from typer.exceptions import TyperException

from paddle_doctor.core.errors import UNREADABLE, near_miss
from paddle_doctor.core.language import Text, same

NO_COMMAND = Text("There is no command '{given}'.{hint}", "没有“{given}”这个命令。{hint}")
NO_OPTION = Text("There is no option '{given}'.{hint}", "没有“{given}”这个选项。{hint}")
MISSING = Text("{what} is missing.", "缺少 {what}。")
BAD_VALUE = Text("{what} cannot be '{given}'.{choices}", "{what} 不能是“{given}”。{choices}")
OUT_OF_RANGE = Text("{what} must be {range}.", "{what} 必须{range}。")
AT_LEAST = Text("at least {least}", "不小于 {least}")
BETWEEN = Text("between {least} and {most}", "在 {least} 到 {most} 之间")
CHOICES = Text(" It is one of {choices}.", "可选值为 {choices}。")


def told(error: TyperException, command_names: tuple[str, ...]) -> Text:
    """The parser's error as a `Text`; what it knows no better words for is passed on as it is."""
    kind = type(error).__name__
    parameter = getattr(error, "param", None)
    if kind == "NoSuchOption":
        given = getattr(error, "option_name", "")
        return NO_OPTION.fill(given=given, hint=near_miss(given, getattr(error, "possibilities", None) or ()))
    if kind == "MissingParameter" and parameter is not None:
        return MISSING.fill(what=_name(parameter))
    if kind == "UsageError" and error.message.startswith("No such command"):
        given = error.message.split("'")[1] if "'" in error.message else ""
        return NO_COMMAND.fill(given=given, hint=near_miss(given, command_names))
    if kind == "BadParameter" and parameter is not None and (words := _bad_value(error.message, parameter)):
        return words
    return same(error.format_message())


def _bad_value(message: str, parameter: Any) -> Text | None:
    if "is not in the range" in message:
        return OUT_OF_RANGE.fill(what=_name(parameter), range=_range(parameter.type))
    if "'" not in message:
        return None
    given = message.split("'")[1]
    if message.endswith("is not readable."):
        return UNREADABLE.fill(path=given, why=os.strerror(errno.EACCES))
    choices = getattr(getattr(parameter, "type", None), "choices", None) or ()
    listed = ", ".join(str(getattr(each, "value", each)) for each in choices)
    return BAD_VALUE.fill(
        what=_name(parameter), given=given, choices=CHOICES.fill(choices=listed) if listed else same("")
    )


def _range(numbers: Any) -> Text:
    if numbers.max is None:
        return AT_LEAST.fill(least=numbers.min)
    return BETWEEN.fill(least=numbers.min, most=numbers.max)


def _name(parameter: Any) -> str:
    if getattr(parameter, "param_type_name", "") == "argument":
        return str(parameter.make_metavar(None) if not parameter.metavar else parameter.metavar)
    return str(parameter.opts[0])
