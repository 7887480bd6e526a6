"""The settings file: what it may say, and how a mistake in it is told."""

import pytest

from paddle_doctor.core.errors import InputError
from paddle_doctor.core.settings import Preflight, Settings, find_settings


def write(folder, text, name="pyproject.toml"):
    (folder / name).write_text(text, encoding="utf-8")


def test_without_a_file_the_defaults_hold(tmp_path):
    assert find_settings(tmp_path) == Settings(root=tmp_path)


def test_a_table_of_pyproject_is_found_from_a_folder_below(tmp_path):
    write(
        tmp_path,
        """
        [tool.paddle-doctor]
        ignore = ["PD304"]
        fail-on = "warning"
        lang = "zh"
        [tool.paddle-doctor.preflight]
        scan = ["eval.py"]
        ckpt = ["best.pdparams"]
        env = false
        """,
    )
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find_settings(below) == Settings(
        ignore=("PD304",),
        fail_on="warning",
        lang="zh",
        preflight=Preflight(scan=("eval.py",), ckpt=("best.pdparams",), env=False),
        root=tmp_path,
    )


def test_a_file_of_our_own_is_stronger_than_pyproject(tmp_path):
    write(tmp_path, '[tool.paddle-doctor]\nlang = "en"\n')
    write(tmp_path, 'lang = "zh"\n', "paddle-doctor.toml")
    assert find_settings(tmp_path).lang == "zh"


def test_a_project_that_does_not_speak_of_us_is_passed_over(tmp_path):
    write(tmp_path, 'lang = "zh"\n', "paddle-doctor.toml")
    below = tmp_path / "package"
    below.mkdir()
    write(below, '[project]\nname = "x"\n')
    assert find_settings(below).lang == "zh"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[tool.paddle-doctor]\nselct = ["PD1"]', "unknown setting 'selct'. Did you mean 'select'?"),
        ('[tool.paddle-doctor.preflight]\nckpts = ["a"]', "unknown setting 'preflight.ckpts'. Did you mean 'ckpt'?"),
        ("[tool.paddle-doctor]\nzzz = 1", "unknown setting 'zzz'."),
        ('[tool.paddle-doctor]\nselect = "PD1"', "select must be a list of strings."),
        ("[tool.paddle-doctor.preflight]\nenv = 1", "preflight.env must be true or false."),
        ('[tool.paddle-doctor]\nfail-on = "bad"', "fail-on must be one of error, warning, info, never."),
        ('[tool]\npaddle-doctor = "x"', "tool.paddle-doctor must be a table."),
        ("[tool.paddle-doctor]\nselect = [", "Cannot read"),
        ("x = " + "[" * 5000, "Cannot read"),
    ],
)
def test_a_mistake_is_told_with_the_file_and_a_hint(tmp_path, text, sentence):
    write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        find_settings(tmp_path)
    assert sentence in caught.value.text.en
    assert str(tmp_path / "pyproject.toml") in caught.value.text.zh


@pytest.mark.parametrize("encoding", ["gbk", "utf-16"])
def test_a_file_that_is_not_utf_8_is_told(tmp_path, encoding):
    (tmp_path / "paddle-doctor.toml").write_text('# 设置\nlang = "zh"\n', encoding=encoding)
    with pytest.raises(InputError, match=r"Cannot read .*paddle-doctor\.toml: it is not UTF-8\."):
        find_settings(tmp_path)


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    (tmp_path / "paddle-doctor.toml").write_text('lang = "zh"\n', encoding="utf-8-sig")
    assert find_settings(tmp_path).lang == "zh"


def test_a_pyproject_whose_tool_is_no_table_does_not_speak_of_us(tmp_path):
    write(tmp_path, "tool = 5\n")
    assert find_settings(tmp_path) == Settings(root=tmp_path)


def test_codes_are_exact_prefixes_or_names():
    settings = Settings(select=("PD3", "wrapper-prefix"), ignore=("PD304",))
    assert settings.selects("PD301", "leftover-launch-variables")
    assert settings.selects("PD201", "wrapper-prefix")
    assert not settings.selects("PD304", "occupied-port")
    assert not settings.selects("PD101", "unguarded-main")


def test_an_unknown_code_is_an_error_with_a_hint():
    with pytest.raises(InputError) as caught:
        Settings(ignore=("wraper-prefix",)).verify_codes({"PD201": "wrapper-prefix"})
    assert caught.value.text.en == "There is no check 'wraper-prefix'. Did you mean 'wrapper-prefix'?"
    Settings(select=("pd2", "PD201")).verify_codes({"PD201": "wrapper-prefix"})


def test_the_command_line_overrides_the_file():
    settings = Settings(select=("PD1",), lang="zh")
    assert settings.override(select=(), lang="en", fail_on=None) == Settings(select=("PD1",), lang="en")
