"""What a script's literal paths stand for: the checkpoints that `scan` and `preflight` examine with it."""

from dataclasses import replace
from pathlib import Path

import pytest

from paddle_doctor.cli.gathering import checkpoints_of, modules_of, read_scripts
from paddle_doctor.core.errors import InputError
from paddle_doctor.subjects.script import Script, read_script


def loading(call: str, *, found: str | None, is_folder: bool = False) -> Script:
    script = read_script(f"import paddle, torch\n{call}('w')\n", "eval.py")
    return replace(
        script,
        checkpoints=tuple(replace(each, looked=True, found=found, is_folder=is_folder) for each in script.checkpoints),
    )


def test_a_file_that_several_scripts_load_is_examined_once():
    assert checkpoints_of([loading("paddle.load", found="w"), loading("paddle.load", found="w")]) == [Path("w")]


def test_what_paddle_does_not_load_as_a_file_is_left_alone():
    others = [
        loading("paddle.load", found=None),
        loading("paddle.load", found="w", is_folder=True),
        loading("torch.load", found="w"),
    ]
    assert checkpoints_of(others) == []


def test_modules_of_all_scripts_stand_once_and_in_order():
    scripts = [read_script("import numpy, cv2\n", "a.py"), read_script("import cv2.dnn\n", "b.py")]
    assert modules_of(scripts) == ["cv2", "numpy"]


def test_of_a_folder_a_file_that_cannot_be_read_is_told_and_of_a_named_one_it_is_the_end(tmp_path: Path):
    (tmp_path / "good.py").write_text("import paddle\n", encoding="utf-8")
    (tmp_path / "bad.py").write_bytes(b"\x7fELF\x02\x01\x01")
    scripts, refused = read_scripts([tmp_path])
    assert [Path(each.path).name for each in scripts] == ["good.py"]
    assert ["binary" in each.text.en for each in refused] == [True]
    with pytest.raises(InputError, match="binary"):
        read_scripts([tmp_path / "bad.py"])
