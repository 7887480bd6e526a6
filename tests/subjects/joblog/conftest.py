"""What the tests of logs share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from paddle_doctor.core.registry import load_signatures
from paddle_doctor.subjects.joblog import JobLog, LogFile, gather_joblog, joblog_of

Read = Callable[[str], LogFile]


@pytest.fixture(scope="session")
def signatures():
    return load_signatures()


@pytest.fixture
def worker(signatures) -> Read:
    """The facts of a text as rank 1's own log."""
    return lambda text: joblog_of({"workerlog.1": text}, signatures).files[0]


@pytest.fixture
def console(signatures) -> Read:
    """The facts of a text as a console shows it."""
    return lambda text: joblog_of({"console.txt": text}, signatures).files[0]


@pytest.fixture
def gather(signatures, tmp_path: Path) -> Callable[..., JobLog]:
    """Write files (name to text or bytes) and gather them: ``gather({"log/workerlog.0": b"..."}, "log")``."""

    def write_and_gather(files: dict[str, bytes | str], *paths: str) -> JobLog:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return gather_joblog([tmp_path / path for path in paths], signatures)

    return write_and_gather
