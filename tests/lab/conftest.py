"""The fault lab's bench: lays a fault out, runs its job on real Paddle, and asks the doctor."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.lab.declaration import FAULTS, Ending, Fault, Start, read_faults
from tests.lab.machine import (
    MARK,
    end_all_with,
    may_have_own_processes,
    may_mount,
    neighbour_of,
    own_processes,
    plain_environment,
    with_small_shm,
)

#: What the folder holds for the lab, not for the job.
OURS = ("fault.toml", "make.py", "neighbour.py", "__pycache__")

#: Where a job's output goes, in its folder.
CONSOLE = "console.txt"

#: Seconds after which a process that should have ended is given up: a busy machine may need many.
LONGEST = 300

STARTERS: dict[Start, list[str]] = {
    "plain": [],
    "launch": ["-m", "paddle.distributed.launch", "--nproc_per_node", "2", "--log_dir", "log"],
    "legacy": ["-m", "paddle.distributed.fleet.launch", "--nproc_per_node", "2", "--backend", "gloo"],
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `fault` runs for each that concerns its command, and if it asks for `start`, each start."""
    if "fault" not in metafunc.fixturenames:
        return
    command = metafunc.function.__name__.removeprefix("test_")
    concerned = {name: fault for name, fault in read_faults().items() if getattr(fault, command) is not None}
    if "start" not in metafunc.fixturenames:
        metafunc.parametrize("fault", list(concerned), indirect=True)
        return
    rows = [(name, start) for name, fault in concerned.items() for start in fault.starts]
    # The legacy launcher takes twenty seconds to end: first in, not last out.
    rows.sort(key=lambda row: (row[1] != "legacy", row[1] != "launch"))
    metafunc.parametrize(("fault", "start"), rows, ids=["-".join(row) for row in rows], indirect=["fault"])


def how_it_ended(status: int | None) -> Ending:
    """An exit status in the words of `fault.toml`."""
    return "never" if status is None else "success" if status == 0 else "failure"


def missing_of(patterns: list[str], text: str) -> list[str]:
    """The regular expressions that match nowhere in the text."""
    return [pattern for pattern in patterns if not re.search(pattern, text)]


@dataclass(frozen=True)
class Ended:
    """A process that is over: its exit status (None: it stood still and was ended), output, what it left behind."""

    status: int | None
    output: str
    errors: str
    left: list[str]


@dataclass(frozen=True)
class Report:
    """What of the doctor's JSON the lab looks at."""

    status: int
    verdict: dict[str, Any] | None
    findings: list[dict[str, Any]]
    crashed: list[dict[str, Any]]

    def found(self, *, besides: Iterable[str] = ()) -> dict[str, str]:
        """Names and severities of all findings at or above warning, and of these others."""
        return {
            each["name"]: each["severity"]
            for each in self.findings
            if each["severity"] != "info" or each["name"] in besides
        }


@dataclass(frozen=True)
class Bench:
    """A fault laid out in a folder of its own, with its variables, its files, and its neighbour running.

    `apart` is what stands in front of a command that shall not see the processes of other tests.
    """

    declared: Fault
    folder: Path
    environment: dict[str, str]
    neighbour: str = ""
    apart: list[str] = field(default_factory=list)

    def run_job(self, start: Start) -> Ended:
        """The job, started as its users start it; its output is then in `console.txt`, its ranks' logs in `log/`."""
        declared = self.declared
        assert declared.script is not None
        command = [sys.executable, *STARTERS[start]]
        if start != "plain":
            command += self.filled(declared.launcher_options)
        job = declared.job_of.get(start, declared.job)
        awaited = self.filled(job.says) if job is not None and job.ends == "never" else None
        line = [*self._surroundings(), *command, declared.script, *declared.arguments]
        return self._run(line, CONSOLE, merged=True, awaited=awaited)

    def everything_said(self) -> str:
        """Console and all logs of the job."""
        logs = sorted((self.folder / "log").glob("workerlog.*"))
        return "\n".join(path.read_text(errors="replace") for path in [self.folder / CONSOLE, *logs])

    def ask(self, command: str, arguments: list[str], language: str) -> Report:
        """The doctor's report, as a user gets it: from a process of its own, in the fault's surroundings."""
        # What stands behind `repro`'s script belongs to the job, so the options come first.
        line = [command, "--format", "json", "--lang", language, *self.filled(arguments)]
        sees_all_processes = command in {"env", "scan"}
        if sees_all_processes and not self.apart:  # others' jobs are nobody's business here
            line[1:1] = ["--ignore", "leftover-processes"]
        apart = self.apart if sees_all_processes else []
        ended = self._run([*apart, *self._surroundings(), sys.executable, "-m", "paddle_doctor", *line], "../report")
        assert not ended.left, f"the doctor left processes behind: {ended.left}"
        assert ended.status in {0, 1}, f"exit {ended.status} of {' '.join(line)}: {ended.errors}"
        plain = json.loads(ended.output)
        return Report(ended.status, plain["verdict"], plain["findings"], plain["checks"]["crashed"])

    def filled(self, words: list[str]) -> list[str]:
        """The words with the neighbour's put in."""
        return [word.replace("{neighbour}", self.neighbour) for word in words]

    def _surroundings(self) -> list[str]:
        return with_small_shm() if self.declared.small_shm else []

    def _run(self, command: list[str], output: str, *, merged: bool = False, awaited: list[str] | None = None) -> Ended:
        """Run to the end; or, where that never comes, until all that is awaited is said and the job has stood a while.

        Whatever it started is gone afterwards.
        """
        mark = uuid.uuid4().hex
        out, err = self.folder / output, self.folder.parent / "errors"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env={**self.environment, MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.STDOUT if merged else stderr,
                start_new_session=True,
            )
            status: int | None = None
            try:
                if awaited is not None:
                    self._await(process, awaited)
                status = process.wait(LONGEST if awaited is None else self.declared.patience)
            except subprocess.TimeoutExpired:
                if awaited is None:
                    raise
            finally:
                left = end_all_with(mark)
                process.wait()
        return Ended(status, out.read_text(errors="replace"), err.read_text(errors="replace"), left)

    def _await(self, process: subprocess.Popen[bytes], awaited: list[str]) -> None:
        began = time.monotonic()
        while process.poll() is None and time.monotonic() - began < LONGEST:
            if not missing_of(awaited, self.everything_said()):
                return
            time.sleep(0.2)


@pytest.fixture
def fault(request: pytest.FixtureRequest) -> str:
    """The name of a fault folder."""
    return str(request.param)


@pytest.fixture
def bench(fault: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The fault's folder laid out afresh, and its neighbour running."""
    declared = read_faults()[fault]
    if declared.small_shm and not may_mount():
        pytest.skip("this fault needs a /dev/shm of its own, and mounting (unshare -m) is not permitted here")
    if declared.own_machine and not may_have_own_processes():
        pytest.skip("this fault needs a process table of its own, and that (unshare -p) is not permitted here")
    folder, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    shutil.copytree(FAULTS / fault, folder, ignore=shutil.ignore_patterns(*OURS))
    if (FAULTS / fault / "make.py").exists():
        shutil.copytree(made(fault, tmp_path_factory), folder, dirs_exist_ok=True)
    with own_processes(folder) as apart, neighbour_of(FAULTS / fault / "neighbour.py", home, apart) as said:
        variables = {name: value.replace("{neighbour}", said) for name, value in declared.environment.items()}
        yield Bench(declared, folder, {**plain_environment(home), **variables}, said, apart)


def made(fault: str, factory: pytest.TempPathFactory) -> Path:
    """The folder with what the fault's `make.py` makes, made once for all workers of pytest-xdist."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / f"made-{fault}"
    with (shared / f"made-{fault}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            fresh = shared / f"making-{fault}"
            fresh.mkdir()
            line = [sys.executable, str(FAULTS / fault / "make.py")]
            subprocess.run(line, cwd=fresh, env=plain_environment(fresh), check=True, timeout=60)
            fresh.rename(folder)
    return folder
