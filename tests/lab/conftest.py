"""The fault lab's bench: reads what a fault folder declares, runs its job on real Paddle, and asks the doctor."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import psutil
import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAULTS = Path(__file__).parent / "faults"

#: Every process of a job carries this variable; what still has it when the job is over is ended by it.
MARK = "LAB_JOB"

#: What the folder holds for the lab, not for the job.
OURS = ("fault.toml", "make.py", "neighbour.py", "__pycache__")

Launch = Literal["plain", "launch", "legacy"]
Severity = Literal["error", "warning", "info"]
LAUNCHERS: dict[Launch, list[str]] = {
    "plain": [],
    "launch": ["-m", "paddle.distributed.launch", "--nproc_per_node", "2", "--log_dir", "log"],
    "legacy": ["-m", "paddle.distributed.fleet.launch", "--nproc_per_node", "2", "--backend", "gloo"],
}


class Words(msgspec.Struct, forbid_unknown_fields=True):
    """The fault in one line."""

    en: str
    zh: str


class Job(msgspec.Struct, forbid_unknown_fields=True):
    """How the job ends on real Paddle, and what (regular expressions) its console and logs then hold."""

    ends: Literal["success", "failure", "never"]
    says: list[str] = []


class Log(msgspec.Struct, forbid_unknown_fields=True):
    """What `log` must say. `inputs` are its arguments, one run for each; `at_most` caps the certainty.

    Where Paddle reports a fault in one of two ways by chance: this holds if what was said matches `when`, else
    `otherwise`.
    """

    causes: list[str]
    rank: int | None = None
    at_most: Literal["likely", "possible"] | None = None
    evidence: list[str] = []
    consequences: list[str] = []
    inputs: list[str] | None = None
    when: str = ""
    otherwise: Log | None = None


class Found(msgspec.Struct, forbid_unknown_fields=True):
    """What `scan`, `ckpt` or `env` must find: names of checks with the severity of their finding; and nothing worse."""

    finds: dict[str, Severity] = {}
    arguments: list[str] = []


class Repro(msgspec.Struct, forbid_unknown_fields=True):
    """What `repro` must say of the job started by plain python. `options` stand before the script.

    A slow one, whose rungs stand still until their time is over, is asked in one language only.
    """

    causes: list[str]
    options: list[str] = []
    slow: bool = False


class Fault(msgspec.Struct, forbid_unknown_fields=True):
    """A `fault.toml`: the fault, how its job is started, and what is to be expected of whom.

    A job that stands still is ended after `patience` seconds. `launch` and `legacy` override `log` for that launcher.
    `{neighbour}` in a value stands for the first line that the folder's `neighbour.py` prints.
    """

    title: Words
    job: Job
    script: str | None = None
    starts: tuple[Launch, ...] = ("plain",)
    patience: int = 60
    launcher_options: list[str] = []
    environment: dict[str, str] = {}
    small_shm: bool = False
    log: Log | None = None
    log_of: dict[Launch, Log] = {}
    job_of: dict[Launch, Job] = {}
    scan: Found | None = None
    ckpt: Found | None = None
    env: Found | None = None
    repro: Repro | None = None


def read_faults() -> dict[str, Fault]:
    """All faults by the name of their folder."""
    return {
        path.parent.name: msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Fault)
        for path in sorted(FAULTS.glob("*/fault.toml"))
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


@dataclass(frozen=True)
class Ended:
    """A process that is over: its exit status (None: it stood still and was ended), its output, the seconds it took."""

    status: int | None
    output: str
    errors: str
    seconds: float


@dataclass(frozen=True)
class Bench:
    """A fault laid out in a folder of its own, with its variables, its files, and its neighbour running."""

    declared: Fault
    folder: Path
    environment: dict[str, str]
    neighbour: str

    def run_job(self, start: Launch) -> Ended:
        """The job, started as its users start it; its output is then in `console.txt`, its ranks' logs in `log/`."""
        assert self.declared.script is not None
        command = [sys.executable, *LAUNCHERS[start]]
        if start != "plain":
            command += self.filled(self.declared.launcher_options)
        ended = self._run([*command, self.declared.script], self.declared.patience, merged=True)
        (self.folder / "console.txt").write_text(ended.output, encoding="utf-8")
        return ended

    def everything_said(self) -> str:
        """Console and all logs of the job."""
        logs = sorted((self.folder / "log").glob("workerlog.*"))
        return "\n".join(path.read_text(errors="replace") for path in [self.folder / "console.txt", *logs])

    def ask(self, command: str, arguments: list[str], language: str) -> Report:
        """The doctor's report, as a user gets it: from a process of its own, in the fault's surroundings."""
        words = [command, "--format", "json", "--lang", language]
        if command == "repro":  # what stands behind the script belongs to the job
            line = [*words, *self.filled(arguments)]
        else:
            line = [command, *self.filled(arguments), *words[1:]]
        ended = self._run([sys.executable, "-m", "paddle_doctor", *line], patience=240)
        assert ended.status in {0, 1}, f"exit {ended.status} of {' '.join(line)}: {ended.errors}"
        return Report(status=ended.status, **self._facts_of(ended.output))

    def _facts_of(self, output: str) -> dict[str, Any]:
        plain: dict[str, Any] = json.loads(output)
        return {"verdict": plain["verdict"], "findings": plain["findings"], "crashed": plain["checks"]["crashed"]}

    def filled(self, words: list[str]) -> list[str]:
        return [word.replace("{neighbour}", self.neighbour) for word in words]

    def _run(self, command: list[str], patience: float, *, merged: bool = False) -> Ended:
        """Run to the end, or for so many seconds; whatever it started is gone afterwards."""
        mark = uuid.uuid4().hex
        began = time.monotonic()
        output, errors = self.folder / ".output", self.folder / ".errors"
        with output.open("wb") as out, errors.open("wb") as err:
            process = subprocess.Popen(
                [*small_shm_of(self.declared), *command],
                cwd=self.folder,
                env={**self.environment, MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT if merged else err,
                start_new_session=True,
            )
            try:
                status: int | None = process.wait(patience)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                left = end_all_with(mark)
                process.wait()
        assert merged or not left, f"{command} left processes behind: {left}"
        seconds = time.monotonic() - began
        said = output.read_text(errors="replace"), errors.read_text(errors="replace")
        output.unlink()
        errors.unlink()
        return Ended(status, *said, seconds)


@dataclass(frozen=True)
class Report:
    """What of the doctor's JSON the lab looks at."""

    status: int
    verdict: dict[str, Any] | None
    findings: list[dict[str, Any]]
    crashed: list[dict[str, Any]]

    def grave(self) -> dict[str, str]:
        """Names and severities of all findings at or above warning."""
        return {found["name"]: found["severity"] for found in self.findings if found["severity"] != "info"}

    def found(self, name: str) -> list[dict[str, Any]]:
        """The findings of one check."""
        return [found for found in self.findings if found["name"] == name]


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
    folder = tmp_path / fault
    shutil.copytree(FAULTS / fault, folder, ignore=shutil.ignore_patterns(*OURS))
    if (FAULTS / fault / "make.py").exists():
        shutil.copytree(made(fault, tmp_path_factory), folder, dirs_exist_ok=True)
    with neighbour_of(fault, tmp_path) as said:
        variables = {name: value.replace("{neighbour}", said) for name, value in declared.environment.items()}
        yield Bench(declared, folder, {**plain_environment(tmp_path), **variables}, said)


def plain_environment(home: Path) -> dict[str, str]:
    """A shell without any trace of a distributed job."""
    venv = Path(sys.executable).parent
    return {
        "PATH": f"{venv}{os.pathsep}{os.defpath}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "VIRTUAL_ENV": str(venv.parent),
    }


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
            script = FAULTS / fault / "make.py"
            subprocess.run([sys.executable, script], cwd=fresh, env=plain_environment(fresh), check=True, timeout=60)
            fresh.rename(folder)
    return folder


@contextlib.contextmanager
def neighbour_of(fault: str, home: Path) -> Iterator[str]:
    """Runs the fault's `neighbour.py`, where it has one, and gives the first line that it prints."""
    script = FAULTS / fault / "neighbour.py"
    if not script.exists():
        yield ""
        return
    mark = uuid.uuid4().hex
    environment = {**plain_environment(home), MARK: mark}
    process = subprocess.Popen([sys.executable, script], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        end_all_with(mark)
        process.communicate()


def small_shm_of(fault: Fault) -> list[str]:
    """What to put in front of a command so that it sees a /dev/shm of 4 MB, if the fault is that."""
    if not fault.small_shm:
        return []
    mount = 'mount -t tmpfs -o size=4m tmpfs /dev/shm && exec "$@"'
    return ["unshare", "-m", "sh", "-c", mount, "sh"]


def may_mount() -> bool:
    """Whether this user may give a process a /dev/shm of its own."""
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=4m tmpfs /dev/shm"]
    return subprocess.run(probe, capture_output=True, timeout=10, check=False).returncode == 0


def end_all_with(mark: str) -> list[str]:
    """End every process that carries the mark (a launcher's ranks have groups of their own); what they were."""
    ended: list[str] = []
    while found := [process for process in psutil.process_iter() if carries(process, mark)]:
        for process in found:
            with contextlib.suppress(psutil.Error):
                ended.append(" ".join(process.cmdline()))
                process.send_signal(signal.SIGKILL)
        psutil.wait_procs(found, timeout=5)
    return ended


def carries(process: psutil.Process, mark: str) -> bool:
    """Whether a process is alive and was started, however indirectly, with this mark."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == mark
    except psutil.Error:
        return False
