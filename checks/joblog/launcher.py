"""The launchers' own lines: obituaries that are never the cause."""

from __future__ import annotations

from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

SIGNATURES = (
    Signature(
        id="launcher-terminates",
        pattern=r"terminate all the procs|terminate process group gid:",
        role=Role.LAUNCHER,
        says=Text(
            "The legacy launcher has ended all ranks because one of them failed. This line is never the "
            "cause: open workerlog.N of the ranks that the ABORT line names.",
            "旧版启动器发现有 rank 失败后结束了所有进程。这一行从来不是原因：请打开 ABORT 行所列 rank 的 workerlog.N。",
        ),
        matches=("INFO 2026-12-01 01:04:32,888 launch_utils.py:334] terminate all the procs",),
    ),
    Signature(
        id="launcher-abort",
        pattern=r"ABORT!!! Out of all \d{1,6} trainers|the trainer process with rank=\[",
        role=Role.LAUNCHER,
        says=Text(
            "The legacy launcher lists every rank that has ended, including those that it ended itself or that "
            "failed because of another. Open their workerlog.N.",
            "旧版启动器列出所有已退出的 rank，其中也包括受牵连的和被它自己结束的。请打开它们的 workerlog.N。",
        ),
        matches=(
            "ABORT!!! Out of all 2 trainers, the trainer process with rank=[0, 1] was aborted. Please check its log.",
        ),
    ),
    Signature(
        id="launcher-pod-failed",
        pattern=r"\bPod failed\b|Container failed !!!|Container rank \d{1,6} status failed"
        r"|Failed to launch worker processes, check log/workerlog",
        role=Role.LAUNCHER,
        says=Text(
            "The launcher saw a rank fail. It names the first one by number, not by time; a code of -15 (241) is "
            "usually that of a victim.",
            "启动器发现有 rank 失败。它按编号而不是按时间列出第一个；退出码 -15（241）通常属于被牵连者。",
        ),
        matches=(
            "LAUNCH INFO 2026-12-01 00:58:31,954 Pod failed",
            "LAUNCH ERROR 2026-12-01 00:58:31,954 Container failed !!!",
        ),
    ),
    Signature(
        id="spawned-process-ended",
        pattern=r"Process \d{1,6} terminated with (?:exit code|signal)"
        r"|torch\.distributed\.elastic\.multiprocessing\.errors\.ChildFailedError",
        role=Role.LAUNCHER,
        says=Text(
            "A spawned rank ended; its own traceback tells why.", "某个 spawn 的 rank 退出；原因见它自己的 traceback。"
        ),
        matches=("Exception: Process 0 terminated with exit code 1.",),
    ),
    Signature(
        id="launcher-own-noise",
        pattern=r"'Popen' object has no attribute 'join'",
        role=Role.LAUNCHER,
        says=Text(
            "The launcher of Paddle 1.8 fails in its own clean-up; this is not the cause.",
            "Paddle 1.8 的启动器在清理时自身报错，不是原因。",
        ),
        matches=("AttributeError: 'Popen' object has no attribute 'join'",),
    ),
    Signature(
        id="termination-signal",
        pattern=r"`Termination signal` is detected by the operating system|\*\*\* SIGTERM \(@0x",
        role=Role.CONSEQUENCE,
        says=Text(
            "The process was ended with SIGTERM. In a rank this is usually the launcher's doing, after another "
            "rank failed.",
            "进程被 SIGTERM 结束。对 rank 而言，通常是别的 rank 失败后由启动器发出的。",
        ),
        matches=("FatalError: `Termination signal` is detected by the operating system.",),
    ),
    Signature(
        id="store-shutdown",
        pattern=r"receive shutdown event and so quit from MasterDaemon run loop|Local processes completed\.",
        role=Role.LAUNCHER,
        says=Text(
            "A normal line at the end of a job; it says nothing about a failure.", "任务结束时的正常输出，与故障无关。"
        ),
        matches=("I1201 tcp_store.cc:289] receive shutdown event and so quit from MasterDaemon run loop",),
    ),
)
