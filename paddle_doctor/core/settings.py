"""The project's settings: the table ``[tool.paddle-doctor]`` of pyproject.toml, or a file paddle-doctor.toml."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from paddle_doctor.core.errors import UNREADABLE, InputError, near_miss, unreadable
from paddle_doctor.core.language import AskedLanguage, Text
from paddle_doctor.core.paths import is_file

#: From which severity on the exit status is 1.
FailOn = Literal["error", "warning", "info", "never"]

UNKNOWN_KEY = Text("{path}: unknown setting '{key}'.{hint}", "{path}：没有“{key}”这项设置。{hint}")
UNKNOWN_CODE = Text("There is no check '{code}'.{hint}", "没有叫“{code}”的检查。{hint}")
WRONG_TYPE = Text("{path}: {key} must be {expected}.", "{path}：{key} 应为：{expected}。")
A_STRING_LIST = Text("a list of strings", "字符串列表")
NOT_UTF8 = Text("it is not UTF-8", "它不是 UTF-8 编码")
TOO_DEEP = Text("it is nested too deeply", "嵌套太深")
TRUE_OR_FALSE = Text("true or false", "true 或 false")


@dataclass(frozen=True, slots=True)
class Preflight:
    """What `preflight` examines: scripts, checkpoints (paths relative to the settings file) and the machine."""

    scan: tuple[str, ...] = ()
    ckpt: tuple[str, ...] = ()
    env: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force; the command line overrides the file. Codes may be prefixes (``PD3``) or names."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    lang: str = "auto"
    preflight: Preflight | None = None
    root: Path = field(default_factory=Path)

    def selects(self, code: str, name: str) -> bool:
        """Whether a check is to run: selected (or nothing is), and not ignored."""
        chosen = not self.select or any(_names(word, code, name) for word in self.select)
        return chosen and not any(_names(word, code, name) for word in self.ignore)

    def override(self, **given: Any) -> Settings:
        """These settings with those that were given on the command line (None and empty: not given)."""
        return replace(self, **{key: value for key, value in given.items() if value not in (None, (), [])})

    def verify_codes(self, known: Mapping[str, str]) -> None:
        """Raise `InputError` for a code or name that stands for no check; `known` is code → name."""
        for word in (*self.select, *self.ignore):
            if not any(_names(word, code, name) for code, name in known.items()):
                hint = near_miss(word, (*known, *known.values()))
                raise InputError(UNKNOWN_CODE.fill(code=word, hint=hint))


def find_settings(start: Path) -> Settings:
    """The settings that hold for a folder: of the nearest file in it or above; the defaults where there is none."""
    for folder in (start, *start.parents):
        own = folder / "paddle-doctor.toml"
        if is_file(own):
            return _parse(own, _read(own))
        project = folder / "pyproject.toml"
        if is_file(project):
            tools = _read(project).get("tool")
            if isinstance(tools, dict) and "paddle-doctor" in tools:
                return _parse(project, tools["paddle-doctor"])
    return Settings(root=start)


def _names(word: str, code: str, name: str) -> bool:
    return word == name or (word.upper().startswith("PD") and code.startswith(word.upper()))


def _read(path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise InputError(UNREADABLE.fill(path=path, why=NOT_UTF8)) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(UNREADABLE.fill(path=path, why=error)) from error
    except RecursionError as error:
        raise InputError(UNREADABLE.fill(path=path, why=TOO_DEEP)) from error


def _parse(path: Path, table: Any) -> Settings:
    values = _table(path, "", table, {"select", "ignore", "fail-on", "lang", "preflight"})
    return Settings(
        select=_strings(path, values, "select"),
        ignore=_strings(path, values, "ignore"),
        fail_on=_one_of(path, values, "fail-on", get_args(FailOn), "error"),
        lang=_one_of(path, values, "lang", get_args(AskedLanguage), "auto"),
        preflight=_preflight(path, values["preflight"]) if "preflight" in values else None,
        root=path.parent,
    )


def _preflight(path: Path, table: Any) -> Preflight:
    values = _table(path, "preflight.", table, {each.name for each in fields(Preflight)})
    return Preflight(
        scan=_strings(path, values, "scan", "preflight."),
        ckpt=_strings(path, values, "ckpt", "preflight."),
        env=_flag(path, values, "env", "preflight.", default=True),
    )


def _table(path: Path, prefix: str, table: Any, known: set[str]) -> dict[str, Any]:
    if not isinstance(table, dict):
        key = prefix.rstrip(".") or "tool.paddle-doctor"
        raise InputError(WRONG_TYPE.fill(path=path, key=key, expected=Text("a table", "一个表")))
    for key in table:
        if key not in known:
            raise InputError(UNKNOWN_KEY.fill(path=path, key=prefix + key, hint=near_miss(key, known)))
    return table


def _strings(path: Path, table: dict[str, Any], key: str, prefix: str = "") -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(WRONG_TYPE.fill(path=path, key=prefix + key, expected=A_STRING_LIST))
    return tuple(value)


def _flag(path: Path, table: dict[str, Any], key: str, prefix: str, *, default: bool) -> bool:
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise InputError(WRONG_TYPE.fill(path=path, key=prefix + key, expected=TRUE_OR_FALSE))
    return value


def _one_of(path: Path, table: dict[str, Any], key: str, allowed: tuple[str, ...], default: str) -> str:
    value = table.get(key, default)
    if value not in allowed:
        expected = Text(f"one of {', '.join(allowed)}", f"以下之一：{'、'.join(allowed)}")
        raise InputError(WRONG_TYPE.fill(path=path, key=key, expected=expected))
    return str(value)
