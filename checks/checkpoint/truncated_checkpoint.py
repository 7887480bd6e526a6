"""Finds checkpoints that end too early, and tells where."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Break, Checkpoint, Damage, Format

from .patients import example, healthy, state_dict, tensors

PAGE = Page(
    code="PD203",
    name="truncated-checkpoint",
    severity=Severity.ERROR,
    title=Text("The file ends before its content does", "文件不完整，提前结束"),
    what=Text(
        "The file breaks off in the middle: what it announces is longer than what is there. That happens when a "
        "download or a copy is interrupted, when the disk is full, or when the job is killed while it saves.",
        "文件在中途断开：它声明的内容比实际内容长。常见于下载或拷贝中断、磁盘已满，或任务在保存过程中被杀掉。",
    ),
    why=Text(
        "paddle.load refuses a .pdparams that was cut anywhere (ValueError: can not parse the file), so the job stops. "
        "A .pdiparams that was cut inside its last tensor is worse: it loads without a word, and the outputs are wrong "
        "or NaN.",
        "无论从哪里截断，paddle.load 都会拒绝 .pdparams（ValueError: can not parse the file），任务随之停止。"
        "在最后一个张量中间截断的 .pdiparams 更糟：加载时毫无提示，输出却是错误值或 NaN。",
    ),
    cure=Text(
        "Copy or download the file again and compare its size and checksum with the original's, or take an earlier "
        "checkpoint. Save to a new name and rename it when it is complete: paddle.save writes in place.",
        "重新拷贝或下载，并与原文件核对大小和校验和；或改用更早的检查点。保存时先写到新文件名，完成后再改名："
        "paddle.save 是直接覆盖写的。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/subjects/checkpoint/test_real_paddle.py",),
)

ENDS = Text(
    "{name} is cut off: it ends at byte {size}, {where}. At least {missing} bytes are missing. {then}",
    "{name} 不完整：在第 {size} 字节处结束，{where}。至少缺少 {missing} 字节。{then}",
)
INSIDE = Text("inside the tensor '{key}'", "正好在张量“{key}”中间")
AFTER = Text("after the entry '{key}'", "位于“{key}”这一项之后")
EARLY = Text("before the first tensor", "在第一个张量之前")
REFUSES = Text("paddle.load cannot read it.", "paddle.load 无法读取。")
SAFETENSORS_REFUSES = Text("The safetensors library refuses it.", "safetensors 库会拒绝读取。")
SILENT = Text(
    "If this is the model's last tensor, it loads without an error and gives wrong results.",
    "如果这是模型的最后一个张量，加载时不会报错，但结果是错的。",
)
FETCH_AGAIN = Text(
    "Copy or download it again, and compare size and checksum with the original's; or take an earlier checkpoint.",
    "重新拷贝或下载，并与原文件核对大小和校验和；或改用更早的检查点。",
)


def _cut(checkpoint: Checkpoint, key: str | None, *, inside: bool) -> Checkpoint:
    cut = Damage(kind=Break.TRUNCATED, offset=4096, missing=512, last_key=key, inside=inside)
    return replace(checkpoint, damage=cut)


def _fires() -> Iterator[Example]:
    yield example(
        Text("a state dict that was cut inside a tensor", "在张量中间被截断的 state dict"),
        _cut(state_dict("fc.weight"), "fc.bias", inside=True),
    )
    yield example(
        Text("a state dict that was cut between two tensors", "在两个张量之间被截断的 state dict"),
        _cut(state_dict("fc.weight"), "fc.weight", inside=False),
    )
    yield example(
        Text("a .pdiparams that was cut in its last tensor", "在最后一个张量中被截断的 .pdiparams"),
        _cut(
            Checkpoint(path="m.pdiparams", size=4096, format=Format.INFERENCE_PARAMS, tensors=tensors("#0")),
            "#1",
            inside=True,
        ),
    )


def _silent() -> Iterator[Example]:
    yield healthy()
    yield example(
        Text("a file that is damaged in another way", "以其他方式损坏的文件"),
        replace(state_dict("fc.weight"), damage=Damage(kind=Break.UNKNOWN_OPCODE, offset=40)),
    )


@check(PAGE, fires_on=_fires, silent_on=_silent)
def truncated_checkpoint(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Say where the file ends, and what Paddle makes of it."""
    damage = checkpoint.damage
    if damage is None or damage.kind is not Break.TRUNCATED:
        return
    where = EARLY
    if damage.last_key is not None:
        where = (INSIDE if damage.inside else AFTER).fill(key=damage.last_key)
    then = {Format.INFERENCE_PARAMS: SILENT, Format.SAFETENSORS: SAFETENSORS_REFUSES}.get(checkpoint.format, REFUSES)
    yield PAGE.finding(
        ENDS.fill(
            name=checkpoint.name,
            size=f"{checkpoint.size:,}",
            where=where,
            missing=f"{max(damage.missing, 1):,}",
            then=then,
        ),
        certainty=Certainty.CERTAIN,
        location=Location(path=checkpoint.path, tensor=damage.last_key),
        fix=Fix(summary=FETCH_AGAIN, commands=(f"sha256sum {shlex.quote(checkpoint.path)}",), safe=True),
    )
