"""Helpers for the tests of the checkpoint's subject."""

import io
from pathlib import Path

import pytest

from paddle_doctor.subjects.checkpoint import Checkpoint, gather_checkpoint
from paddle_doctor.subjects.checkpoint.pickle_reading import read_pickle


@pytest.fixture
def gather(tmp_path: Path):
    """Look into a file with these bytes: ``gather(b"...", "model.pdparams")``."""

    def look(data: bytes, name: str = "model.pdparams") -> Checkpoint:
        path = tmp_path / name
        path.write_bytes(data)
        return gather_checkpoint(path)

    return look


@pytest.fixture
def follow_bytes():
    """Read bytes as a pickle, without a file."""

    def look(data: bytes) -> Checkpoint | None:
        return read_pickle("m.pdparams", io.BytesIO(data), len(data), marked=data.startswith(b"\x80"))

    return look
