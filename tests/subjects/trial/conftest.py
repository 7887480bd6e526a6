"""A tiny stand-in for Paddle with the functions that the shim watches, so that most tests need no real one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paddle_doctor.subjects.trial.interventions import SHIM

MODULES = {
    "__init__.py": "from paddle.framework.io import load\nfrom paddle import io, nn\n",
    "nn/__init__.py": "from paddle.nn.layer.layers import Layer\n",
    "nn/layer/__init__.py": "",
    "nn/layer/layers.py": '''
class Layer:
    keys = ("weight", "bias")
    def set_state_dict(self, state_dict, use_structured_name=True):
        """Answers as Paddle's does."""
        missing = [key for key in self.keys if key not in state_dict]
        unexpected = [key for key in state_dict if key not in self.keys]
        def nested():
            return "never woven"
        assert nested() == "never woven"
        return missing, unexpected
    set_dict = load_dict = set_state_dict
''',
    "framework/__init__.py": "",
    "framework/io.py": '''
def load(path, **configs):
    """Reads Python source where Paddle reads a pickle."""
    with open(path) as file:
        text = file.read()
    if not text:
        raise EOFError("Ran out of input")
    return eval(text)
''',
    "io/__init__.py": "from paddle.io.reader import DataLoader\n",
    "io/reader.py": """
from paddle.io.dataloader.dataloader_iter import _DataLoaderIterMultiProcess, _DataLoaderIterSingleProcess
class DataLoader:
    def __init__(self, dataset, num_workers=0):
        self.dataset, self.num_workers, self.use_shared_memory = dataset, num_workers, num_workers > 0
    def __iter__(self):
        return (_DataLoaderIterMultiProcess if self.num_workers else _DataLoaderIterSingleProcess)(self)
""",
    "io/dataloader/__init__.py": "",
    "io/dataloader/dataloader_iter.py": """
import os, queue, threading
class _DataLoaderIterSingleProcess:
    def __init__(self, loader):
        self.dataset, self.queue = loader.dataset, queue.Queue()
        threading.Thread(target=self._thread_loop, daemon=True).start()
    def __iter__(self):
        return self
    def _thread_loop(self):
        for number in range(len(self.dataset)):
            self.queue.put([self.dataset[number]])
        self.queue.put(None)
    def __next__(self):
        batch = self.queue.get()
        if batch is None:
            raise StopIteration
        return batch
class _DataLoaderIterMultiProcess:
    def __init__(self, loader):
        self.dataset, self.next = loader.dataset, -1
    def __iter__(self):
        return self
    def __next__(self):
        os.environ["IN_A_WORKER"] = "1"
        self.next += 1
        if self.next == len(self.dataset):
            raise StopIteration
        try:
            return [self.dataset[self.next]]
        except ArithmeticError:
            raise SystemError("(Fatal) DataLoader process (pid 7) exited is killed by signal: Killed.") from None
""",
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder with the stand-in for Paddle in it."""
    for name, source in MODULES.items():
        file = tmp_path / "paddle" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    return tmp_path


@pytest.fixture
def script(world: Path) -> Callable[[str], Path]:
    """Write the job's script and give its path."""

    def write(source: str, name: str = "job.py") -> Path:
        path = world / name
        path.write_text(source)
        return path

    return write


@pytest.fixture
def under_the_shim(world: Path) -> Callable[..., tuple[subprocess.CompletedProcess[bytes], Path]]:
    """Run a script with the shim in front: what came of it, and the events file."""

    def run(path: Path, *, change: str = "", python: str = sys.executable, **environ: str):
        events = world / "events"
        events.write_bytes(b"")
        ran = subprocess.run(
            [python, str(path)],
            capture_output=True,
            cwd=world,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PADDLE_"))},
                "PYTHONPATH": str(SHIM),
                "PADDLE_DOCTOR_EVENTS": str(events),
                **({"PADDLE_DOCTOR_CHANGE": change} if change else {}),
                **environ,
            },
            timeout=60,
            check=False,
        )
        return ran, events

    return run
