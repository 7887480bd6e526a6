"""Lines are broken where a reader of either language would break them."""

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from paddle_doctor.report.wrap import wrap


def test_english_breaks_between_words():
    assert wrap("the rank that died first is rank 1", 12) == ["the rank", "that died", "first is", "rank 1"]


def test_chinese_breaks_between_ideographs_and_counts_two_cells_each():
    assert wrap("最先退出的是一号进程", 8) == ["最先退出", "的是一号", "进程"]


def test_no_line_begins_with_a_closing_mark():
    for width in range(8, 40):
        for line in wrap("启动器结束了其余进程（rank 0），因此它的报错只是后果，不是原因。", width):
            assert line[0] not in "，。）", (width, line)


def test_no_line_ends_with_an_opening_mark():
    for width in range(10, 40):
        for line in wrap("查看日志文件（log/workerlog.1）中的“原因”一节", width):
            assert line[-1] not in "（“", (width, line)


def test_behind_a_chinese_quote_a_line_may_break():
    assert wrap("中文”abcdefgh", 8) == ["中文”", "abcdefgh"]


def test_a_word_that_is_too_long_is_cut_and_nothing_is_lost():
    assert wrap("x" * 20, 8) == ["x" * 8, "x" * 8, "x" * 4]


def test_line_feeds_stay():
    assert wrap("one\n\ntwo", 20) == ["one", "", "two"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])), st.integers(8, 60))
@example("（" * 30, 8)
def test_no_line_is_too_wide_and_no_letter_is_lost(text, width):
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
