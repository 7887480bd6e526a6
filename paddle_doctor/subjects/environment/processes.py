"""The process table, read once: whose processes belong to a job, which have lost their launcher, which are zombies."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path, PurePath

from paddle_doctor.core.secrets import hide_in_text
from paddle_doctor.subjects.environment.model import Process, ProcessKind

LAUNCHER_MODULES = {
    *("paddle.distributed.launch", "paddle.distributed.fleet.launch", "paddle.distributed.run"),
    *("torch.distributed.run", "torch.distributed.launch"),
}
LAUNCHER_PROGRAMS = {"fleetrun", "torchrun", "mpirun", "mpiexec", "orted", "prted", "horovodrun"}
#: Variables that only a launcher sets in its ranks: both of Paddle's (read in their sources), and torchrun.
LAUNCHER_MARKS = ("PADDLE_RANK_IN_NODE", "TORCHELASTIC_RUN_ID")
#: Programs that adopt processes whose parent has died, besides the one with number 1.
REAPERS = {"init", "systemd", "tini", "dumb-init", "docker-init", "catatonit", "conmon", "launchd"}

COMMAND_LIMIT = 160
#: The most rows that are reported: a machine full of zombies is told by fewer.
ROWS_LIMIT = 500
FORKED_AND_NEVER_EXECUTED = 0x40  # PF_FORKNOEXEC of the Linux kernel (include/linux/sched.h)


@dataclass(frozen=True, slots=True)
class Row:
    """What the system tells of a process; `arguments` are empty for zombies and for what may not be looked at."""

    pid: int
    ppid: int
    name: str
    status: str
    created: float | None
    arguments: tuple[str, ...]

    @property
    def is_python(self) -> bool:
        """Whether a Python interpreter runs it, by its name or its command line."""
        program = PurePath(self.arguments[0]).name if self.arguments else ""
        return self.name.startswith(("python", "pypy")) or program.startswith(("python", "pypy"))

    @property
    def is_launcher(self) -> bool:
        """Whether it starts and watches the ranks of a distributed job."""
        words = self.arguments
        if any(PurePath(word).name in LAUNCHER_PROGRAMS for word in words[:2]):
            return True
        if any(word.endswith(("paddle/distributed/launch/__main__.py", "fleet/launch.py")) for word in words[1:4]):
            return True
        return any(word == "-m" and after in LAUNCHER_MODULES for word, after in pairwise(words))

    @property
    def is_spawned(self) -> bool:
        """Whether Python's multiprocessing has started it afresh (spawn, or the server of forkserver)."""
        return any("multiprocessing.spawn" in word or "multiprocessing.forkserver" in word for word in self.arguments)


@dataclass(frozen=True)
class ProcessTable:
    """All processes of the machine, or of this container, by their number."""

    rows: Mapping[int, Row]
    read_at: float = field(default_factory=time.time)

    @classmethod
    def read(cls) -> ProcessTable:
        """The table as it stands now."""
        import psutil

        wanted = ["pid", "ppid", "name", "status", "create_time", "cmdline"]
        infos = (process.info for process in psutil.process_iter(wanted))
        return cls(
            {
                info["pid"]: Row(
                    pid=info["pid"],
                    ppid=info["ppid"] or 0,
                    name=info["name"] or "",
                    status=info["status"] or "",
                    created=info["create_time"],
                    arguments=tuple(info["cmdline"] or ()),
                )
                for info in infos
            }
        )

    def ancestors(self, pid: int) -> tuple[Process, ...]:
        """The processes that `pid` descends from, the nearest first."""
        found: list[Process] = []
        row = self.rows.get(pid)
        while row is not None and len(found) < 64:
            row = self.rows.get(row.ppid)
            if row is not None:
                found.append(self._ancestor(row))
        return tuple(found)

    def _ancestor(self, row: Row) -> Process:
        """An ancestor as a fact; only of a launcher is the command line anybody's business."""
        if row.is_launcher:
            return self.describe(row, kind=ProcessKind.LAUNCHER, environ={})
        return self.describe(replace(row, arguments=()), kind=ProcessKind.OTHER, environ={})

    def of_jobs(self) -> tuple[Process, ...]:
        """Launchers, ranks and DataLoader workers, and every zombie; neither this process nor its ancestors."""
        apart = {os.getpid(), *(each.pid for each in self.ancestors(os.getpid()))}
        rows = (row for pid, row in sorted(self.rows.items()) if pid not in apart)
        described = (self._of_job(row) for row in rows)
        return tuple(each for each in described if each is not None)[:ROWS_LIMIT]

    def describe(self, row: Row, *, kind: ProcessKind, environ: Mapping[str, str], orphan: bool = False) -> Process:
        """A row as a fact: its command shortened, secrets hidden."""
        return Process(
            pid=row.pid,
            ppid=row.ppid,
            name=_shown(row.name),
            command=shortened(row.arguments),
            user=user_of(row.pid),
            status=row.status,
            age=None if row.created is None else max(0.0, round(self.read_at - row.created, 1)),
            kind=kind,
            rank=_number(environ, "PADDLE_TRAINER_ID", "RANK"),
            world_size=_number(environ, "PADDLE_TRAINERS_NUM", "WORLD_SIZE"),
            endpoint=_endpoint(environ.get("PADDLE_CURRENT_ENDPOINT", "")),
            orphan=orphan,
        )

    def _of_job(self, row: Row) -> Process | None:
        if row.status == "zombie":
            return self.describe(row, kind=self._kind_of_zombie(row), environ={})
        if row.is_launcher:
            return self.describe(row, kind=ProcessKind.LAUNCHER, environ={})
        if not row.is_python:
            return None
        environ = _environ(row.pid)
        if self._is_worker(row, environ):
            return self.describe(row, kind=ProcessKind.WORKER, environ=environ, orphan=self._has_lost_parent(row))
        if _is_rank(environ):
            launched = any(mark in environ for mark in LAUNCHER_MARKS)
            return self.describe(
                row, kind=ProcessKind.RANK, environ=environ, orphan=launched and self._has_lost_parent(row)
            )
        return None

    def _is_worker(self, row: Row, environ: Mapping[str, str]) -> bool:
        """Whether another Python process of a job has started it: spawned, or forked and running the same command."""
        if not (row.is_spawned or _was_forked(row.pid)):
            return False
        return _is_rank(environ) or _holds_paddle(row.pid)

    def _kind_of_zombie(self, row: Row) -> ProcessKind:
        parent = self.rows.get(row.ppid)
        if parent is None or not parent.is_python:
            return ProcessKind.OTHER
        if parent.is_launcher:
            return ProcessKind.RANK
        return ProcessKind.WORKER if _is_rank(_environ(parent.pid)) else ProcessKind.OTHER

    def _has_lost_parent(self, row: Row) -> bool:
        """Whether init or another reaper has adopted it. A parent of number 0 is alive, outside of this container."""
        parent = self.rows.get(row.ppid)
        if parent is None:
            return row.ppid != 0
        if parent.is_launcher or not (parent.pid == 1 or parent.name in REAPERS):
            return False
        # What a container's first process has started itself lives in its session; what a launcher started does not.
        return self._session(row.pid) != self._session(parent.pid)

    @staticmethod
    def _session(pid: int) -> int | None:
        try:
            return os.getsid(pid)
        except (OSError, AttributeError):  # gone, not ours to ask, or Windows
            return None

    @cached_property
    def in_own_namespace(self) -> bool:
        """Whether process numbers here are not those of the machine (a container): NVML speaks of the machine's."""
        try:
            return Path("/proc/self/ns/pid").stat().st_ino != 0xEFFFFFFC  # PROC_PID_INIT_INO of the Linux kernel
        except OSError:
            return False


def shortened(arguments: Sequence[str]) -> str:
    """A command line in at most `COMMAND_LIMIT` characters, secrets hidden."""
    text = hide_in_text(_shown(" ".join(arguments)[: COMMAND_LIMIT * 20]))
    return text if len(text) <= COMMAND_LIMIT else text[: COMMAND_LIMIT - 1] + "…"


def user_of(pid: int) -> str | None:
    """The name of the process's user, or None where the system does not tell."""
    import psutil

    try:
        return psutil.Process(pid).username()
    except (psutil.Error, OSError, KeyError):
        return None


def _environ(pid: int) -> dict[str, str]:
    """The variables of another process; empty where they may not be read (another user's)."""
    import psutil

    try:
        return psutil.Process(pid).environ()
    except (psutil.Error, OSError):
        return {}


def _is_rank(environ: Mapping[str, str]) -> bool:
    paddle = "PADDLE_TRAINER_ID" in environ and ("PADDLE_TRAINERS_NUM" in environ or "PADDLE_RANK_IN_NODE" in environ)
    return paddle or "TORCHELASTIC_RUN_ID" in environ


def _was_forked(pid: int) -> bool:
    """Whether the process is a fork that has executed no program since: what a DataLoader worker is on Linux."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    fields = stat[stat.rfind(")") + 2 :].split()  # behind the name, which may hold spaces: proc(5)
    return len(fields) > 6 and bool(int(fields[6]) & FORKED_AND_NEVER_EXECUTED)


def _holds_paddle(pid: int) -> bool:
    """Whether Paddle's library is loaded in the process."""
    return any("libpaddle" in line or "core_avx" in line for line in _maps(pid))


def _maps(pid: int) -> Iterator[str]:
    try:
        with Path(f"/proc/{pid}/maps").open(encoding="utf-8", errors="replace") as file:
            yield from file
    except OSError:
        return


def _number(environ: Mapping[str, str], *names: str) -> int | None:
    for name in names:
        value = environ.get(name, "")
        if value.isdecimal() and len(value) < 10:
            return int(value)
    return None


def _endpoint(value: str) -> str | None:
    return hide_in_text(_shown(value[:COMMAND_LIMIT])) or None


def _shown(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
