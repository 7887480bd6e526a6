"""What is installed: every check, no stray package, and a program that runs without Paddle, NumPy or a GPU."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

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


VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")


def run(*arguments: object, cwd: Path) -> str:
    ran = subprocess.run([*map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=900)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def interpreter(version: str) -> Path:
    """A working interpreter of that version; without one the test is skipped (a version manager's shim may refuse)."""
    found = shutil.which(f"python{version}")
    for place in ([found] if found else []) + sorted(
        map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    ):
        ran = subprocess.run([place, "--version"], capture_output=True, text=True)
        if ran.returncode == 0 and f"Python {version}." in ran.stdout:
            return Path(place)
    pytest.skip(f"no Python {version} at hand")


def install(folder: Path, *what: object, base: Path | str = sys.executable) -> Path:
    run(base, "-m", "venv", folder, cwd=folder)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", *what, cwd=folder)
    return python


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """A copy of the source without anything that was built in it."""
    copy = tmp_path_factory.mktemp("source") / "paddle-doctor"
    built = (".git", ".venv*", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*built))
    return copy


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory) -> Path:
    """The wheel, built as a release would be."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", out, source, cwd=source)
    return next(out.glob("*.whl"))


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


@pytest.mark.packaging
def test_the_wheel_holds_every_package_of_the_source(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for folder, installed in (("paddle_doctor", "paddle_doctor"), ("checks", "paddle_doctor/checks")):
        for path in (ROOT / folder).rglob("*.py"):
            assert f"{installed}/{path.relative_to(ROOT / folder).as_posix()}" in held
    assert {"paddle_doctor/py.typed", "paddle_doctor/report/report.schema.json"} <= held


@pytest.mark.packaging
def test_the_wheel_holds_nothing_else(wheel):
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"paddle_doctor"}


@pytest.mark.parametrize("installation", ["from_wheel", "editable"])
@pytest.mark.packaging
def test_every_installation_finds_every_check_and_nothing_stray(installation, request, tmp_path):
    python = request.getfixturevalue(installation)
    said = dict(line.partition(" ")[::2] for line in run(python, "-c", LOOK, cwd=tmp_path).splitlines())
    assert len(said["CHECKS"].split()) == len(pages())
    assert int(said["SIGNATURES"]) > 50
    assert said["STRAY"] == ""
    assert said["PATIENT"] == ""


@pytest.mark.packaging
def test_the_program_runs_both_ways(from_wheel, tmp_path):
    program = from_wheel.parent / ("paddle-doctor.exe" if sys.platform == "win32" else "paddle-doctor")
    assert run(program, "--version", cwd=tmp_path) == run(from_wheel, "-m", "paddle_doctor", "--version", cwd=tmp_path)


@pytest.mark.packaging
def test_the_commands_run_without_paddle_numpy_or_a_gpu(from_wheel, tmp_path):
    (tmp_path / "eval.py").write_text("import paddle\n")
    (tmp_path / "m.pdparams").write_bytes(b"\x80\x04}\x94.")
    for arguments in (["scan", "--static", "eval.py"], ["ckpt", "m.pdparams"], ["env"], ["checks"]):
        ran = subprocess.run(
            [from_wheel, "-m", "paddle_doctor", *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60
        )
        assert ran.returncode in (0, 1), ran.stderr
        assert "Traceback" not in ran.stdout + ran.stderr


@pytest.mark.packaging
def test_a_type_checker_sees_the_types(from_wheel, tmp_path):
    (tmp_path / "uses.py").write_text(
        "from paddle_doctor.core.finding import Severity\nreveal_type(Severity.ERROR.weight)\n"
    )
    said = run(sys.executable, "-m", "mypy", "--python-executable", from_wheel, "uses.py", cwd=tmp_path)
    assert re.search(r"Revealed type is .(builtins\.)?int.", said), said


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.packaging
def test_the_wheel_runs_on_every_python_at_hand(version, wheel, tmp_path):
    python = install(tmp_path, wheel, base=interpreter(version))
    assert len(run(python, "-c", LOOK, cwd=tmp_path).splitlines()[0].split()) == len(pages()) + 1
    shutil.copytree(ROOT / "docs" / "demo", tmp_path / "demo")
    for arguments in (["log", "log"], ["scan", "eval.py"], ["ckpt", "model.pdparams"], ["env"]):
        ran = subprocess.run(
            [python, "-m", "paddle_doctor", *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path / "demo",
            timeout=60,
        )
        assert ran.returncode in (0, 1), ran.stderr
        assert "Traceback" not in ran.stderr


@pytest.mark.pythons
@pytest.mark.parametrize("version", VERSIONS)
def test_the_quick_tests_pass_on_every_python_at_hand(version, source, tmp_path):
    python = install(tmp_path, "--upgrade", "pip", base=interpreter(version))
    run(python, "-m", "pip", "install", "--quiet", "--editable", ".", "--group", "test", cwd=source)
    quick = "not (lab or packaging or pythons)"
    ran = subprocess.run(
        [python, "-m", "pytest", "-m", quick, "-n", "2"],
        cwd=source,
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
    )
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
