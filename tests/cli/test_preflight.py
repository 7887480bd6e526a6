"""`preflight` in the CI of a small project: it stops a step with a planted fault, and passes without it."""

import json
import shutil
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "docs" / "demo"

SETTINGS = """
[project]
name = "defects"

[tool.paddle-doctor.preflight]
scan = ["src/*.py"]
env = false
"""
GUARDED = """
import paddle.distributed as dist


def main():
    print("evaluating")


if __name__ == "__main__":
    dist.spawn(main, nprocs=2)
"""
UNGUARDED = GUARDED.replace('if __name__ == "__main__":\n    dist', "dist")


@pytest.fixture
def project(tmp_path) -> Path:
    """A sample project whose script is in order."""
    (tmp_path / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "evaluate.py").write_text(GUARDED, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_fault_the_step_passes(doctor, project, language):
    ran = doctor("preflight", "--lang", language)
    assert ran.returncode == 0, ran.stdout
    assert "evaluate.py" in ran.stdout
    assert ran.stderr == ""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_fault_in_a_script_stops_the_step(doctor, project, language):
    (project / "src" / "evaluate.py").write_text(UNGUARDED, encoding="utf-8")
    ran = doctor("preflight", "--lang", language)
    assert ran.returncode == 1
    assert "PD101" in ran.stdout
    assert "src/evaluate.py:9" in ran.stdout


def test_a_fault_in_a_checkpoint_stops_the_step(doctor, project):
    shutil.copy(DEMO / "model.pdparams", project / "best.pdparams")
    (project / "pyproject.toml").write_text(SETTINGS + 'ckpt = ["best.pdparams"]\n', encoding="utf-8")
    ran = doctor("preflight", "--format", "json")
    assert ran.returncode == 1
    assert [found["code"] for found in json.loads(ran.stdout)["findings"]] == ["PD201"]


def test_a_leftover_variable_of_the_machine_stops_the_step(doctor, project):
    (project / "pyproject.toml").write_text(SETTINGS.replace("env = false", "env = true"), encoding="utf-8")
    leftover = {"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "0"}
    ran = doctor("preflight", "--format", "json", "--select", "PD301", **leftover)
    assert ran.returncode == 1
    assert [found["code"] for found in json.loads(ran.stdout)["findings"]] == ["PD301"]


def test_the_settings_are_found_from_a_folder_below(doctor, project):
    (project / "src" / "evaluate.py").write_text(UNGUARDED, encoding="utf-8")
    ran = doctor("preflight", cwd=project / "src")
    assert ran.returncode == 1
    assert "evaluate.py:9" in ran.stdout


def test_an_ignored_check_does_not_stop_the_step(doctor, project):
    (project / "src" / "evaluate.py").write_text(UNGUARDED, encoding="utf-8")
    assert doctor("preflight", "--ignore", "unguarded-main").returncode == 0
    assert doctor("preflight", "--fail-on", "never").returncode == 0


def test_a_project_that_names_nothing_is_told_not_passed(doctor, tmp_path):
    ran = doctor("preflight")
    assert ran.returncode == 2
    assert "no [tool.paddle-doctor.preflight]" in ran.stderr
    (tmp_path / "paddle-doctor.toml").write_text("[preflight]\nenv = false\n", encoding="utf-8")
    ran = doctor("preflight", "--lang", "zh")
    assert ran.returncode == 2
    assert ran.stderr.startswith("没有可检查的内容")


def test_a_named_file_that_is_not_there_is_told(doctor, project):
    (project / "pyproject.toml").write_text(SETTINGS + 'ckpt = ["gone.pdparams"]\n', encoding="utf-8")
    ran = doctor("preflight")
    assert ran.returncode == 2
    assert "The settings name 'gone.pdparams'" in ran.stderr


@pytest.mark.parametrize("name", ["**gone", "/no/such/*.py", "../gone/*.py", "x" * 300, "a\\u0000b", "[", "/gone.py"])
def test_whatever_a_pattern_is_that_finds_nothing_is_told(doctor, project, name):
    (project / "pyproject.toml").write_text(SETTINGS.replace("src/*.py", name), encoding="utf-8")
    ran = doctor("preflight")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("The settings name '")


def test_patterns_may_begin_at_the_root_and_names_may_look_like_patterns(report, project):
    (project / "src" / "evaluate.py").rename(project / "evaluate[1].py")
    patterns = f'["evaluate[1].py", "{project.as_posix()}/eval*.py"]'
    (project / "pyproject.toml").write_text(SETTINGS.replace('["src/*.py"]', patterns), encoding="utf-8")
    assert report("preflight")["subject"]["scripts"] == ["evaluate[1].py"]
