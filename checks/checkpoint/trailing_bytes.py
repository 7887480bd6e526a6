"""Finds bytes behind the end of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text
from paddle_doctor.subjects.checkpoint import Checkpoint, Format

from .patients import example, healthy, state_dict, tensors

PAGE = Page(
    code="PD209",
    name="trailing-bytes",
    severity=Severity.WARNING,
    title=Text("There are extra bytes after the end of the checkpoint", "权重文件末尾有多余的字节"),
    what=Text(
        "The content ends before the file does. Two files were joined, a longer old file was written over without "
        "being emptied, the file was opened for appending, or something was hidden there.",
        "内容在文件结尾之前就结束了。可能是两个文件被拼在一起、覆盖写时旧文件没有清空、以追加方式打开，或有人在其中藏了东西。",
    ),
    why=Text(
        "paddle.load reads a .pdparams up to its end and says nothing of the rest, so a damaged or doubled file goes "
        "unnoticed: if two checkpoints were joined, the first is loaded. With .pdiparams Paddle refuses (Not allowed "
        "to load partial data via load_combine_op), and the safetensors library refuses too.",
        "paddle.load 读完 .pdparams 的内容就停下，对其余部分只字不提，损坏或重复的文件因此不会被发现：如果两个"
        "权重文件拼在一起，加载的是第一个。.pdiparams 则会被 Paddle 拒绝（Not allowed to load partial data via "
        "load_combine_op），safetensors 库也会拒绝。",
    ),
    cure=Text(
        "Find out how the file was made, and copy or save it again.",
        "查清文件是怎样产生的，并重新拷贝或保存。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/subjects/checkpoint/test_real_paddle.py",),
)

IGNORED = Text(
    "{name} has {count} extra bytes after the end of its content. paddle.load ignores them and says nothing.",
    "{name} 的内容结束后还有 {count} 字节。paddle.load 会忽略它们，不作任何提示。",
)
REFUSED = Text(
    "{name} has {count} extra bytes after its last tensor, and loading refuses it for that.",
    "{name} 的最后一个张量之后还有 {count} 字节，加载时会因此被拒绝。",
)
AGAIN = Text("Copy, download or save it again.", "重新拷贝、下载或保存。")


def _fires() -> Iterator[Example]:
    yield example(
        Text("a state dict with text behind it", "后面跟着文本的 state dict"),
        replace(state_dict("fc.weight"), trailing=17),
    )
    yield example(
        Text("a .pdiparams with bytes behind it", "后面有多余字节的 .pdiparams"),
        Checkpoint(path="m.pdiparams", size=4096, format=Format.INFERENCE_PARAMS, tensors=tensors("#0"), trailing=17),
    )


def _silent() -> Iterator[Example]:
    yield healthy()


@check(PAGE, fires_on=_fires, silent_on=_silent)
def trailing_bytes(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Count the bytes, and say what reads past them."""
    if not checkpoint.trailing:
        return
    message = IGNORED if checkpoint.is_pickle else REFUSED
    yield PAGE.finding(
        message.fill(name=checkpoint.name, count=f"{checkpoint.trailing:,}"),
        severity=Severity.WARNING if checkpoint.is_pickle else Severity.ERROR,
        location=Location(path=checkpoint.path),
        fix=Fix(summary=AGAIN),
    )
