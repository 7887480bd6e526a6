"""What is read from disk: the file, what it loads, its project's own modules; and a sentence for everything else."""

import os
from pathlib import Path

import pytest

from paddle_doctor.core.errors import InputError
from paddle_doctor.subjects.script import find_scripts, gather_script


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a script in a folder of its own, while we stand in the project's top folder."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "tools").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(path: Path, source: str) -> Path:
    path.write_text(source, encoding="utf-8")
    return path


def test_checkpoints_are_looked_for_from_here_and_from_the_script(project: Path):
    (project / "here.pdparams").touch()
    (project / "tools" / "there.pdparams").touch()
    (project / "folder").mkdir()
    (project / "best.pdparams").touch()
    path = script(
        Path("tools/eval.py"),
        "import paddle\n"
        "for p in (): paddle.load('here.pdparams'), paddle.load('there.pdparams'), paddle.load('folder')\n"
        "paddle.load('nowhere.pdparams')\npaddle.load('https://host/a.pdparams')\n"
        "m = paddle.Model(net)\nm.load('best')\n",
    )
    looked = [(each.path, each.found, each.is_folder) for each in gather_script(path).checkpoints]
    assert looked == [
        ("here.pdparams", "here.pdparams", False),
        ("there.pdparams", str(Path("tools/there.pdparams")), False),
        ("folder", "folder", True),
        ("nowhere.pdparams", None, False),
        ("best", "best.pdparams", False),
    ]


def test_the_projects_own_modules_are_not_foreign(project: Path):
    (project / "tools" / "helper.py").touch()
    (project / "ppdet").mkdir()
    (project / "ppdet" / "__init__.py").touch()
    (project / "output").mkdir()
    path = script(Path("tools/eval.py"), "import helper, ppdet.core, cv2, output, os\nfrom . import me\n")
    assert gather_script(path).foreign_modules() == ("cv2", "os", "output")


def test_the_project_is_found_from_the_script_wherever_one_stands(project: Path, monkeypatch: pytest.MonkeyPatch):
    (project / "ppdet").mkdir()
    (project / "ppdet" / "__init__.py").touch()
    (project / "tools" / "deep").mkdir()
    path = script(project / "tools" / "deep" / "eval.py", "import ppdet, cv2\n")
    monkeypatch.chdir(project / "ppdet")
    assert gather_script(path).foreign_modules() == ("cv2",)
    (project / "pyproject.toml").unlink()
    assert gather_script(path).foreign_modules() == ("cv2", "ppdet")


def test_a_folder_stands_for_its_scripts(project: Path):
    for name in ("a.py", "b.ipynb", "c.txt", ".hidden.py"):
        (project / name).touch()
    for folder in ("pkg", ".git", "__pycache__", "venv", "node_modules"):
        (project / folder).mkdir()
        (project / folder / "x.py").touch()
    (project / "venv" / "pyvenv.cfg").touch()
    assert find_scripts([Path()]) == [Path("a.py"), Path("b.ipynb"), Path("pkg/x.py")]


def test_a_loop_of_links_ends(project: Path):
    (project / "a.py").touch()
    (project / "loop").symlink_to(project)
    (project / "self.py").symlink_to("self.py")
    assert Path("a.py") in find_scripts([Path()])
    with pytest.raises(InputError):
        gather_script(Path("self.py"))


def test_a_file_named_twice_is_read_once(project: Path):
    (project / "a.py").touch()
    assert find_scripts([Path("a.py"), Path("a.py")]) == [Path("a.py")]


def test_an_empty_file_is_fine(project: Path):
    (project / "__init__.py").touch()
    facts = gather_script(Path("__init__.py"))
    assert (facts.fault, facts.lines, facts.calls) == (None, 0, ())


@pytest.mark.parametrize(
    "data",
    [b"\x7fELF\x02\x01\x01", b"PK\x03\x04rest", b"\x80\x04\x95....", b"\x89PNG\r\n", bytes(range(256)) * 8],
    ids=["elf", "zip", "pickle", "png", "noise"],
)
def test_binary_data_is_refused(project: Path, data: bytes):
    (project / "eval.py").write_bytes(data)
    with pytest.raises(InputError, match="binary"):
        gather_script(Path("eval.py"))


def test_what_is_not_there_or_no_script_is_one_sentence(project: Path):
    (project / "log.txt").touch()
    (project / "empty").mkdir()
    os.mkfifo(project / "pipe.py")
    with (project / "huge.py").open("wb") as file:
        file.truncate(9 * 2**20)
    for read, path, words in [
        (gather_script, "missing.py", "There is no file"),
        (gather_script, "tools", "is a folder"),
        (gather_script, "pipe.py", "not an ordinary file"),
        (gather_script, "huge.py", "MB"),
        (gather_script, "nul\0.py", "There is no file"),
        (lambda each: find_scripts([each]), "missing.py", "There is no file"),
        (lambda each: find_scripts([each]), "log.txt", "neither a Python file"),
        (lambda each: find_scripts([each]), "empty", "no .py or .ipynb file"),
    ]:
        with pytest.raises(InputError, match=words):
            read(Path(path))


@pytest.mark.parametrize("name", ["x" * 300, "x" * 5000 + ".py"])
def test_a_name_that_nothing_can_have_is_told(tmp_path: Path, name: str):
    with pytest.raises(InputError, match="Cannot read"):
        find_scripts([tmp_path / name])
