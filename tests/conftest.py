"""What all tests share: the doctor as a whole process, and a working folder without anybody's settings."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st

# Enough to meet what is likely; `HYPOTHESIS_PROFILE=thorough make quick` looks further.
settings.register_profile("quick", max_examples=40, deadline=None)
settings.register_profile("thorough", max_examples=2000, deadline=None)
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))  # facts are JSON, which has neither
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_sessionstart() -> None:
    """A run in the background (``nohup``, ``&``) ignores Ctrl-C, and so would the children that are tested for it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


Doctor = Callable[..., subprocess.CompletedProcess[str]]

#: Variables that the doctor itself examines or obeys; a test sets those that it means.
OBEYED = (
    "PADDLE_",
    "FLAGS_",
    "POD_",
    "TRAINING_ROLE",
    "LC_",
    "LANG",
    "PADDLE_DOCTOR_",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
)


def clean_environment(**more: str) -> dict[str, str]:
    """This process's environment without whatever would change what the doctor says, and with UTF-8 output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OBEYED)}
    return {**kept, "PYTHONIOENCODING": "utf-8", **more}


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    """Run ``paddle-doctor`` as a person would, in an empty folder: ``doctor("ckpt", "m.pdparams", LANG="zh_CN")``."""

    def run(*arguments: object, input: str | None = None, cwd: Path | None = None, **environ: str):  # noqa: A002
        return subprocess.run(
            [sys.executable, "-m", "paddle_doctor", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            input=input,
            cwd=cwd or tmp_path,
            env=clean_environment(**environ),
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def report(doctor: Doctor) -> Callable[..., dict]:
    """Run ``paddle-doctor`` and give its JSON report: ``report("ckpt", "m.pdparams")["findings"]``."""

    def run(command: str, *arguments: object, **environ: str) -> dict:
        ran = doctor(command, "--format", "json", *arguments, **environ)
        assert ran.returncode in (0, 1), ran.stderr
        return json.loads(ran.stdout)

    return run
