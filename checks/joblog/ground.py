"""What a verdict rests on: its words, its evidence, and what to look at next."""

from __future__ import annotations

from dataclasses import dataclass, field

from paddle_doctor.core.finding import Certainty, Evidence, Fix
from paddle_doctor.core.language import Text

LOOK_KERNEL = Text(
    "Look for an oom-kill of that time: dmesg -T | grep -i oom", "查看当时是否有 oom-kill：dmesg -T | grep -i oom"
)
LOOK_EXIT = Text(
    "Look for sys.exit, os._exit or an early return in the script; nothing is printed for them.",
    "检查脚本里的 sys.exit、os._exit 或提前返回；它们不会打印任何信息。",
)
RUN_AGAIN = Text("Run it again with: paddle-doctor repro SCRIPT", "用 paddle-doctor repro SCRIPT 再运行一次。")
LOOK_HANG = Text(
    "While it hangs, look where each rank is: py-spy dump --pid PID",
    "卡住时查看每个 rank 停在哪里：py-spy dump --pid PID",
)


@dataclass(slots=True)
class Ground:
    """A verdict in the making."""

    summary: Text
    cause: str
    certainty: Certainty
    rank: int | None = None
    evidence: list[Evidence] = field(default_factory=list)
    next_steps: list[Text] = field(default_factory=list)
    fix: Fix | None = None
