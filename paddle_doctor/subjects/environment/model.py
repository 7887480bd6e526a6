"""What is known of the machine, the shell, the job's interpreter, its GPUs, processes and ports: facts, no opinions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Why(Enum):
    """Why a part of the machine could not be seen."""

    NO_LIBRARY = "no-library"
    NO_DRIVER = "no-driver"
    VERSION_MISMATCH = "version-mismatch"
    NO_RIGHTS = "no-rights"
    TIMED_OUT = "timed-out"
    NOT_HERE = "not-here"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A part that could not be seen; `detail` is the system's own words and may be empty."""

    why: Why
    detail: str = ""


class ProcessKind(Enum):
    """What a process is in a distributed job."""

    LAUNCHER = "launcher"
    RANK = "rank"
    WORKER = "worker"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A row of the process table. `command` is shortened and holds no secrets; `age` is in seconds.

    `rank` and `world_size` come from the process's own variables and are None where those cannot be read. An orphan
    has lost the process that started it: init or a subreaper is its parent now. `status` is psutil's word for it.
    """

    pid: int
    ppid: int
    name: str
    command: str = ""
    user: str | None = None
    status: str = "running"
    age: float | None = None
    kind: ProcessKind = ProcessKind.OTHER
    rank: int | None = None
    world_size: int | None = None
    endpoint: str | None = None
    orphan: bool = False

    @property
    def zombie(self) -> bool:
        """Whether it has ended and its parent has not taken note of that."""
        return self.status == "zombie"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """The Python that runs the job, as its probe tells.

    `packages` are the installed distributions that matter, name → version. `paddle_version` and `paddle_build`
    (``cpu``, ``cuda 11.8``) are read from Paddle's own files, which say what is imported where the distributions may
    not. `paddle_is_namespace`: a folder ``paddle`` without ``__init__.py`` is all that an import would find.
    `missing_modules` are those of the asked modules that cannot be found. `shadowing` are files and folders of the
    working folder that hide a module which Paddle needs.
    """

    executable: str
    python_version: str
    prefix: str = ""
    platform: str = ""
    start_method: str | None = None
    packages: dict[str, str] = field(default_factory=dict)
    paddle_version: str | None = None
    paddle_build: str | None = None
    paddle_path: str | None = None
    paddle_is_namespace: bool = False
    missing_modules: tuple[str, ...] = ()
    shadowing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """A TCP port that the job would use. `wanted_by` says who names it: variables, ``--port``, ``default``.

    `state` is ``free``, ``listening`` or ``unknown``. The holder's pid, command and user are None where the system
    does not tell them to us.
    """

    number: int
    wanted_by: tuple[str, ...]
    state: str = "free"
    address: str | None = None
    pid: int | None = None
    command: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuProcess:
    """A process that holds memory of a GPU (bytes; None where the driver does not say how much)."""

    pid: int
    memory: int | None = None
    command: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU as NVML sees it; memory in bytes. `hidden` means that CUDA_VISIBLE_DEVICES leaves it out.

    Where `processes_told` is False, the driver does not say who holds the memory.
    """

    index: int
    name: str
    memory_total: int
    memory_used: int
    processes: tuple[GpuProcess, ...] = ()
    processes_told: bool = True
    uuid: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """A memory or file system: bytes in all, and bytes that can still be had."""

    total: int
    free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The machine at one moment. `platform` is `sys.platform` (``linux``, ``darwin``, ``win32``).

    `variables` are those of this shell that matter to a job, secrets hidden. `preset` are the names of those that the
    first process of this machine or container holds with the same value: who started it set them, no earlier job.
    `dangling` are the names of those that name a file which is not there. `addresses` are the names and IP addresses
    by which this machine can be meant. `user` runs this process. `ancestors` are the processes that this one descends
    from, the nearest first; `processes` are those of jobs, and zombies. `unseen` names the parts that could not be
    looked at (``gpus`` or ``gpu N``, ``processes``, ``ports``, ``interpreter``, ``shm``, ``memory``).
    """

    platform: str
    variables: dict[str, str] = field(default_factory=dict)
    preset: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    user: str | None = None
    ancestors: tuple[Process, ...] = ()
    interpreter: Interpreter | None = None
    ports: tuple[Port, ...] = ()
    processes: tuple[Process, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    driver_version: str | None = None
    shm: Space | None = None
    memory: Space | None = None
    unseen: dict[str, Unseen] = field(default_factory=dict)

    def may_end(self, owner: str | None) -> bool:
        """Whether this user may end a process of `owner`, as far as is known."""
        return self.user in (None, "root", owner)

    @property
    def launcher(self) -> Process | None:
        """The launcher that this process runs under, if it is (inside) a rank of a running job."""
        return next((each for each in self.ancestors if each.kind is ProcessKind.LAUNCHER), None)
