"""Every statement in the source is made in both languages, with the same values in it."""

import ast
import re
import string
from pathlib import Path

import pytest

import paddle_doctor

ROOT = Path(paddle_doctor.__file__).parent.parent
SOURCES = [path for folder in ("paddle_doctor", "checks", "docs") for path in sorted((ROOT / folder).rglob("*.py"))]
IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
#: Fields that English alone needs: a verb that agrees, "only" or "as many as".
GRAMMAR = {"are", "count"}
#: Functions whose first two arguments are English and Chinese.
SPEAKING = {"Text", "say"}


def statements(path: Path) -> list[tuple[int, str, str]]:
    """Line, English and Chinese of every statement in a file; what is computed shows as ``{…}``."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", None) not in SPEAKING:
            continue
        sides = [*node.args, *(keyword.value for keyword in node.keywords)][:2]
        spoken = [words(side) for side in sides]
        if len(spoken) == 2 and None not in spoken:
            found.append((node.lineno, str(spoken[0]), str(spoken[1])))
    return found


def words(node: ast.expr) -> str | None:
    """The literal words of an expression, or None where there are none (a variable, a call)."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
    return None


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


every_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))


def test_there_are_many():
    assert sum(len(statements(path)) for path in SOURCES) > 500


@every_source
def test_both_sides_say_it(path):
    for line, english, chinese in statements(path):
        assert bool(english.strip()) == bool(chinese.strip()), line
        assert not IDEOGRAPH.search(re.sub("“[^”]*”|'[^']*'", "", english)), line
        if re.search(r"(?<![\w./{-])[a-z]{3,} [a-z]{2,}(?![\w./}-])", re.sub(r"\{[^}]*\}", "", english)):
            assert IDEOGRAPH.search(chinese), f"line {line}: an English sentence wants a Chinese one"


@every_source
def test_both_sides_hold_the_same_values(path):
    for line, english, chinese in statements(path):
        if "\0" in english + chinese:
            assert english.count("\0") == chinese.count("\0"), line
        elif "{{" not in english and english.count("{") == english.count("}"):
            try:
                assert fields(english) - GRAMMAR == fields(chinese) - GRAMMAR, line
            except ValueError:
                assert english.count("{") == chinese.count("{"), line  # braces that are no template
