"""What comes from the patient is shown, never obeyed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.report.inert import HARMFUL, inert, inert_line


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\rb", "a\\x0db"),
        ("\u202ecod.exe", "\\u202ecod.exe"),
        ("\u061ccod.exe", "\\u061ccod.exe"),
        ("pay\u200bpal", "pay\\u200bpal"),
        ("\x9b2J", "\\x9b2J"),
        ("nul\x00", "nul\\x00"),
        ("\ud800", "\\ud800"),
        ("[bold]markup[/bold]", "[bold]markup[/bold]"),
        ("中文 ok\n\tnext", "中文 ok\n\tnext"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(hostile, shown):
    assert inert(hostile) == shown


@given(st.text())
def test_nothing_harmful_is_left(text):
    assert not HARMFUL.search(inert(text))


def test_a_line_is_one_line_and_not_endless():
    line = inert_line("a\nb" + "x" * 1000, longest=10)
    assert line == "a\\nbxxxxxx… (+994)"
