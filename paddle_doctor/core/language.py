"""Words in both of the doctor's languages, and which of them to speak."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, Language] = ("en", "zh")
#: What may be asked for: a language, or whatever the environment says.
AskedLanguage = Literal["auto", "en", "zh"]

#: Variables that name the user's language, the strongest first (POSIX order, our own in front).
LANGUAGE_VARIABLES = ("PADDLE_DOCTOR_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


@dataclass(frozen=True, slots=True)
class Text:
    """One statement in English and in Chinese.

    A template may hold named ``{fields}``; `fill` puts values in. Values are never parsed as templates, so text that
    comes from the patient may hold braces.
    """

    en: str
    zh: str

    def fill(self, **values: object) -> Text:
        """The statement with its fields replaced; a value that is itself a `Text` is taken in each language.

        Another value stays on its line: a file whose name holds line feeds must not write sentences of its own.
        """
        return Text(
            self.en.format(**{name: _spoken(value, "en") for name, value in values.items()}),
            self.zh.format(**{name: _spoken(value, "zh") for name, value in values.items()}),
        )

    def say(self, language: Language) -> str:
        """The statement in one language."""
        return self.zh if language == "zh" else self.en


def same(words: str) -> Text:
    """Words that are the same in both languages: a name, a command, a quoted line."""
    return Text(words, words)


def listing(items: Iterable[object]) -> Text:
    """Items in a row: ``a, b and c`` in English, ``a、b 和 c`` in Chinese (with spaces only next to Latin letters)."""
    rows = list(items)
    english, chinese = ([_spoken(item, language) for item in rows] for language in LANGUAGES)
    if len(rows) < 2:
        return Text("".join(english), "".join(chinese))
    before, after = "、".join(chinese[:-1]), chinese[-1]
    left, right = " " * before[-1:].isascii(), " " * after[:1].isascii()
    return Text(", ".join(english[:-1]) + " and " + english[-1], f"{before}{left}和{right}{after}")


def counted(count: int, one: str, many: str, zh: str) -> Text:
    """A count with its noun: ``1 process`` or ``3 processes``; Chinese needs a measure word only: ``3 个进程``."""
    return Text(f"{count} {one if count == 1 else many}", f"{count} {zh}")


def choose(asked: str, environ: Mapping[str, str]) -> Language:
    """The language to speak: what was asked, or with ``auto`` what the environment says.

    Of the variables that are set, the strongest decides, as in POSIX; what is neither Chinese nor English is
    answered in English.
    """
    if asked != "auto":
        return "zh" if asked == "zh" else "en"
    for variable in LANGUAGE_VARIABLES:
        if value := environ.get(variable):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def spoken_here(arguments: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> Language:
    """The language of this process, known before the command line is parsed, so that its help speaks it too."""
    words = sys.argv[1:] if arguments is None else arguments
    asked = "auto"
    for index, word in enumerate(words):
        if word == "--":
            break
        if word == "--lang" and index + 1 < len(words):
            asked = words[index + 1]
        elif word.startswith("--lang="):
            asked = word.partition("=")[2]
    return choose(asked, os.environ if environ is None else environ)


def say(en: str, zh: str) -> str:
    """One of the two, in the language of this process: for the help, which is put together anew in each process."""
    return zh if spoken_here() == "zh" else en


def _spoken(value: object, language: Language) -> str:
    return value.say(language) if isinstance(value, Text) else str(value).replace("\n", "\\n")
