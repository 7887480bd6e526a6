"""What stands around a line."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.subjects.joblog.cleaning import begins_dump, clean, variables_in


@pytest.mark.parametrize(
    ("raw", "text", "rank"),
    [
        ("\x1b[31;1mred\x1b[0m error", "red error", None),
        ("\x1b]0;title\x07shown", "shown", None),
        ("> > quoted twice", "quoted twice", None),
        (">>> import paddle", ">>> import paddle", None),
        ("[1,3]<stdout>:step 5", "step 5", 3),
        ("[1,0]<stderr>: step 5", "step 5", 0),
        ("[rank2]: Traceback", "Traceback", 2),
        ("[pod/job-worker-0/main] step 5", "step 5", None),
        ("a\u202eb\x07c", "abc", None),
        ("   indented stays  ", "   indented stays", None),
    ],
)
def test_clean(raw: str, text: str, rank: int | None):
    cleaned = clean(raw)
    assert (cleaned.text, cleaned.rank) == (text, rank)


def test_an_environment_dump_is_known_by_its_names():
    assert variables_in("env {'PATH': '/bin', 'HF_TOKEN': 'x'}") == ["PATH", "HF_TOKEN"]
    assert begins_dump("environ({'PATH': '/bin'})")
    assert not begins_dump("environment variable X is needed")


@given(st.text())
def test_nothing_that_controls_a_terminal_is_left(raw: str):
    controls = {character for character in clean(raw).text if unicodedata.category(character) == "Cc"}
    assert controls <= {"\t", "\n"}
