"""Where nothing can be seen nothing lies, and nobody raises."""

import os

import pytest

from paddle_doctor.core.paths import is_file, is_folder, is_there


@pytest.mark.parametrize(
    ("name", "seen"), [("file", (True, False, True)), ("folder", (False, True, True)), ("gone", (False, False, False))]
)
def test_what_lies_there(tmp_path, name, seen):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    path = tmp_path / name
    assert (is_file(path), is_folder(path), is_there(path)) == seen


@pytest.mark.parametrize("name", ["x" * 5000, "file/below", "nul\0byte", "\udcff"])
def test_a_name_that_nothing_can_have(tmp_path, name):
    (tmp_path / "file").touch()
    path = tmp_path / name
    assert (is_file(path), is_folder(path), is_there(path)) == (False, False, False)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may look everywhere")
def test_a_folder_that_is_closed_to_us(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "file").touch()
    closed.chmod(0)
    try:
        assert (is_file(closed / "file"), is_there(closed / "file")) == (False, False)
    finally:
        closed.chmod(0o700)
