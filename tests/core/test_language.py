"""Words in both languages, and the choice between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_doctor.core.language import Text, choose, counted, listing, same, spoken_here


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "C", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "PADDLE_DOCTOR_LANG": "en"}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "PADDLE_DOCTOR_LANG": "zh"}, "zh"),
        ({"LC_ALL": "", "LANG": "zh_CN"}, "zh"),
    ],
)
def test_the_strongest_variable_that_is_set_decides(environ, language):
    assert choose("auto", environ) == language


def test_a_value_stays_on_its_line():
    assert Text("No {path}.", "没有 {path}。").fill(path="a\n\nAll is well.").en == "No a\\n\\nAll is well.."
    assert Text("{words}", "{words}").fill(words=same("one\ntwo")).zh == "one\ntwo"


def test_what_is_asked_beats_the_environment():
    assert choose("en", {"LC_ALL": "zh_CN"}) == "en"
    assert choose("zh", {}) == "zh"


@pytest.mark.parametrize(
    ("arguments", "language"),
    [
        (["ckpt", "--lang", "zh", "m.pdparams"], "zh"),
        (["--lang=zh", "--help"], "zh"),
        (["repro", "--", "python", "eval.py", "--lang", "zh"], "en"),
        (["ckpt", "--lang"], "en"),
    ],
)
def test_the_help_speaks_what_the_command_line_asks_for(arguments, language):
    assert spoken_here(arguments, environ={}) == language


def test_values_fill_both_languages_and_a_text_fills_each_with_its_own():
    held = Text("held by {who}", "被 {who} 占用").fill(who=Text("nobody", "无人"))
    assert held == Text("held by nobody", "被 无人 占用")


@given(st.text())
def test_a_value_is_never_read_as_a_template(hostile):
    on_its_line = hostile.replace("\n", "\\n")
    assert same("<{it}>").fill(it=hostile) == same(f"<{on_its_line}>")


def test_lists_and_counts_read_naturally():
    assert listing(["a"]) == same("a")
    assert listing(["a", "b", "c"]) == Text("a, b and c", "a、b 和 c")
    assert listing([Text("one error", "一个错误"), Text("2 notes", "2 条提示")]).zh == "一个错误和 2 条提示"
    assert counted(1, "process", "processes", "个进程") == Text("1 process", "1 个进程")
    assert counted(3, "process", "processes", "个进程") == Text("3 processes", "3 个进程")
