"""Short logs of failed jobs, each with the cause and the rank that they prove: the examples of PD501."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paddle_doctor.core.language import Text
from paddle_doctor.subjects.joblog import JobLog, joblog_of

from .tables import BY_ID


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What stands in the logs, and what must be read out of it."""

    shows: Text
    files: Mapping[str, str]
    cause: str
    rank: int | None

    def joblog(self) -> JobLog:
        """The facts that the gatherer reads out of these files."""
        return joblog_of(self.files, tuple(BY_ID.values()))


def _stopped(sender: int, pid: int = 4801) -> str:
    return (
        "FatalError: `Termination signal` is detected by the operating system.\n"
        '  [TimeInfo: *** Aborted at 1796086814 (unix time) try "date -d @1796086814" if you are using GNU date ***]\n'
        f"  [SignalInfo: *** SIGTERM (@0x{sender:x}) received by PID {pid} (TID 0x7f4f1e3fdb80) "
        f"from PID {sender} ***]\n"
    )


_POD_FAILED = (
    "LAUNCH INFO 2026-03-02 10:00:31,954 Pod failed\nLAUNCH ERROR 2026-03-02 10:00:31,954 Container failed !!!\n"
)


def _failed(rank: int, code: int) -> str:
    return (
        f"{_POD_FAILED}Container rank {rank} status failed cmd ['python', 'eval.py'] code {code} "
        f"log log/workerlog.{rank}\n"
    )


_ABORT = (
    "INFO 2026-03-02 10:00:32,888 launch_utils.py:334] terminate all the procs\n"
    "ERROR 2026-03-02 10:00:32,888 launch_utils.py:648] ABORT!!! Out of all 2 trainers, "
    "the trainer process with rank=[0, 1] was aborted. Please check its log.\n"
)
_PEER_GONE = (
    "Traceback (most recent call last):\n"
    '  File "/home/me/eval.py", line 31, in <module>\n'
    "    dist.all_reduce(total)\n"
    "RuntimeError: [/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:584] "
    "TIMEOUT self_rank = 0 pair_rank = 1 peer_str = [127.0.0.1]:22947\n"
)

STORIES = (
    Story(
        shows=Text(
            "the launcher blames rank 0, which only failed because of rank 1; rank 1 raised a ValueError",
            "启动器归咎于 rank 0，而它只是受 rank 1 牵连；rank 1 抛出了 ValueError",
        ),
        files={
            "console.txt": _PEER_GONE + _failed(0, 1),
            "log/workerlog.0": f"step 5\n{_PEER_GONE}",
            "log/workerlog.1": "step 5\nTraceback (most recent call last):\n"
            '  File "/home/me/eval.py", line 27, in <module>\n'
            "    raise ValueError('label 7 in batch 5')\n"
            "ValueError: label 7 in batch 5\n",
        },
        cause="user-code-exception",
        rank=1,
    ),
    Story(
        shows=Text(
            "rank 1 was killed (code -9) and said nothing; rank 0 was then stopped by the launcher",
            "rank 1 被杀死（退出码 -9）且没有任何输出；rank 0 随后被启动器结束",
        ),
        files={
            "console.txt": _failed(1, -9) + "LAUNCH INFO 2026-03-02 10:00:32,100 Exit code -15\n",
            "log/workerlog.0": f"step 6\n{_stopped(4790)}",
            "log/workerlog.1": "step 5\n",
        },
        cause="host-oom-kill",
        rank=1,
    ),
    Story(
        shows=Text(
            "rank 1 ended without a word, and rank 0 notices that it is gone",
            "rank 1 没有任何输出就退出，rank 0 发现对端消失",
        ),
        files={"log/workerlog.0": f"step 5\n{_PEER_GONE}", "log/workerlog.1": "step 5\n"},
        cause="unknown",
        rank=1,
    ),
    Story(
        shows=Text(
            "rank 1 hangs; rank 0 waited 30 seconds in all_reduce", "rank 1 卡住；rank 0 在 all_reduce 中等了 30 秒"
        ),
        files={
            "log/workerlog.0": "step 5\nRuntimeError: [/paddle/third_party/gloo/gloo/transport/tcp/"
            "unbound_buffer.cc:80] "
            "TIMEOUT self_rank = none pair_rank = -1 peer_str = none\n",
            "log/workerlog.1": f"step 5\n{_stopped(4790)}",
            "console.txt": _ABORT,
        },
        cause="rank-desync-hang",
        rank=1,
    ),
    Story(
        shows=Text("only the legacy launcher's last lines", "只有旧版启动器最后的几行"),
        files={"console.txt": _ABORT},
        cause="launcher-only",
        rank=None,
    ),
    Story(
        shows=Text(
            "a worker ran out of shared memory; the queue's line is only a consequence",
            "worker 共享内存不足；队列那一行只是后果",
        ),
        files={
            "console.txt": "ERROR: Unexpected BUS error encountered in DataLoader worker. This might be caused by "
            "insufficient "
            "shared memory (shm), please check whether use_shared_memory is set\0\n"
            "SystemError: (Fatal) Blocking queue is killed because the data reader raises an exception.\n"
        },
        cause="shm-exhausted",
        rank=None,
    ),
    Story(
        shows=Text("a label out of range, and the CUDA error that follows it", "标签越界，以及随后出现的 CUDA 错误"),
        files={
            "log/workerlog.0": "Error: /paddle/paddle/phi/kernels/gpu/"
            "cross_entropy_kernel.cu:998 Assertion `false` failed. "
            "The value of label expected >= 0 and < 10, or == -100, but got 10. Please check label value.\n"
            "OSError: (External) CUDA error(719), unspecified launch failure.\n"
        },
        cause="label-out-of-range",
        rank=0,
    ),
    Story(
        shows=Text(
            "rank 1 got a SIGTERM that the launcher had not sent; rank 0 was then stopped by the launcher",
            "rank 1 收到并非来自启动器的 SIGTERM，rank 0 随后被启动器结束",
        ),
        files={
            "console.txt": _failed(1, -15),
            "log/workerlog.0": f"step 5\n{_stopped(4790)}",
            "log/workerlog.1": f"step 5\n{_stopped(4802, 4802)}",
        },
        cause="killed-from-outside",
        rank=1,
    ),
    Story(
        shows=Text("a job that went well, after one retry at its start", "启动时重试了一次、随后正常结束的任务"),
        files={
            "log/workerlog.0": "step 39\nrank 0 done\n",
            "log/workerlog.1": "I0302 10:00:09.029820 10643 tcp_utils.cc:109] Retry to connect to "
            "127.0.0.1:50044 while the "
            "server is not yet listening.\n"
            "I0302 10:00:12.030027 10643 tcp_utils.cc:132] Successfully connected to 127.0.0.1:50044\nstep 39\n",
        },
        cause="no-failure",
        rank=None,
    ),
)
