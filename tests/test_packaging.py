"""What is installed: every check, no stray package, and a program that runs without Paddle, NumPy or a GPU."""

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.packaging

#: Printed by an installation, run in a folder far from the source.
LOOK = """
import importlib.util
from paddle_doctor.core.registry import load_checks, load_signatures, subjects_with_checks
checks = load_checks(subjects_with_checks())
print("CHECKS", *sorted(checks.checks))
print("SIGNATURES", len(load_signatures()))
print("STRAY", *(name for name in ("checks", "tests", "docs") if importlib.util.find_spec(name)))
print("PATIENT", *(name for name in ("paddle", "numpy", "torch") if importlib.util.find_spec(name)))
"""


def run(*arguments: object, cwd: Path) -> str:
    ran = subprocess.run([*map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=600, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """A copy of the source without anything that was built in it."""
    copy = tmp_path_factory.mktemp("source") / "paddle-doctor"
    ignored = shutil.ignore_patterns(
        ".git", ".venv*", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, copy, ignore=ignored)
    return copy


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory) -> Path:
    """The wheel, built as a release would be."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", out, source, cwd=source)
    return next(out.glob("*.whl"))


def install(folder: Path, *what: object) -> Path:
    venv.create(folder, with_pip=True)
    python = python_of(folder)
    run(python, "-m", "pip", "install", "--quiet", *what, cwd=folder)
    return python


@pytest.fixture(scope="module")
def from_wheel(wheel, tmp_path_factory) -> Path:
    """An interpreter with nothing but the wheel and its dependencies."""
    return install(tmp_path_factory.mktemp("wheel"), wheel)


@pytest.fixture(scope="module")
def editable(source, tmp_path_factory) -> Path:
    """An interpreter with an editable installation."""
    return install(tmp_path_factory.mktemp("editable"), "--editable", source)


def pages() -> list[str]:
    """The check pages of the source: files that define a page."""
    return [
        path.stem for path in (ROOT / "checks").glob("*/*.py") if "PAGE = Page(" in path.read_text(encoding="utf-8")
    ]


def test_the_wheel_holds_every_package_of_the_source(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for folder, installed in (("paddle_doctor", "paddle_doctor"), ("checks", "paddle_doctor/checks")):
        for path in (ROOT / folder).rglob("*.py"):
            assert f"{installed}/{path.relative_to(ROOT / folder).as_posix()}" in held
    assert {"paddle_doctor/py.typed", "paddle_doctor/report/report.schema.json"} <= held


def test_the_wheel_holds_nothing_else(wheel):
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"paddle_doctor"}


@pytest.mark.parametrize("installation", ["from_wheel", "editable"])
def test_every_installation_finds_every_check_and_nothing_stray(installation, request, tmp_path):
    python = request.getfixturevalue(installation)
    said = dict(line.partition(" ")[::2] for line in run(python, "-c", LOOK, cwd=tmp_path).splitlines())
    assert len(said["CHECKS"].split()) == len(pages())
    assert int(said["SIGNATURES"]) > 50
    assert said["STRAY"] == ""
    assert said["PATIENT"] == ""


def test_the_program_runs_both_ways(from_wheel, tmp_path):
    program = from_wheel.parent / ("paddle-doctor.exe" if sys.platform == "win32" else "paddle-doctor")
    assert run(program, "--version", cwd=tmp_path) == run(from_wheel, "-m", "paddle_doctor", "--version", cwd=tmp_path)


def test_the_commands_run_without_paddle_numpy_or_a_gpu(from_wheel, tmp_path):
    (tmp_path / "eval.py").write_text("import paddle\n")
    (tmp_path / "m.pdparams").write_bytes(b"\x80\x04}\x94.")
    for arguments in (["scan", "--static", "eval.py"], ["ckpt", "m.pdparams"], ["env"], ["checks"]):
        ran = subprocess.run(
            [from_wheel, "-m", "paddle_doctor", *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60
        )
        assert ran.returncode in (0, 1), ran.stderr
        assert "Traceback" not in ran.stdout + ran.stderr


def test_a_type_checker_sees_the_types(from_wheel, tmp_path):
    (tmp_path / "uses.py").write_text(
        "from paddle_doctor.core.finding import Severity\nreveal_type(Severity.ERROR.weight)\n"
    )
    said = run(sys.executable, "-m", "mypy", "--python-executable", from_wheel, "uses.py", cwd=tmp_path)
    assert "builtins.int" in said
