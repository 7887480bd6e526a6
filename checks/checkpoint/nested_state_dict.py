"""Finds state dicts that lie inside another dict: given to a model as they are, nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_doctor.core.check import Example, Page, check
from paddle_doctor.core.finding import Certainty, Finding, Fix, Location, Severity
from paddle_doctor.core.language import Text, listing
from paddle_doctor.subjects.checkpoint import Branch, Checkpoint, Format

from .patients import example, healthy, state_dict, tensors

PAGE = Page(
    code="PD206",
    name="nested-state-dict",
    severity=Severity.INFO,
    title=Text("The weights lie inside another dict", "权重嵌套在另一层 dict 里"),
    what=Text(
        "The file is a dict of dicts, such as {'model': ..., 'optimizer': ..., 'epoch': ...}: the weights are one "
        "entry of it.",
        "文件是 dict 套 dict，例如 {'model': ..., 'optimizer': ..., 'epoch': ...}：权重只是其中一项。",
    ),
    why=Text(
        "That is a good way to save a training run, as long as it is loaded in the same way. If the whole dict "
        "is given to set_state_dict, no key matches: Paddle only warns, and all weights stay untrained.",
        "这样保存训练进度没有问题，但加载时必须与之对应。如果整个交给 set_state_dict，没有一个键能对上：Paddle "
        "只给出警告，所有权重保持未训练的状态。",
    ),
    cure=Text(
        "Take the entry out when loading: model.set_state_dict(paddle.load(path)['model']).",
        "加载时取出相应的项：model.set_state_dict(paddle.load(path)['model'])。",
    ),
    since=Text("Paddle 2.6 to 3.3", "Paddle 2.6 至 3.3"),
    sources=("measured: tests/subjects/checkpoint/test_real_paddle.py",),
)

NESTED = Text(
    "The weights of {name} lie one level down, under {branches}. If the whole dict is given to a model, no "
    "key matches: Paddle only warns, and the weights stay untrained.",
    "{name} 的权重在下一层：{branches}。如果整个交给模型，没有一个键能对上：Paddle 只给出警告，权重保持未训练的状态。",
)
TAKE = Text("Load the entry that holds the weights.", "加载其中保存权重的那一项。")


def _nested(path: str) -> Checkpoint:
    return replace(
        state_dict(path=path),
        format=Format.NESTED,
        named=False,
        tensors=tensors("model.fc.weight", "opt.fc.w_0_moment1_0"),
        branches=(
            Branch(key="model", tensors=1, optimizer=False),
            Branch(key="opt", tensors=1, optimizer=True),
        ),
    )


def _fires() -> Iterator[Example]:
    yield example(Text("model and optimizer in one file", "模型与优化器存在同一文件"), _nested("last.pdparams"))


def _silent() -> Iterator[Example]:
    yield healthy()


@check(PAGE, fires_on=_fires, silent_on=_silent)
def nested_state_dict(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Name the entries that hold weights."""
    if checkpoint.format is not Format.NESTED:
        return
    keys = [branch.key for branch in checkpoint.branches if not branch.optimizer]
    if not keys:
        return
    load = f"model.set_state_dict(paddle.load({checkpoint.path!r})[{keys[0]!r}])"
    named_weights = checkpoint.suffix == ".pdparams"
    yield PAGE.finding(
        NESTED.fill(name=checkpoint.name, branches=listing(f"'{key}'" for key in keys[:4])),
        severity=Severity.WARNING if named_weights else Severity.INFO,
        certainty=Certainty.POSSIBLE if named_weights else Certainty.CERTAIN,
        location=Location(path=checkpoint.path),
        fix=Fix(summary=TAKE, code=None if checkpoint.suspicious else load),
    )
