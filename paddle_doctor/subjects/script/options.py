"""The options of a script's own command line (argparse) and their defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from paddle_doctor.subjects.script.model import Origin
from paddle_doctor.subjects.script.scopes import CallRecord

#: Names under which parsed options are usually handed from function to function.
OPTION_HOLDERS = frozenset({"args", "opt", "opts", "options", "flags", "FLAGS", "hparams", "arguments"})

Option = tuple[Origin, str | int | float | bool | None]


def option_defaults(calls: Iterable[CallRecord]) -> dict[str, Option]:
    """The default of each option that ``add_argument`` declares, by the attribute it is read from.

    An option without a literal default, or with two that differ, has the origin UNKNOWN.
    """
    options: dict[str, Option] = {}
    for record in calls:
        node = record.node
        if not (isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument"):
            continue
        keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        name = _attribute_name(node.args, keywords)
        if name is None:
            continue
        default = _default(keywords)
        options[name] = default if options.get(name, default) == default else (Origin.UNKNOWN, None)
    return options


def _attribute_name(flags: list[ast.expr], keywords: dict[str, ast.expr]) -> str | None:
    words = [flag.value for flag in flags if isinstance(flag, ast.Constant) and isinstance(flag.value, str)]
    match keywords.get("dest"):
        case ast.Constant(value=str() as chosen):
            return chosen
    long = next((word for word in words if word.startswith("--")), words[0] if words else None)
    return long.lstrip("-").replace("-", "_") if long else None


def _default(keywords: dict[str, ast.expr]) -> Option:
    match keywords.get("default"), keywords.get("action"):
        case ast.Constant(value=str() | int() | float() | bool() as value), _:
            return Origin.DEFAULT, value
        case None, ast.Constant(value="store_true"):
            return Origin.DEFAULT, False
        case None, ast.Constant(value="store_false"):
            return Origin.DEFAULT, True
    return Origin.UNKNOWN, None
