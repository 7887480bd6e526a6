"""The probe: any Python from 3.7 on answers, whatever lies in the working folder, and nothing of it is executed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddle_doctor.subjects.environment.interpreter import PROBE

from .conftest import python_of


def ask(python: str, folder: Path, *modules: str, **variables: str) -> dict[str, Any]:
    ran = subprocess.run(
        [python, str(PROBE), *modules],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert ran.stderr == ""
    facts: dict[str, Any] = json.loads(ran.stdout)
    return facts


def site_of(folder: Path) -> Path:
    """A folder that PYTHONPATH can name, as site-packages of the job."""
    site = folder / "site"
    site.mkdir()
    return site


def install(site: Path, distribution: str, version: str) -> None:
    (site / f"{distribution.replace('-', '_')}-{version}.dist-info").mkdir()


def install_paddle(site: Path, *lines: str) -> None:
    version = site / "paddle" / "version"
    version.mkdir(parents=True)
    (site / "paddle" / "__init__.py").write_text("raise SystemExit('the probe has imported Paddle')\n")
    (version / "__init__.py").write_text("\n".join(lines))


@pytest.mark.parametrize("version", ["3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13"])
def test_every_python_answers(version, tmp_path):
    facts = ask(python_of(version), tmp_path, "json", "os.path", "no_such_module", "xml.dom", "xml.nothing")
    assert facts["python_version"].startswith(version + ".")
    assert facts["platform"] == sys.platform
    assert facts["start_method"] in {"fork", "spawn", "forkserver"}
    assert facts["missing_modules"] == ["no_such_module", "xml.nothing"]
    assert facts["shadowing"] == []


@pytest.mark.parametrize("version", ["3.7", "3.13"])
def test_files_of_the_working_folder_are_seen_and_never_run(version, tmp_path):
    for name in ("json", "multiprocessing", "pathlib", "re", "queue", "paddle", "os", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('executed')\n")
    (tmp_path / "token").mkdir()
    (tmp_path / "token" / "__init__.py").write_text("raise SystemExit('executed')\n")
    (tmp_path / "types").mkdir()  # a folder of data, no package: it hides nothing
    facts = ask(python_of(version), tmp_path, "queue")
    assert sorted(facts["shadowing"]) == ["json.py", "paddle.py", "queue.py", "token/"]


def test_a_module_on_the_path_that_hides_the_standard_library_is_not_run(tmp_path):
    site = site_of(tmp_path)
    for name in ("json", "multiprocessing", "pathlib"):
        (site / f"{name}.py").write_text("raise SystemExit('executed')\n")
    assert ask(python_of("3.12"), tmp_path, PYTHONPATH=str(site))["python_version"]


def test_asking_for_a_module_does_not_import_its_parents(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('executed')\n")
    (package / "there.py").write_text("raise SystemExit('executed')\n")
    assert ask(sys.executable, tmp_path, "package.there", "package.gone")["missing_modules"] == ["package.gone"]


def test_paddle_is_read_from_its_files_and_not_imported(tmp_path):
    site = site_of(tmp_path)
    install(site, "paddlepaddle-gpu", "2.6.2")
    install_paddle(site, "full_version = '2.6.2.post118'", "cuda_version = '11.8'", "istaged = True")
    facts = ask(sys.executable, tmp_path, PYTHONPATH=str(site))
    assert (facts["paddle_version"], facts["paddle_build"]) == ("2.6.2.post118", "cuda 11.8")
    assert facts["paddle_path"] == str(site / "paddle")
    assert facts["packages"]["paddlepaddle-gpu"] == "2.6.2"


@pytest.mark.parametrize(
    ("lines", "build"),
    [
        (["cuda_version     = 'False'", "xpu_xre_version  = 'False'", "hip_version = None"], "cpu"),
        (["cuda_version = 'False'", "xpu_xre_version = '4.31.0'"], "xpu 4.31.0"),
        (["full_version = '2.0.0'"], None),
    ],
)
def test_the_build_of_paddle(lines, build, tmp_path):
    site = site_of(tmp_path)
    install_paddle(site, *lines)
    assert ask(sys.executable, tmp_path, PYTHONPATH=str(site))["paddle_build"] == build


def test_an_empty_folder_is_all_that_is_left_of_paddle(tmp_path):
    site = site_of(tmp_path)
    (site / "paddle").mkdir()
    install(site, "paddlepaddle-gpu", "2.6.2")
    facts = ask(python_of("3.12"), tmp_path, PYTHONPATH=str(site))
    assert facts["paddle_is_namespace"] is True
    assert facts["packages"]["paddlepaddle-gpu"] == "2.6.2"


def test_what_is_not_asked_for_is_not_told(tmp_path):
    """Somebody's private packages are nobody's business."""
    site = site_of(tmp_path)
    install(site, "acme-secret-project", "1.0")
    install(site, "opencv-python-headless", "4.10.0.84")
    packages = ask(sys.executable, tmp_path, PYTHONPATH=str(site))["packages"]
    assert "opencv-python-headless" in packages
    assert not any(name.startswith("acme") for name in packages)


@pytest.mark.lab
def test_the_real_paddle(tmp_path):
    facts = ask(sys.executable, tmp_path, "paddle.nn", "paddle.fluid")
    assert facts["paddle_build"] == "cpu"
    assert facts["packages"]["paddlepaddle"] == facts["paddle_version"]
    assert facts["missing_modules"] == ["paddle.fluid"]
