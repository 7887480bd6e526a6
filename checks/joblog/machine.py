"""What the line with compute capability, driver and runtime versions decides, where the visible error does not."""

from __future__ import annotations

from dataclasses import replace

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text

from .candidates import Candidate
from .causes import CAUSES
from .voices import Job

#: The lowest CUDA runtime whose compiler knows a compute capability (NVIDIA's release notes of the CUDA toolkits).
RUNTIME_FOR = (
    ((7, 0), (9, 0)),
    ((7, 5), (10, 0)),
    ((8, 0), (11, 0)),
    ((8, 6), (11, 1)),
    ((8, 9), (11, 8)),
    ((9, 0), (11, 8)),
    ((10, 0), (12, 8)),
    ((12, 0), (12, 8)),
)
#: Causes that only say that something on the GPU broke; the machine's line may explain them.
UNEXPLAINED = frozenset(
    {"unknown", "illegal-memory-access", "segfault-unknown", "cudnn-missing-or-mismatch", "gpu-oom"}
)

TOO_NEW = Text(
    "The GPU has compute capability {capability}; that needs CUDA {needed}, and this Paddle is "
    "built for CUDA {runtime}.",
    "GPU 的计算能力是 {capability}，需要 CUDA {needed}，而当前 Paddle 按 CUDA {runtime} 编译。",
)
FIX = Text(
    "Install a paddlepaddle-gpu build for CUDA {needed} or later.", "安装 CUDA {needed} 及以上的 paddlepaddle-gpu。"
)


def explained_by_machine(job: Job, chosen: Candidate) -> Candidate:
    """The candidate, or the GPU's architecture in its place if that explains a failure that is else unexplained."""
    if chosen.cause not in UNEXPLAINED or chosen.certainty is Certainty.CERTAIN:
        return chosen
    for voice in job.voices:
        for note in voice.said("device-note"):
            fields = note.event.fields
            needed = _needed(fields["capability"])
            runtime = _version(fields["runtime"])
            if needed is None or runtime >= needed:
                continue
            words = {
                "capability": fields["capability"],
                "needed": ".".join(map(str, needed)),
                "runtime": fields["runtime"],
            }
            return replace(
                chosen,
                cause="gpu-arch-mismatch",
                certainty=Certainty.LIKELY,
                says=TOO_NEW.fill(**words),
                evidence=(note.evidence, *chosen.evidence),
                fix=replace(CAUSES["gpu-arch-mismatch"].fix, summary=FIX.fill(**words)),
            )
    return chosen


def _needed(capability: str) -> tuple[int, int] | None:
    """The CUDA runtime that a capability needs; older Paddle writes 75 for 7.5."""
    if "." not in capability:
        capability = f"{capability[:-1]}.{capability[-1]}"
    wanted = _version(capability)
    known = [runtime for least, runtime in RUNTIME_FOR if least <= wanted]
    return known[-1] if known else None


def _version(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major or 0), int(minor or 0)
