"""What the tests of the environment share: a driver's stand-in, the Pythons at hand, facts of another process."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STAND_IN = Path(__file__).with_name("nvml_stand_in.c")
LOOK = """
import json
from paddle_doctor.core.facts import to_plain
from paddle_doctor.subjects.environment.gpus import look_at_gpus, name_processes
from paddle_doctor.subjects.environment.processes import ProcessTable
sight = look_at_gpus()
gpus = name_processes(sight.gpus, ProcessTable.read() if sight.gpus else None)
print(json.dumps({"gpus": to_plain(gpus), "driver": sight.driver_version, "unseen": to_plain(dict(sight.unseen))}))
"""


def python_of(version: str) -> str:
    """The interpreter of a version, or a skipped test: a shim of pyenv is no proof that there is one."""
    name = f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(name), *(str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/{name}")))]
    for path in found:
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    pytest.skip(f"there is no {name} here")


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the compiled stand-in of the driver's library."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler, and Linux")
    folder = tmp_path_factory.mktemp("nvml")
    library = folder / "libnvidia-ml.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, STAND_IN], check=True)
    return folder


@pytest.fixture
def seen_with(stand_in: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """What a process sees of the GPUs that a driver plays: ``seen_with("gpu A100 40 20")["gpus"]``."""

    def look(*scenario: str, script: str = LOOK, **variables: str) -> dict[str, Any]:
        played = tmp_path / "scenario"
        played.write_text("\n".join(scenario))
        environ = {**os.environ, "LD_LIBRARY_PATH": str(stand_in), "NVML_SCENARIO": str(played), **variables}
        ran = subprocess.run(
            [sys.executable, "-c", script], env=environ, capture_output=True, text=True, timeout=30, check=True
        )
        facts: dict[str, Any] = json.loads(ran.stdout)
        return facts

    return look
