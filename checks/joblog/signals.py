"""What crashing processes print of signals, beyond the blocks that are read as such."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_CRASH = Text("The process crashed with a segmentation fault.", "进程发生段错误。")

SIGNATURES = (
    Signature(
        id="illegal-instruction",
        pattern=r"Illegal instruction|非法指令|\*\*\* SIGILL\b",
        role=Role.ROOT,
        cause="illegal-instruction",
        says=Text("The program used an instruction that the CPU does not support.", "程序使用了 CPU 不支持的指令。"),
        matches=(
            "Illegal instruction (core dumped)",
            "FatalError: `Illegal instruction` is detected by the operating system.",
        ),
    ),
    Signature(
        id="segmentation-fault",
        pattern=r"[Ss]egmentation fault|段错误|\*\*\* SIGSEGV\b|Windows fatal exception: access violation"
        r"|\b0[xX][cC]0000005\b|\b3221225477\b|-1073741819\b",
        role=Role.ROOT,
        cause="segfault-unknown",
        certainty=Certainty.LIKELY,
        says=_CRASH,
        matches=(
            "FatalError: `Segmentation fault` is detected by the operating system.",
            "Segmentation fault (core dumped)",
            "段错误 (核心已转储)",
            "Process finished with exit code -1073741819 (0xC0000005)",
        ),
        misses=("ERROR: Unexpected BUS error encountered in DataLoader worker.",),
    ),
    Signature(
        id="aborted",
        pattern=r"Process abort signal|\*\*\* SIGABRT\b|^Aborted(?: \(core dumped\))?$|已放弃"
        r"|A serious error|\b0[xX][cC]0000409\b|\b3221226505\b|-1073740791\b"
        r"|double free or corruption|corrupted size vs\. prev_size|free\(\): invalid"
        r"|munmap_chunk\(\)|malloc\(\): \w{1,40}",
        role=Role.ROOT,
        cause="segfault-unknown",
        certainty=Certainty.POSSIBLE,
        says=Text("The process was aborted.", "进程异常中止（abort）。"),
        matches=(
            "FatalError: `Process abort signal` is detected by the operating system.",
            "Aborted (core dumped)",
            "double free or corruption (!prev)",
        ),
    ),
    Signature(
        id="floating-point-signal",
        pattern=r"Erroneous arithmetic operation|Floating point exception|\*\*\* SIGFPE\b|浮点数例外",
        role=Role.ROOT,
        cause="segfault-unknown",
        certainty=Certainty.LIKELY,
        says=Text(
            "The process died of a floating-point exception (division by zero in C++).",
            "进程因浮点异常（C++ 中除以零）退出。",
        ),
        matches=("Floating point exception (core dumped)",),
    ),
    Signature(
        id="terminate-called",
        pattern=r"terminate called (?:without an active exception|recursively)",
        role=Role.CONSEQUENCE,
        says=Text(
            "The process ended while threads still ran, after an exception.", "异常之后进程退出，仍有线程在运行。"
        ),
        matches=("terminate called without an active exception",),
    ),
    Signature(
        id="no-paddle-frame",
        pattern=r"No stack trace in paddle, may be caused by external reasons"
        r"|You could check whether you killed PaddlePaddle thread",
        role=Role.ADVICE,
        says=Text(
            "No Paddle frame was on the stack; this does not prove an outside cause.",
            "栈上没有 Paddle 的栈帧；这并不说明是外部原因。",
        ),
        matches=("No stack trace in paddle, may be caused by external reasons.",),
    ),
)
