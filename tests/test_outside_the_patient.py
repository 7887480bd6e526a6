"""The doctor stands outside the patient: it never imports paddle, torch or numpy, and never unpickles."""

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import paddle_doctor

ROOT = Path(paddle_doctor.__file__).parent.parent
SOURCES = [path for folder in ("paddle_doctor", "checks") for path in (ROOT / folder).rglob("*.py")]
#: The only files that run inside the job's own interpreter.
IN_THE_JOB = {"probe.py", "paddle_doctor_hooks.py", "sitecustomize.py"}
PATIENT = {"paddle", "torch", "numpy", "pickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_source_imports_the_patient(path):
    if path.name in IN_THE_JOB:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        assert not {name.partition(".")[0] for name in names} & PATIENT


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_source_evaluates_what_it_reads(path):
    if path.name in IN_THE_JOB:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec", "__import__"}


def run_and_list_modules(arguments: list[str], folder: Path) -> set[str]:
    code = f"""
        import sys
        from paddle_doctor.cli.app import run
        run({arguments!r})
        print("MODULES", *sorted(sys.modules), file=sys.stderr)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, cwd=folder
    )
    return set(ran.stderr.rpartition("MODULES")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", "--static", "eval.py"],
        ["scan", "eval.py"],
        ["ckpt", "model.pdparams"],
        ["env"],
        ["log", "log"],
        ["repro", "eval.py"],
        ["explain", "PD201"],
        ["checks"],
    ],
    ids=" ".join,
)
def test_no_command_loads_paddle_torch_or_numpy(arguments, tmp_path):
    (tmp_path / "eval.py").write_text("import json\nprint(json.dumps('done'))\n")
    (tmp_path / "model.pdparams").write_bytes(b"\x80\x04}\x94.")
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "workerlog.0").write_text("step 1\nValueError: bad label\n")
    loaded = run_and_list_modules(arguments, tmp_path)
    assert "paddle_doctor" in loaded
    assert not loaded & {"paddle", "torch", "numpy"}
