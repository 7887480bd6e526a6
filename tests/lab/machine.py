"""The machine that a fault is laid out on: a clean shell, a process table of its own, a small /dev/shm, a neighbour."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import psutil

#: Every process that the lab starts carries this variable; by it what is left of a job is found and ended.
MARK = "LAB_JOB"

#: An ordinary user may make namespaces only inside a user namespace of his own.
AS_ROOT = [] if os.geteuid() == 0 else ["--map-root-user"]
ENTER_AS_ROOT = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
SMALL_SHM = ["unshare", *AS_ROOT, "--mount", "sh", "-c"]
MOUNT_SMALL_SHM = "mount -t tmpfs -o size=4m tmpfs /dev/shm"


def plain_environment(home: Path) -> dict[str, str]:
    """A shell without any trace of a distributed job."""
    venv = Path(sys.executable).parent
    return {
        "PATH": f"{venv}{os.pathsep}{os.defpath}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "VIRTUAL_ENV": str(venv.parent),
    }


@cache
def may_mount() -> bool:
    """Whether this user may give a process a /dev/shm of its own."""
    return _works([*SMALL_SHM, MOUNT_SMALL_SHM])


@cache
def may_have_own_processes() -> bool:
    """Whether this user may give processes a process table of their own."""
    return _works(["unshare", *AS_ROOT, "--pid", "--fork", "--mount-proc", "true"])


def with_small_shm() -> list[str]:
    """What to put in front of a command so that it sees a /dev/shm of 4 MB."""
    return [*SMALL_SHM, f'{MOUNT_SMALL_SHM} && exec "$@"', "sh"]


@contextlib.contextmanager
def own_processes(home: Path) -> Iterator[list[str]]:
    """What to put in front of commands so that they see one another and no other process of this machine.

    The lab's jobs run side by side; their zombies and ranks are nobody else's business. Empty where not permitted.
    """
    if not may_have_own_processes():
        yield []
        return
    line = ["unshare", *AS_ROOT, "--pid", "--fork", "--kill-child", "--mount-proc", "sleep", "3600"]
    holder = subprocess.Popen(line, env=plain_environment(home))
    try:
        first = _child_of(holder.pid, named="sleep")
        yield ["nsenter", *ENTER_AS_ROOT, "--target", str(first), "--pid", "--mount", f"--wd={home}"]
    finally:
        holder.kill()
        holder.wait()


@contextlib.contextmanager
def neighbour_of(script: Path, home: Path, prefix: list[str]) -> Iterator[str]:
    """Runs what else the fault needs on the machine, if anything, and gives the first line that it prints."""
    if not script.exists():
        yield ""
        return
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        [*prefix, sys.executable, str(script)],
        cwd=home,
        env={**plain_environment(home), MARK: mark},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline().strip()
        assert said, f"{script} ended without a word"
        yield said
    finally:
        end_all_with(mark)
        process.communicate()


def end_all_with(mark: str) -> list[str]:
    """End every process that carries the mark (a launcher's ranks have groups of their own); what they were."""
    ended: list[str] = []
    while found := [process for process in psutil.process_iter() if _carries(process, mark)]:
        for process in found:
            with contextlib.suppress(psutil.Error):
                ended.append(" ".join(process.cmdline()))
                process.send_signal(signal.SIGKILL)
        psutil.wait_procs(found, timeout=5)
    return ended


def _carries(process: psutil.Process, mark: str) -> bool:
    try:
        environ: Mapping[str, str] = process.environ()
        return process.status() != psutil.STATUS_ZOMBIE and environ.get(MARK) == mark
    except psutil.Error:
        return False


def _child_of(pid: int, *, named: str) -> int:
    for _ in range(500):
        for child in psutil.Process(pid).children():
            if child.name() == named:
                return child.pid
        time.sleep(0.01)
    raise AssertionError(f"process {pid} has not started {named}")


def _works(line: list[str]) -> bool:
    if shutil.which(line[0]) is None:
        return False
    return subprocess.run(line, capture_output=True, timeout=10, check=False).returncode == 0
