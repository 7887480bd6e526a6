"""Which checks are found, and at what price."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from paddle_doctor.core import registry
from paddle_doctor.core.registry import load_checks, load_signatures, subjects_with_checks


def test_every_folder_of_checks_is_a_subject():
    assert subjects_with_checks() == ["checkpoint", "environment", "joblog", "script", "trial"]


def test_a_code_belongs_to_the_folder_it_stands_in():
    for subject in subjects_with_checks():
        checks = load_checks([subject]).checks
        assert checks, subject
        assert {check.page.subject for check in checks.values()} == {subject}


def test_a_subject_without_checks_is_no_fault():
    assert load_checks(["cluster"]).checks == {}


def test_there_are_signatures_and_each_has_its_own_name():
    names = [signature.id for signature in load_signatures()]
    assert len(names) > 50
    assert len(names) == len(set(names))


def test_one_subject_does_not_pay_for_another():
    code = """
        import sys
        from paddle_doctor.core.registry import load_checks
        load_checks(["checkpoint"])
        print([name for name in sys.modules if "doctor" in name and "script" in name])
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "[]"


PLUGIN = '''
"""A check of another package."""
from paddle_doctor.core.check import Page, check
from paddle_doctor.core.finding import Severity
from paddle_doctor.core.language import Text

WORDS = Text("seen by a plugin", "插件看到的")
PAGE = Page(code="PD299", name="acme", severity=Severity.INFO, title=WORDS, what=WORDS, why=WORDS, cure=WORDS,
            since=Text("always", "一直"), sources=("acme",))

@check(PAGE, fires_on=tuple, silent_on=tuple)
def acme(checkpoint):
    yield PAGE.finding(WORDS)
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install a package that has these entry points, as a folder on the path with its metadata."""

    def install(points: str, plugin: str = PLUGIN) -> None:
        metadata = tmp_path / "acme-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{points}")
        (tmp_path / "acme_checks.py").write_text(plugin, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    return install


def test_another_package_adds_checks_by_entry_point(installed):
    installed("checkpoint.acme = acme_checks\nscript = not_there\n")
    loaded = load_checks(["checkpoint"])
    assert "PD299" in loaded.checks
    assert loaded.broken == []


def test_a_broken_plugin_is_reported_and_stops_nobody(installed):
    installed("checkpoint = no_such_module\n")
    loaded = load_checks(["checkpoint"])
    assert "PD201" in loaded.checks
    assert [each.error for each in loaded.broken] == ["ModuleNotFoundError: No module named 'no_such_module'"]


def test_a_plugin_whose_code_is_of_no_family_is_broken(installed, monkeypatch):
    monkeypatch.delitem(sys.modules, "acme_checks", raising=False)
    installed("checkpoint = acme_checks\n", PLUGIN.replace("PD299", "PD999"))
    (broken,) = load_checks(["checkpoint"]).broken
    assert broken.error.startswith("ValueError: PD999 is in no family of codes")


def test_where_nothing_adds_checks_nobody_pays_for_the_search():
    code = """
        import sys
        from paddle_doctor.core.registry import load_checks
        load_checks(["script"])
        print("importlib.metadata" in sys.modules)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "False"
