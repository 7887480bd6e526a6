"""What failing jobs print when the host's memory, a disk or the table of open files runs out."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_NO_MEMORY = Text("The host had no memory left for an allocation.", "主机内存不足，申请失败。")

SIGNATURES = (
    Signature(
        id="kernel-oom-kill",
        pattern=r"Out of memory: Kill(?:ed)? process (?P<pid>\d{1,10})|[Mm]emory cgroup out of memory"
        r"|oom-kill:|invoked oom-killer|\bOOMKilled\b|oom_reaper: reaped",
        role=Role.ROOT,
        cause="host-oom-kill",
        says=Text("The kernel killed a process because memory ran out.", "内存耗尽，内核杀死了进程。"),
        matches=(
            "[1234.5] Out of memory: Killed process 8841 (python3) total-vm:90000000kB",
            "Memory cgroup out of memory: Killed process 1 (python)",
            "reason: OOMKilled",
        ),
    ),
    Signature(
        id="worker-killed",
        pattern=r"DataLoader process \(pid\s{1,3}(?P<pid>\d{1,10})\) exited is killed by signal: Killed",
        role=Role.ROOT,
        cause="host-oom-kill",
        certainty=Certainty.LIKELY,
        says=Text(
            "A DataLoader worker (process {pid}) was killed; the kernel does that when memory runs out.",
            "DataLoader worker（进程 {pid}）被强行杀死；内存耗尽时内核会这样做。",
        ),
        matches=(
            (
                "SystemError: (Fatal) DataLoader process (pid   4711) exited is killed by signal: Killed. "
                "(at data_loader.cc:181)"
            ),
        ),
    ),
    Signature(
        id="shell-killed",
        pattern=r"^(?:\S{0,100}: line \d{1,6}:\s{1,4}\d{1,10} )?(?:Killed|已杀死"
        r"|已终止运行)(?:\s{2,40}\S.{0,200})?$"
        r"|^\[\d{1,4}\][+-]?\s{1,10}\d{0,10}\s{0,4}(?:Killed|已杀死)\b|^zsh: killed\b",
        role=Role.ROOT,
        cause="host-oom-kill",
        certainty=Certainty.LIKELY,
        says=Text(
            "The process was killed with SIGKILL; the kernel does that when memory runs out.",
            "进程被 SIGKILL 杀死；内存耗尽时内核会这样做。",
        ),
        matches=(
            "Killed",
            "已杀死",
            "run.sh: line 46:  1881 Killed                  python train.py",
            "zsh: killed     python3 train.py",
        ),
        misses=("Blocking queue is killed because the data reader raises an exception.",),
    ),
    Signature(
        id="errno-12",
        pattern=r"\[Errno 12\]|Fail to alloc memory of \d{1,30} size, error code is 12"
        r"|[Uu]nable to allocate [\d.]{1,20} ?[KMGT]i?B for an array"
        r"|Cannot malloc [\d.]{1,30} MB CPU memory"
        r"|DefaultCPUAllocator: .{0,40}(?:not enough|can't allocate) memory",
        role=Role.ROOT,
        cause="host-oom-kill",
        says=_NO_MEMORY,
        matches=(
            "OSError: [Errno 12] Cannot allocate memory",
            "MemoryError: (ResourceExhausted) Fail to alloc memory of 268435456000 size, error code is 12.",
            (
                "numpy.core._exceptions.MemoryError: Unable to allocate 7.45 GiB for an array with shape "
                "(1000, 1000, 1000)"
            ),
        ),
    ),
    Signature(
        id="bad-alloc",
        pattern=r"\bstd::bad_alloc\b|^(?:numpy\.\S{0,60}\.)?_?(?:Array)?MemoryError\b",
        role=Role.ROOT,
        cause="host-oom-kill",
        certainty=Certainty.LIKELY,
        says=_NO_MEMORY,
        matches=("terminate called after throwing an instance of 'std::bad_alloc'", "MemoryError"),
    ),
    Signature(
        id="host-starving",
        pattern=r"bvar is busy at sampling for \d{1,4} seconds",
        role=Role.CONFIRMATION,
        cause="host-oom-kill",
        certainty=Certainty.POSSIBLE,
        says=Text("The host was very short of memory or CPU time.", "主机内存或 CPU 极度紧张。"),
        matches=("W1201 bvar is busy at sampling for 2 seconds!",),
    ),
    Signature(
        id="shared-memory-no-space",
        pattern=r"(?:semaphore|SemLock|RawArray|heap\.py|Queue|/dev/shm).{0,200}No space left on device"
        r"|No space left on device.{0,120}/dev/shm",
        role=Role.ROOT,
        cause="shm-exhausted",
        says=Text("Shared memory (/dev/shm) is full.", "共享内存（/dev/shm）已满。"),
        matches=("OSError: [Errno 28] No space left on device: '/dev/shm/paddle_1234'",),
    ),
    Signature(
        id="no-space",
        pattern=r"No space left on device|\[Errno 28\]|Disk quota exceeded|\[Errno 122\]|设备上没有空间",
        role=Role.ROOT,
        cause="disk-full",
        certainty=Certainty.LIKELY,
        says=Text("A disk is full.", "磁盘已满。"),
        matches=("OSError: [Errno 28] No space left on device", "OSError: [Errno 122] Disk quota exceeded"),
    ),
    Signature(
        id="too-many-files",
        pattern=r"\[Errno 24\]|Too many open files",
        role=Role.ROOT,
        cause="fd-exhausted",
        says=Text("The process may not open more files.", "进程打开的文件数已达上限。"),
        matches=("OSError: [Errno 24] Too many open files",),
    ),
)
