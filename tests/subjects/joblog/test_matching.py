"""Literals that stand in whatever a pattern matches."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.registry import load_signatures
from paddle_doctor.subjects.joblog.literals import required_literals
from paddle_doctor.subjects.joblog.matching import Matcher

SIGNATURES = load_signatures()
MATCHER = Matcher(SIGNATURES)


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("abcdef", ("abcdef",)),
        ("abc.def", ("abc",)),
        (r"a\.b\(c", ("a.b(c",)),
        ("one|other", ("one", "other")),
        ("x(?:red|green)y", ("red", "green")),
        ("abc?", ("ab",)),
        ("ab+cd", ("ab",)),
        ("(?:maybe)?sure", ("sure",)),
        ("(?:never){0,2}sure", ("sure",)),
        ("(?!not)sure", ("sure",)),
        ("[abc]", ()),
        ("abc|[x-z]", ()),
        ("(?i)abc", ()),
        (r"(?P<n>\d{1,3}) things", (" things",)),
    ],
)
def test_required_literals(pattern: str, literals: tuple[str, ...]):
    assert required_literals(pattern) == literals


@given(st.from_regex(r"(?:[a-c]{1,3}|\([ab]{1,2}\)[?+]?|a\|b|[bc][*+?]|\[ab\]){1,5}", fullmatch=True), st.data())
def test_a_literal_stands_in_every_match(pattern: str, data: st.DataObject):
    text = data.draw(st.from_regex(pattern, fullmatch=True))
    literals = required_literals(pattern)
    assert not literals or any(literal in text for literal in literals)


EXAMPLES = [line for each in SIGNATURES for line in (*each.matches, *each.misses)]


@given(st.sampled_from(EXAMPLES), st.integers(0, 200), st.text(max_size=5))
def test_the_short_cut_loses_nothing(example: str, place: int, more: str):
    text = example[:place] + more + example[place:]
    assert [each.id for each, _ in MATCHER.matches(text)] == [
        each.id for each in SIGNATURES if re.search(each.pattern, text)
    ]
