"""`make new-check`: the page it writes is one that the registry, the linter and the type checker accept."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from paddle_doctor.core.check import Check

ROOT = Path(__file__).parents[2]


@pytest.fixture
def new_check(tmp_path, monkeypatch):
    """The script as a module, with an empty folder of checks."""
    spec = importlib.util.spec_from_file_location("new_check", ROOT / "docs" / "new_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for subject in module.MODEL:
        (tmp_path / subject).mkdir()
    monkeypatch.setattr(module, "CHECKS", tmp_path)
    return module


@pytest.mark.parametrize("subject", ["checkpoint", "environment", "joblog", "script", "trial"])
def test_the_page_is_a_check(new_check, subject, tmp_path):
    assert "Wrote" in new_check.main(subject, "my-check", "")
    path = tmp_path / subject / "my_check.py"
    spec = importlib.util.spec_from_file_location(f"my_check_{subject}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert isinstance(module.my_check, Check)
    assert module.my_check.needs == (subject,)
    assert module.PAGE.subject == subject
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        run = subprocess.run(
            [*ruff, *command, "--config", ROOT / "pyproject.toml", path], capture_output=True, text=True, check=False
        )
        if "No module named ruff" in run.stderr:
            pytest.skip("ruff is not installed here")
        assert run.returncode == 0, run.stdout


def test_the_next_free_code_is_taken(new_check, tmp_path):
    (tmp_path / "script" / "old.py").write_text('PAGE = Page(code="PD101")')
    new_check.main("script", "my-check", "")
    assert 'code="PD102"' in (tmp_path / "script" / "my_check.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("subject", "name", "code"),
    [("scripts", "my-check", ""), ("script", "MyCheck", ""), ("script", "", ""), ("script", "my-check", "PD201")],
)
def test_a_wrong_call_writes_nothing(new_check, tmp_path, subject, name, code):
    assert "Wrote" not in new_check.main(subject, name, code)
    assert not list(tmp_path.glob("*/*"))


def test_a_page_is_never_overwritten(new_check, tmp_path):
    new_check.main("script", "my-check", "")
    assert "is there already" in new_check.main("script", "my-check", "")
