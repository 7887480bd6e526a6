"""What launchers say: which rank failed with which code, whom they blame, whom they stopped."""

from __future__ import annotations

import re

from paddle_doctor.subjects.joblog.model import FailedContainer, Launcher
from paddle_doctor.subjects.joblog.times import Clock

_LAUNCH = re.compile(r"\bL?AUNCH (?:INFO|ERROR|WARNING|DEBUG) |\bcontroller\.py:\d+|\] Pod failed")
_LEGACY = re.compile(r"\b(?:launch_utils|launch|utils)\.py:\d+(?:\]| -)|^-{5,} {1,3}Configuration Arguments -{5,}")
_CONTAINER = re.compile(
    r"Container rank (?P<rank>\d{1,6}) status failed cmd .{0,3000}? code (?P<code>-?\d{1,10})(?: l"
    r"og (?P<log>\S{1,400}))?"
)
_ABORT = re.compile(
    r"Out of all (?P<size>\d{1,6}) trainers, the trainer process with rank=\[(?P<ranks>[\d, ]{0,4000})\]"
)
_EXIT = re.compile(r"\bExit code (?P<code>-?\d{1,10})")
_SIGNALLED = re.compile(r"(?:Terminating|Exit) with signal (?P<signal>\d{1,3})")
_GROUP = re.compile(r"terminate process group gid:(?P<pid>\d{1,10})")
_PROC = re.compile(r"launch proc_id:(?P<pid>\d{1,10}) idx:(?P<rank>\d{1,6})")
_SIZE = re.compile(
    r"(?:Local start (?P<start>\d{1,6}) processes|replicas (?P<replicas>\d{1,6}), status"
    r"|nproc_per_node: (?P<per_node>\d{1,6}))"
)
_LOG_DIR = re.compile(r"\blog_dir: (?P<dir>\S{1,400})")
_SPAWN = re.compile(
    r"Process (?P<rank>\d{1,6}) terminated with (?:exit code (?P<code>-?\d{1,10})|signal (?P<signal>SIG\w+))"
)
_TORCHRUN = re.compile(r"failed \(exitcode: (?P<code>-?\d{1,10})\) local_rank: (?P<rank>\d{1,6})")
_STARTED = re.compile(r"Watching Pod|launch proc_id:|Local start \d+ processes|Run Pod")
DETAIL = "ERROR LOG DETAIL"
#: A cheap test that no launcher's line fails.
_ANY = (
    "LAUNCH ",
    "AUNCH ",
    ".py:",
    "Container ",
    "terminate",
    "proc_id",
    "ABORT",
    "Exit code",
    "nproc",
    "log_dir",
    "terminated",
    "exitcode",
    "Pod failed",
)
MOST_FAILED = 4096


class LauncherReader:
    """Fed line by line; knows what the launcher said, and whose output a console shows at the moment."""

    def __init__(self) -> None:
        self._name: str | None = None
        self._first: tuple[int, str] = (0, "")
        self._failed: list[FailedContainer] = []
        self._blamed: tuple[int, ...] = ()
        self._blame: tuple[int, str] | None = None
        self._values: dict[str, int] = {}
        self._log_dir: str | None = None
        self._keeps_logs = True
        self._gave_up = False
        self._completed = False
        self._pids: dict[str, int] = {}
        self._stopped: list[int] = []
        self._time: float | None = None
        #: The rank whose output follows in this console, once ranks run.
        self.speaker: int | None = None

    def feed(self, number: int, text: str, time: Clock) -> bool:
        """Take one line in; True if it is the launcher's own."""
        if not any(sign in text for sign in _ANY):
            return False
        name = "launch" if _LAUNCH.search(text) else "legacy" if _LEGACY.search(text) else None
        known = self._take(number, text, time)
        if name or known:
            if self._name is None or (self._name == "launch" and known == "legacy"):
                self._name = name or known
                self._first = (number, text.strip())
            return True
        return False

    @property
    def over(self) -> bool:
        """Whether it has said that its job is at an end."""
        return self._gave_up or self._completed

    def facts(self) -> Launcher | None:
        """What was heard; None if no launcher spoke."""
        if self._name is None:
            return None
        return Launcher(
            name=self._name,
            line=self._first[0],
            text=self._first[1],
            failed=tuple(self._failed),
            blamed=self._blamed,
            blame_line=self._blame[0] if self._blame else None,
            blame_text=self._blame[1] if self._blame else None,
            gave_up=self._gave_up,
            exit_code=self._values.get("exit"),
            signalled=self._values.get("signal"),
            world_size=self._values.get("size"),
            log_dir=self._log_dir,
            keeps_logs=self._keeps_logs,
            pids=dict(self._pids),
            stopped=tuple(self._stopped),
            time=self._time,
        )

    def _take(self, number: int, text: str, time: Clock) -> str | None:
        """Note what the line says; the launcher that alone says such a thing."""
        if _STARTED.search(text) and self.speaker is None:
            self.speaker = 0
        for reader in (self._container, self._legacy, self._end, self._start, self._others):
            if known := reader(number, text, time):
                return known
        return None

    def _container(self, number: int, text: str, time: Clock) -> str | None:
        if DETAIL in text:
            self.speaker = self._failed[-1].rank if self._failed else None
            return "launch"
        if "Container rank" in text and (found := _CONTAINER.search(text)):
            self._gave_up = True
            if len(self._failed) < MOST_FAILED:
                cut = (
                    text[: text.find(" cmd ")]
                    + f" ... code {found['code']}"
                    + (f" log {found['log']}" if found["log"] else "")
                )
                self._failed.append(
                    FailedContainer(
                        line=number, text=cut, rank=int(found["rank"]), code=int(found["code"]), log=found["log"]
                    )
                )
            return "launch"
        if "Pod failed" in text or "Container failed" in text:
            self._gave_up = True
            self._time = self._time or time()
            return "launch"
        return None

    def _legacy(self, number: int, text: str, time: Clock) -> str | None:
        if found := _ABORT.search(text):
            ranks = [part for part in re.split(r"[,\s]+", found["ranks"]) if part]
            self._blamed = tuple(int(part) for part in ranks[:MOST_FAILED] if len(part) < 8)
            self._blame = self._blame or (number, text.strip())
            self._values["size"] = int(found["size"])
            self._gave_up = True
            return "legacy"
        if "terminate all the procs" in text:
            self._gave_up = True
            self._time = self._time or time()
            return "legacy"
        if found := _GROUP.search(text):
            self._time = self._time or time()
            if len(self._stopped) < MOST_FAILED and int(found["pid"]) not in self._stopped:
                self._stopped.append(int(found["pid"]))
            return "legacy"
        if found := _PROC.search(text):
            self._pids[found["rank"]] = int(found["pid"])
            return "legacy"
        return None

    def _end(self, _number: int, text: str, _time: Clock) -> str | None:
        if "Local processes completed" in text or "Pod completed" in text:
            self._completed = True
        elif "LAUNCH" in text and (found := _EXIT.search(text)):
            self._values["exit"] = int(found["code"])
            self.speaker = None
        elif found := _SIGNALLED.search(text):
            self._values["signal"] = int(found["signal"])
        else:
            return None
        return "launch" if "LAUNCH" in text else "legacy"

    def _start(self, _number: int, text: str, _time: Clock) -> str | None:
        if found := _SIZE.search(text):
            size = next(int(value) for value in found.groups() if value)
            self._values.setdefault("size", size)
        if found := _LOG_DIR.search(text):
            self._log_dir = None if found["dir"] == "None" else found["dir"]
            self._keeps_logs = found["dir"] != "None"
        return None

    def _others(self, number: int, text: str, _time: Clock) -> str | None:
        found = _SPAWN.search(text)
        name = "spawn"
        if not found:
            found = _TORCHRUN.search(text)
            name = "torchrun"
        if not found:
            return None
        self._gave_up = True
        code = found["code"] or "-1"
        if len(self._failed) < MOST_FAILED:
            self._failed.append(
                FailedContainer(line=number, text=text.strip(), rank=int(found["rank"]), code=int(code))
            )
        return name
